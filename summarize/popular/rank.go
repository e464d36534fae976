package popular

import (
	"cmp"
	"slices"

	"github.com/strandlinehq/strandline/monitor/text"
)

// Sentence is a new sentence of a page.
type Sentence struct {
	Page          string
	Text          string
	Before, After string   // its neighbours on the page, "" where there is none
	Terms         []string // content terms of Text, with repetitions
}

// RankedSentence is a sentence with its weight.
type RankedSentence struct {
	Sentence
	Weight float64
	Pages  []string // that say it in the same words, in the order given
}

// Rank orders the new sentences of a period as the paper does (SCIENCE J11, paper
// J section 3.3): by the sum of the weights of their terms divided by the number
// of the terms, heaviest first, equal ones in the order given. A sentence that
// several pages say in the same words (text.Normal) is listed once, as its first
// page has it. A sentence without terms weighs nothing and is left out.
func Rank(sentences []Sentence, weights map[string]Weight) []RankedSentence {
	out := make([]RankedSentence, 0, len(sentences))
	place := map[string]int{}
	for _, s := range sentences {
		if len(s.Terms) == 0 {
			continue
		}
		normal := text.Normal(s.Text)
		if i, ok := place[normal]; ok {
			if !slices.Contains(out[i].Pages, s.Page) {
				out[i].Pages = append(out[i].Pages, s.Page)
			}
			continue
		}
		place[normal] = len(out)
		out = append(out, RankedSentence{s, Static(s.Terms, weights), []string{s.Page}})
	}
	slices.SortStableFunc(out, func(a, b RankedSentence) int { return cmp.Compare(b.Weight, a.Weight) })
	return out
}
