package monitor

import (
	"context"
	"encoding/binary"
	"maps"
	"slices"
	"strconv"

	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/monitor/query"
	"github.com/strandlinehq/strandline/store"
)

// Bounds of a passage: PostgreSQL counts positions up to 16,383 and bounds the size of
// a tsvector.
const (
	passageWords = 8000
	lineGap      = 10 // positions between two lines, so that no phrase spans them
)

// pieceWords is how much a passage holds, unless a single line is longer: a change costs the
// passages in which it lies, and not the whole text. Smaller ones make more rows, and common
// words stand in more of them.
const pieceWords = 250

// takeTexts indexes the texts of one batch of new versions that were measured before, or
// cannot be.
func (m *Monitor) takeTexts(ctx context.Context) (int, error) {
	return m.db.TakeTodo(ctx, store.StageSearch, batchVersions, func(tx *store.Tx, todo []store.Todo) error {
		return index(ctx, tx, todo, newReader(tx, nil))
	})
}

// index indexes the texts of new versions.
//
// A version whose record is damaged is passed over: what it said is not known, and the
// passages of the version before stand until the next.
func index(ctx context.Context, tx *store.Tx, todo []store.Todo, r reader) error {
	upTo := map[store.PageID]int32{}
	for _, d := range todo {
		upTo[d.Page] = max(upTo[d.Page], d.Version)
	}
	if len(upTo) == 0 {
		return nil
	}
	texts, err := tx.LockTexts(ctx, slices.Collect(maps.Keys(upTo)))
	if err != nil {
		return err
	}
	texts = slices.DeleteFunc(texts, func(t store.PageText) bool { return t.Version >= upTo[t.Page] })
	if len(texts) == 0 {
		return nil // another worker was faster
	}
	pages := make([]store.PageID, len(texts))
	ranges := make([]store.Range, len(texts))
	for i, t := range texts {
		pages[i], ranges[i] = t.Page, store.Range{Page: t.Page, Low: t.Version + 1, High: upTo[t.Page]}
	}
	open, err := tx.OpenPassages(ctx, pages)
	if err != nil {
		return err
	}
	spans, err := tx.Spans(ctx, ranges)
	if err != nil {
		return err
	}
	x := indexer{}
	for len(spans) > 0 {
		page, n := spans[0].Page, 1
		for n < min(batchVersions, len(spans)) && spans[n].Page == page {
			n++
		}
		contents, err := r.contents(ctx, page, spans[:n])
		if err != nil {
			return err
		}
		for _, s := range spans[:n] {
			if c := contents[s.Record]; c != nil {
				open[page] = x.take(open[page], s, linesOf(r.memo(page), c.page))
			}
		}
		spans = spans[n:]
	}
	for i := range texts {
		texts[i].Version = upTo[texts[i].Page]
	}
	return tx.PutPassages(ctx, texts, x.fresh, x.ended)
}

// drainTexts indexes until the queue is empty.
func (m *Monitor) drainTexts(ctx context.Context) (int, error) {
	total := 0
	for {
		n, err := m.takeTexts(ctx)
		total += n
		if err != nil || n == 0 {
			return total, err
		}
	}
}

// indexer makes the passages of versions that follow one another.
type indexer struct {
	fresh, ended []*store.Passage // to be stored; to be ended in the store
}

// line is a line of a page with the numbers of its words.
type line struct {
	hash  uint64
	words []uint32
	from  *vocabulary
}

// linesOf returns the distinct lines of a page in their order, its title first.
// Lines with the same words are one.
func linesOf(m *memo, p *extract.Page) []line {
	out := make([]line, 0, len(p.Lines)+1)
	seen := make(map[uint64]bool, len(p.Lines)+1)
	add := func(s string) {
		l := m.line(s)
		words := l.words
		if len(words) == 0 {
			return
		}
		if l.passage == 0 {
			l.passage = passageHash(m.words, words)
		}
		for h := l.passage; ; { // a giant line in pieces that fit
			n := min(len(words), passageWords)
			if !seen[h] {
				seen[h] = true
				out = append(out, line{h, words[:n], m.words})
			}
			if words = words[n:]; len(words) == 0 {
				return
			}
			var left [4]byte
			binary.BigEndian.PutUint32(left[:], uint32(len(words)))
			h = fnv1a(h, left[:])
		}
	}
	add(p.Title)
	for i := range p.Lines {
		add(p.LineText(i))
	}
	return out
}

// passageHash is the FNV-1a hash of the words of a line as they are indexed, each with a
// zero behind it. Passages are stored with it.
func passageHash(v *vocabulary, words []uint32) uint64 {
	h := uint64(14695981039346656037)
	for _, n := range words {
		h = fnv1a(h, v.cut(n))
		h = fnv1a(h, []byte{0})
	}
	return h
}

func fnv1a(h uint64, b []byte) uint64 {
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// cut returns a word as it is indexed.
func (v *vocabulary) cut(n uint32) []byte {
	w := v.words[n]
	word := v.arena[w.off:w.end]
	if len(word) > query.MaxWord {
		word = word[:len(query.Cut(string(word)))]
	}
	return word
}

// take brings the open passages of a page from a version to the next, and returns
// those that are open then.
//
//	passage with all lines in the version    goes on
//	passage with some of them                ends; another goes on with the rest
//	passage with none of them                ends
//	lines in no passage                      begin one
//
// The rests of all passages that end join, in the order of the page: they are stored anew in
// any case, and so passages do not crumble to single lines. What is long goes in pieces.
func (x *indexer) take(open []*store.Passage, v store.Span, lines []line) []*store.Passage {
	have := make(map[uint64]int, len(lines))
	for i, l := range lines {
		have[l.hash] = i
	}
	part := int32(0)
	begin := func(which []int) []*store.Passage {
		var out []*store.Passage
		slices.Sort(which)
		for len(which) > 0 {
			n, size := 0, 0
			for n < len(which) && (n == 0 || size+len(lines[which[n]].words)+lineGap <= pieceWords) {
				size += len(lines[which[n]].words) + lineGap
				n++
			}
			q := &store.Passage{Page: v.Page, From: v.Version, Part: part, FromAt: v.FirstSeen}
			words := vector{}
			for _, i := range which[:n] {
				q.Lines = append(q.Lines, lines[i].hash)
				words.add(lines[i])
			}
			slices.Sort(q.Lines)
			q.Words = words.String()
			out, which = append(out, q), which[n:]
			part++
		}
		x.fresh = append(x.fresh, out...)
		return out
	}
	old := make([]bool, len(lines))
	var next []*store.Passage
	var rests []int
	for _, q := range open {
		var rest []int
		for _, h := range q.Lines {
			if i, ok := have[h]; ok {
				rest = append(rest, i)
				old[i] = true
			}
		}
		if len(rest) == len(q.Lines) {
			next = append(next, q)
			continue
		}
		q.To, q.ToAt = v.Version, v.FirstSeen
		if !slices.Contains(x.fresh, q) {
			x.ended = append(x.ended, q)
		}
		rests = append(rests, rest...)
	}
	next = append(next, begin(rests)...)
	var came []int
	for i := range lines {
		if !old[i] {
			came = append(came, i)
		}
	}
	return append(next, begin(came)...)
}

// vector is a tsvector in the making.
type vector struct {
	at     int
	from   *vocabulary
	index  map[uint32]int32 // place in words of a number
	words  []uint32         // numbers, as they came
	heads  []int32          // of each word: its last occurrence
	places []place
}

// place is an occurrence of a word; before it comes another one, -1 for none.
type place struct {
	at     int
	before int32
	nth    int32 // from 1
}

func (v *vector) add(l line) {
	if v.index == nil {
		v.index, v.from = make(map[uint32]int32, len(l.words)), l.from
	}
	for _, n := range l.words {
		v.at++
		i, ok := v.index[n]
		if !ok {
			i = int32(len(v.words))
			v.index[n] = i
			v.words, v.heads = append(v.words, n), append(v.heads, -1)
		}
		p := place{v.at, v.heads[i], 1}
		if p.before >= 0 {
			p.nth = v.places[p.before].nth + 1
		}
		if p.nth > 255 {
			continue // PostgreSQL drops them
		}
		v.heads[i] = int32(len(v.places))
		v.places = append(v.places, p)
	}
	v.at += lineGap
}

// String writes the vector as PostgreSQL reads it, which puts words and places in order and
// joins words that are one when they are cut. Words are letters, marks and digits, so that
// nothing in them has to be escaped.
func (v *vector) String() string {
	b := make([]byte, 0, 16*len(v.words)+6*len(v.places))
	for i, n := range v.words {
		b = append(b, '\'')
		b = append(b, v.from.cut(n)...)
		b = append(b, '\'')
		sep := byte(':')
		for k := v.heads[i]; k >= 0; k = v.places[k].before {
			b = append(b, sep)
			b = strconv.AppendInt(b, int64(v.places[k].at), 10)
			sep = ','
		}
		b = append(b, ' ')
	}
	return string(b)
}
