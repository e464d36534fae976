package burst

import (
	"encoding/binary"
	"errors"
	"time"
)

// MaxSkew is how far apart the two requests of a pair may start (SCIENCE A6).
const MaxSkew = 200 * time.Millisecond

// Accept reports whether two requests started close enough for a pair.
func Accept(a, b time.Time) bool { return a.Sub(b).Abs() <= MaxSkew }

// PairOptions say how many pairs a page gets.
type PairOptions struct {
	Number int // accepted ones; zero: 8
	Tries  int // for each of them, until the page is given up; zero: 3
}

// Pairs follows the pairs of one page. From one machine they are a lower bound
// of what differs by request, since both come from the same address. The zero
// Pairs is ready.
type Pairs struct {
	Accepted int
	Differed int // accepted ones with two different texts
	Rejected int // started too far apart, or one of the two failed
}

// Wanted reports whether the page should get another pair: not enough are
// accepted, and no more than opt.Tries-1 were rejected for each that is wanted.
func (p *Pairs) Wanted(opt PairOptions) bool {
	if opt.Number <= 0 {
		opt.Number = 8
	}
	if opt.Tries <= 0 {
		opt.Tries = 3
	}
	return p.Accepted < opt.Number && p.Accepted+p.Rejected < opt.Number*opt.Tries
}

// Record tells of two requests that both gave a version, with their start times. It
// reports whether they are a pair; if not, the caller tries again.
func (p *Pairs) Record(a, b time.Time, differ bool) (accepted bool) {
	if !Accept(a, b) {
		p.Rejected++
		return false
	}
	p.Accepted++
	if differ {
		p.Differed++
	}
	return true
}

// Fail tells of a pair of which a request failed.
func (p *Pairs) Fail() { p.Rejected++ }

var errPairs = errors.New("burst: state of pairs is damaged")

// MarshalBinary returns the three numbers as uvarints.
func (p *Pairs) MarshalBinary() ([]byte, error) {
	b := binary.AppendUvarint(nil, uint64(p.Accepted))
	b = binary.AppendUvarint(b, uint64(p.Differed))
	return binary.AppendUvarint(b, uint64(p.Rejected)), nil
}

// UnmarshalBinary restores what MarshalBinary returned. No bytes at all are the
// zero Pairs. On an error Pairs is not changed.
func (p *Pairs) UnmarshalBinary(b []byte) error {
	var n Pairs
	if len(b) > 0 {
		r := reader{b: b}
		n = Pairs{r.uint(1 << 40), r.uint(1 << 40), r.uint(1 << 40)}
		if r.bad || len(r.b) > 0 || n.Differed > n.Accepted {
			return errPairs
		}
	}
	*p = n
	return nil
}
