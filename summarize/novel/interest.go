package novel

import (
	"math"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/strandlinehq/strandline/monitor/text"
	"github.com/strandlinehq/strandline/summarize/feature"
)

// interest is what a sentence is worth to a reader apart from its popularity and
// novelty: whether it is about the query, on what many speak of, and tells what
// happened rather than what is or should be.
type interest struct {
	sentences []Sentence
	lang      string
	query     []alternative
	speak     map[uint64]float64 // share of hosts that use a term in new text
	near      *feature.Days      // around the period
	cues      *lexicon           // of the language
	focus     func(page int64) float64
}

// alternative is a part of a query between its OR.
type alternative struct {
	terms map[uint64]bool
	words []string // those that are Chinese or Japanese: a text without spaces has them in bigrams with what stands around
}

// share of the alternative's terms that a sentence has.
func (a *alternative) share(s *Sentence) float64 {
	n := 0
	for _, t := range s.Terms {
		if a.terms[t.Hash] {
			n++
		}
	}
	for _, w := range a.words {
		if strings.Contains(s.Text, w) {
			n++
		}
	}
	return float64(min(n, len(a.terms))) / float64(len(a.terms))
}

func newInterest(sentences []Sentence, kept []int, opt Options) *interest {
	in := &interest{sentences: sentences, lang: text.Base(opt.Language), speak: map[uint64]float64{}, focus: opt.Focus}
	if in.focus == nil {
		in.focus = func(int64) float64 { return 0 }
	}
	in.cues = lexiconOf(in.lang)
	for part := range strings.SplitSeq(opt.Query, " OR ") {
		alt := alternative{terms: map[uint64]bool{}}
		for _, t := range feature.Of(part, opt.Language) {
			alt.terms[t.Hash] = true
		}
		for w := range strings.FieldsSeq(part) {
			if !strings.ContainsFunc(w, func(c rune) bool { return !unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana) }) {
				alt.words = append(alt.words, w)
			}
		}
		if len(alt.terms) > 0 {
			in.query = append(in.query, alt)
		}
	}
	var last time.Time
	hosts := map[string]bool{}
	users := map[uint64]map[string]bool{}
	for _, i := range kept {
		s := &sentences[i]
		hosts[s.Host] = true
		if s.At.After(last) {
			last = s.At
		}
		for _, t := range s.Terms {
			if users[t.Hash] == nil {
				users[t.Hash] = map[string]bool{}
			}
			users[t.Hash][s.Host] = true
		}
	}
	in.near = feature.NewDays(last, daysBefore, daysAfter, in.lang)
	for h, u := range users {
		if len(hosts) >= fewestHosts {
			in.speak[h] = float64(len(u)) / float64(len(hosts))
		}
	}
	return in
}

// fewestHosts is the number of hosts from which on what half of them say shows
// what the topic is about.
const fewestHosts = 4

// A sentence that names a day is on the period if the day lies so many days
// before or after the last fetch of it; otherwise its date says that it is old
// (SCIENCE 2.10), or far off.
const (
	daysBefore = 4
	daysAfter  = 45
)

// offTopic is the factor of a sentence without a word of the topic, on a page that is not on it.
const offTopic = 0.25

// of gives the interest of a sentence: 1 for one on the topic that tells nothing
// in particular and is long enough, times
//
//	1 + share of the terms that it has of the query, the best of what stands between OR · 2
//	1 + mean share of hosts that use its terms
//	1.6 for a figure, 1.4 for a date, 1.15 for two names or more
//	.6 without figure and date
//	.25 + .75 focus of its page where it has no word of the topic
//	.3 where it addresses its reader, .5 where it says what ought to be or what holds on a condition
//	.25 where it speaks of its own page, .5 of its own house ("we"), .25 where it names another day
//	.35 where it begins by pointing back ("This", "Therefore") at nothing, .7 where the sentence that it points at
//	is shown with it; .15 where it is a piece of a sentence
//	.6 in English, .85 in others where it tells without figures of a state rather than of what happens
func (in *interest) of(i int) float64 {
	s := &in.sentences[i]
	asked, spoken, names := 0.0, 0.0, 0
	for i := range in.query {
		asked = max(asked, in.query[i].share(s))
	}
	figure, dated, topical := false, false, len(in.query) == 0 || asked > 0
	for _, t := range s.Terms {
		share := in.speak[t.Hash]
		spoken += share
		topical = topical || share >= 0.5 && t.Kind != feature.Date
		switch t.Kind {
		case feature.Number:
			figure = true
		case feature.Name:
			names++
		case feature.Date:
			dated = true
		}
	}
	figure = figure && !onlyLabelled(s)
	cues := in.cues.of(s.Text)
	out := (1 + spoken/float64(len(s.Terms))) * (1 + 2*asked)
	for _, f := range []struct {
		holds  bool
		factor float64
	}{
		{figure, 1.6},
		{dated, 1.4},
		{names > 1, 1.15},
		{!figure && !dated, 0.6},
		{!topical, offTopic + (1-offTopic)*in.focus(s.Page)},
		{cues.has(toReader) || contact.MatchString(s.Text), 0.3},
		{cues.has(ought) || cues.has(conditional), 0.5},
		{cues.has(ofPage), 0.25},
		{cues.has(ofHouse), 0.5},
		{in.near.Elsewhere(s.Terms), 0.25},
		{cues.has(back), pointsBack(s)},
		{cues.has(piece), 0.15},
		{!cues.has(event) && !figure && in.lang == "en", 0.6},
		{!cues.has(event) && !figure && in.lang != "en" && in.cues.known, 0.85},
	} {
		if f.holds {
			out *= f.factor
		}
	}
	return out * lengthFactor(len(s.Terms))
}

// labelled is a number that names one of several things and tells no amount: "Tier 1.", "Route 5,".
var labelled = regexp.MustCompile(`\p{Lu}\p{L}+ \d{1,3}(?:[.,;:)]|$)`)

// onlyLabelled reports that all numbers of a sentence are such.
func onlyLabelled(s *Sentence) bool {
	return len(s.Terms.Figures()) <= len(labelled.FindAllStringIndex(s.Text, -1))
}

// pointsBack is the factor of a sentence that cannot be understood without the one
// before, which the summary shows with it if the page has it in the same block.
func pointsBack(s *Sentence) float64 {
	if s.Before != "" {
		return 0.7
	}
	return 0.35
}

// lengthFactor favours sentences that say enough to be understood alone: full
// weight from seven content terms on.
func lengthFactor(terms int) float64 { return math.Sqrt(min(1, float64(terms)/7)) }
