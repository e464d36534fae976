package mask

import "slices"

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

// generalise replaces three or more candidates with the same pattern whose paths
// differ in one index by one without that index: the counters of a list, of
// which there may be more tomorrow. The pattern must hold a word, "views": a bare
// number in the same place of another row may be content.
func (l *learner) generalise() {
	type key struct {
		selector, form string
		chunk          int
	}
	groups := map[key][]int{}
	general := map[key]path{}
	var order []key
	for i, c := range l.found {
		if c.kind != Tokens || c.clock != 0 || !c.form.labelled() {
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
	l.found = slices.Concat(keep, add)
}
