package terms

import "encoding/binary"

// reader takes numbers off a state. After a number that is cut off or too great
// it is bad and gives zeros.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) uint(limit uint64) uint64 {
	if len(r.b) > 0 && r.b[0] < 0x80 && uint64(r.b[0]) <= limit && !r.bad {
		v := uint64(r.b[0])
		r.b = r.b[1:]
		return v
	}
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

// count reads the number of things that take at least size bytes each.
func (r *reader) count(size int) int { return int(r.uint(uint64(len(r.b) / size))) }
