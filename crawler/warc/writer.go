package warc

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
)

// WriterOptions of a Writer; the zero value writes gzip with random ids.
type WriterOptions struct {
	// Plain writes records without gzip.
	Plain bool
	// Level is the gzip level, 1 to 9; 0 means 6.
	Level int
	// Reproducible derives record ids from type, URI, date and digests instead
	// of chance. The same calls then write the same bytes, as long as the
	// compressor does not change.
	Reproducible bool
}

// Writer writes a WARC/1.1 file, one gzip member a record. It keeps no record,
// only counts bytes. Not for use by several goroutines at once.
type Writer struct {
	w      io.Writer
	opt    WriterOptions
	gz     *gzip.Writer
	offset int64
	info   string // id of the warcinfo record
	head   bytes.Buffer
	err    error
}

// NewWriter starts a file on w; offsets count from here. Write a warcinfo record
// first, with Info.
func NewWriter(w io.Writer, opt WriterOptions) (*Writer, error) {
	wr := &Writer{w: w, opt: opt}
	if !opt.Plain {
		if opt.Level == 0 {
			opt.Level = 6
		}
		gz, err := gzip.NewWriterLevel(nil, opt.Level)
		if err != nil {
			return nil, fmt.Errorf("start warc writer: %w", err)
		}
		wr.gz = gz
	}
	return wr, nil
}

// Out is a record to be written. The block is Head followed by Payload: for an
// HTTP message the head with its empty line, and the body as received; for
// anything else Head is nil.
type Out struct {
	Type        Type
	Date        time.Time // to the microsecond
	TargetURI   string
	ContentType string // of the block
	ID          string // record id "urn:uuid:..."; made when empty
	Head        []byte
	Payload     []byte
	// PayloadDigest replaces the one computed from Payload. A revisit has none
	// but this: its payload is elsewhere.
	PayloadDigest Digest
	// Extra fields follow the others: WARC-Concurrent-To and the like.
	Extra Header
}

// Span says where a record was written, which is what an index needs.
type Span struct {
	Offset, Length int64 // in bytes of the file
	ID             string
	Payload        Digest // zero for warcinfo, and for a revisit without
}

// Write writes one record with block digest and, but for warcinfo, payload
// digest. An error in the record leaves the file as it was; after an error of
// the underlying writer every call fails.
func (w *Writer) Write(o Out) (Span, error) {
	if w.err != nil {
		return Span{}, w.err
	}
	if err := o.check(); err != nil {
		return Span{}, err
	}
	block := SumDigest("sha1", o.Head, o.Payload)
	payload := o.PayloadDigest
	switch {
	case payload.Algo != "" || o.Type == TypeWarcinfo || o.Type == TypeRevisit:
	case o.Head == nil:
		payload = block
	default:
		payload = SumDigest("sha1", o.Payload)
	}
	date := FormatDate(o.Date)
	if o.ID == "" {
		name := ""
		if w.opt.Reproducible {
			name = strings.Join([]string{string(o.Type), o.TargetURI, date, block.String(), payload.String()}, "\n")
		}
		var err error
		if o.ID, err = newID(name); err != nil {
			return Span{}, err
		}
	}
	if o.Type == TypeWarcinfo && w.info == "" {
		w.info = o.ID
	}

	h := &w.head
	h.Reset()
	h.WriteString("WARC/1.1\r\n")
	field(h, "WARC-Type", string(o.Type))
	field(h, "WARC-Record-ID", "<"+o.ID+">")
	if o.Type != TypeWarcinfo && w.info != "" {
		field(h, "WARC-Warcinfo-ID", "<"+w.info+">")
	}
	field(h, "WARC-Date", date)
	field(h, "WARC-Target-URI", o.TargetURI)
	field(h, "WARC-Payload-Digest", payload.String())
	field(h, "WARC-Block-Digest", block.String())
	for _, f := range o.Extra {
		field(h, f.Name, f.Value)
	}
	field(h, "Content-Type", o.ContentType)
	field(h, "Content-Length", strconv.Itoa(len(o.Head)+len(o.Payload)))
	h.WriteString("\r\n")
	return w.put(o, payload)
}

func (w *Writer) put(o Out, payload Digest) (Span, error) {
	count := &counter{w: w.w}
	var dst io.Writer = count
	if w.gz != nil {
		w.gz.Reset(count)
		dst = w.gz
	}
	for _, part := range [][]byte{w.head.Bytes(), o.Head, o.Payload, []byte("\r\n\r\n")} {
		if _, w.err = dst.Write(part); w.err != nil {
			break
		}
	}
	if w.err == nil && w.gz != nil {
		w.err = w.gz.Close()
	}
	s := Span{Offset: w.offset, Length: count.n, ID: o.ID, Payload: payload}
	w.offset += count.n
	if w.err != nil {
		w.err = fmt.Errorf("write warc record at offset %d: %w", s.Offset, w.err)
		return Span{}, w.err
	}
	return s, nil
}

// field writes a field that has a value.
func field(h *bytes.Buffer, name, value string) {
	if value != "" {
		h.WriteString(name)
		h.WriteString(": ")
		h.WriteString(value)
		h.WriteString("\r\n")
	}
}

// check refuses records that would not be read back as they are.
func (o *Out) check() error {
	if o.Type == "" || o.Date.IsZero() {
		return errors.New("write warc record: type and date are required")
	}
	if y := o.Date.UTC().Year(); y < 0 || y > 9999 {
		return fmt.Errorf("write warc record: year %d cannot be written", y)
	}
	if o.TargetURI == "" {
		switch o.Type {
		case TypeResponse, TypeResource, TypeRequest, TypeRevisit, TypeConversion:
			return fmt.Errorf("write warc record: a %s needs a target URI", o.Type)
		}
	}
	// Readers find the payload behind the first empty line.
	if n := headEnd(o.Head, 0); len(o.Head) > maxHTTPHead || n >= 0 && n != len(o.Head) || n < 0 && len(o.Head) > 0 && len(o.Payload) > 0 {
		return errors.New("write warc record: head does not end in its only empty line, or is over 1 MiB")
	}
	fields := append(Header{
		{"WARC-Type", string(o.Type)},
		{"WARC-Target-URI", o.TargetURI},
		{"WARC-Record-ID", o.ID},
		{"Content-Type", o.ContentType},
	}, o.Extra...)
	for _, f := range fields {
		if f.Name == "" || strings.ContainsAny(f.Name, ": \t\r\n\x00") || strings.ContainsAny(f.Value, "\r\n\x00") {
			return fmt.Errorf("write warc record: field %q: %q has line ends or other forbidden bytes", f.Name, f.Value)
		}
	}
	return nil
}

// counter counts the bytes that reach w.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// newID returns "urn:uuid:" and a UUID (RFC 9562): from name by SHA-1, version 5
// in the namespace of URLs, or random, version 4, when name is empty.
func newID(name string) (string, error) {
	var u [16]byte
	version := byte(0x40)
	if name != "" {
		namespace := []byte("\x6b\xa7\xb8\x11\x9d\xad\x11\xd1\x80\xb4\x00\xc0\x4f\xd4\x30\xc8")
		copy(u[:], SumDigest("sha1", namespace, []byte(name)).Sum)
		version = 0x50
	} else if _, err := rand.Read(u[:]); err != nil {
		return "", fmt.Errorf("make record id: %w", err)
	}
	u[6] = u[6]&0x0f | version
	u[8] = u[8]&0x3f | 0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:]), nil
}
