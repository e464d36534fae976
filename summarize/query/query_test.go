package query

import (
	"testing"

	"pgregory.net/rapid"
)

func score(q, lang, title, body string) float64 {
	parsed := Parse(q, lang)
	return parsed.Score(parsed.Index(title, body))
}

func TestMatches(t *testing.T) {
	t.Parallel()
	const body = "The agency limits forever chemicals in drinking water. Wells were tested."
	for _, tt := range []struct {
		name, query, lang, title, body string
		want                           bool
	}{
		{"all words", "water wells", "en", "", body, true},
		{"a word is missing", "water rivers", "en", "", body, false},
		{"stems", "well testing", "en", "", body, true},
		{"a phrase", `"forever chemicals"`, "en", "", body, true},
		{"a phrase in another order", `"chemicals forever"`, "en", "", body, false},
		{"the second alternative", `pfas OR "forever chemicals"`, "en", "", body, true},
		{"no alternative", `pfas OR "lasting chemicals"`, "en", "", body, false},
		{"in the title only", "pfas", "en", "PFAS news", body, true},
		{"nothing asked", "", "en", "", body, false},
		{"only OR and quotes", `OR "" OR`, "en", "", body, false},
		{"a quote left open", `water "forever chemicals`, "en", "", body, true},
		{"German", "Häuser Fluss", "de", "", "Der Fluss überflutete 200 Häuser.", true},
		{"Japanese", "洪水", "ja", "", "月曜日に洪水が起きた。", true},
	} {
		if got := score(tt.query, tt.lang, tt.title, tt.body) > 0; got != tt.want {
			t.Errorf("%s: %q matches = %v, want %v", tt.name, tt.query, got, tt.want)
		}
	}
}

func TestTitleAndCountWeigh(t *testing.T) {
	t.Parallel()
	in, out := score("flood", "en", "Flood", "The river rose."), score("flood", "en", "News", "The flood rose.")
	if in <= out {
		t.Errorf("a word in the title scores %v, in the text %v", in, out)
	}
	if once, twice := score("flood", "en", "", "A flood and rain"), score("flood", "en", "", "A flood and flood"); twice <= once {
		t.Errorf("twice scores %v, once %v", twice, once)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	if got, want := Words(`pfas OR "forever chemicals"`), "pfas forever chemicals"; got != want {
		t.Errorf("Words = %q, want %q", got, want)
	}
}

// TestMoreAlternativesMatchMore holds that another alternative loses no page.
func TestMoreAlternativesMatchMore(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		q := rapid.StringMatching(`[a-d "]{0,20}`).Draw(t, "query")
		body := rapid.StringMatching(`([a-d]{1,3} ){0,20}`).Draw(t, "body")
		if a, b := score(q, "", "", body), score(`dd OR `+q, "", "", body); b < a {
			t.Fatalf("%q scores %v, with an alternative %v", q, a, b)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add(`pfas OR "forever chemicals"`, "forever chemicals")
	f.Add(`"`, "")
	f.Fuzz(func(t *testing.T, q, body string) {
		if got := score(q, "en", "", body); got < 0 || got != got {
			t.Fatalf("score %v", got)
		}
	})
}
