// Package analyze measures the pages of WARC files without a database: the
// command analyze. What it computes per page is what the daemon stores of it,
// by the same functions.
//
// Pages reads the files and calls back with one Page each, in the order of their
// URLs. The captures of a page may come in any order and from any of the files.
package analyze

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/strandlinehq/strandline/crawler/archive"
	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/monitor/dice"
	"github.com/strandlinehq/strandline/monitor/text"
	"github.com/strandlinehq/strandline/store"
)

// Page is what is printed of one page; parts that were not asked for or that the
// data cannot give are null.
type Page struct {
	URL      string         `json:"url"`
	Versions int            `json:"versions"`
	Fetches  int            `json:"fetches"`
	First    time.Time      `json:"first"`
	Last     time.Time      `json:"last"`
	Changes  []Change       `json:"changes"`
	Curve    []any          `json:"curve"`
	Knot     any            `json:"knot"`
	Terms    []any          `json:"terms"`
	Survival map[string]any `json:"survival"`
	Blocks   []any          `json:"blocks"`
}

// Change is a change of the text (SCIENCE A9, C2).
type Change struct {
	Version int       `json:"version"`
	Time    time.Time `json:"time"`
	Hours   float64   `json:"hours"`
	Dice    float64   `json:"dice"`
}

// Pages measures the pages of files.
func Pages(ctx context.Context, reader *intake.Reader, files []string, opt archive.ImportOptions, emit func(Page) error) (archive.Report, error) {
	g := gatherer{reader: reader, pages: map[string]*page{}, contents: map[contentKey]*content{}, bySHA1: map[sha1Key]store.SHA256{}}
	report, err := archive.Read(ctx, reader, files, opt, g.add)
	if err != nil {
		return report, err
	}
	for _, url := range slices.Sorted(maps.Keys(g.pages)) {
		if err := emit(g.measure(url)); err != nil {
			return report, err
		}
	}
	return report, nil
}

// gatherer keeps of each capture its time and content id, and of each content
// what the measures need.
type gatherer struct {
	reader   *intake.Reader
	pages    map[string]*page
	contents map[contentKey]*content
	bySHA1   map[sha1Key]store.SHA256
}

// contentKey names a content by page, since the same bytes may be read by
// another header elsewhere.
type contentKey struct {
	url  string
	hash store.SHA256
}

type sha1Key struct {
	url string
	sum store.SHA1
}

type page struct {
	captures []seen
}

type seen struct {
	at   time.Time
	hash store.SHA256
	sum  store.SHA1 // of a revisit whose payload may come later
}

type content struct {
	text  extract.Hash
	words dice.WordSet
}

func (g *gatherer) add(c *store.Capture) error {
	if c.Outcome != "" && c.Outcome != store.NotModified {
		return nil
	}
	p := g.pages[c.URL]
	if p == nil {
		p = &page{}
		g.pages[c.URL] = p
	}
	s := seen{at: c.StartedAt, hash: c.Content()}
	if s.hash == (store.SHA256{}) {
		s.sum = c.PayloadSHA1
	}
	p.captures = append(p.captures, s)
	if c.Payload == nil {
		return nil
	}
	g.bySHA1[sha1Key{c.URL, c.PayloadSHA1}] = s.hash
	key := contentKey{c.URL, s.hash}
	if _, ok := g.contents[key]; ok {
		return nil
	}
	out := c.Extract(c.Payload)
	read, err := extract.DecodeRecord(out.Record)
	if err != nil {
		return err
	}
	var words dice.Builder
	text.EachWord(read.Text(), words.Add)
	g.contents[key] = &content{text: out.TextHash, words: words.Set()}
	return nil
}

// measure lays the page's captures in order and computes its measures.
func (g *gatherer) measure(url string) Page {
	captures := g.pages[url].captures
	for i := range captures {
		if c := &captures[i]; c.hash == (store.SHA256{}) {
			c.hash = g.bySHA1[sha1Key{url, c.sum}]
		}
	}
	slices.SortStableFunc(captures, func(a, b seen) int {
		if c := a.at.Compare(b.at); c != 0 {
			return c
		}
		return bytes.Compare(a.hash[:], b.hash[:])
	})
	out := Page{URL: url, Fetches: len(captures), First: captures[0].at, Last: captures[len(captures)-1].at, Changes: []Change{}}
	var tracker dice.Tracker
	var last store.SHA256
	for _, c := range captures {
		content := g.contents[contentKey{url, c.hash}]
		if content == nil || c.hash == last {
			continue // not modified, or a payload that no file brought
		}
		last = c.hash
		out.Versions++
		e, ok := tracker.Add(dice.Version{At: c.at, Text: string(content.text[:]), Words: content.words})
		if ok {
			out.Changes = append(out.Changes, Change{Version: out.Versions, Time: e.At, Hours: e.Elapsed.Hours(), Dice: e.Dice})
		}
	}
	return out
}
