// Package novel summarises a period of a topic by what is both popular and new,
// which is mode "novel" of topics (SCIENCE 2.4, 2.6, 3.3, 3.4). Paper J ranks by
// popularity alone (mode "paper", package popular), so that what everybody repeats
// stands on top in every period (SCIENCE J14).
//
// Summarize takes the new sentences of the period's pages and the index of the
// topic's past sentences, and
//
//  1. drops what a site says on page after page, and copies within a host
//     (package boilerplate),
//  2. measures the novelty of each sentence against the past (package repeat),
//  3. gathers rewrites into one item, popular by its distinct hosts (package
//     cluster),
//  4. chooses the items that cover the period and differ, within a length, by
//     hosts, novelty, the query, and whether they tell what happened (package
//     choose),
//  5. orders them by time and labels them new, update or repeat.
//
// Remember then adds the period to the index. Everything is a function of its
// arguments. Left out: cutting pages into sentences (package passage), the
// comparison with the page's version before (popular.New), terms and trends.
package novel

import (
	"time"

	"github.com/zeebo/xxh3"

	"github.com/strandlinehq/strandline/monitor/text"
	"github.com/strandlinehq/strandline/summarize/feature"
	"github.com/strandlinehq/strandline/summarize/repeat"
)

// Sentence is a new sentence of a page. Read makes one.
type Sentence struct {
	Page          int64
	Host          string
	Site          string // registrable domain
	Text          string
	Before, After string // its neighbours in its block
	At            time.Time
	Terms         feature.Vector
	Normal        uint64 // hash of the normal form
}

// Read fills in Terms and Normal from Text.
func (s *Sentence) Read(lang string) {
	s.Terms = feature.Of(s.Text, lang)
	s.Normal = xxh3.HashString(text.Normal(s.Text))
}

// Options of Summarize. The zero Options is a good default.
type Options struct {
	Sentences int    // most items; 0 means 10
	Words     int    // longest total of the items' own sentences; 0 means no limit
	Query     string // words of the topic, alternatives parted by " OR ": sentences with them count more
	Language  string
	// Boilerplate reports, for a site and the hash of a normal form, what stands on
	// many pages of the site, old text included; nil looks at the given sentences
	// only.
	Boilerplate func(site string, normal uint64) bool
	// Focus is how far a page as a whole is on the topic, from 0 to 1: what it says
	// without a word of the query is on the topic as far. nil means 0 for all.
	Focus func(page int64) float64
}

// Item is one thing that the summary tells.
type Item struct {
	Sentence int          // index of the sentence to show
	Members  []int        // all sentences that say it, rising
	Hosts    int          // distinct hosts of the members
	Pages    int          // distinct pages of the members
	Label    repeat.Label // New, Update or Repeat
	Nearest  repeat.Match // the past sentence it is most like
	Value    float64      // hosts, novelty and interest together, not comparable over periods
	Rank     int          // 1 for the most worthwhile
}

// Bar is the value from which on an item stands out. It is low: a sentence on the
// topic that one host says and that was half known has 0.25, and one word against it
// halves or quarters that. What is below the bar is left out beside an item above it;
// where nothing is above it, the best are told all the same, and Faint says so.
const Bar = 0.1

// Summary is what a period brought. Its counts add up to the sentences given.
type Summary struct {
	Items       []Item // by time
	Faint       bool   // nothing stands out: the items are the best there are
	Boilerplate int    // sentences dropped as such
	Copies      int    // dropped as second ones of a host
	Empty       int    // dropped for lack of content words
	Repeats     int    // that say what was said in earlier periods
	Fresh       int    // the others: new, or updates
}

// Remember adds the sentences of a period to the index of the topic's past, each
// text of a host once. Keys are the places in sentences plus first; period is a
// number that rises with time.
func Remember(past *repeat.Index, sentences []Sentence, period, first int64) {
	type voice struct {
		host   string
		normal uint64
	}
	seen := map[voice]bool{}
	for i, s := range sentences {
		if len(s.Terms) == 0 || seen[voice{s.Host, s.Normal}] {
			continue
		}
		seen[voice{s.Host, s.Normal}] = true
		past.Add(repeat.Sentence{Key: first + int64(i), Period: period, Normal: s.Normal, Terms: s.Terms})
	}
}
