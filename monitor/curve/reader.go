package curve

import "encoding/binary"

// reader takes numbers off a state. After a number that is cut off or too great
// it is bad and gives zeros.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) byte() byte {
	if len(r.b) == 0 {
		r.bad = true
		return 0
	}
	c := r.b[0]
	r.b = r.b[1:]
	return c
}

func (r *reader) uint(limit uint64) uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || v > limit || r.bad {
		r.bad = true
		return 0
	}
	r.b = r.b[n:]
	return v
}

// int reads a zigzag number of at most limit away from zero.
func (r *reader) int(limit int64) int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 || v > limit || v < -limit || r.bad {
		r.bad = true
		return 0
	}
	r.b = r.b[n:]
	return v
}
