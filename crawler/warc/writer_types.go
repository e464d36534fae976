package warc

import (
	"bytes"
	"strings"
	"time"
)

// Info writes the warcinfo record that opens a file: filename as the file is
// called ("" for none), fields such as software, operator and description.
// "format" and "conformsTo" are added.
func (w *Writer) Info(filename string, date time.Time, fields Header) (Span, error) {
	fields = append(append(Header{}, fields...),
		Field{"format", "WARC File Format 1.1"},
		Field{"conformsTo", "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"})
	o := Out{Type: TypeWarcinfo, Date: date, ContentType: "application/warc-fields", Payload: FormatFields(fields)}
	if filename != "" {
		o.Extra = Header{{"WARC-Filename", filename}}
	}
	return w.Write(o)
}

// Response writes what a server answered: head as received, empty line included,
// and payload. extra may be nil.
func (w *Writer) Response(uri string, date time.Time, head, payload []byte, extra Header) (Span, error) {
	return w.Write(Out{
		Type: TypeResponse, Date: date, TargetURI: uri,
		ContentType: "application/http;msgtype=response", Head: httpHead(head), Payload: payload, Extra: extra,
	})
}

// Request writes what was sent to get the response with id concurrentTo, which
// may be "".
func (w *Writer) Request(uri string, date time.Time, head, payload []byte, concurrentTo string) (Span, error) {
	return w.Write(Out{
		Type: TypeRequest, Date: date, TargetURI: uri,
		ContentType: "application/http;msgtype=request", Head: httpHead(head), Payload: payload, Extra: bracketed("WARC-Concurrent-To", concurrentTo),
	})
}

// Revisit writes a capture whose payload is that of an earlier one, named by
// ref: its Profile, and what is known of RefersTo, TargetURI and Date. head is
// the HTTP head of the later capture; payload is the digest of the payload both
// have, zero if unknown, as for ProfileNotModified it may be.
func (w *Writer) Revisit(uri string, date time.Time, head []byte, payload Digest, ref Revisit) (Span, error) {
	extra := append(Header{{"WARC-Profile", ref.Profile}}, bracketed("WARC-Refers-To", ref.RefersTo)...)
	if ref.TargetURI != "" {
		extra = append(extra, Field{"WARC-Refers-To-Target-URI", ref.TargetURI})
	}
	if !ref.Date.IsZero() {
		extra = append(extra, Field{"WARC-Refers-To-Date", FormatDate(ref.Date)})
	}
	return w.Write(Out{
		Type: TypeRevisit, Date: date, TargetURI: uri,
		ContentType: "application/http;msgtype=response", Head: httpHead(head), PayloadDigest: payload, Extra: extra,
	})
}

// Metadata writes fields about the record with id refersTo, which may be "".
func (w *Writer) Metadata(uri string, date time.Time, fields Header, refersTo string) (Span, error) {
	return w.Write(Out{
		Type: TypeMetadata, Date: date, TargetURI: uri,
		ContentType: "application/warc-fields", Payload: FormatFields(fields), Extra: bracketed("WARC-Refers-To", refersTo),
	})
}

// Resource writes bytes that came without a protocol head, of the media type
// given.
func (w *Writer) Resource(uri string, date time.Time, mediaType string, payload []byte) (Span, error) {
	return w.Write(Out{Type: TypeResource, Date: date, TargetURI: uri, ContentType: mediaType, Payload: payload})
}

// httpHead makes nil an empty head: the block is an HTTP message even so.
func httpHead(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

func bracketed(name, id string) Header {
	if id == "" {
		return nil
	}
	return Header{{name, "<" + id + ">"}}
}

// FormatFields writes a block of application/warc-fields. Line ends inside a
// value become spaces.
func FormatFields(h Header) []byte {
	clean := strings.NewReplacer("\r\n", " ", "\r", " ", "\n", " ", "\x00", " ")
	var b bytes.Buffer
	for _, f := range h {
		b.WriteString(clean.Replace(f.Name))
		b.WriteString(": ")
		b.WriteString(clean.Replace(f.Value))
		b.WriteString("\r\n")
	}
	return b.Bytes()
}

// ParseFields reads a block of application/warc-fields. Lines that are no field
// are left out.
func ParseFields(b []byte) Header {
	h, _ := parseFields(b)
	return h
}
