package novel

import (
	"math"
	"slices"

	"github.com/strandlinehq/strandline/monitor/text"
	"github.com/strandlinehq/strandline/summarize/boilerplate"
	"github.com/strandlinehq/strandline/summarize/choose"
	"github.com/strandlinehq/strandline/summarize/cluster"
	"github.com/strandlinehq/strandline/summarize/feature"
	"github.com/strandlinehq/strandline/summarize/repeat"
)

// Summarize summarises the new sentences of a period against the topic's past,
// which it does not change. A period without sentences gives an empty summary.
func Summarize(sentences []Sentence, past *repeat.Index, opt Options) *Summary {
	if opt.Sentences <= 0 {
		opt.Sentences = 10
	}
	sum := &Summary{}
	kept := sum.keep(sentences, opt)
	var counts feature.Counts
	matches := make([]repeat.Match, len(kept))
	for k, i := range kept {
		s := &sentences[i]
		counts.Add(s.Terms)
		matches[k] = past.Nearest(s.Terms, s.Normal)
		if repeat.Judge(matches[k]) == repeat.Repeat {
			sum.Repeats++
		} else {
			sum.Fresh++
		}
	}
	units := make([]cluster.Item, len(kept))
	for k, i := range kept {
		units[k] = cluster.Item{Host: sentences[i].Host, Terms: counts.Weigh(sentences[i].Terms), Figures: sentences[i].Terms.Figures()}
	}
	interest := newInterest(sentences, kept, opt)
	var items []Item
	var candidates []choose.Item
	for group, star := range cluster.Stars(units, 0) {
		it := item(star, kept, sentences, matches, interest)
		items = append(items, it)
		s := &sentences[it.Sentence]
		k, _ := slices.BinarySearch(kept, it.Sentence)
		candidates = append(candidates, choose.Item{
			Terms: units[k].Terms, Value: it.Value, Group: group, Cost: countWords(s.Text), At: s.At.UnixNano(),
		})
	}
	sum.Faint = !slices.ContainsFunc(items, func(it Item) bool { return it.Value >= Bar })
	for i := range candidates {
		if !sum.Faint && candidates[i].Value < Bar {
			candidates[i].Value = 0
		}
	}
	scaling := 0.0
	if opt.Words <= 0 {
		scaling = -1 // without a budget of words a long sentence costs nothing
	}
	chosen := choose.Greedy(candidates, choose.Options{Budget: opt.Words, Items: opt.Sentences, Scaling: scaling})
	for rank, c := range chosen {
		items[c].Rank = rank + 1
	}
	for _, c := range choose.InTime(candidates, chosen) {
		sum.Items = append(sum.Items, items[c])
	}
	return sum
}

// Ranked returns the items from the most worthwhile on.
func (s *Summary) Ranked() []Item {
	out := slices.Clone(s.Items)
	slices.SortFunc(out, func(a, b Item) int { return a.Rank - b.Rank })
	return out
}

// keep gives the indices of the sentences that count.
func (s *Summary) keep(sentences []Sentence, opt Options) []int {
	template := make([]bool, len(sentences))
	if opt.Boilerplate == nil {
		list := make([]boilerplate.Sentence, len(sentences))
		for i, x := range sentences {
			list[i] = boilerplate.Sentence{Site: x.Site, Page: x.Page, Normal: x.Normal}
		}
		template = boilerplate.Find(list, boilerplate.Options{})
	} else {
		for i, x := range sentences {
			template[i] = opt.Boilerplate(x.Site, x.Normal)
		}
	}
	voices := make([]boilerplate.Voice, len(sentences))
	for i, x := range sentences {
		voices[i] = boilerplate.Voice{Host: x.Host, Normal: x.Normal}
	}
	first := boilerplate.PerHost(voices)
	var kept []int
	for i, x := range sentences {
		switch {
		case len(x.Terms) == 0:
			s.Empty++
		case template[i]:
			s.Boilerplate++
		case !first[i]:
			s.Copies++
		default:
			kept = append(kept, i)
		}
	}
	return kept
}

// item makes an item of a star over kept. It shows the centre, which is what the
// rewrites have in common, unless another one is clearly more interesting; and
// none that repeats the past while another does not.
func item(star cluster.Star, kept []int, sentences []Sentence, matches []repeat.Match, interest *interest) Item {
	it := Item{Hosts: star.Hosts, Members: make([]int, 0, len(star.Members))}
	pages := map[int64]bool{}
	novelty := make([]float64, 0, len(star.Members))
	shown, best, fresh := star.Centre, math.Inf(-1), false
	for _, m := range star.Members {
		it.Members = append(it.Members, kept[m])
		pages[sentences[kept[m]].Page] = true
		novelty = append(novelty, repeat.Novelty(matches[m]))
		v, isFresh := interest.of(kept[m]), repeat.Judge(matches[m]) != repeat.Repeat
		if m == star.Centre {
			v *= 1.2
		}
		if isFresh && !fresh || isFresh == fresh && v > best {
			best, shown, fresh = v, m, isFresh
		}
	}
	it.Pages = len(pages)
	it.Sentence = kept[shown]
	it.Nearest = matches[shown]
	it.Label = repeat.Judge(it.Nearest)
	if fresh { // what only repeats is never news, however popular
		// The median: most wordings of a new event are far from the past, and most
		// of an old one near, whatever a single rewrite looks like.
		slices.Sort(novelty)
		n := novelty[(len(novelty)-1)/2]
		it.Value = math.Sqrt(float64(it.Hosts)) * n * n * best
	}
	return it
}

func countWords(s string) int {
	n := 0
	text.EachWord(s, func([]byte) { n++ })
	return n
}
