package main

import (
	"context"
	"fmt"

	"github.com/strandlinehq/strandline/crawler/fetch"
	"github.com/strandlinehq/strandline/crawler/source"
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

// reader returns what fetches documents under the usual politeness, conditionally where they are known,
// and what is to be called when all are read: it forgets those that nothing names any more.
func (d *documents) reader(f *fetch.Fetcher) (get source.Get, done func()) {
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
