package warc

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// start looks at the first bytes of the file and chooses between plain and
// gzip. Known formats of another kind are refused; unknown bytes are taken for
// damage when a record follows within the first buffer, and refused otherwise.
func (r *Reader) start() error {
	s := r.s
	b, _ := s.src.br.Peek(rawBuffer)
	switch {
	case s.src.err != nil && len(b) == 0:
		return fmt.Errorf("read warc: %w", s.src.err)
	case len(b) == 0:
		return &NotWARCError{"an empty input"}
	case bytes.HasPrefix(b, []byte(magic)):
		return nil
	case isMember(b):
		return r.startGzip()
	}
	if name := foreign(b); name != "" {
		return &NotWARCError{name}
	}
	if holdsHead(b) {
		return nil
	}
	for i := 1; i < len(b); i++ {
		if isMember(b[i:]) && s.src.inflates(b[i:]) {
			r.pending = append(r.pending, &Damage{BadGzip, 0, fmt.Sprintf("%d bytes before the first gzip member: %s", i, show(b))})
			s.src.discard(i)
			if err := s.open(); err != nil {
				return &NotWARCError{kindOf(b)}
			}
			return nil
		}
	}
	return &NotWARCError{kindOf(b)}
}

// startGzip opens the first member and checks that it holds text of a WARC file.
// What does not inflate is left for Next to report.
func (r *Reader) startGzip() error {
	if err := r.s.open(); err != nil {
		return nil
	}
	b, _ := r.s.text.Peek(rawBuffer)
	if len(b) < len(magic) || bytes.HasPrefix(b, []byte(magic)) || holdsHead(b) {
		return nil
	}
	if name := foreign(b); name != "" {
		return &NotWARCError{"gzip data that holds " + name}
	}
	return &NotWARCError{"gzip data that holds " + kindOf(b)}
}

// holdsHead tells whether a record head begins anywhere in b.
func holdsHead(b []byte) bool {
	for {
		i := bytes.Index(b, []byte(magic))
		if i < 0 {
			return false
		}
		if b = b[i:]; headPrefix(b) {
			return true
		}
		b = b[1:]
	}
}

// foreign names formats that are often mistaken for WARC.
func foreign(b []byte) string {
	for _, f := range []struct{ prefix, name string }{
		{"PK\x03\x04", "a zip archive (a WACZ holds WARC files: unpack it first)"},
		{"\x28\xb5\x2f\xfd", "zstd data (.warc.zst is not supported: decompress it first)"},
		{"\x5d\x2a\x4d\x18", "zstd data (.warc.zst is not supported: decompress it first)"},
		{"filedesc://", "an ARC file (the format before WARC: convert it first)"},
		{"BZh", "bzip2 data"},
		{"\xfd7zXZ\x00", "xz data"},
		{"%PDF-", "a PDF document"},
		{"PAR1", "a Parquet file"},
		{"SQLite format 3\x00", "an SQLite database"},
		{" CDX", "a CDX index"},
		{"!OpenWayback-CDXJ", "a CDXJ index"},
		{"HTTP/", "a bare HTTP message"},
		{"version https://git-lfs", "a git LFS pointer in place of the file"},
	} {
		if bytes.HasPrefix(b, []byte(f.prefix)) {
			return f.name
		}
	}
	if len(b) >= 262 && string(b[257:262]) == "ustar" {
		return "a tar archive (unpack it first)"
	}
	t := bytes.TrimLeft(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(t) > 0 {
		switch t[0] {
		case '<':
			return "HTML or XML text: " + show(t)
		case '{', '[':
			return "JSON text: " + show(t)
		}
	}
	return ""
}

// kindOf describes bytes of no known format.
func kindOf(b []byte) string {
	head := b[:min(len(b), 512)]
	if utf8.Valid(head) && !bytes.ContainsRune(head, 0) {
		return "text: " + show(head)
	}
	return "binary data: " + show(head)
}
