package web

import (
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/memento"
	"github.com/strandlinehq/strandline/crawler/warc"
	"github.com/strandlinehq/strandline/store"
)

// capturePolicy is the policy of captures: whatever they are, they are shown in an
// origin of their own, without scripts, forms and plug-ins, and load nothing.
const capturePolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"

// Bounds of what a capture's own head may bring.
const (
	originalFields = 100
	originalBytes  = 16 << 10
	maxDecoded     = 64 << 20
)

// capture answers with the payload of a capture as it was received, or sends the
// reader to the address of the capture nearest to the time.
func (s *Server) capture(w http.ResponseWriter, r *http.Request) error {
	stamp, rest, ok := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), "/web/"), "/")
	stamp, raw := strings.CutSuffix(stamp, "id_")
	if !ok {
		return notFound("A capture is at /web/{time}id_/{url}.")
	}
	at, _, err := memento.ParseStamp(stamp)
	if err != nil {
		return badRequest("The time of the capture is impossible: " + err.Error() + ".")
	}
	t, err := s.target(r, rest)
	if err != nil {
		return err
	}
	m, err := s.nearest(r.Context(), t.ID, at)
	if err != nil {
		return err
	}
	second := m.At.Truncate(time.Second)
	if !second.Equal(at) || !raw || len(stamp) != len(memento.StampLayout) {
		w.Header().Set("Cache-Control", "private, no-cache")
		w.Header().Set("Location", t.memento(m.At))
		w.WriteHeader(http.StatusFound)
		return nil
	}
	// The first of its second answers.
	if list, err := s.db.MementosAfter(r.Context(), t.ID, store.MementoMark{At: second, Attempt: -1}, 1); err != nil {
		return err
	} else if len(list) > 0 {
		m = list[0]
	}
	e, err := s.ends(r.Context(), t.ID)
	if err != nil {
		return err
	}
	c, err := s.db.CaptureAt(r.Context(), t.ID, m.Mark())
	if err != nil {
		return err
	}
	var payload []byte
	if c.Hash != (store.SHA256{}) {
		if payload, err = s.db.Payload(r.Context(), c); err != nil {
			return err
		}
	}
	if err := s.link(w, r, t, m, e); err != nil {
		return err
	}
	s.sendCapture(w, r, t, c, payload)
	return nil
}

// sendCapture answers with a payload. Its status is that of the capture, but a
// redirect leads to the capture of where it led to; its fields are told as
// X-Archive-Orig-*, but for those that hold secrets.
func (s *Server) sendCapture(w http.ResponseWriter, r *http.Request, t *target, c store.CaptureRow, payload []byte) {
	h := w.Header()
	head := &warc.HTTPMessage{}
	if len(c.Head) > 0 {
		if m, err := warc.ParseHTTP(c.Head); err == nil {
			head = m
		}
	}
	h.Set("Content-Security-Policy", capturePolicy)
	h.Set("Memento-Datetime", c.At.UTC().Format(http.TimeFormat))
	h.Set("X-Archive-Orig-Status", strconv.Itoa(c.Status))
	originals(h, head.Header)
	status := c.Status
	switch {
	case status == http.StatusNotModified || status < 200 || status > 599:
		status = http.StatusOK // the content is that of the version
	case status >= 300 && status < 400:
		to, err := s.form(resolve(c.URL, head.Header.Get("Location")))
		if err != nil {
			status = http.StatusOK // it leads nowhere that can be in an archive
			break
		}
		there := target{store.Page{URL: to}, t.origin}
		h.Set("Location", there.memento(c.At))
	}
	payload = s.coded(h, r, c, head, payload)
	contentType := head.Header.Get("Content-Type")
	if contentType == "" {
		contentType = c.MediaType
	}
	if status == http.StatusNoContent || status == http.StatusResetContent {
		w.WriteHeader(status)
		return
	}
	s.send(w, r, status, harmless(contentType), payload)
}

// resolve makes a place of a redirect absolute; empty where there is none.
func resolve(base, place string) string {
	if place == "" {
		return ""
	}
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	to, err := u.Parse(place)
	if err != nil {
		return ""
	}
	return to.String()
}

// originals tells the fields of a head under other names.
func originals(h http.Header, fields warc.Header) {
	secret := []string{"set-cookie", "set-cookie2", "cookie", "authorization", "proxy-authorization", "www-authenticate", "proxy-authenticate", "authentication-info"}
	size := 0
	for i, f := range fields {
		if i == originalFields || size > originalBytes {
			return
		}
		if slices.Contains(secret, strings.ToLower(f.Name)) || !token(f.Name) {
			continue
		}
		value := strings.Map(func(r rune) rune {
			if r < ' ' || r == 0x7f {
				return ' '
			}
			return r
		}, f.Value)
		size += len(f.Name) + len(value)
		h.Add("X-Archive-Orig-"+f.Name, value)
	}
}

// token reports whether a name is one that a field may have (RFC 9110, 5.6.2).
func token(name string) bool {
	return name != "" && strings.Trim(name, "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// coded leaves the content coding that a stored payload still has to readers who
// can take it off, and takes it off for the others.
func (s *Server) coded(h http.Header, r *http.Request, c store.CaptureRow, head *warc.HTTPMessage, payload []byte) []byte {
	coding := c.Coding
	if coding == "" && c.Version == 0 && c.Kind == store.KindImport {
		coding = strings.Join(head.Header.Values("Content-Encoding"), ", ") // an error page, kept as it came
	}
	if coding == "" || len(payload) == 0 {
		return payload
	}
	h.Add("Vary", "Accept-Encoding")
	m := warc.HTTPMessage{Header: warc.Header{{Name: "Content-Encoding", Value: coding}}, Payload: payload}
	body := m.Decode(maxDecoded)
	for one := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		if len(body.Kept) == 0 && body.Damage == nil && strings.EqualFold(strings.TrimSpace(one), coding) {
			h.Set("Content-Encoding", strings.ToLower(coding))
			return payload
		}
	}
	return body.Data
}

// harmless is the media type under which a payload is served: its own, but that of
// scripts and style sheets is plain text, so that no page can run or use one from
// here, and one that cannot be read is that of bytes.
func harmless(contentType string) string {
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil || !strings.Contains(kind, "/") {
		return "application/octet-stream"
	}
	switch _, sub, _ := strings.Cut(kind, "/"); {
	case strings.Contains(sub, "script"), sub == "css", sub == "wasm", strings.Contains(sub, "manifest"), strings.HasPrefix(kind, "multipart/"):
		kind = "text/plain"
	}
	only := map[string]string{}
	if charset := params["charset"]; charset != "" && token(charset) && !strings.EqualFold(charset, "utf-7") {
		only["charset"] = charset
	}
	if out := mime.FormatMediaType(kind, only); out != "" {
		return out
	}
	return "application/octet-stream"
}
