package archive

import (
	"context"

	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/crawler/warc"
	"github.com/strandlinehq/strandline/store"
)

// write stores captures and, in the same transaction, what the series is told of
// them.
func (im *importer) write(ctx context.Context, captures []*store.Capture) ([]store.Stored, error) {
	if im.opt.Series == 0 {
		return im.db.Write(ctx, captures)
	}
	members := make([]store.SnapshotFetch, len(captures))
	redirects := make([]string, len(captures))
	var targets []store.Sighting
	for i, c := range captures {
		members[i], redirects[i] = im.member(c)
		if redirects[i] != "" {
			targets = append(targets, store.Sighting{URL: redirects[i], At: c.StartedAt})
		}
	}
	// Outside the transaction, as all pages are found.
	ids, err := im.db.ResolvePages(ctx, targets)
	if err != nil {
		return nil, err
	}
	for i, url := range redirects {
		members[i].Alias = ids[url]
	}
	return im.db.WriteWith(ctx, captures, func(ctx context.Context, tx *store.Tx, stored []store.Stored) error {
		for i, s := range stored {
			members[i].Page = s.Page
		}
		return tx.PutSeriesCaptures(ctx, im.opt.Series, members)
	})
}

// member is what a series is told of a capture, but for the ids, and the URL that
// it redirects to.
func (im *importer) member(c *store.Capture) (m store.SnapshotFetch, redirect string) {
	m = store.SnapshotFetch{
		At: c.StartedAt, Status: c.Status, Depth: -1, Crawled: c.Outcome == "" || c.Outcome == store.NotModified,
	}
	head, err := warc.ParseHTTP(c.Head)
	if err != nil { // a revisit record may have no head
		return m, ""
	}
	m.LastModified, m.Valid = intake.LastModified(head.Header.Get("Last-Modified"), head.Header.Get("Date"), c.StartedAt)
	if c.Status >= 300 && c.Status < 400 && c.Status != 304 {
		if url, err := im.reader.Resolve(c.URL, head.Header.Get("Location")); err == nil && url != c.URL {
			redirect = url
		}
	}
	return m, redirect
}
