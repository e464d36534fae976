package repeat

import (
	"slices"

	"github.com/strandlinehq/strandline/summarize/feature"
)

// Label says what a sentence is to someone who knows the history of its topic.
type Label string

// Labels, as the views have them.
const (
	New       Label = "new"
	Update    Label = "update"
	Repeat    Label = "repeat"
	Withdrawn Label = "retracted"
)

// Thresholds of the cosine. They were set on sentences of news and authorities
// (see the tests, which hold what they reach).
const (
	// Same is the likeness from which on a sentence without new figures says
	// what the past one said.
	Same = 0.62
	// Related is the likeness from which on two sentences are on one matter.
	Related = 0.40
)

// Judge labels a sentence by its nearest past one.
func Judge(m Match) Label {
	switch {
	case m.Exact:
		return Repeat
	case m.Cosine >= Same && m.Figures:
		return Repeat
	case m.Wording && !m.Figures || m.Cosine >= Related && !m.Names:
		return Update
	}
	return New
}

// Novelty is how much a sentence says that was not said: 1 - cosine with its
// nearest past one. A known matter with other figures counts at least half,
// since the figures are its news ("26 killed", "31 killed"). One in the same wording
// counts just half: with every count of a row the words become commoner and the cosine
// smaller, though each is one more of them.
func Novelty(m Match) float64 {
	if m.Exact {
		return 0
	}
	if m.Wording && !m.Figures {
		return 0.5
	}
	if !m.Figures && m.Cosine >= Related {
		return max(1-m.Cosine, 0.5)
	}
	return 1 - m.Cosine
}

// Retracted returns the indices of the sentences of a page's version before that
// the page took back: gone and not reworded (no new sentence has a cosine of
// Related or more with it), while the sentences before and after it in its block
// still stand. What scrolls off the end of a list has no such neighbours. old and
// new hold the sentences of one block, or of a page, in order; normals are the
// hashes of their normal forms.
func Retracted(old, new []Sentence) []int {
	stands := make(map[uint64]bool, len(new))
	var counts feature.Counts
	for _, s := range new {
		stands[s.Normal] = true
		counts.Add(s.Terms)
	}
	var out []int
	for i := 1; i+1 < len(old); i++ {
		s := old[i]
		if stands[s.Normal] || !stands[old[i-1].Normal] || !stands[old[i+1].Normal] || len(s.Terms) == 0 {
			continue
		}
		u := counts.Weigh(s.Terms)
		if !slices.ContainsFunc(new, func(n Sentence) bool { return feature.Cosine(u, counts.Weigh(n.Terms)) >= Related }) {
			out = append(out, i)
		}
	}
	return out
}
