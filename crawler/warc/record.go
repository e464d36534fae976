package warc

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Record is one record of a file. It is the io.Reader of its own block and is
// valid until the next call of Reader.Next.
//
// A block is trustworthy only when Finish (or AppendBlock, which calls it)
// returned nil: that the length was wrong or the member does not inflate is
// often seen behind the block only.
type Record struct {
	Version       string // "1.1", "1.0", "0.18" ...
	Type          Type
	ID            string    // WARC-Record-ID without its brackets
	Date          time.Time // WARC-Date in UTC; zero when missing or unreadable
	TargetURI     string    // WARC-Target-URI without brackets; "" when missing
	ContentLength int64     // bytes of the block, as declared
	Header        Header    // all fields in order, these included

	// Offset is where the record starts in the file as stored: in a gzip file,
	// where its member starts. InMember is the number of inflated bytes before
	// it in that member, 0 when it is alone there.
	Offset   int64
	InMember int64

	// Flaws are faults of the head that leave the record readable. Verifying
	// adds digests that cannot be read.
	Flaws []*Damage

	r      *Reader
	left   int64 // bytes of the block not yet read
	block  int64 // position of the block in a plain file
	plain  bool
	check  *checker
	err    *Damage // damage that ended the record
	fatal  error   // final error met while reading it
	told   bool    // err was returned to the caller
	ended  bool
	length int64
}

// MediaType returns Content-Type of the block in lower case, without parameters.
func (r *Record) MediaType() string {
	t, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(t))
}

// IsHTTP tells whether the block is an HTTP message, for ParseHTTP.
func (r *Record) IsHTTP() bool {
	switch r.Type {
	case TypeResponse, TypeRequest, TypeRevisit, TypeContinuation:
	default:
		return false
	}
	mt := r.MediaType()
	if mt == "" {
		s := strings.ToLower(r.TargetURI)
		return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://")
	}
	return mt == "application/http"
}

// fill sets the fields of r from its head. A length that cannot be read is
// returned: without it the end of the record is unknown.
func (r *Record) fill() *Damage {
	r.Type = Type(strings.ToLower(r.Header.Get("WARC-Type")))
	r.ID = trimAngles(r.Header.Get("WARC-Record-ID"))
	r.TargetURI = trimAngles(r.Header.Get("WARC-Target-URI"))
	r.length = -1

	lengths := r.Header.Values("Content-Length")
	if len(lengths) == 0 {
		return &Damage{BadLength, r.Offset, "no Content-Length"}
	}
	for i, v := range lengths {
		n, err := strconv.ParseUint(v, 10, 63)
		if err != nil {
			return &Damage{BadLength, r.Offset, "unreadable Content-Length " + show([]byte(v))}
		}
		if i > 0 && int64(n) != r.ContentLength {
			return &Damage{BadLength, r.Offset, fmt.Sprintf("Content-Length is both %d and %d", r.ContentLength, n)}
		}
		r.ContentLength = int64(n)
	}
	if r.Type == "" {
		r.flaw(BadHeader, "no WARC-Type")
	}
	if r.ID == "" {
		r.flaw(BadHeader, "no WARC-Record-ID")
	}
	if v := r.Header.Get("WARC-Date"); v == "" {
		r.flaw(BadDate, "no WARC-Date")
	} else if t, err := ParseDate(v); err != nil {
		r.flaw(BadDate, "unreadable WARC-Date "+show([]byte(v)))
	} else {
		r.Date = t
	}
	r.checkURI()
	return nil
}

// checkURI adds a flaw when the type needs a target and it is no absolute URI.
func (r *Record) checkURI() {
	switch r.Type {
	case TypeResponse, TypeResource, TypeRequest, TypeRevisit, TypeConversion:
	default:
		if r.TargetURI == "" {
			return
		}
	}
	if r.TargetURI == "" {
		r.flaw(BadURI, "no WARC-Target-URI")
		return
	}
	if u, err := url.Parse(r.TargetURI); err != nil || u.Scheme == "" {
		r.flaw(BadURI, "no absolute URI: "+show([]byte(r.TargetURI)))
	}
}

func (r *Record) flaw(k Kind, msg string) {
	r.Flaws = append(r.Flaws, &Damage{k, r.Offset, msg})
}

// begin is called with the reader at the first byte of the block.
func (r *Record) begin() {
	r.left = r.ContentLength
	if r.plain = !r.r.s.zipped; r.plain {
		r.block = r.r.s.src.offset()
	}
	if r.r.opt.Verify {
		r.check = newChecker(r)
	}
}

// Read implements io.Reader for the block. It returns io.EOF behind the bytes
// declared by Content-Length, a *Damage where the block ends before that.
func (r *Record) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for {
		switch {
		case r.fatal != nil:
			return 0, r.fatal
		case r.err != nil:
			r.told = true
			return 0, r.err
		case r.left == 0:
			return 0, io.EOF
		}
		n, err := r.r.s.cur().Read(p[:min(int64(len(p)), r.left)])
		if n > 0 {
			r.left -= int64(n)
			if r.check != nil {
				r.check.write(p[:n])
			}
			return n, nil
		}
		if err != nil {
			r.cross(err)
		}
	}
}

// cross is called when a segment ends inside the block: the block goes on in
// the next gzip member, or ends in damage.
func (r *Record) cross(err error) {
	s := r.r.s
	missing := func(k Kind, why string) {
		r.err = &Damage{k, r.Offset, fmt.Sprintf("%s, %d bytes before the end of a block of %d", why, r.left, r.ContentLength)}
	}
	switch {
	case errors.Is(err, io.EOF) && !s.zipped:
		missing(Truncated, "the file ends")
		r.again()
		return
	case errors.Is(err, io.EOF):
		switch err = s.advance(); {
		case err == nil:
			return
		case errors.Is(err, errNextRecord):
			missing(BadLength, "the next record starts")
			return
		case errors.Is(err, io.EOF):
			missing(Truncated, "the file ends")
			_ = r.r.final(io.EOF)
			return
		}
	}
	r.setErr(r.r.broken(err))
}

// again looks for records inside the block of a plain file whose length is
// wrong: if it was too long, those behind it were swallowed.
func (r *Record) again() {
	s := r.r.s
	s.src.rewind(r.block)
	if _, err := r.r.seekHead(); err != nil {
		r.setErr(err)
		return
	}
	if r.err.Kind == Truncated && r.r.err == nil {
		r.err.Kind = BadLength
		r.err.Msg = fmt.Sprintf("a record starts at offset %d, inside a block of %d bytes", s.src.offset(), r.ContentLength)
	}
}

func (r *Record) setErr(err error) {
	if d := (*Damage)(nil); errors.As(err, &d) {
		r.err = d
		return
	}
	r.fatal = err
}
