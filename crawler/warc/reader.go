package warc

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
)

// Options of a Reader; the zero value is a good default.
type Options struct {
	// Verify computes the block and payload digests a record declares while its
	// block is read; Record.Finish reports the ones that differ.
	Verify bool
	// MaxHeader is how many bytes a record head may have; 0 means 256 KiB. A
	// longer one is damage.
	MaxHeader int
	// MaxBlock is the largest block, in bytes, that is read at all; 0 means
	// 64 GiB. A record that declares more is damage and is skipped without
	// being inflated, which bounds what a gzip bomb can cost.
	MaxBlock int64
}

const (
	defaultMaxHeader = 256 << 10
	defaultMaxBlock  = 64 << 30
)

// Reader reads the records of one WARC file in order. It holds some 300 KiB, and
// 1 MiB more when the input cannot seek, whatever the file. Not for use by
// several goroutines at once.
type Reader struct {
	s       *stream
	opt     Options
	rec     *Record   // the record handed out last
	pending []*Damage // found but not yet returned
	err     error     // final
	head    []byte    // buffer of the head being read
}

// NewReader starts reading a WARC file, plain or gzip. If r is an io.Seeker the
// reader seeks back on damage to find the records behind it; reading starts at
// the present position, which counts as offset 0. Input that is no WARC file
// gives a *NotWARCError, an error of r is returned wrapped.
func NewReader(r io.Reader, opt Options) (*Reader, error) {
	if opt.MaxHeader <= 0 {
		opt.MaxHeader = defaultMaxHeader
	}
	if opt.MaxBlock <= 0 {
		opt.MaxBlock = defaultMaxBlock
	}
	rd := &Reader{s: newStream(r), opt: opt}
	if err := rd.start(); err != nil {
		return nil, err
	}
	return rd, nil
}

// Next returns the next record, after finishing the one before it. Errors:
// io.EOF at the end of the file; a *Damage, after which Next can be called
// again; anything else is final. Each damage is returned once, by Next or by
// the method of Record that met it first. Flaws that leave a record readable,
// such as a date nobody can parse, are in Record.Flaws instead.
func (r *Reader) Next() (*Record, error) {
	if rec := r.rec; rec != nil {
		r.rec = nil
		if err := rec.finish(); err != nil && !rec.told {
			rec.told = true
			return nil, err
		}
	}
	if len(r.pending) > 0 {
		d := r.pending[0]
		r.pending = r.pending[1:]
		return nil, d
	}
	if r.err != nil {
		return nil, r.err
	}
	rec, err := r.next()
	if err != nil {
		return nil, err
	}
	r.rec = rec
	return rec, nil
}

// next reads a head at a place where a record should begin.
func (r *Reader) next() (*Record, error) {
	if err := r.align(); err != nil {
		return nil, err
	}
	at, in := r.s.position(), r.s.inMember()
	version, h, flaws, err := r.readHead()
	if err != nil {
		return nil, err
	}
	rec := &Record{r: r, Version: version, Header: h, Offset: at, InMember: in, Flaws: flaws}
	if d := rec.fill(); d != nil {
		return nil, r.lost(d)
	}
	if rec.ContentLength > r.opt.MaxBlock {
		d := &Damage{BadLength, at, fmt.Sprintf("block of %d bytes is over the limit of %d", rec.ContentLength, r.opt.MaxBlock)}
		if !r.s.zipped {
			return nil, r.lost(d)
		}
		return nil, r.nextMember(d)
	}
	rec.begin()
	return rec, nil
}

// align moves to the first byte of a record head: past line ends, over the
// border of members. It returns io.EOF at the end of the file.
func (r *Reader) align() error {
	for {
		b, err := r.s.cur().Peek(headPeek)
		if len(b) == 0 {
			if !errors.Is(err, io.EOF) {
				return r.broken(err)
			}
			if !r.s.zipped {
				return r.final(io.EOF)
			}
			if err = r.s.advance(); errors.Is(err, errNextRecord) {
				return nil
			} else if errors.Is(err, io.EOF) {
				return r.final(io.EOF)
			} else if err != nil {
				return r.broken(err)
			}
			continue
		}
		if i := len(b) - len(bytes.TrimLeft(b, "\r\n")); i > 0 {
			_, _ = r.s.cur().Discard(i)
			continue
		}
		switch {
		case startsRecord(b):
			return nil
		case !r.s.zipped && isMember(b):
			// Files of both kinds put together.
			if err := r.s.open(); err != nil {
				return r.broken(err)
			}
			continue
		}
		return r.lost(&Damage{BadHeader, r.s.position(), "no record head but " + show(b)})
	}
}

// lost returns d after moving to the next record head. If that shows the member
// of d to be broken, d becomes that damage: it is the cause of the other.
func (r *Reader) lost(d *Damage) error {
	had := len(r.pending)
	zipped := r.s.zipped
	n, err := r.seekHead()
	if err != nil {
		return err
	}
	if zipped && len(r.pending) > had && r.pending[had].Offset == d.Offset {
		*d = *r.pending[had]
		r.pending = append(r.pending[:had], r.pending[had+1:]...)
		return d
	}
	if n > 0 {
		d.Msg += fmt.Sprintf("; %d bytes skipped", n)
	}
	return d
}

// seekHead moves to the next record head in this segment or those behind it and
// returns how many bytes of text it passed. At the end of the file the final
// error is set, so that Next returns io.EOF. Members that do not inflate go to
// pending. The error returned is final.
func (r *Reader) seekHead() (skipped int64, err error) {
	for {
		n, found, err := r.scanSegment()
		skipped += n
		if found {
			return skipped, nil
		}
		if errors.Is(err, io.EOF) {
			if !r.s.zipped {
				_ = r.final(io.EOF)
				return skipped, nil
			}
			switch err = r.s.advance(); {
			case err == nil:
				continue
			case errors.Is(err, errNextRecord):
				return skipped, nil
			case errors.Is(err, io.EOF):
				_ = r.final(io.EOF)
				return skipped, nil
			}
		}
		var d *Damage
		if err = r.broken(err); !errors.As(err, &d) {
			return skipped, err
		}
		r.pending = append(r.pending, d)
		if r.err != nil {
			return skipped, nil
		}
	}
}

// scanSegment looks for a head in the open segment, and else returns the error
// that ended it.
func (r *Reader) scanSegment() (skipped int64, found bool, err error) {
	cur := r.s.cur()
	for {
		b, err := cur.Peek(cur.Size())
		from := 0
		for {
			i := bytes.Index(b[from:], []byte(magic))
			if i < 0 {
				// A magic cut in two by the end of the window is kept.
				from = max(from, len(b)-len(magic)+1)
				break
			}
			from += i
			n, short := matchHead(b[from:])
			if n > 0 {
				_, _ = cur.Discard(from)
				return skipped + int64(from), true, nil
			}
			if short {
				break
			}
			from++
		}
		if err != nil {
			from = len(b)
		}
		_, _ = cur.Discard(from)
		skipped += int64(from)
		if err != nil {
			return skipped, false, err
		}
	}
}

// broken turns an error of the file or of gzip into the error to return, and
// for gzip moves to the next member that can be read.
func (r *Reader) broken(cause error) error {
	s := r.s
	if s.src.err != nil {
		return r.final(fmt.Errorf("read warc at offset %d: %w", s.src.offset(), s.src.err))
	}
	if !s.zipped {
		return r.final(fmt.Errorf("read warc at offset %d: %w", s.src.offset(), cause))
	}
	d := &Damage{BadGzip, s.member, "gzip member: " + cause.Error()}
	cut := errors.Is(cause, io.ErrUnexpectedEOF) || errors.Is(cause, io.EOF)
	switch {
	case cut:
		d.Kind, d.Msg = Truncated, "the file ends inside a gzip member"
	case errors.Is(cause, gzip.ErrHeader):
		d.Msg = "bytes that are no gzip member"
	}
	// A member with a wrong checksum and another right behind it ended where it
	// should. In all other cases inflating may have run on into later members.
	if !errors.Is(cause, gzip.ErrChecksum) || !s.src.atMember() {
		s.src.rewind(s.member + 1)
	}
	err := r.nextMember(d)
	if cut && r.err == nil {
		d.Kind, d.Msg = BadGzip, "gzip member is cut short"
	}
	return err
}

// nextMember returns d after opening the next gzip member from the position of
// the file on.
func (r *Reader) nextMember(d *Damage) error {
	for r.s.src.findMember() {
		if r.s.open() == nil {
			return d
		}
	}
	if err := r.s.src.err; err != nil {
		return r.final(fmt.Errorf("read warc at offset %d: %w", r.s.src.offset(), err))
	}
	_ = r.final(io.EOF)
	return d
}

// final remembers the error that ends reading.
func (r *Reader) final(err error) error {
	if r.err == nil {
		r.err = err
	}
	return r.err
}
