package warc

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/klauspost/compress/gzip"
)

const (
	rawBuffer    = 64 << 10 // bytes of the file read at once
	ringSize     = 1 << 20  // bytes kept to go back in input that cannot seek
	rewindSlack  = 16 << 20
	probeBytes   = 512     // bytes a gzip member must inflate to, to be believed
	probeCompact = 8 << 10 // bytes of the file a probe may need
)

// source is the file as stored. It counts offsets and can go back, by seeking
// where the input can seek, else within the last ringSize bytes.
//
// Going back is what finds the records behind a damaged one, and what a hostile
// file could use to have itself read for ever; so all rewinds together never
// exceed the furthest offset reached plus rewindSlack: no file is read more
// than about twice.
type source struct {
	r       io.Reader
	seek    io.Seeker // nil when the input cannot seek
	base    int64     // seek position of offset 0
	pos     int64     // offset behind the bytes given to br
	high    int64     // furthest offset read from r
	rewound int64     // sum of all rewinds
	ring    []byte    // the bytes before high at index offset % ringSize, without seek only
	err     error     // error of r other than io.EOF; final
	br      *bufio.Reader
	probe   gzip.Reader
}

func newSource(r io.Reader) *source {
	s := &source{r: r}
	if sk, ok := r.(io.Seeker); ok {
		// Pipes and terminals are seekers by type only.
		if p, err := sk.Seek(0, io.SeekCurrent); err == nil {
			s.seek, s.base = sk, p
		}
	}
	s.br = bufio.NewReaderSize(s, rawBuffer)
	return s
}

// Read implements io.Reader for br: bytes kept since a rewind first, then r.
func (s *source) Read(p []byte) (int, error) {
	if s.seek == nil && s.pos < s.high {
		i := s.pos % ringSize
		n := copy(p, s.ring[i:min(int64(len(s.ring)), i+s.high-s.pos)])
		s.pos += int64(n)
		return n, nil
	}
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.r.Read(p)
	if s.seek == nil {
		s.keep(p[:n])
	}
	s.pos += int64(n)
	s.high = max(s.high, s.pos)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// keep puts bytes read at offset high into the ring.
func (s *source) keep(p []byte) {
	at := s.high
	if len(p) > ringSize {
		at += int64(len(p) - ringSize)
		p = p[len(p)-ringSize:]
	}
	if s.ring == nil && len(p) > 0 {
		s.ring = make([]byte, ringSize)
	}
	for len(p) > 0 {
		n := copy(s.ring[at%ringSize:], p)
		p, at = p[n:], at+int64(n)
	}
}

// offset returns the offset of the next byte of br.
func (s *source) offset() int64 { return s.pos - int64(s.br.Buffered()) }

// rewind goes back to offset off, or as far as bytes are kept, unless the
// allowance for going back is used up. Afterwards the position is anywhere
// between off and where it was.
func (s *source) rewind(off int64) {
	at := s.offset()
	if s.seek == nil {
		off = max(off, s.high-ringSize)
	}
	if off >= at || s.rewound+at-off > s.high+rewindSlack {
		return
	}
	if s.seek != nil {
		if _, err := s.seek.Seek(s.base+off, io.SeekStart); err != nil {
			s.err = err
			return
		}
	}
	s.rewound += at - off
	s.pos = off
	s.br.Reset(s)
}

// atMember tells whether a gzip member seems to start at the position.
func (s *source) atMember() bool {
	b, _ := s.br.Peek(4)
	return isMember(b)
}

// isMember checks the fixed bytes of a gzip head (RFC 1952, section 2.3): the
// magic number, method deflate, no reserved flag.
func isMember(b []byte) bool {
	return len(b) >= 4 && b[0] == 0x1f && b[1] == 0x8b && b[2] == 8 && b[3]&0xe0 == 0
}

// findMember moves to the next gzip member that inflates for a while. It
// returns false at the end of the file.
func (s *source) findMember() bool {
	for {
		b, err := s.br.Peek(rawBuffer)
		i := bytes.Index(b, []byte{0x1f, 0x8b, 0x08})
		switch {
		case i < 0 && err != nil:
			s.discard(len(b))
			return false
		case i < 0:
			s.discard(len(b) - 2)
		case len(b)-i < probeCompact && err == nil:
			s.discard(i)
		case s.inflates(b[i:]):
			s.discard(i)
			return true
		default:
			s.discard(i + 1)
		}
	}
}

// inflates tells whether b, perhaps cut short, starts with a gzip member that
// holds the start of a record or at least probeBytes of something.
func (s *source) inflates(b []byte) bool {
	if !isMember(b) || s.probe.Reset(bytes.NewReader(b)) != nil {
		return false
	}
	s.probe.Multistream(false)
	var out [probeBytes]byte
	n, err := io.ReadFull(&s.probe, out[:])
	if bytes.HasPrefix(out[:n], []byte(magic)) {
		return true
	}
	// A short member that ends with the right checksum gives exactly this too:
	// ReadFull turns the io.EOF behind the last byte into ErrUnexpectedEOF.
	if errors.Is(err, io.ErrUnexpectedEOF) {
		_, err = s.probe.Read(out[:1])
		return n > 0 && errors.Is(err, io.EOF)
	}
	return err == nil
}

// discard drops n bytes that are buffered.
func (s *source) discard(n int) {
	_, _ = s.br.Discard(n) // cannot fail: they are buffered
}
