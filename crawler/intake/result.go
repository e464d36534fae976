package intake

import (
	"encoding/json"
	"mime"

	"github.com/strandlinehq/strandline/crawler/fetch"
	"github.com/strandlinehq/strandline/store"
)

// Capture turns what came of a fetch into what the store keeps of it. The caller
// adds when the fetch was due and for which watch it was.
//
// A page that is missing counts as failed here; that it is gone only a run of
// failures can tell, which the caller knows.
func (r *Reader) Capture(url string, kind store.Kind, res *fetch.Result) *store.Capture {
	c := &store.Capture{
		URL: url, Kind: kind, StartedAt: res.StartedAt, FinishedAt: res.FinishedAt, Status: res.Status,
		Head: res.Head, ETag: res.ETag, LastModified: res.LastModified, Coding: res.Coding, Payload: res.Body,
		Detail: detail(res),
	}
	if c.ETag != "" || c.LastModified != "" {
		c.ValidatedURL = elsewhere(url, res.FinalURL)
	}
	if to, err := r.Resolve("", res.PermanentURL); err == nil {
		c.PermanentURL = elsewhere(url, to)
	}
	if t, _, err := mime.ParseMediaType(res.ContentType); err == nil {
		c.MediaType = t
	}
	switch res.Kind {
	case fetch.Content:
		if c.Payload == nil {
			c.Payload = []byte{}
		}
	case fetch.NotModified:
		c.Outcome, c.Payload = store.NotModified, nil
	case fetch.Denied:
		c.Outcome, c.Error = store.Denied, reason(res)
	case fetch.Skipped:
		c.Outcome, c.Error = store.Skipped, reason(res)
	default:
		c.Outcome, c.Error = store.Failed, reason(res)
	}
	src := SourceOf(url, res)
	c.Extract = func(payload []byte) store.Extract { return r.Read(src, payload) }
	return c
}

// SourceOf says where the body of a fetch of a page came from.
func SourceOf(url string, res *fetch.Result) Source {
	src := Source{URL: url, ContentType: res.ContentType, Coding: res.Coding, Truncated: res.Truncated}
	if res.FinalURL != "" {
		src.URL = res.FinalURL
	}
	return src
}

// elsewhere returns an address unless it is the page's own.
func elsewhere(url, address string) string {
	if address == url {
		return ""
	}
	return address
}

// reason is the reason of a failure, its name first: soft-404: the title says so.
func reason(res *fetch.Result) string {
	if res.Text == "" {
		return string(res.Reason)
	}
	return string(res.Reason) + ": " + res.Text
}

// detail keeps what else is worth knowing of an attempt.
func detail(res *fetch.Result) json.RawMessage {
	type hop struct {
		URL    string `json:"url"`
		Status int    `json:"status"`
		To     string `json:"to"`
	}
	d := struct {
		Redirects []hop  `json:"redirects,omitempty"`
		Permanent string `json:"permanent_url,omitempty"`
	}{Permanent: res.PermanentURL}
	for _, h := range res.Redirects {
		d.Redirects = append(d.Redirects, hop{h.URL, h.Status, h.To})
	}
	if len(d.Redirects) == 0 && d.Permanent == "" {
		return nil
	}
	b, err := json.Marshal(d)
	if err != nil {
		return nil
	}
	return b
}
