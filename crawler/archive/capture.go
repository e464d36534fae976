package archive

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/crawler/warc"
	"github.com/strandlinehq/strandline/store"
)

// capture turns a record into a capture; nil for a record that is none, or one
// that is damaged. The error is final.
func (im *importer) capture(name string, rec *warc.Record) (*store.Capture, error) {
	switch rec.Type {
	case warc.TypeResponse, warc.TypeRevisit, warc.TypeResource:
	default:
		im.skip()
		return nil, nil
	}
	url, err := im.reader.Canonical(rec.TargetURI)
	switch {
	case errors.Is(err, canonical.ErrTooLong):
		im.damaged(name, &warc.Damage{
			Kind: warc.BadURI, Offset: rec.Offset,
			Msg: fmt.Sprintf("a URL of %d bytes is left out: %.60s...", len(rec.TargetURI), rec.TargetURI),
		})
		return nil, nil
	case err != nil:
		// dns:, ftp: and the like are no web pages.
		im.skip()
		return nil, nil
	}
	if rec.Date.IsZero() {
		return nil, nil // counted among the record's flaws
	}
	// The block is a little more than the payload: its head.
	block, whole, err := rec.AppendBlock(nil, im.opt.MaxPayload+maxHead)
	var damage *warc.Damage
	switch {
	case errors.As(err, &damage):
		im.damaged(name, damage)
		return nil, nil
	case err != nil:
		return nil, err
	}
	c := &store.Capture{URL: url, Kind: store.KindImport, StartedAt: rec.Date, FinishedAt: rec.Date}
	note := recordNote{}
	if rec.TargetURI != url {
		note.URI = rec.TargetURI
		c.Detail = note.detail()
	}
	if rec.Type == warc.TypeResource {
		c.Status, c.MediaType, c.Payload = 200, rec.MediaType(), block
		c.Head = fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\n\r\n", rec.Header.Get("Content-Type"))
		im.content(c, rec.Header.Get("Content-Type"), !whole)
		return c, nil
	}
	if rec.Type == warc.TypeResponse && !rec.IsHTTP() {
		im.skip()
		return nil, nil
	}
	m, err := warc.ParseHTTP(block)
	if err != nil && !(rec.Type == warc.TypeRevisit && len(block) == 0) {
		im.damaged(name, at(err, rec.Offset))
		return nil, nil
	}
	c.Head, c.Status, c.MediaType = m.Head, m.Status, m.MediaType()
	c.ETag, c.LastModified = m.Header.Get("ETag"), m.Header.Get("Last-Modified")
	if rec.Type == warc.TypeRevisit {
		return im.revisit(name, rec, m, c, note), nil
	}
	payload := withoutChunks(m, im.opt.MaxPayload)
	if payload.Damage != nil {
		im.damaged(name, at(payload.Damage, rec.Offset))
	}
	c.Payload = payload.Data
	if c.Payload == nil {
		c.Payload = []byte{}
	}
	c.Coding = strings.Join(m.Header.Values("Content-Encoding"), ", ")
	judge(c, m, note)
	im.content(c, m.Header.Get("Content-Type"), payload.Cut || !whole)
	return c, nil
}

const maxHead = 1 << 20

// withoutChunks removes the transfer coding only: the payload of an archive is
// what the content coding left.
func withoutChunks(m *warc.HTTPMessage, limit int64) warc.Body {
	plain := *m
	plain.Header = nil
	for _, f := range m.Header {
		if !strings.EqualFold(f.Name, "Content-Encoding") {
			plain.Header = append(plain.Header, f)
		}
	}
	body := plain.Decode(limit)
	if int64(len(body.Data)) > limit {
		body.Data, body.Cut = body.Data[:limit], true
	}
	return body
}

// judge sets the outcome of answers that show no content of the page.
func judge(c *store.Capture, m *warc.HTTPMessage, note recordNote) {
	switch {
	case c.Status >= 200 && c.Status < 300 && c.Status != 204 && c.Status != 206:
	case c.Status == 304:
		c.Outcome, c.Payload = store.NotModified, nil
	case c.Status >= 300 && c.Status < 400:
		to := m.Header.Get("Location")
		note.Redirect = to
		c.Outcome, c.Error, c.Detail = store.Failed, "redirect to "+to, note.detail()
	default:
		c.Outcome, c.Error = store.Failed, fmt.Sprintf("status %d", c.Status)
	}
}

// content completes a capture that has a payload.
func (im *importer) content(c *store.Capture, contentType string, cut bool) {
	src := intake.Source{URL: c.URL, ContentType: contentType, Coding: c.Coding}
	c.Extract = func(payload []byte) store.Extract {
		e := im.reader.Read(src, payload)
		if cut {
			e.Flags = append(e.Flags, "truncated")
		}
		return e
	}
}

// revisit completes the capture of a revisit record. Of an answer that shows no
// content of the page, such as a 404, the payload that it names is not looked for.
func (im *importer) revisit(name string, rec *warc.Record, m *warc.HTTPMessage, c *store.Capture, note recordNote) *store.Capture {
	if c.Status == 0 {
		c.Status = 200
	}
	ref := rec.Revisit()
	if ref.Profile == warc.ProfileNotModified {
		c.Outcome = store.NotModified
		return c
	}
	if judge(c, m, note); c.Outcome != "" {
		return c
	}
	digest, err := warc.ParseDigest(rec.Header.Get("WARC-Payload-Digest"))
	switch {
	case err == nil && digest.Algo == "sha1":
		copy(c.PayloadSHA1[:], digest.Sum)
	case err == nil && digest.Algo == "sha256":
		copy(c.PayloadHash[:], digest.Sum)
	default:
		im.damaged(name, &warc.Damage{Kind: warc.BadDigest, Offset: rec.Offset, Msg: "revisit without a sha1 or sha256 payload digest: " + c.URL})
		return nil
	}
	if ref.TargetURI != "" {
		if url, err := im.reader.Canonical(ref.TargetURI); err == nil && url != c.URL {
			c.RefersTo = url
		}
	}
	im.shape(c, m)
	return c
}

// shape sets what the head of a capture says of a payload that is elsewhere.
func (im *importer) shape(c *store.Capture, m *warc.HTTPMessage) {
	c.Coding = strings.Join(m.Header.Values("Content-Encoding"), ", ")
	im.content(c, m.Header.Get("Content-Type"), false)
}

// complete gives captures of earlier files, whose payloads were not at hand then,
// another chance: the payload of another page may have come since. One round may
// bring what the next one refers to.
func (im *importer) complete(ctx context.Context) error {
	for more := true; more; {
		more = false
		err := im.db.Missing(ctx, func(caps []*store.Capture) error {
			for _, c := range caps {
				m, err := warc.ParseHTTP(c.Head)
				if err != nil { // a revisit record may have no head
					m = &warc.HTTPMessage{}
				}
				c.MediaType, c.ETag, c.LastModified = m.MediaType(), m.Header.Get("ETag"), m.Header.Get("Last-Modified")
				im.shape(c, m)
			}
			stored, err := im.db.Write(ctx, caps)
			if err != nil {
				return err
			}
			for _, s := range stored {
				if !s.Duplicate && s.Version > 0 {
					im.report.Completed++
					more = true
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// at gives damage found inside a record the record's place in the file.
func at(err error, offset int64) *warc.Damage {
	var d *warc.Damage
	if !errors.As(err, &d) {
		return &warc.Damage{Kind: warc.BadHTTP, Offset: offset, Msg: err.Error()}
	}
	placed := *d
	placed.Offset = offset
	return &placed
}
