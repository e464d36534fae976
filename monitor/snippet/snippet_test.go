package snippet

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/strandlinehq/strandline/monitor/text"
)

var (
	before = Version{time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), []string{
		"The harbour opens at nine.", "A ferry to the island leaves every hour.", "Tickets are sold on board.", "…",
	}}
	after = Version{time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC), []string{
		"Tickets are sold on board.", "The harbour opens at ten.", "A FERRY to the island leaves every hour.", "The night ferry to the island is cancelled until May.",
		"The cafe is shut.", "The cafe is shut.", "***",
	}}
)

// show writes spans with the marked ones in brackets.
func show(line Line) string {
	var b strings.Builder
	for _, s := range line {
		if s.Marked {
			b.WriteString("[" + s.Text + "]")
		} else {
			b.WriteString(s.Text)
		}
	}
	return b.String()
}

// The page of paper A's Figure 1: what came is marked, what moved or only changed its
// case is not.
func TestMark(t *testing.T) {
	t.Parallel()
	want := []Sentence{
		{"Tickets are sold on board.", false},
		{"The harbour opens at ten.", true},
		{"A FERRY to the island leaves every hour.", false},
		{"The night ferry to the island is cancelled until May.", true},
		{"The cafe is shut.", true},
		{"The cafe is shut.", true},
		{"***", false},
	}
	if diff := cmp.Diff(want, Mark(before.Sentences, after.Sentences)); diff != "" {
		t.Errorf("marks (-want +got):\n%s", diff)
	}
}

// The result of paper A's Figure 8: the hit, and what is new since the last visit.
func TestOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, query string
		opt         Options
		want        string
	}{
		{"hit and news", "ferry night", Options{}, `
hit: The [night] [ferry] to the island is cancelled until May.
new since 2026-03-01: The harbour opens at ten.
new since 2026-03-01: The [night] [ferry] to the island is cancelled until May.
new since 2026-03-01: The cafe is shut.
more: 0`},
		{"few", "Ferry", Options{New: 1}, `
hit: A [FERRY] to the island leaves every hour.
new since 2026-03-01: The night [ferry] to the island is cancelled until May.
more: 2`},
		{"short", "cancelled", Options{Length: 24, New: 1}, `
hit: … is [cancelled] until …
new since 2026-03-01: … is [cancelled] until …
more: 2`},
		{"no query", "", Options{New: 1}, `
hit: 
new since 2026-03-01: The harbour opens at ten.
more: 2`},
	} {
		s := Of(before, after, strings.Fields(tt.query), tt.opt)
		got := "\nhit: " + show(s.Hit)
		for _, line := range s.New {
			got += fmt.Sprintf("\nnew since %s: %s", s.Since.Format("2006-01-02"), show(line))
		}
		got += fmt.Sprint("\nmore: ", s.More)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	if s := Of(Version{}, Version{}, nil, Options{}); s.Hit != nil || s.New != nil || s.More != 0 {
		t.Errorf("of nothing: %+v", s)
	}
}

// New sentences are those of the summaries' rule, and spans keep the text.
func TestAgainstText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sentence := rapid.SampledFrom([]string{"One.", "one", "Two three.", "Four!", "...", "two  three", "Five six seven.", "日本語の文。"})
		old := rapid.SliceOf(sentence).Draw(t, "old")
		now := rapid.SliceOf(sentence).Draw(t, "now")
		seen := map[string]bool{}
		var got []string
		for _, s := range Mark(old, now) {
			if n := text.Normal(s.Text); s.New && !seen[n] {
				seen[n] = true
				got = append(got, s.Text)
			}
		}
		if diff := cmp.Diff(text.NewSentences(old, now), got); diff != "" {
			t.Fatalf("new sentences (-want +got):\n%s", diff)
		}
		long := strings.Join(now, " ")
		words := map[string]bool{"three": true, "six": true}
		line := mark(long, words)
		plain := ""
		for _, s := range line {
			plain += s.Text
		}
		if plain != long {
			t.Fatalf("spans of %q give %q", long, plain)
		}
		n := rapid.IntRange(1, 40).Draw(t, "length")
		size := 0
		for _, s := range shorten(line, n) {
			size += utf8.RuneCountInString(s.Text)
		}
		if size > n+4 {
			t.Fatalf("%q shortened to %d has %d runes", long, n, size)
		}
	})
}
