package mask

import (
	"slices"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/crawler/extract"
)

// Verdict is what a change between two versions comes to.
type Verdict uint8

const (
	Equal   Verdict = iota // the texts are equal
	Masked                 // they differ, but only in masked parts
	Changed                // they differ elsewhere
)

// String returns the verdict in lower case.
func (v Verdict) String() string {
	if v > Changed {
		return "unknown"
	}
	return [...]string{"equal", "masked", "changed"}[v]
}

// hole stands in a masked text for what varies. It is no part of a word.
const hole = "\uFFFC"

// Filter is a Mask at work: the rules that counted when it was made. It is safe
// for concurrent use.
type Filter struct {
	rules []Rule
	opt   Options
	body  *trie
	ids   map[string]*trie
}

// trie is a step of paths that lead to rules.
type trie struct {
	next  map[step]*trie
	rules []int
}

// Filter returns the Filter of the rules that count now.
func (m *Mask) Filter(now time.Time, opt Options) *Filter {
	return m.filter(m.Active(now, opt), opt.withDefaults())
}

func (m *Mask) filter(rules []Rule, opt Options) *Filter {
	f := &Filter{rules: rules, opt: opt, body: &trie{}, ids: map[string]*trie{}}
	for i, r := range rules {
		t := f.body
		rest := r.path[1:]
		if id := r.path[0].id; id != "" {
			if f.ids[id] == nil {
				f.ids[id] = &trie{}
			}
			t = f.ids[id]
		}
		for _, s := range rest {
			if t.next == nil {
				t.next = map[step]*trie{}
			}
			if t.next[s] == nil {
				t.next[s] = &trie{}
			}
			t = t.next[s]
		}
		t.rules = append(t.rules, i)
	}
	return f
}

// Empty reports whether there is no rule, so that Text is the page's text.
func (f *Filter) Empty() bool { return len(f.rules) == 0 }

// Compare tells whether the change from one version to another is noise.
func (f *Filter) Compare(before, after *extract.Page) Verdict {
	switch {
	case before.Text() == after.Text():
		return Equal
	case !f.Empty() && f.Text(before) == f.Text(after):
		return Masked
	}
	return Changed
}

// Text is the page's text with what is masked left out: tokens are replaced by
// U+FFFC, blocks are gone, and children whose order does not count are sorted. Two
// versions differ by noise only if it is equal for both. Its words are those for
// a Dice coefficient without noise. If more than Options.MaxShare would be
// masked, it is the page's text.
func (f *Filter) Text(p *extract.Page) string {
	text, masked := f.apply(p)
	if masked > f.opt.shareLimit(len(p.Text())) {
		return p.Text()
	}
	return text
}

// Share is the share of the page's text, in bytes, that is masked, also where it is
// above Options.MaxShare.
func (f *Filter) Share(p *extract.Page) float64 {
	if len(p.Text()) == 0 {
		return 0
	}
	_, masked := f.apply(p)
	return float64(masked) / float64(len(p.Text()))
}

func (f *Filter) apply(p *extract.Page) (text string, masked int) {
	if f.Empty() || len(p.Nodes) == 0 {
		return p.Text(), 0
	}
	w := writer{f: f, tree: treeOf(p)}
	if !w.locate() {
		return p.Text(), 0
	}
	w.element(0, nil)
	return w.out.String(), w.masked
}

// matches returns the rules that lead to each element of a page.
func (f *Filter) matches(p *extract.Page) map[int32][]int {
	out := map[int32][]int{}
	if f.Empty() || len(p.Nodes) == 0 {
		return out
	}
	t := treeOf(p)
	var walk func(i int32, at []*trie)
	walk = func(i int32, at []*trie) {
		for _, s := range at {
			out[i] = append(out[i], s.rules...)
		}
		f.each(t, i, at, walk)
	}
	walk(0, nil)
	return out
}

// each calls visit for the elements below element i, with the places in the
// tries that the paths to them lead to from at, those of i.
func (f *Filter) each(t tree, i int32, at []*trie, visit func(int32, []*trie)) {
	if i == 0 {
		body := t.body()
		for k := i + 1; k < t.Nodes[i].End; k = t.Nodes[k].End {
			var next []*trie
			if k == body {
				next = f.withID(t, k, []*trie{f.body})
			}
			visit(k, next)
		}
		return
	}
	var steps []child // only of elements whose tag CSS can write
	if slices.ContainsFunc(at, func(s *trie) bool { return len(s.next) > 0 }) {
		steps = t.children(i)
	}
	for k := i + 1; k < t.Nodes[i].End; k = t.Nodes[k].End {
		var next []*trie
		if len(steps) > 0 && steps[0].node == k {
			c := steps[0]
			steps = steps[1:]
			for _, s := range at {
				for _, form := range [...]step{{tag: c.tag}, {tag: c.tag, nth: c.nth}, {tag: c.tag, class: c.class}} {
					if n := s.next[form]; n != nil && !slices.Contains(next, n) {
						next = append(next, n)
					}
				}
			}
		}
		visit(k, f.withID(t, k, next))
	}
}

// withID adds the place that the element's id leads to.
func (f *Filter) withID(t tree, k int32, at []*trie) []*trie {
	if len(f.ids) > 0 && t.Nodes[k].ID != "" && t.ids[t.Nodes[k].ID] == 1 {
		if s := f.ids[t.Nodes[k].ID]; s != nil {
			return append(at, s)
		}
	}
	return at
}

// writer writes the masked text of one page.
type writer struct {
	tree
	f      *Filter
	spans  []span // of each chunk, in the page's text
	count  []int32
	out    strings.Builder
	masked int
}

// span is where a chunk stands; the separator before it is text[sep:start].
type span struct{ sep, start, end int }

// locate finds the chunks in the text. It reports false if the outline does not
// hold the text, which cannot be, and then nothing is masked.
func (w *writer) locate() bool {
	text := w.Text()
	pos := 0
	w.count = make([]int32, len(w.Nodes)+1)
	for i := range w.Nodes {
		w.count[i] = int32(len(w.spans))
		n := &w.Nodes[i]
		if n.Tag != "" {
			continue
		}
		s := span{sep: pos, start: pos}
		if pos < len(text) && (text[pos] == ' ' || text[pos] == '\n') {
			s.start++
		}
		if s.end = s.start + len(n.Text); s.end > len(text) || text[s.start:s.end] != n.Text {
			return false
		}
		pos = s.end
		w.spans = append(w.spans, s)
	}
	w.count[len(w.Nodes)] = int32(len(w.spans))
	return pos == len(text)
}

// element writes element i, to which the places of at lead.
func (w *writer) element(i int32, at []*trie) {
	var forms [][]pattern // by chunk
	ordered := false
	for _, s := range at {
		for _, k := range s.rules {
			switch r := &w.f.rules[k]; r.Kind {
			case Block:
				if size := w.size(i); size <= w.f.opt.blockLimit(len(w.Text())) {
					w.masked += size
					return
				}
			case Order:
				ordered = true
			case Tokens:
				for len(forms) <= r.Chunk {
					forms = append(forms, nil)
				}
				forms[r.Chunk] = append(forms[r.Chunk], r.form)
			}
		}
	}
	chunk := 0
	var parts []string
	w.f.each(w.tree, i, at, func(k int32, at []*trie) {
		from := w.out.Len()
		if w.Nodes[k].Tag != "" {
			w.element(k, at)
		} else {
			var f []pattern
			if chunk < len(forms) {
				f = forms[chunk]
			}
			w.chunk(k, f)
			chunk++
		}
		if ordered {
			parts = append(parts, w.out.String()[from:])
		}
	})
	if ordered && len(parts) > 1 {
		whole := w.out.String()
		before := len(whole)
		for _, p := range parts {
			before -= len(p)
		}
		for k, p := range parts {
			parts[k] = strings.TrimLeft(p, " \n")
		}
		slices.Sort(parts)
		w.out.Reset()
		w.out.WriteString(whole[:before])
		for _, p := range parts {
			if p != "" {
				w.out.WriteByte('\n')
				w.out.WriteString(p)
			}
		}
	}
}

// size is the bytes of text below element i.
func (w *writer) size(i int32) int {
	from, to := w.count[i], w.count[w.Nodes[i].End]
	if from == to {
		return 0
	}
	return w.spans[to-1].end - w.spans[from].start
}

// chunk writes the chunk of node k.
func (w *writer) chunk(k int32, forms []pattern) {
	s := w.spans[w.count[k]]
	text := w.Text()
	w.out.WriteString(text[s.sep:s.start])
	masked, ok := blank(text[s.start:s.end], forms)
	if ok {
		w.masked += max(0, s.end-s.start-len(strings.ReplaceAll(masked, hole, "")))
	}
	w.out.WriteString(masked)
}

// blank replaces by a hole each run of tokens that one of the patterns that
// fit text lets vary. It reports whether any pattern fits.
func blank(text string, forms []pattern) (masked string, ok bool) {
	if len(forms) == 0 {
		return text, false
	}
	ts := tokens(text)
	varies := make([]bool, 2*len(ts)+1)
	for _, p := range forms {
		ok = p.match(text, ts, varies) || ok
	}
	if !ok {
		return text, false
	}
	var b strings.Builder
	open := false // the last thing written is a hole
	for i, v := range varies {
		switch {
		case v && !open:
			b.WriteString(hole)
			open = true
		case !v && i%2 == 1:
			b.WriteString(text[ts[i/2].start:ts[i/2].end])
			open = false
		}
	}
	return b.String(), true
}
