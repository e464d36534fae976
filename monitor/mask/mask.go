package mask

import (
	"cmp"
	"slices"
	"time"
)

// Options are the caution of a Mask. The zero Options are good ones.
//
// On a page of a few lines a counter and an advertisement are a large share, so
// that a Block may have 200 bytes and all rules together 400 whatever MaxBlock
// and MaxShare say, but never more than half of the text.
type Options struct {
	MinPairs int           // that a rule needs to count; zero: 2
	MinSpan  time.Duration // from a rule's first pair to its last; zero: 10 minutes
	Expire   time.Duration // a rule without a pair for that long no longer counts; zero: 60 days
	Quiet    int           // pairs in a row without a difference after which a rule is dropped; zero: 24
	MaxBlock float64       // share of the page's text that one Block may have, see below; zero: 0.15
	MaxShare float64       // share of the page's text that all rules may have, see below; zero: 0.3
}

func (o Options) withDefaults() Options {
	if o.MinPairs <= 0 {
		o.MinPairs = 2
	}
	if o.MinSpan <= 0 {
		o.MinSpan = 10 * time.Minute
	}
	if o.Expire <= 0 {
		o.Expire = 60 * 24 * time.Hour
	}
	if o.Quiet <= 0 {
		o.Quiet = 24
	}
	if !(o.MaxBlock > 0) {
		o.MaxBlock = 0.15
	}
	if !(o.MaxShare > 0) {
		o.MaxShare = 0.3
	}
	return o
}

// blockLimit is how many bytes one Block may have on a page with that much text,
// shareLimit how many all rules may.
func (o Options) blockLimit(text int) int { return limit(o.MaxBlock, 200, text) }
func (o Options) shareLimit(text int) int { return limit(o.MaxShare, 400, text) }

func limit(share float64, least, text int) int {
	return int(min(max(share*float64(text), float64(least)), float64(text)/2))
}

// Kind tells what may vary in an element.
type Kind uint8

const (
	Tokens Kind = iota // what the placeholders of a pattern stand for, in one chunk of its text
	Order              // the order of its children
	Block              // everything
)

// String returns the kind in lower case.
func (k Kind) String() string {
	if k > Block {
		return "unknown"
	}
	return [...]string{"tokens", "order", "block"}[k]
}

// Rule is one part of a page that is noise.
type Rule struct {
	Selector string // CSS, names one element or, with steps without an index, several
	Kind     Kind
	Chunk    int       // of Tokens: which chunk of the element's own text, from 0
	Pattern  string    // of Tokens: "Page served in {number} secs"; placeholders {word}, {number}, {id}, {time}, {text}; "{{" is a brace
	Pairs    int       // that showed it
	Quiet    int       // pairs since the last that did
	First    time.Time // of the pairs that showed it
	Last     time.Time

	path path
	form pattern
	hash uint32 // of the clock's text at Last; see candidate
}

// String is a line for people: the selector and what varies there.
func (r Rule) String() string {
	switch r.Kind {
	case Tokens:
		return r.Selector + ": " + r.Pattern
	case Order:
		return r.Selector + ": order of its parts"
	}
	return r.Selector
}

// Ignore is the rule as an entry of a watch's ignore list: a selector for Block,
// a regular expression between slashes for Tokens, which there holds for the
// whole page. Order has no such form.
func (r Rule) Ignore() (entry string, ok bool) {
	switch r.Kind {
	case Tokens:
		return "/" + r.form.expression() + "/", true
	case Block:
		return r.Selector, true
	}
	return "", false
}

// maxRules bounds a Mask. Rules that were not seen for longest go first.
const maxRules = 256

// Mask is what pairs taught of one page. The zero Mask knows nothing. It is
// not safe for concurrent use; a Filter is.
type Mask struct {
	pairs int
	rules []Rule // ascending by Selector, Kind, Chunk, Pattern
}

// Pairs returns how many pairs were learned from.
func (m *Mask) Pairs() int { return m.pairs }

// Rules returns all rules, also those that do not count yet or any longer, in
// the order of their selectors.
func (m *Mask) Rules() []Rule { return slices.Clone(m.rules) }

// Active returns the rules that count at a time.
func (m *Mask) Active(now time.Time, opt Options) []Rule {
	opt = opt.withDefaults()
	var out []Rule
	for _, r := range m.rules {
		if r.Pairs >= opt.MinPairs && r.Last.Sub(r.First) >= opt.MinSpan && now.Sub(r.Last) <= opt.Expire {
			out = append(out, r)
		}
	}
	return out
}

func compareRules(a, b Rule) int {
	return cmp.Or(cmp.Compare(a.Selector, b.Selector), cmp.Compare(a.Kind, b.Kind),
		cmp.Compare(a.Chunk, b.Chunk), cmp.Compare(a.Pattern, b.Pattern))
}

// find returns where a rule is or belongs.
func (m *Mask) find(r Rule) (int, bool) { return slices.BinarySearchFunc(m.rules, r, compareRules) }

// prune drops rules that pairs no longer confirm, and the oldest beyond maxRules.
func (m *Mask) prune(opt Options) {
	m.rules = slices.DeleteFunc(m.rules, func(r Rule) bool { return r.Quiet > opt.Quiet })
	if len(m.rules) <= maxRules {
		return
	}
	slices.SortStableFunc(m.rules, func(a, b Rule) int {
		return cmp.Or(cmp.Compare(a.Quiet, b.Quiet), cmp.Compare(b.Pairs, a.Pairs), compareRules(a, b))
	})
	m.rules = m.rules[:maxRules:maxRules]
	slices.SortFunc(m.rules, compareRules)
}
