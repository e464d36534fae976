package warc

import (
	"errors"
	"fmt"
	"io"
)

// Finish reads what is left of the block, checks how the record ends and, with
// Options.Verify, its digests. It returns nil for a sound record, a *Damage, or
// an error that ends reading altogether. Calling it again returns the same.
func (r *Record) Finish() error {
	err := r.finish()
	r.told = true
	return err
}

// Length returns how many bytes of the file as stored the record takes, known
// after Finish: for a gzip file that of its member. It is -1 for a damaged
// record, and for one that shares a member with others and so cannot be fetched
// by offset and length.
func (r *Record) Length() int64 { return r.length }

// AppendBlock reads the block and appends up to limit bytes of it to dst; whole
// is false when there were more. It finishes the record: the bytes returned
// beside an error are what could be read, for what they are worth.
func (r *Record) AppendBlock(dst []byte, limit int64) (block []byte, whole bool, err error) {
	const step = 64 << 10 // never trust a declared length with more at once
	want := min(r.left, limit)
	for want > 0 {
		if cap(dst) == len(dst) {
			grow := min(want, int64(max(step, len(dst))))
			dst = append(make([]byte, 0, int64(len(dst))+grow), dst...)
		}
		n, err := r.Read(dst[len(dst):min(int64(cap(dst)), int64(len(dst))+want)])
		dst = dst[:len(dst)+n]
		want -= int64(n)
		if err != nil {
			break
		}
	}
	whole = r.left == 0
	return dst, whole, r.Finish()
}

func (r *Record) finish() error {
	if !r.ended {
		r.drain()
		if r.err == nil && r.fatal == nil {
			r.close()
		}
		r.ended = true
	}
	switch {
	case r.fatal != nil:
		return r.fatal
	case r.err != nil:
		return r.err
	}
	return nil
}

// drain reads the rest of the block.
func (r *Record) drain() {
	for r.left > 0 && r.err == nil && r.fatal == nil {
		if r.check == nil {
			n, err := r.r.s.cur().Discard(int(min(r.left, 1<<30)))
			r.left -= int64(n)
			if err != nil {
				r.cross(err)
			}
			continue
		}
		// Peek and discard feeds the checksums without a buffer of our own.
		b, err := r.r.s.cur().Peek(int(min(r.left, rawBuffer/2)))
		r.check.write(b)
		n, _ := r.r.s.cur().Discard(len(b))
		r.left -= int64(n)
		if err != nil {
			r.cross(err)
		}
	}
}

// close checks what follows the block. A record ends with two line ends (WARC/1.1,
// section 4); then comes another head, the end of the member, or of the file.
// More line ends than two are accepted, as some writers leave them.
func (r *Record) close() {
	s := r.r.s
	var bad *Damage // digest that does not fit
	proven := false // a digest proves that the length is right
	if r.check != nil {
		bad, proven = r.check.result()
	}
	lines, err := r.skipLines()
	switch {
	case err == nil && lines >= 2: // a head in the same segment
		if r.plain {
			r.length = s.src.offset() - r.Offset
		}
	case err == nil:
		if b, _ := s.cur().Peek(headPeek); startsRecord(b) || (!s.zipped && isMember(b)) {
			r.err = &Damage{BadLength, r.Offset, "the next head follows the block without two line ends"}
			break
		}
		r.err = r.stray()
		if r.plain && !proven {
			r.again()
		} else {
			r.setErr(r.r.lost(r.err))
		}
	case errors.Is(err, io.EOF) && lines >= 2:
		if r.InMember == 0 || r.plain {
			r.length = s.src.offset() - r.Offset
		}
	case errors.Is(err, io.EOF):
		kind := BadLength // the member is complete
		if r.plain {
			kind = Truncated
		}
		r.err = &Damage{kind, r.Offset, "no two line ends behind the block"}
		if r.plain && !proven {
			r.again()
		}
	default:
		r.setErr(r.r.broken(err))
	}
	if bad != nil && r.err == nil && r.fatal == nil {
		r.err = bad
	}
}

// stray describes bytes behind the block that belong to no record.
func (r *Record) stray() *Damage {
	b, _ := r.r.s.cur().Peek(headPeek)
	return &Damage{BadLength, r.Offset, fmt.Sprintf("a block of %d bytes is followed by %s", r.ContentLength, show(b))}
}

// skipLines passes line ends and counts them, up to something else: the error
// is nil for other bytes and io.EOF for the end of the segment. Other bytes that
// are no head give 0, whatever came before them.
func (r *Record) skipLines() (lines int, err error) {
	cur := r.r.s.cur()
	for {
		b, err := cur.Peek(1)
		if len(b) == 0 {
			return lines, err
		}
		switch b[0] {
		case '\n':
			lines++
		case '\r':
		default:
			b, _ := cur.Peek(headPeek)
			if startsRecord(b) || (!r.r.s.zipped && isMember(b)) {
				return lines, nil
			}
			return 0, nil
		}
		_, _ = cur.Discard(1)
	}
}
