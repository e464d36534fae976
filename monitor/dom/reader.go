package dom

import "encoding/binary"

// reader takes numbers off a state. After something that is cut off or too great
// it is bad and gives zeros.
type reader struct {
	b   []byte
	bad bool
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

// count reads the number of things that take at least size bytes each.
func (r *reader) count(size int) int { return int(r.uint(uint64(len(r.b) / size))) }

func (r *reader) take(n int) []byte {
	if n > len(r.b) || r.bad {
		r.bad = true
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) hash() uint64 {
	var x [8]byte
	copy(x[:], r.take(contentBytes))
	return binary.LittleEndian.Uint64(x[:])
}
