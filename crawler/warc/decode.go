package warc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// maxCodings bounds the codings taken off one body, as browsers do.
const maxCodings = 5

// Body is a payload with its codings removed.
type Body struct {
	Data []byte
	// Removed lists the codings taken off, in that order: "chunked", "gzip",
	// "deflate", "br", "zstd".
	Removed []string
	// Kept lists codings that were declared but are not there, as when a writer
	// stored the decoded body under the old head, or that are unknown. Data is
	// then as received, but for what is in Removed.
	Kept []string
	// Cut is set when Data was ended at the limit.
	Cut bool
	// Damage is set when coded bytes ended early or broke; Data is what came
	// out before that.
	Damage *Damage
}

// Decoder removes codings and keeps its buffers from one body to the next. The
// zero value is ready; not for use by several goroutines at once.
type Decoder struct {
	gz   *gzip.Reader
	br   *brotli.Reader
	zstd *zstd.Decoder
}

// Decode is Decoder.Decode with a Decoder of its own.
func (m *HTTPMessage) Decode(limit int64) Body {
	var d Decoder
	return d.Decode(m, limit)
}

// Decode removes the transfer and content codings of m from its payload. No
// step gives more than limit bytes, whatever the input. Content-Length of the
// message is not looked at: the record says where the payload ends. Data shares
// memory with m.Payload when nothing was removed.
func (d *Decoder) Decode(m *HTTPMessage, limit int64) Body {
	limit = min(max(limit, 0), math.MaxInt64-1)
	b := Body{Data: m.Payload}
	codings := append(listed(m.Header, "Content-Encoding"), listed(m.Header, "Transfer-Encoding")...)
	for n := 0; len(codings) > 0; n++ {
		c := codings[len(codings)-1]
		codings = codings[:len(codings)-1]
		if n >= maxCodings || b.Damage != nil || b.Cut {
			b.Kept = append(b.Kept, c)
			continue
		}
		d.remove(&b, c, limit)
	}
	if int64(len(b.Data)) > limit {
		b.Data, b.Cut = b.Data[:limit:limit], true
	}
	return b
}

// listed returns the codings of a field in the order they were applied.
func listed(h Header, field string) []string {
	var out []string
	for _, v := range h.Values(field) {
		for part := range strings.SplitSeq(v, ",") {
			switch c := strings.ToLower(strings.TrimSpace(part)); c {
			case "", "identity", "none":
			case "x-gzip":
				out = append(out, "gzip")
			default:
				out = append(out, c)
			}
			if len(out) > 4*maxCodings {
				return out // a hostile list
			}
		}
	}
	return out
}

// remove takes one coding off b.Data, or lists it as kept.
func (d *Decoder) remove(b *Body, coding string, limit int64) {
	var data []byte
	var cut bool
	var err error
	if len(b.Data) == 0 {
		return // the answer to HEAD, or a 304: nothing is coded
	}
	switch coding {
	case "chunked":
		data, cut, err = unchunk(b.Data, limit)
	case "gzip":
		data, cut, err = d.gunzip(b.Data, limit)
	case "deflate":
		data, cut, err = inflate(b.Data, limit)
	case "br":
		data, cut, err = d.unbrotli(b.Data, limit)
	case "zstd":
		data, cut, err = d.unzstd(b.Data, limit)
	default:
		err = errNotCoded
	}
	if errors.Is(err, errNotCoded) {
		b.Kept = append(b.Kept, coding)
		return
	}
	if err != nil {
		b.Damage = &Damage{BadHTTP, -1, fmt.Sprintf("%s body breaks after %d bytes: %v", coding, len(data), err)}
	}
	b.Data, b.Cut = data, cut
	b.Removed = append(b.Removed, coding)
}

// errNotCoded says that the bytes do not have the coding at all.
var errNotCoded = errors.New("not coded as declared")

// unchunk removes the chunked coding. Bytes that do not start with a chunk size
// and CRLF were unchunked before they were recorded.
func unchunk(b []byte, limit int64) (data []byte, cut bool, err error) {
	line, _, found := bytes.Cut(b[:min(len(b), 4096)], []byte("\r\n"))
	digits, _, _ := bytes.Cut(line, []byte(";"))
	digits = bytes.TrimRight(digits, " \t")
	if !found || len(digits) == 0 || len(digits) > 15 {
		return nil, false, errNotCoded
	}
	for _, c := range digits {
		if _, ok := unhex(c); !ok {
			return nil, false, errNotCoded
		}
	}
	w := limitBuffer{limit: limit}
	w.b = make([]byte, 0, min(int64(len(b)), limit))
	c := dechunker{w: &w}
	c.write(b)
	if c.state == chunkBad && c.chunks == 0 {
		return nil, false, errNotCoded
	}
	if !c.ended() && !w.cut {
		err = io.ErrUnexpectedEOF
	}
	return w.b, w.cut, err
}

// limitBuffer keeps the first limit bytes written to it.
type limitBuffer struct {
	b     []byte
	limit int64
	cut   bool
}

func (w *limitBuffer) Write(p []byte) (int, error) {
	n := min(int64(len(p)), w.limit-int64(len(w.b)))
	w.b = append(w.b, p[:n]...)
	w.cut = w.cut || n < int64(len(p))
	return len(p), nil
}

func (d *Decoder) gunzip(b []byte, limit int64) ([]byte, bool, error) {
	if !isMember(b) {
		return nil, false, errNotCoded
	}
	var err error
	if d.gz == nil {
		d.gz, err = gzip.NewReader(bytes.NewReader(b))
	} else {
		err = d.gz.Reset(bytes.NewReader(b))
	}
	if err != nil {
		return nil, false, err
	}
	data, cut, err := readLimit(d.gz, len(b), limit)
	// Bytes behind a complete member are dropped, as browsers do.
	if errors.Is(err, gzip.ErrHeader) {
		err = nil
	}
	return data, cut, err
}

// inflate reads zlib data as RFC 9110 defines the deflate coding, or raw deflate
// data, which many servers sent under that name.
func inflate(b []byte, limit int64) ([]byte, bool, error) {
	// RFC 1950, section 2.2: method 8, and the two bytes a multiple of 31.
	if len(b) >= 2 && b[0]&0x0f == 8 && (int(b[0])<<8|int(b[1]))%31 == 0 {
		if z, err := zlib.NewReader(bytes.NewReader(b)); err == nil {
			data, cut, err := readLimit(z, len(b), limit)
			if err == nil || len(data) > 0 {
				return data, cut, err
			}
		}
	}
	data, cut, err := readLimit(flate.NewReader(bytes.NewReader(b)), len(b), limit)
	if err != nil && (len(data) == 0 || looksText(b)) {
		return nil, false, errNotCoded
	}
	return data, cut, err
}

// unbrotli has no magic number to go by: bytes that fail are taken for not
// coded when they are text, or when nothing came out of them.
func (d *Decoder) unbrotli(b []byte, limit int64) ([]byte, bool, error) {
	if d.br == nil {
		d.br = brotli.NewReader(bytes.NewReader(b))
	} else if err := d.br.Reset(bytes.NewReader(b)); err != nil {
		return nil, false, err
	}
	data, cut, err := readLimit(d.br, len(b), limit)
	if err != nil && (len(data) == 0 || looksText(b)) {
		return nil, false, errNotCoded
	}
	return data, cut, err
}

func (d *Decoder) unzstd(b []byte, limit int64) ([]byte, bool, error) {
	// Frame and skippable frame, RFC 8878, section 3.1.
	if len(b) < 4 || (string(b[:4]) != "\x28\xb5\x2f\xfd" && (b[0]&0xf0 != 0x50 || string(b[1:4]) != "\x2a\x4d\x18")) {
		return nil, false, errNotCoded
	}
	if d.zstd == nil {
		var err error
		// RFC 9659 allows windows up to 8 MiB for this coding.
		d.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(8<<20))
		if err != nil {
			return nil, false, fmt.Errorf("start zstd: %w", err)
		}
	}
	if err := d.zstd.Reset(bytes.NewReader(b)); err != nil {
		return nil, false, err
	}
	data, cut, err := readLimit(d.zstd, len(b), limit)
	_ = d.zstd.Reset(nil) // let go of b
	return data, cut, err
}

// readLimit reads r to its end or to limit bytes; coded is the length of its
// input, from which the first buffer is guessed.
func readLimit(r io.Reader, coded int, limit int64) (data []byte, cut bool, err error) {
	const most = 1 << 20 // what is not there yet is not worth more memory
	data = make([]byte, 0, min(max(int64(coded)*4, 512), most, limit+1))
	for {
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		n, err := r.Read(data[len(data):min(int64(cap(data)), limit+1)])
		data = data[:len(data)+n]
		if int64(len(data)) > limit {
			return data[:limit], true, nil
		}
		if errors.Is(err, io.EOF) {
			return data, false, nil
		}
		if err != nil {
			return data, false, err
		}
	}
}

// looksText tells whether b starts like text that nobody compressed.
func looksText(b []byte) bool {
	b = b[:min(len(b), 256)]
	for i := range b {
		if b[i] < ' ' && b[i] != '\t' && b[i] != '\n' && b[i] != '\r' {
			return false
		}
	}
	for i := 0; i < utf8.UTFMax && len(b) > 0; i++ { // the cut may split a rune
		if utf8.Valid(b) {
			return true
		}
		b = b[:len(b)-1]
	}
	return false
}
