// Package intake turns a payload, as fetched or taken from an archive, into what
// the store keeps of it: the extracted record, the hashes by which changes are
// told, and the distinct links in canonical form.
//
// A Reader does the work for any number of goroutines. The extraction itself is
// crawler/extract, the form of URLs crawler/canonical; this package only joins
// the two for the store, so that imports, fetches and rebuilds read a page in
// exactly the same way. Fetching and storing are left out.
package intake

import (
	"fmt"
	"strings"
	"sync"

	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/crawler/warc"
	"github.com/strandlinehq/strandline/monitor/text"
	"github.com/strandlinehq/strandline/store"
)

// Rules is the version of the rules by which pages are read. It is stored with
// each version; raise it when the same payload would give another record.
const Rules = 1

// maxDecoded bounds a payload whose content coding is removed here, and maxRecord
// what is kept of a page's text: the store takes no more than 16 MiB in one piece.
const (
	maxDecoded = 10 << 20
	maxRecord  = 15 << 20
)

// truncated flags what was read of a page that was longer than what was kept of it.
const truncated = "truncated"

// Reader reads payloads. It is safe for concurrent use.
type Reader struct {
	former  *canonical.Former
	workers sync.Pool // of *worker
}

type worker struct {
	extractor extract.Extractor
	counter   extract.Counter
	decoder   warc.Decoder
}

// New returns a Reader that makes canonical URLs by former.
func New(former *canonical.Former) *Reader {
	return &Reader{former: former, workers: sync.Pool{New: func() any { return new(worker) }}}
}

// Source says where a payload comes from.
type Source struct {
	URL         string // that it came from, behind all redirects: links are relative to it
	ContentType string // header field as received
	Coding      string // content codings that the payload still has, as in Content-Encoding
	Truncated   bool   // the page was longer than what was kept of it
}

// Read reads a payload. It has no errors: whatever the bytes are, something can
// be said of them, and the flags tell how well it went.
func (r *Reader) Read(src Source, payload []byte) store.Extract {
	page, counter, done := r.page(src, payload)
	defer func() { done() }()
	record := page.AppendRecord(nil)
	// Text in a legacy charset grows in UTF-8, and a coded payload by far more. Of a
	// page that is too long the first part is kept, and the page is flagged.
	for most := len(payload); len(record) > maxRecord; {
		done()
		most = min(most, maxDecoded) / 2
		page, counter, done = r.page(src, payload, most)
		page.Flags |= extract.Cut
		record = page.AppendRecord(nil)
	}
	out := store.Extract{
		Title:     page.Title,
		Language:  language(page),
		Charset:   page.Charset,
		Words:     counter.Len(),
		Sentences: len(page.Sentences),
		TextHash:  page.TextHash(),
		WordsHash: counter.Hash(),
		Record:    record,
		Rules:     Rules,
		Links:     r.Links(page),
	}
	if s := page.Flags.String(); s != "" {
		out.Flags = strings.Split(s, ",")
	}
	if src.Truncated {
		out.Flags = append(out.Flags, truncated)
	}
	return out
}

// Page reads a payload and returns the page itself.
func (r *Reader) Page(src Source, payload []byte) *extract.Page {
	page, _, done := r.page(src, payload)
	done()
	return page
}

// page extracts a payload, or as much of what it decodes to as most says.
func (r *Reader) page(src Source, payload []byte, most ...int) (*extract.Page, *extract.Counter, func()) {
	w := r.workers.Get().(*worker)
	cut := false
	if src.Coding != "" {
		m := warc.HTTPMessage{Payload: payload, Header: warc.Header{{Name: "Content-Encoding", Value: src.Coding}}}
		body := w.decoder.Decode(&m, maxDecoded)
		payload, cut = body.Data, body.Cut
	}
	if len(most) > 0 && len(payload) > most[0] {
		payload, cut = payload[:most[0]], true
	}
	page := w.extractor.Extract(extract.Input{Body: payload, ContentType: src.ContentType, URL: src.URL})
	if cut {
		page.Flags |= extract.Cut
	}
	w.counter.Reset()
	w.counter.Add(page.Text())
	return page, &w.counter, func() { r.workers.Put(w) }
}

// Links returns the distinct links that a reader of the page can follow, in
// canonical form and in document order (SCIENCE C5). A link counts as nofollow
// when all of its occurrences do.
func (r *Reader) Links(page *extract.Page) []store.Link {
	var out []store.Link
	index := make(map[string]int, len(page.Links))
	for _, l := range page.Links {
		if l.Kind == extract.Canonical {
			continue // says what the page is called, not where it leads
		}
		url, err := r.former.URL("", l.URL)
		if err != nil {
			continue
		}
		nofollow := l.Rel&(extract.NoFollowLink|extract.UGC|extract.Sponsored) != 0 || page.Has(extract.NoFollow)
		if i, ok := index[url]; ok {
			out[i].NoFollow = out[i].NoFollow && nofollow
			continue
		}
		index[url] = len(out)
		out = append(out, store.Link{URL: url, NoFollow: nofollow})
	}
	return out
}

// language is the language that the text is in, else the one that the page declares.
func language(p *extract.Page) string {
	if p.Detected != "" {
		return p.Detected
	}
	return text.Base(p.Lang)
}

// Canonical gives the canonical form of an absolute URL.
func (r *Reader) Canonical(url string) (string, error) {
	out, err := r.former.URL("", url)
	if err != nil {
		return "", fmt.Errorf("%.200q: %w", url, err)
	}
	return out, nil
}

// Resolve gives the canonical form of a link of a page, such as the place that a
// redirect leads to.
func (r *Reader) Resolve(base, link string) (string, error) {
	out, err := r.former.URL(base, link)
	if err != nil {
		return "", fmt.Errorf("%.200q: %w", link, err)
	}
	return out, nil
}
