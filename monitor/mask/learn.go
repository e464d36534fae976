package mask

import (
	"slices"
	"time"

	"github.com/strandlinehq/strandline/crawler/extract"
)

// nothing is the share of tokens up to which two texts share nothing.
const nothing = 0.2

// What one pair may cost.
const (
	maxWork  = 64 << 20 // bytes of text compared
	maxFound = 1024     // candidates
	maxSteps = 64       // of a candidate's path
)

// candidate is what one pair shows.
type candidate struct {
	path  path
	kind  Kind
	chunk int
	form  pattern
	// clock is not 0 if nothing differs within the pair, but the text shows the
	// time of the fetch: a hash of the text. Such a pair only counts if the text
	// is another one than at the last, since a fixed time may agree by chance.
	clock uint32
}

// Learn takes two versions whose requests started together, at a time. It
// reports whether their texts differ. Pages that are not the same document to
// the eye (an error page beside a page) should not be given; little harm is done, since
// one such pair makes no rule that counts.
func (m *Mask) Learn(a, b *extract.Page, at time.Time, opt Options) (differ bool) {
	opt = opt.withDefaults()
	at = at.UTC().Truncate(time.Second)
	l := learner{a: newSide(a), b: newSide(b), at: at, work: maxWork, rules: m.rules, known: m.filter(m.rules, opt).matches(b)}
	l.limit = min(opt.blockLimit(len(a.Text())), opt.blockLimit(len(b.Text())))
	sameIDs(l.a.tree, l.b.tree)
	x, y := l.a.body(), l.b.body()
	differ = a.Text() != b.Text()
	if x < 0 || y < 0 {
		return differ
	}
	if differ {
		l.compare(x, y, path{{tag: "body"}})
	}
	l.clocks()
	l.generalise()

	m.pairs++
	for i := range m.rules {
		m.rules[i].Quiet++
	}
	for _, i := range l.hits {
		m.rules[i].show(at)
	}
	for _, c := range l.found {
		m.add(c, at)
	}
	m.prune(opt)
	return differ
}

// show counts a pair for the rule, once.
func (r *Rule) show(at time.Time) {
	if r.Quiet == 0 {
		return
	}
	r.Quiet = 0
	r.Pairs++
	r.Last = maxTime(r.Last, at)
	if r.First.IsZero() || at.Before(r.First) {
		r.First = at
	}
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func (m *Mask) add(c candidate, at time.Time) {
	r := Rule{Selector: c.path.String(), Kind: c.kind, Chunk: c.chunk, path: c.path, Quiet: 1, hash: c.clock}
	if c.kind == Tokens {
		r.Pattern = c.form.String()
		form, err := parsePattern(r.Pattern) // as it will be after storing
		if err != nil {
			return
		}
		r.form = form
	}
	if len(r.Selector) > maxString || len(r.Pattern) > maxString || c.chunk > maxChunk {
		return
	}
	i, ok := m.find(r)
	if !ok {
		r.show(at)
		m.rules = slices.Insert(m.rules, i, r)
		return
	}
	if known := &m.rules[i]; c.clock == 0 || c.clock != known.hash {
		known.hash = c.clock
		known.show(at)
	}
}

// learner compares one pair.
type learner struct {
	a, b  side
	at    time.Time
	limit int             // bytes of text that a Block may have
	known map[int32][]int // rules that lead to the elements of b
	rules []Rule
	work  int // bytes left
	hits  []int
	found []candidate
}
