package boilerplate

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFind(t *testing.T) {
	t.Parallel()
	sentences := []Sentence{
		{"a.org", 1, 7}, {"a.org", 2, 7}, {"a.org", 3, 7}, // on three of four pages
		{"a.org", 1, 8}, {"a.org", 2, 8}, // teaser and article
		{"a.org", 4, 9}, {"a.org", 4, 9}, {"a.org", 4, 9}, // thrice on one page
		{"b.org", 5, 7}, // another site
	}
	if diff := cmp.Diff([]bool{true, true, true, false, false, false, false, false, false}, Find(sentences, Options{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := Find(nil, Options{}); len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

// TestFindNeedsAShare: three of twenty pages is no template.
func TestFindNeedsAShare(t *testing.T) {
	t.Parallel()
	var sentences []Sentence
	for p := range int64(20) {
		sentences = append(sentences, Sentence{"a.org", p, uint64(100 + p)})
		if p < 3 {
			sentences = append(sentences, Sentence{"a.org", p, 7})
		}
		if p < 6 {
			sentences = append(sentences, Sentence{"a.org", p, 8})
		}
	}
	got := Find(sentences, Options{})
	for i, s := range sentences {
		if got[i] != (s.Normal == 8) {
			t.Errorf("text %d of page %d: %v", s.Normal, s.Page, got[i])
		}
	}
}

func TestPerHost(t *testing.T) {
	t.Parallel()
	got := PerHost([]Voice{{"a", 1}, {"a", 1}, {"b", 1}, {"a", 2}, {"b", 1}})
	if diff := cmp.Diff([]bool{true, false, true, true, false}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
