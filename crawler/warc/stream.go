package warc

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// magic starts every record head.
const magic = "WARC/"

// headPeek is how many bytes matchHead may need.
const headPeek = 24

// errNextRecord reports that the gzip member just opened starts with a record
// head, so whatever was being read before ended with the member before it.
var errNextRecord = errors.New("the next gzip member starts a record")

// stream is the file as text: a run of segments, each a gzip member or a plain
// stretch. Its reader returns io.EOF at the end of every segment.
type stream struct {
	src    *source
	gz     gzip.Reader
	text   *bufio.Reader // the inflated bytes of the open member
	zipped bool          // the open segment is a gzip member
	member int64         // offset where the open member starts
	out    int64         // bytes inflated from the open member so far
}

func newStream(r io.Reader) *stream {
	s := &stream{src: newSource(r)}
	s.text = bufio.NewReaderSize(s, rawBuffer)
	return s
}

// Read implements io.Reader for text.
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.gz.Read(p)
	s.out += int64(n)
	return n, err
}

// cur returns the reader of the open segment.
func (s *stream) cur() *bufio.Reader {
	if s.zipped {
		return s.text
	}
	return s.src.br
}

// inMember returns how many bytes of the open member were taken.
func (s *stream) inMember() int64 {
	if !s.zipped {
		return 0
	}
	return s.out - int64(s.text.Buffered())
}

// position returns the offset a record starting here is found at: of the member
// for a gzip file.
func (s *stream) position() int64 {
	if s.zipped {
		return s.member
	}
	return s.src.offset()
}

// open starts the gzip member at the position of the file.
func (s *stream) open() error {
	s.zipped, s.member, s.out = true, s.src.offset(), 0
	err := s.gz.Reset(s.src.br)
	s.gz.Multistream(false)
	s.text.Reset(s)
	if err != nil && errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// advance opens the segment behind a gzip member that ended well. Besides nil
// it returns errNextRecord when the new segment starts with a record head, and
// io.EOF at the end of the file; any other error is one of gzip.
func (s *stream) advance() error {
	b, err := s.src.br.Peek(headPeek)
	switch {
	case len(b) == 0:
		return err
	case headPrefix(b):
		s.zipped = false
		return errNextRecord
	case !isMember(b):
		s.member = s.src.offset() // it is the bytes here that are bad
		if magic := "\x1f\x8b\x08"; len(b) < 4 && strings.HasPrefix(magic, string(b)) {
			return io.ErrUnexpectedEOF
		}
		return gzip.ErrHeader
	}
	if err := s.open(); err != nil {
		return err
	}
	if b, err = s.text.Peek(headPeek); headPrefix(b) {
		return errNextRecord
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// headPrefix tells whether b starts with the line that begins a record.
func headPrefix(b []byte) bool {
	n, _ := matchHead(b)
	return n > 0
}

// startsRecord is the laxer test for a place where a record must begin: the
// version may be unreadable, and the file may end in the middle of the line.
func startsRecord(b []byte) bool {
	_, short := matchHead(b)
	return short || bytes.HasPrefix(b, []byte(magic))
}

// matchHead checks for "WARC/", digits, ".", digits, a line end, and the first
// letter of a field name. It returns the length of the line, 0 when b does not
// match, and short when b ends before that is known.
func matchHead(b []byte) (n int, short bool) {
	if len(b) < len(magic) {
		return 0, bytes.HasPrefix([]byte(magic), b)
	}
	if !bytes.HasPrefix(b, []byte(magic)) {
		return 0, false
	}
	i := len(magic)
	for part := range 2 {
		from := i
		for i < len(b) && i-from < 4 && b[i] >= '0' && b[i] <= '9' {
			i++
		}
		if i == len(b) {
			return 0, true
		}
		if i == from || (part == 0 && b[i] != '.') {
			return 0, false
		}
		if part == 0 {
			i++
		}
	}
	for i < len(b) && (b[i] == ' ' || b[i] == '\r') && i < headPeek-3 {
		i++
	}
	if i+1 >= len(b) {
		return 0, true
	}
	if c := b[i+1] | 0x20; b[i] != '\n' || c < 'a' || c > 'z' {
		return 0, false
	}
	return i + 1, false
}
