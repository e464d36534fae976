package daemon

import (
	"encoding/json"
	"testing"
)

// TestDetailsAreJoined: what a round adds to an attempt leaves what the fetch told.
func TestDetailsAreJoined(t *testing.T) {
	t.Parallel()
	type told struct {
		Round int `json:"round,omitempty"`
	}
	for _, test := range []struct{ detail, want string }{
		{"", `{"round":2}`},
		{"{}", `{"round":2}`},
		{`{"redirects":[{"to":"x"}]}`, `{"redirects":[{"to":"x"}],"round":2}`},
	} {
		a := Attempt{Detail: json.RawMessage(test.detail)}
		if got := a.also(told{2}); string(got) != test.want {
			t.Errorf("%s and a round give %s, want %s", test.detail, got, test.want)
		}
		if string(a.Detail) != test.detail {
			t.Errorf("the attempt's own detail became %s", a.Detail)
		}
	}
	a := Attempt{Detail: json.RawMessage(`{"x":1}`)}
	if got := a.also(told{}); string(got) != `{"x":1}` {
		t.Errorf("nothing more gives %s", got)
	}
}
