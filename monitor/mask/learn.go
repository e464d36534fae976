package mask

import (
	"slices"
	"strings"
	"time"

	"github.com/zeebo/xxh3"

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

// sameIDs lets only ids count that both versions have: others are made up for
// the request, whatever they look like.
func sameIDs(a, b tree) {
	for id := range a.ids {
		if b.ids[id] != 1 {
			a.ids[id] = 0
		}
	}
	for id := range b.ids {
		if a.ids[id] != 1 {
			b.ids[id] = 0
		}
	}
}

// side is one version of a pair. sums[n] is a polynomial hash of the first n
// chunks, by which the texts of any two subtrees are compared at once.
type side struct {
	tree
	count []int32 // chunks before each node, and one more
	sums  []uint64
	bytes []int
	power []uint64
}

func newSide(p *extract.Page) side {
	const base = 0x9E3779B97F4A7C15
	s := side{tree: treeOf(p), sums: []uint64{0}, bytes: []int{0}, power: []uint64{1}}
	for i := range p.Nodes {
		s.count = append(s.count, int32(len(s.sums)-1))
		if n := &p.Nodes[i]; n.Tag == "" {
			k := len(s.sums) - 1
			s.sums = append(s.sums, s.sums[k]*base+xxh3.HashString(n.Text))
			s.bytes = append(s.bytes, s.bytes[k]+len(n.Text))
			s.power = append(s.power, s.power[k]*base)
		}
	}
	s.count = append(s.count, int32(len(s.sums)-1))
	return s
}

// sum is a hash of the chunks below node i, and size their bytes.
func (s *side) sum(i int32) (hash uint64, size int) {
	from, to := s.count[i], s.count[s.Nodes[i].End]
	return s.sums[to] - s.sums[from]*s.power[to-from], s.bytes[to] - s.bytes[from]
}

// compare finds what differs between two elements at the same path. It reports
// whether they share nothing, so that the caller has to decide on a Block.
func (l *learner) compare(x, y int32, at path) (whole bool) {
	hx, nx := l.a.sum(x)
	hy, ny := l.b.sum(y)
	if hx == hy && nx == ny || l.work <= 0 {
		return false
	}
	ca, cb := l.a.children(x), l.b.children(y)
	if l.permuted(ca, cb) {
		l.propose(candidate{path: at, kind: Order})
		return false
	}
	small := max(nx, ny) <= l.limit
	if !aligned(ca, cb) {
		if small && l.shared(x, y) <= nothing {
			return true
		}
		l.unaligned(ca, cb, at)
		return false
	}
	var wholes []path
	parts := 0 // with text
	for i := range ca {
		if _, n := l.a.sum(ca[i].node); n > 0 {
			parts++
		}
		next := at.with(cb[i].best())
		if l.compare(ca[i].node, cb[i].node, next) {
			wholes = append(wholes, next)
		}
	}
	own := l.ownText(x, y, at, parts == 0)
	if own && parts == 0 {
		return small
	}
	if small && len(wholes) > 1 && len(wholes) == parts && (own || len(l.a.chunks(x)) == 0) {
		return true
	}
	for _, p := range wholes {
		l.propose(candidate{path: p, kind: Block})
	}
	return false
}

// aligned reports whether the children are the same by their best steps.
func aligned(a, b []child) bool {
	return slices.EqualFunc(a, b, func(x, y child) bool { return x.best() == y.best() })
}

// permuted reports whether the children have the same texts in another order.
func (l *learner) permuted(a, b []child) bool {
	if len(a) != len(b) || len(a) < 2 {
		return false
	}
	count := map[uint64]int{}
	for i := range a {
		hx, _ := l.a.sum(a[i].node)
		hy, _ := l.b.sum(b[i].node)
		count[hx]++
		count[hy]--
	}
	moved := false
	for i := range a {
		hx, _ := l.a.sum(a[i].node)
		hy, _ := l.b.sum(b[i].node)
		moved = moved || hx != hy
		if count[hx] != 0 {
			return false
		}
	}
	return moved
}

// unaligned compares the children that ids, classes, or an equal beginning tie
// together. A child with a name that the other version has not at all is a
// Block; one without a name could be any, and is left alone.
func (l *learner) unaligned(ca, cb []child, at path) {
	other := map[step]int32{}
	for _, c := range cb {
		other[c.best()] = c.node
	}
	block := func(n int, p path) {
		if n > 0 && n <= l.limit {
			l.propose(candidate{path: p, kind: Block})
		}
	}
	prefix := true
	mine := map[step]bool{}
	for i, c := range ca {
		s := c.best()
		mine[s] = true
		prefix = prefix && i < len(cb) && cb[i].best() == s
		y, ok := other[s]
		switch {
		case ok && (prefix || s.nth == 0):
			if p := at.with(s); l.compare(c.node, y, p) {
				l.propose(candidate{path: p, kind: Block})
			}
		case !ok && s.nth == 0:
			_, n := l.a.sum(c.node)
			block(n, at.with(s))
		}
	}
	for _, c := range cb {
		if s := c.best(); !mine[s] && s.nth == 0 {
			_, n := l.b.sum(c.node)
			block(n, at.with(s))
		}
	}
}

// propose notes a candidate, up to a bound.
func (l *learner) propose(c candidate) {
	if len(l.found) < maxFound && len(c.path) <= maxSteps {
		l.found = append(l.found, c)
	}
}

// ownText compares the elements' own chunks. It reports whether there are some
// and all of them share nothing; for a leaf the caller then decides.
func (l *learner) ownText(x, y int32, at path, leaf bool) (whole bool) {
	as, bs := l.a.chunks(x), l.b.chunks(y)
	if len(as) != len(bs) || len(as) == 0 {
		return false
	}
	whole = true
	for i := range as {
		s, t := l.a.Nodes[as[i]].Text, l.b.Nodes[bs[i]].Text
		if s == t {
			whole = false
			continue
		}
		l.work -= len(s) + len(t)
		p := l.pattern(s, t)
		firm := p.firm()
		if firm {
			whole = false
		}
		if l.covered(y, i, s, t) {
			continue
		}
		if !firm {
			if leaf && len(as) == 1 || max(len(s), len(t)) > l.limit {
				continue
			}
			p = pattern{{class: anything}}
		}
		l.propose(candidate{path: at, kind: Tokens, chunk: i, form: p})
	}
	return whole && len(as) == 1
}

func (l *learner) pattern(a, b string) pattern {
	return between(a, tokens(a), b, tokens(b), func(s string) bool { return shows(s, l.at) })
}

// covered counts the pair for the rules that already explain the difference of a
// chunk, and reports whether there are any.
func (l *learner) covered(y int32, chunk int, a, b string) bool {
	ok := false
	for _, i := range l.known[y] {
		r := &l.rules[i]
		if r.Kind != Tokens || r.Chunk != chunk {
			continue
		}
		x, okX := blank(a, []pattern{r.form})
		y, okY := blank(b, []pattern{r.form})
		if okX && okY && x == y {
			l.hits = append(l.hits, i)
			ok = true
		}
	}
	return ok
}

// shared is the share of words and numbers that two subtrees have in common,
// counted with repetitions.
func (l *learner) shared(x, y int32) float64 {
	count := map[string]int{}
	n := [2]int{}
	for k, t := range [...]struct {
		s *side
		i int32
	}{{&l.a, x}, {&l.b, y}} {
		for i := t.i; i < t.s.Nodes[t.i].End; i++ {
			text := t.s.Nodes[i].Text
			l.work -= len(text)
			for _, w := range tokens(text) {
				if w.class != literal {
					n[k]++
					count[text[w.start:w.end]] += 1 - 2*k
				}
			}
		}
	}
	apart := 0
	for _, c := range count {
		apart += max(c, -c)
	}
	if n[0]+n[1] == 0 {
		return 0
	}
	return 1 - float64(apart)/float64(n[0]+n[1])
}

// clocks finds the chunks that show the time of the fetch in both versions. Those
// that differ are left to compare.
func (l *learner) clocks() {
	type key struct {
		selector string
		chunk    int
	}
	seen := map[key]string{}
	l.showing(&l.a, func(p path, _ int32, chunk int, text string) { seen[key{p.String(), chunk}] = text })
	l.showing(&l.b, func(p path, y int32, chunk int, text string) {
		form := l.pattern(text, text)
		if seen[key{p.String(), chunk}] == text && !l.told(y, chunk, text, form) {
			l.propose(candidate{path: p, kind: Tokens, chunk: chunk, form: form, clock: uint32(xxh3.HashString(text)) | 1})
		}
	})
}

// showing visits the chunks that show the time of the fetch, with the path of
// their element, the element, and which of its chunks it is. A page is taken to
// have no more than maxClocks.
func (l *learner) showing(s *side, visit func(p path, i int32, chunk int, text string)) {
	const maxClocks = 64
	n := 0
	for i := range s.Nodes {
		t := s.Nodes[i].Text
		if !strings.Contains(t, ":") || n >= maxClocks || l.work <= 0 {
			continue
		}
		l.work -= len(t)
		if l.pattern(t, t) == nil {
			continue
		}
		n++
		of := s.Nodes[i].Parent
		if p := s.pathOf(of); p != nil {
			visit(p, of, slices.Index(s.chunks(of), int32(i)), t)
		}
	}
}

// told reports whether a rule of another pattern already masks a chunk.
func (l *learner) told(y int32, chunk int, text string, form pattern) bool {
	return slices.ContainsFunc(l.known[y], func(i int) bool {
		r := &l.rules[i]
		_, fits := blank(text, []pattern{r.form})
		return r.Kind == Tokens && r.Chunk == chunk && fits && r.Pattern != form.String()
	})
}

// generalise replaces three or more candidates with the same pattern whose paths
// differ in one index by one without that index: the counters of a list, of
// which there may be more tomorrow.
func (l *learner) generalise() {
	type key struct {
		selector, form string
		chunk          int
	}
	groups := map[key][]int{}
	general := map[key]path{}
	var order []key
	for i, c := range l.found {
		if c.kind != Tokens || c.clock != 0 || c.form[0].class == anything {
			continue
		}
		for k, s := range c.path {
			if s.nth == 0 {
				continue
			}
			p := slices.Clone(c.path)
			p[k].nth = 0
			id := key{p.String(), c.form.String(), c.chunk}
			if groups[id] == nil {
				order = append(order, id)
				general[id] = p
			}
			groups[id] = append(groups[id], i)
		}
	}
	gone := map[int]bool{}
	var add []candidate
	for _, id := range order {
		if g := groups[id]; len(g) >= 3 && !gone[g[0]] {
			c := l.found[g[0]]
			c.path = general[id]
			add = append(add, c)
			for _, i := range g {
				gone[i] = true
			}
		}
	}
	var keep []candidate
	for i, c := range l.found {
		if !gone[i] {
			keep = append(keep, c)
		}
	}
	l.found = append(keep, add...)
}
