package mask

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// form writes a text with its tokens as placeholders, words and punctuation left.
func form(text string) string {
	var p pattern
	for _, t := range tokens(text) {
		k := part{class: t.class}
		if t.class == literal || t.class == word {
			k = part{literal, text[t.start:t.end]}
		}
		p = append(p, k)
	}
	return p.String()
}

func TestTokens(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Page served in 0.123 secs":                             "Page served in {number} secs",
		"1,234,567 views.":                                      "{number} views.",
		"0.12s, 12°C and -3 °C, 5-3":                            "{number}s, {number}°C and {number} °C, {number}-{number}",
		"v2 of {it}":                                            "v{number} of {{it}",
		"at 9:05 or 09:05:33.250":                               "at {time} or {time}",
		"Mon, 02 Nov 2026 10:00:01 GMT":                         "{time}",
		"Generated on Monday, 2 November 2026 at 10:00 by hand": "Generated on {time} by hand",
		"Stand: 2.11.2026, 10:00 Uhr":                           "Stand: {time}",
		"Updated 10:00 at the dock":                             "Updated {time} at the dock",
		"2026-11-02T10:00:01Z":                                  "{time}",
		"Nov 2, 2026":                                           "{time}",
		"12 online 10:00:01":                                    "{number} online {time}",
		"we may march 500 miles":                                "we may {time} miles", // a march beside a number
		"it may be so on Monday":                                "it may be so on Monday",
		"1:2 and 12:345":                                        "{number}:{number} and {number}:{number}",
		"sid=9f3ab77c, 12345678":                                "sid={id}, {number}",
		"3f2504e0-4f89-41d3-9a0c-0305e82c3301":                  "{id}",
		"nonce kJhTgRwQasDf":                                    "nonce {id}",
		"Grüße, Ångström 5":                                     "Grüße, Ångström {number}",
		"":                                                      "",
		"\xff\xfe 7":                                            "\xff\xfe {number}",
	} {
		if got := form(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestShows(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 2, 10, 59, 58, 0, time.UTC)
	for text, want := range map[string]bool{
		"10:59:58": true, "15:30:01": true, "11:00:09": false, "10:59": true, "11:29": true, "5:00 pm": true,
		"11:02": false, "Nov 2, 2026": false, "Mon, 02 Nov 2026 12:29:57 GMT": true, "": false,
	} {
		if got := shows(text, now); got != want {
			t.Errorf("%q shows %v: %v", text, now, got)
		}
	}
}

func TestBetween(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ a, b, want string }{
		{"Visitors: 12 since 1998", "Visitors: 1,301 since 1998", "Visitors: {number} since 1998"},
		{"sid=12345678", "sid=9f3ab77c", "sid={id}"},
		{"Harbour: 9 °C, sunny", "Harbour: 9 °C, cloudy", "Harbour: 9 °C, {word}"},
		{"Now: calm, 1 boat", "Now: light wind from east, 2 boats", "Now: {text}"},
		{"same", "same", ""},
	} {
		got := between(c.a, tokens(c.a), c.b, tokens(c.b), func(string) bool { return false }).String()
		if got != c.want {
			t.Errorf("%q and %q: %q, want %q", c.a, c.b, got, c.want)
		}
	}
}

var texts = rapid.Custom(func(t *rapid.T) string {
	words := rapid.SliceOfN(rapid.SampledFrom([]string{"page", "12", "-3", "1,5", "{", "{{id}", "10:00:01", "Nov", "2026", ":", "°", "ab12cd34", "é", "at", ","}), 0, 9).Draw(t, "words")
	return strings.Join(words, rapid.SampledFrom([]string{" ", "", ", "}).Draw(t, "between"))
})

// The pattern of a pair fits both and leaves the same of both, also when it is
// read back from its text, and tokens leave nothing out.
func TestPatternOfAPair(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := texts.Draw(t, "a"), texts.Draw(t, "b")
		at := 0
		for _, k := range tokens(a) {
			if k.start != at || k.end <= k.start {
				t.Fatalf("tokens of %q: %v", a, tokens(a))
			}
			at = k.end
		}
		if at != len(a) {
			t.Fatalf("tokens of %q end at %d", a, at)
		}
		p := between(a, tokens(a), b, tokens(b), func(string) bool { return false })
		if (p == nil) != (a == b) {
			t.Fatalf("pattern of %q and %q is %q", a, b, p)
		}
		if p == nil {
			return
		}
		x, okX := blank(a, []pattern{p})
		y, okY := blank(b, []pattern{p})
		if !okX || !okY || x != y {
			t.Fatalf("%q leaves %q of %q and %q of %q", p, x, a, y, b)
		}
		back, err := parsePattern(p.String())
		if err != nil || back.String() != p.String() {
			t.Fatalf("%q came back as %q, %v", p, back, err)
		}
	})
}

func TestPathsAreSelectors(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"body", "#main", "#main > ul.stories > li > em:nth-of-type(2)", "body > x-box.a-b_c"} {
		p, err := parsePath(s)
		if err != nil || p.String() != s {
			t.Errorf("%q came back as %q, %v", s, p, err)
		}
	}
	for _, s := range []string{"", "div", "body > #a", "body > p.", "body > p:nth-of-type(0)", "body > p:nth-of-type(x)", "body >p", "#1", "body > P Q", "body > p:nth-of-type(01)"} {
		if p, err := parsePath(s); err == nil {
			t.Errorf("%q was taken as %q", s, p)
		}
	}
	if d := cmp.Diff([]bool{true, false, false, true, false}, []bool{stable("ad-slot"), stable("ad-123"), stable("4x"), stable("col2"), stable("a:b")}); d != "" {
		t.Error(d)
	}
}
