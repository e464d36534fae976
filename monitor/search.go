package monitor

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"

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

// takeTexts indexes the texts of one batch of new versions.
//
// A version whose record is damaged is passed over: what it said is not known, and the
// passages of the version before stand until the next.
func (m *Monitor) takeTexts(ctx context.Context) (int, error) {
	return m.db.TakeTodo(ctx, store.StageSearch, batchVersions, func(tx *store.Tx, todo []store.Todo) error {
		upTo := map[store.PageID]int32{}
		for _, d := range todo {
			upTo[d.Page] = max(upTo[d.Page], d.Version)
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
		for i, t := range texts {
			pages[i] = t.Page
		}
		open, err := tx.OpenPassages(ctx, pages)
		if err != nil {
			return err
		}
		x := indexer{}
		for i := range texts {
			t := &texts[i]
			for t.Version < upTo[t.Page] {
				high := min(upTo[t.Page], t.Version+batchVersions)
				spans, err := tx.Spans(ctx, []store.Range{{Page: t.Page, Low: t.Version + 1, High: high}})
				if err != nil {
					return err
				}
				contents, err := reader{records: tx}.contents(ctx, t.Page, spans)
				if err != nil {
					return err
				}
				for _, s := range spans {
					if c := contents[s.Record]; c != nil {
						open[t.Page] = x.take(open[t.Page], s, c.page)
					}
				}
				t.Version = high
			}
		}
		return tx.PutPassages(ctx, texts, x.fresh, x.ended)
	})
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

// line is a line of a page with its words.
type line struct {
	hash  uint64
	words []string
}

// linesOf returns the distinct lines of a page in their order, its title first.
// Lines with the same words are one.
func linesOf(p *extract.Page) []line {
	var out []line
	seen := map[uint64]bool{}
	add := func(s string) {
		words := query.Words(s)
		if len(words) == 0 {
			return
		}
		h := fnv.New64a()
		for _, w := range words {
			h.Write([]byte(w))
			h.Write([]byte{0})
		}
		for len(words) > 0 { // a giant line in pieces that fit
			n := min(len(words), passageWords)
			hash := h.Sum64()
			if !seen[hash] {
				seen[hash] = true
				out = append(out, line{hash, words[:n]})
			}
			words = words[n:]
			h.Write(binary.BigEndian.AppendUint32(nil, uint32(len(words))))
		}
	}
	add(p.Title)
	for i := range p.Lines {
		add(p.LineText(i))
	}
	return out
}

// take brings the open passages of a page from a version to the next, and returns
// those that are open then.
//
//	passage with all lines in the version    goes on
//	passage with some of them                ends; another goes on with the rest
//	passage with none of them                ends
//	lines in no passage                      begin one
func (x *indexer) take(open []*store.Passage, v store.Span, p *extract.Page) []*store.Passage {
	lines := linesOf(p)
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
			for n < len(which) && (n == 0 || size+len(lines[which[n]].words)+lineGap <= passageWords) {
				size += len(lines[which[n]].words) + lineGap
				n++
			}
			q := &store.Passage{Page: v.Page, From: v.Version, Part: part, FromAt: v.FirstSeen}
			words := vector{}
			for _, i := range which[:n] {
				q.Lines = append(q.Lines, lines[i].hash)
				words.add(lines[i].words)
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
		next = append(next, begin(rest)...)
	}
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
	at    int
	words map[string][]int
}

func (v *vector) add(words []string) {
	if v.words == nil {
		v.words = map[string][]int{}
	}
	for _, w := range words {
		v.at++
		if len(v.words[w]) < 255 { // more are dropped by PostgreSQL
			v.words[w] = append(v.words[w], v.at)
		}
	}
	v.at += lineGap
}

// String writes the vector as PostgreSQL reads it. Words are letters, marks and
// digits, so that nothing in them has to be escaped.
func (v *vector) String() string {
	var b strings.Builder
	for _, w := range slices.Sorted(maps.Keys(v.words)) {
		b.WriteString("'" + w + "':")
		for i, at := range v.words[w] {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strconv.Itoa(at))
		}
		b.WriteByte(' ')
	}
	return b.String()
}
