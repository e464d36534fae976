package notice

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestRule(t *testing.T) {
	t.Parallel()
	c := Change{Dice: 0.9, Significance: 0.1, Added: []string{"A recall.", "B"}, Removed: []string{"C"}}
	tests := []struct {
		name string
		rule Rule
		want bool
	}{
		{"nothing asked", Rule{}, true},
		{"Dice below", Rule{DiceBelow: 0.91}, true},
		{"Dice equal", Rule{DiceBelow: 0.9}, false},
		{"significance equal", Rule{Significance: 0.1}, true},
		{"significance above", Rule{Significance: 0.11}, false},
		{"added", Rule{Added: regexp.MustCompile("recall")}, true},
		{"added, but removed", Rule{Added: regexp.MustCompile("C")}, false},
		{"removed", Rule{Removed: regexp.MustCompile("C")}, true},
		{"one of two", Rule{DiceBelow: 0.91, Removed: regexp.MustCompile("A")}, false},
	}
	for _, test := range tests {
		if got := test.rule.Match(c); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// TestStates compares with the whole history of a page: a text is known again if it is
// among the last n different ones.
func TestStates(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 4).Draw(t, "n")
		var states States
		texts := []int64{0}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			before := texts[len(texts)-1]
			after := rapid.Int64Range(0, 5).Filter(func(x int64) bool { return x != before }).Draw(t, "text")
			var last []int64
			for _, x := range slices.Backward(texts) {
				if !slices.Contains(last, x) && len(last) < n {
					last = append(last, x)
				}
			}
			var again bool
			states, again = states.Step(before, after, n)
			if again != slices.Contains(last, after) {
				t.Fatalf("after %v the text %d: again %v", texts, after, again)
			}
			texts = append(texts, after)
		}
	})
}

func TestWindow(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	var w Window
	for i := range 3 * noisyDay {
		var noisy bool
		if w, noisy = w.Add(at); noisy != (i == noisyDay-1) {
			t.Errorf("message %d: noisy %v", i, noisy)
		}
	}
	if w, _ = w.Add(at.Add(24 * time.Hour)); w.Count != 1 {
		t.Errorf("the next day begins with %d", w.Count)
	}
}

func TestID(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	if ID("a", "bc", at) != ID("a", "bc", at.In(time.FixedZone("x", 3600))) {
		t.Error("the zone changes the id")
	}
	if ID("a", "bc") == ID("ab", "c") || ID("a") == ID("a", "") {
		t.Error("different parts make one id")
	}
}

func FuzzShorten(f *testing.F) {
	for _, s := range []string{"", "a\nb", "\x00\xff", strings.Repeat("ü", 50), "a\u2028b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Shorten(s, 20)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > 20 || strings.ContainsAny(got, "\x00\n\r\u2028\u2029") {
			t.Errorf("Shorten(%q) = %q", s, got)
		}
	})
}

func TestMessageText(t *testing.T) {
	t.Parallel()
	d, s := 0.5, 0.25
	m := Message{Kind: KindChange, Source: "watch w", URL: "http://a.test/", Dice: &d, Significance: &s, At: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}
	m.Quote([]string{"1", "2", "3", "4", "5", "6"}, []string{strings.Repeat("x", 400)})
	got := m.Text()
	if !strings.Contains(got, "+ 5\n- xxx") || strings.Contains(got, "+ 6") || !strings.Contains(got, "(1 more)") || len(got) > 500 {
		t.Errorf("text %q", got)
	}
	if m.Subject() != "Changed: http://a.test/" {
		t.Errorf("subject %q", m.Subject())
	}
	items := make([]Message, 60)
	if d := Digest("watch w", m.At, items); len(d.Items) != maxItems || d.Left != 10 || d.Title != "60 messages" {
		t.Errorf("digest of %d items, %d left, %q", len(d.Items), d.Left, d.Title)
	}
}
