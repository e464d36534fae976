package archive

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/crawler/warc"
	"github.com/strandlinehq/strandline/crawler/warc/cdxj"
	"github.com/strandlinehq/strandline/store"
)

// ExportOptions for Export and Index.
type ExportOptions struct {
	Select store.Selection
	// Filename is written into the warcinfo record and the index.
	Filename string
	// Software names the program in the warcinfo record.
	Software string
	// Made is the time of the warcinfo record; zero means that of the first capture.
	Made time.Time
	// Index asks for the index of what is written, which is held in memory.
	Index bool
	// Plain writes records without gzip.
	Plain bool
}

// ExportReport counts what an export wrote.
type ExportReport struct {
	Pages     int
	Responses int
	Revisits  int
	Bytes     int64        // of the file: the WARC, or the WACZ around it
	Index     []cdxj.Entry // of all captures, sorted; empty unless asked for
}

// Export writes the captures selected as WARC/1.1, one gzip member a record,
// page by page in order of time. A payload that the page had before in the file
// becomes a revisit record. Payloads are byte for byte those received; the same
// captures give the same file.
//
// What a head says of codings that the stored payload no longer has is moved to
// fields X-Archive-Orig-*, so that readers do not try to remove them again.
func Export(ctx context.Context, db *store.DB, w io.Writer, opt ExportOptions) (ExportReport, error) {
	var report ExportReport
	out, err := warc.NewWriter(w, warc.WriterOptions{Plain: opt.Plain, Reproducible: true})
	if err != nil {
		return report, err
	}
	e := &exporter{db: db, out: out, opt: opt, report: &report}
	if err := db.EachCapture(ctx, opt.Select, func(c store.CaptureRow) error { return e.capture(ctx, c) }); err != nil {
		return report, fmt.Errorf("export: %w", err)
	}
	if !e.begun { // an archive of nothing is one, too
		if err := e.begin(opt.Made); err != nil {
			return report, fmt.Errorf("export: %w", err)
		}
	}
	cdxj.Sort(report.Index)
	return report, nil
}

type exporter struct {
	db     *store.DB
	out    *warc.Writer
	opt    ExportOptions
	report *ExportReport
	begun  bool

	page  store.PageID
	first map[store.SHA256]written // payloads of the page written so far
}

// written is where a payload was written first.
type written struct {
	id     string
	url    string
	at     time.Time
	digest warc.Digest
}

func (e *exporter) begin(at time.Time) error {
	e.begun = true
	if !e.opt.Made.IsZero() {
		at = e.opt.Made
	}
	if at.IsZero() {
		at = time.Unix(0, 0).UTC()
	}
	span, err := e.out.Info(filepath.Base(e.opt.Filename), at, warc.Header{{Name: "software", Value: e.opt.Software}})
	e.report.Bytes += span.Length
	return err
}

func (e *exporter) capture(ctx context.Context, c store.CaptureRow) error {
	if !e.begun {
		if err := e.begin(c.At); err != nil {
			return err
		}
	}
	if c.Page != e.page {
		e.page, e.first = c.Page, map[store.SHA256]written{}
		e.report.Pages++
	}
	head := headFor(c)
	url := c.URL
	if c.URI != "" {
		url = c.URI // as it was recorded
	}
	entry := cdxj.New(url, c.At)
	entry.Status, entry.MIME, entry.Filename = c.Status, mediaType(c, head), filepath.Base(e.opt.Filename)
	var span warc.Span
	var err error
	before, seen := e.first[c.Hash]
	switch {
	case c.Outcome == store.NotModified:
		ref := warc.Revisit{Profile: warc.ProfileNotModified}
		if seen {
			ref.RefersTo, ref.TargetURI, ref.Date = before.id, before.url, before.at
		}
		span, err = e.out.Revisit(url, c.At, head, before.digest, ref)
		e.report.Revisits++
		entry.MIME, entry.Digest = "warc/revisit", before.digest.String()
	case c.Missing:
		ref := warc.Revisit{Profile: warc.ProfileIdenticalPayload, TargetURI: c.RefersTo}
		digest := warc.Digest{Algo: "sha1", Sum: c.SHA1[:]}
		if c.SHA1 == (store.SHA1{}) {
			digest = warc.Digest{Algo: "sha256", Sum: c.Hash[:]}
		}
		span, err = e.out.Revisit(url, c.At, head, digest, ref)
		e.report.Revisits++
		entry.MIME, entry.Digest = "warc/revisit", digest.String()
	case c.Hash == (store.SHA256{}):
		span, err = e.out.Response(url, c.At, head, nil, nil)
		e.report.Responses++
		entry.Digest = span.Payload.String()
	case seen:
		ref := warc.Revisit{Profile: warc.ProfileIdenticalPayload, RefersTo: before.id, TargetURI: before.url, Date: before.at}
		span, err = e.out.Revisit(url, c.At, head, before.digest, ref)
		e.report.Revisits++
		entry.MIME, entry.Digest = "warc/revisit", before.digest.String()
	default:
		var payload []byte
		if payload, err = e.db.Payload(ctx, c); err != nil {
			return err
		}
		digest := warc.SumDigest("sha1", payload)
		span, err = e.out.Response(url, c.At, head, payload, truncatedField(c))
		if c.Version > 0 { // an error answer is no payload for others to lean on
			e.first[c.Hash] = written{span.ID, url, c.At, digest}
		}
		e.report.Responses++
		entry.Digest = digest.String()
	}
	if err != nil {
		return fmt.Errorf("%s at %s: %w", c.URL, c.At.Format(time.RFC3339), err)
	}
	e.report.Bytes += span.Length
	if e.opt.Index {
		entry.Offset, entry.Length = span.Offset, span.Length
		e.report.Index = append(e.report.Index, entry)
	}
	return nil
}

// truncatedField says in the record that the payload is not whole.
func truncatedField(c store.CaptureRow) warc.Header {
	for _, f := range c.Flags {
		if f == "truncated" {
			return warc.Header{{Name: "WARC-Truncated", Value: "length"}}
		}
	}
	return nil
}

// mediaType is that of the version, else what the head says.
func mediaType(c store.CaptureRow, head []byte) string {
	if c.MediaType != "" {
		return c.MediaType
	}
	m, err := warc.ParseHTTP(head)
	if err != nil {
		return ""
	}
	return m.MediaType()
}

// headFor is the head of a capture as it fits the stored payload: what was
// received, made whole where an archive had only a part of it or none.
func headFor(c store.CaptureRow) []byte {
	// An error answer of an archive is kept as it came; the crawler's own have no
	// coding left.
	coded := c.Coding != "" || c.Version == 0 && c.Kind == store.KindImport
	if len(c.Head) == 0 {
		head := fmt.Appendf(nil, "HTTP/1.1 %d %s\r\n", c.Status, http.StatusText(c.Status))
		if c.MediaType != "" {
			head = fmt.Appendf(head, "Content-Type: %s\r\n", c.MediaType)
		}
		return append(head, "\r\n"...)
	}
	var out []byte
	for i, line := range bytes.SplitAfter(c.Head, []byte("\n")) {
		name, value, ok := strings.Cut(string(line), ":")
		ended := i > 0 && len(line) > 0 && strings.Trim(string(line), "\r\n") == ""
		switch {
		case ended:
			return append(out, line...)
		case i > 0 && ok && (strings.EqualFold(name, "Transfer-Encoding") || strings.EqualFold(name, "Content-Encoding") && !coded):
			out = append(out, "X-Archive-Orig-"+name+":"+value...)
		default:
			out = append(out, line...)
		}
	}
	if !bytes.HasSuffix(out, []byte("\n")) {
		out = append(out, "\r\n"...)
	}
	return append(out, "\r\n"...)
}
