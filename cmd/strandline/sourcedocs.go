package main

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/strandlinehq/strandline/crawler/fetch"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/crawler/source"
	"github.com/strandlinehq/strandline/store"
)

// documentsKept bounds, in bytes, what is kept of the documents of one source. Those that it has no
// room for are asked for whole each time.
const documentsKept = 2 << 20

// documents are those of a source as they last came, by the address that was asked, so that they are
// asked for conditionally. A restart forgets them. The zero value has none.
type documents map[string]document

// document is one of them, with its validators and the address that sent them.
type document struct {
	source.Document
	etag, modified string
}

// attempts are those on the documents of a source, to be stored.
type attempts struct {
	reader *intake.Reader
	due    time.Time
	rows   []store.SourceFetch
}

// add notes what came of a fetch; before is the document as it was known.
func (a *attempts) add(url string, res *fetch.Result, before document) {
	address, err := a.reader.Canonical(url)
	if err != nil || res.Reason == fetch.Cancelled {
		return // no address that can be asked, or the daemon stops
	}
	c := a.reader.Capture(address, store.KindSource, res)
	row := store.SourceFetch{
		URL: address, DueAt: a.due, StartedAt: c.StartedAt, FinishedAt: c.FinishedAt, Outcome: c.Outcome, Status: c.Status, Error: c.Error, Detail: c.Detail,
		Bytes: len(c.Payload),
	}
	switch {
	case c.Outcome != "":
	case before.URL == "":
		row.Outcome = store.New
	case bytes.Equal(before.Body, res.Body):
		row.Outcome = store.Same
	default:
		row.Outcome = store.Changed
	}
	a.rows = append(a.rows, row)
}

// reader returns what fetches documents under the usual politeness, conditionally where they are known,
// and what is to be called when all are read: it forgets those that nothing names any more.
func (d *documents) reader(f *fetch.Fetcher, log *attempts) (get source.Get, done func()) {
	fresh, size := documents{}, 0
	keep := func(url string, doc document) {
		if size+len(doc.Body) <= documentsKept && (doc.etag != "" || doc.modified != "") {
			fresh[url], size = doc, size+len(doc.Body)
		}
	}
	get = func(ctx context.Context, url string) (source.Document, error) {
		req, known := fetch.Request{URL: url}, (*d)[url]
		req.ETag, req.LastModified, req.ValidatedURL = known.etag, known.modified, known.URL
		res := f.Fetch(ctx, req)
		log.add(url, &res, known)
		switch res.Kind {
		case fetch.NotModified:
			keep(url, known)
			return known.Document, nil
		case fetch.Content:
			doc := document{source.Document{URL: res.FinalURL, Body: res.Body}, res.ETag, res.LastModified}
			keep(url, doc)
			return doc.Document, nil
		}
		keep(url, known) // for when it answers again
		return source.Document{}, fmt.Errorf("%s: %s", res.Reason, res.Text)
	}
	return get, func() { *d = fresh }
}
