package intake

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/strandlinehq/strandline/crawler/warc"
	"github.com/strandlinehq/strandline/store"
)

// Rebuild reads all stored payloads again, in the way in which they were read
// when they came, and puts what they say now in the place of what was stored; see
// store.DB.Rebuild. The Read of opt is set here.
func Rebuild(ctx context.Context, db *store.DB, r *Reader, opt store.RebuildOptions) (store.RebuildReport, error) {
	opt.Read = func(o store.Origin, payload []byte) store.Extract {
		return r.Read(sourceOf(o), payload)
	}
	return db.Rebuild(ctx, opt)
}

// sourceOf tells where a stored payload came from. Its links are relative to
// where the last redirect led.
func sourceOf(o store.Origin) Source {
	src := Source{URL: o.URL, ContentType: o.MediaType, Coding: o.Coding}
	src.Truncated = slices.Contains(o.Flags, truncated) // only the fetch could know that there was more
	if m, err := warc.ParseHTTP(o.Head); err == nil && m.Header.Get("Content-Type") != "" {
		src.ContentType = m.Header.Get("Content-Type")
	}
	var detail struct {
		Redirects []struct {
			To string `json:"to"`
		} `json:"redirects"`
	}
	if json.Unmarshal(o.Detail, &detail) == nil && len(detail.Redirects) > 0 {
		if to := detail.Redirects[len(detail.Redirects)-1].To; to != "" {
			src.URL = to
		}
	}
	return src
}
