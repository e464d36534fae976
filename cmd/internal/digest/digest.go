// Package digest shows the summary of a topic's period: as text for a terminal or a
// mail, as Markdown, as HTML, as JSON and as an entry of an Atom feed.
//
// Read takes a Summary out of the store; its methods write it. All forms say the
// same: what is new, in the order in which it happened, each sentence with who says
// it, whether it is new or an update, and links to the page, to its version and to
// what changed with it; then figures of tables, what was taken back, and the terms
// that rise and fall. Left out: computing any of it (package summarize), and sending.
package digest

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/strandlinehq/strandline/store"
	"github.com/strandlinehq/strandline/summarize"
	"github.com/strandlinehq/strandline/summarize/novel"
)

// Summary is a period of a topic as a reader gets it.
type Summary struct {
	Topic    string
	Query    string
	Language string
	Mode     string // novel or paper
	store.TopicPeriod
	Items     []Item // the sentences in the order of reading: by time, in mode paper by weight
	Figures   []Item
	Retracted []Item
	Terms     []store.TopicTerm
	Context   int    // neighbours are shown where it is above 0
	Base      string // address of our web pages, such as http://127.0.0.1:8080; "" gives no links to them
}

// Item is a sentence, or a figure, with its place.
type Item struct {
	store.TopicSentence
	URL   string // of the page
	Host  string
	Title string
}

// termsShown is how many terms a summary has.
const termsShown = 20

// Options of Read.
type Options struct {
	Mode    string // novel, paper; "" means the topic's own
	Context int
	Base    string
}

// Read reads the summary of the period that starts at a time. Its error wraps
// store.ErrNotFound where there is no such period.
func Read(ctx context.Context, db *store.DB, t store.Topic, start time.Time, opt Options) (*Summary, error) {
	period, err := db.TopicPeriodAt(ctx, t.ID, start)
	if err != nil {
		return nil, fmt.Errorf("topic %s: %w", t.Name, err)
	}
	s := &Summary{Topic: t.Name, Query: t.Query, Language: t.Language, Mode: opt.Mode, TopicPeriod: period, Context: opt.Context, Base: strings.TrimRight(opt.Base, "/")}
	if s.Mode == "" {
		s.Mode = period.Rank
	}
	list, err := db.TopicSentences(ctx, t.ID, period.From, s.Mode)
	if err != nil {
		return nil, err
	}
	ids := make([]store.PageID, len(list))
	for i, x := range list {
		ids[i] = x.Page
	}
	places, err := db.Places(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, x := range list {
		at := places[x.Page]
		it := Item{TopicSentence: x, URL: at.URL, Host: at.Host, Title: at.Title}
		switch x.Kind {
		case summarize.KindRow:
			s.Figures = append(s.Figures, it)
		case summarize.KindRetracted:
			s.Retracted = append(s.Retracted, it)
		default:
			s.Items = append(s.Items, it)
		}
	}
	slices.SortStableFunc(s.Items, func(a, b Item) int { return a.Place - b.Place })
	s.sayOnce()
	s.Terms, err = db.TopicTerms(ctx, t.ID, period.From, termsShown)
	return s, err
}

// sayOnce takes from the neighbours of each item what the summary says elsewhere: the
// sentences of other items, and neighbours that an item before it is shown with.
func (s *Summary) sayOnce() {
	said := make([]string, 0, 3*len(s.Items))
	for _, it := range s.Items {
		said = append(said, it.Sentence)
	}
	without := func(text string) string {
		for _, x := range said {
			if x != "" {
				text = strings.ReplaceAll(text, x, "")
			}
		}
		return strings.Join(strings.Fields(text), " ")
	}
	for i := range s.Items {
		it := &s.Items[i]
		it.Before = without(it.Before)
		said = append(said, it.Before)
		it.After = without(it.After)
		said = append(said, it.After)
	}
}

// Top returns the n best items, the best first.
func (s *Summary) Top(n int) []Item {
	out := slices.Clone(s.Items)
	slices.SortStableFunc(out, func(a, b Item) int { return a.Rank - b.Rank })
	return out[:min(n, len(out))]
}

// Span is the period in words, in UTC.
func (s *Summary) Span() string { return Span(s.From, s.To) }

// Span is a period in words: whole days as days, others with their times.
func Span(from, to time.Time) string {
	from, to = from.UTC(), to.UTC()
	midnight := func(t time.Time) bool { return t.Equal(t.Truncate(24 * time.Hour)) }
	if !midnight(from) || !midnight(to) {
		return from.Format("2 Jan 2006 15:04") + " to " + to.Format("2 Jan 2006 15:04") + " UTC"
	}
	last := to.Add(-24 * time.Hour)
	if last.Equal(from) {
		return from.Format("2 Jan 2006")
	}
	return from.Format("2 Jan") + " to " + last.Format("2 Jan 2006")
}

// Lead says what was looked at.
func (s *Summary) Lead() string {
	if s.Note != "" {
		return s.Note
	}
	out := fmt.Sprintf("%s of %s had something new, on %s: %s, %d of them said before in the topic.",
		Plural(s.Changed, "page"), fmt.Sprint(s.Checked), Plural(s.HostsChanged, "host"), Plural(s.TopicPeriod.Sentences, "new sentence"), s.Repeats)
	switch {
	case s.Mode != summarize.Novel:
	case len(s.Items) == 0:
		out += " None of it was news."
	case !slices.ContainsFunc(s.Items, func(it Item) bool { return it.Weight >= novel.Bar }):
		out += " Nothing stands out; these are the best of them."
	}
	return out
}

// Plural puts a number before a word.
func Plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// Source says who says an item, in words.
func (it *Item) Source() string {
	out := it.Host
	if it.Hosts > 1 {
		out += fmt.Sprintf(" and %s", Plural(it.Hosts-1, "other host"))
	}
	return out
}

// PageLink, VersionLink and DiffLink are addresses of our pages, "" without a base.
func (s *Summary) PageLink(it Item) string { return s.link(fmt.Sprintf("/pages/%d", it.Page)) }

// VersionLink is the address of the very version that says the item.
func (s *Summary) VersionLink(it Item) string {
	return s.link(fmt.Sprintf("/pages/%d/versions/%d", it.Page, it.Version))
}

// Place is where an item can be read as it was: its version here, the live page without a base.
func (s *Summary) Place(it Item) string { return cmp.Or(s.VersionLink(it), it.URL) }

// DiffLink is the address of what changed with the item's version, "" for a page's first.
func (s *Summary) DiffLink(it Item) string {
	if it.Version < 2 {
		return ""
	}
	return s.link(fmt.Sprintf("/pages/%d/diff?b=%d", it.Page, it.Version))
}

// Link is the address of the summary itself.
func (s *Summary) Link() string {
	return s.link("/topics/" + url.PathEscape(s.Topic) + "/" + Stamp(s.From))
}

func (s *Summary) link(path string) string {
	if s.Base == "" {
		return ""
	}
	return s.Base + path
}

// Stamp names a period in an address.
func Stamp(t time.Time) string { return t.UTC().Format("20060102T150405Z") }

// ParseStamp reads what Stamp wrote, an RFC 3339 time, or a date.
func ParseStamp(s string) (time.Time, error) {
	for _, layout := range []string{"20060102T150405Z", time.RFC3339, "2006-01-02T15:04", "2006-01-02"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time such as 2026-11-21 or 2026-11-21T06:00:00Z", s)
}

// clean takes from a text of the web what would reorder or hide the text around it.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r == 0x200E, r == 0x200F, r == 0x061C, r == 0xFEFF:
			return -1
		case unicode.IsControl(r):
			return '\uFFFD'
		}
		return r
	}, s)
}

// LabelWords says what an item is.
func (it *Item) LabelWords() string {
	switch it.Label {
	case "update":
		return "update"
	case "repeat":
		return "said before"
	case "retracted":
		return "taken back"
	case "row":
		return "figure"
	}
	return "new"
}

// TermWords lists the terms that rise, then the heaviest others, each word once:
// pairs of characters of one Japanese word are several terms.
func (s *Summary) TermWords() (rising, falling, others []string) {
	listed := map[string]bool{}
	for _, t := range s.Terms {
		if listed[t.Word] {
			continue
		}
		listed[t.Word] = true
		if !strings.ContainsFunc(t.Word, unicode.IsLetter) {
			continue // a bare number tells nothing without its sentence
		}
		switch t.Trend {
		case "rising":
			rising = append(rising, clean(t.Word))
		case "falling":
			falling = append(falling, clean(t.Word))
		default:
			others = append(others, clean(t.Word))
		}
	}
	return rising, falling, others
}
