package dom

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/zeebo/xxh3"
)

var errState = errors.New("dom: state is damaged")

// The first byte says how the rest is written: format 1, of the first release, is
// as it is and has no base, format 2 is packed by zstd.
const (
	plainFormat  = 1
	packedFormat = 2
	// maxPlain bounds what a packed state unfolds to.
	maxPlain = 64 << 20
)

// packer compresses states and unfolds them; both ends are safe for concurrent use.
type packer struct {
	enc *zstd.Encoder
	dec *zstd.Decoder
	err error
}

var packers = sync.OnceValue(func() packer {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(2), zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithEncoderCRC(false), zstd.WithWindowSize(256<<10))
	if err != nil {
		return packer{err: err}
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(maxPlain))
	return packer{enc: enc, dec: dec, err: err}
})

// Flags of an element in the marshalled form.
const (
	sinceFirst = 1 << iota // its first slot is the page's
	untilLast              // its last slot is the page's
	firstborn              // nth is 0
	folded                 // tallies follow
	one                    // it has one content, with its own first and last slot and origin, now anywhere
	many                   // contents follow
	asParent               // with one: its text is that of its parent, which has one too
)

// MarshalBinary returns the state: the format, and packed the following, uvarints
// unless said otherwise.
//
//	limit, depth, levels of the first version's elements that are kept,
//	1 if contents were forgotten, plus 2 if elements of the first version were passed over,
//	1 if there is a version
//	and if there is: first slot (zigzag), last-first,
//	number of tags, each with its length; number of elements, then of each in
//	  the order of their first appearance:
//	  distance to the parent's index (0: a root), tag, flags,
//	  nth unless firstborn; first, last as distances to the page's unless flagged,
//	  if folded: life and number of both tallies,
//	  if one: hash (5 bytes) unless that of the parent, if many: number, of each: hash,
//	    2 first + origin, last distance to the page's, lastAny likewise if origin
func (s *State) MarshalBinary() ([]byte, error) {
	if s.form != nil {
		return bytes.Clone(s.form), nil
	}
	return s.pack()
}

// pack returns the marshalled form.
func (s *State) pack() ([]byte, error) {
	p := packers()
	if p.err != nil {
		return nil, fmt.Errorf("dom: pack a state: %w", p.err)
	}
	plain := s.append(make([]byte, 0, s.bound()))
	return p.enc.EncodeAll(plain, append(make([]byte, 0, len(plain)/2+64), packedFormat)), nil
}

func (s *State) append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(s.limit))
	b = binary.AppendUvarint(b, uint64(s.depth))
	b = binary.AppendUvarint(b, uint64(s.base))
	b = append(b, bit(s.forgot)|bit(s.passed)<<1, bit(s.started))
	if !s.started {
		return b
	}
	b = binary.AppendVarint(b, int64(s.first))
	end := int32(s.last - s.first)
	b = binary.AppendUvarint(b, uint64(end))

	b = binary.AppendUvarint(b, uint64(len(s.tags)))
	for _, t := range s.tags {
		b = binary.AppendUvarint(b, uint64(len(t)))
		b = append(b, t...)
	}
	b = binary.AppendUvarint(b, uint64(len(s.elements)))
	for i := range s.elements {
		e := &s.elements[i]
		up := uint64(0)
		if e.parent >= 0 {
			up = uint64(i) - uint64(e.parent)
		}
		b = binary.AppendUvarint(b, up)
		b = binary.AppendUvarint(b, uint64(e.tag))
		b = e.append(b, end, s.parentText(e, end))
	}
	return b
}

// single reports whether the element has had one text only, which came with it
// and is still somewhere on the page.
func (e *element) single(end int32) bool {
	if len(e.contents) != 1 {
		return false
	}
	c := e.contents[0]
	return c.first == e.first && c.last == e.last && c.origin && c.lastAny == end
}

// parentText returns the hash of the parent's text if that is single, else 0.
func (s *State) parentText(e *element, end int32) uint64 {
	if e.parent < 0 || !s.elements[e.parent].single(end) {
		return 0
	}
	return s.elements[e.parent].contents[0].hash
}

func bit(x bool) byte {
	if x {
		return 1
	}
	return 0
}

func (e *element) append(b []byte, end int32, above uint64) []byte {
	flags := byte(0)
	if e.first == 0 {
		flags |= sinceFirst
	}
	if e.last == end {
		flags |= untilLast
	}
	if e.nth == 0 {
		flags |= firstborn
	}
	if e.done.n > 0 || e.away.n > 0 {
		flags |= folded
	}
	if len(e.contents) > 0 {
		flags |= many
		if e.single(end) {
			flags ^= one | many
			if e.contents[0].hash == above && above != 0 {
				flags |= asParent
			}
		}
	}
	b = append(b, flags)
	if flags&firstborn == 0 {
		b = binary.AppendUvarint(b, uint64(e.nth))
	}
	if flags&sinceFirst == 0 {
		b = binary.AppendUvarint(b, uint64(e.first))
	}
	if flags&untilLast == 0 {
		b = binary.AppendUvarint(b, uint64(end-e.last))
	}
	if flags&folded != 0 {
		for _, v := range [...]uint64{e.done.life, e.done.n, e.away.life, e.away.n} {
			b = binary.AppendUvarint(b, v)
		}
	}
	switch {
	case flags&asParent != 0:
	case flags&one != 0:
		b = appendHash(b, e.contents[0].hash)
	case flags&many != 0:
		b = binary.AppendUvarint(b, uint64(len(e.contents)))
		for _, c := range e.contents {
			b = appendHash(b, c.hash)
			b = binary.AppendUvarint(b, uint64(c.first)<<1|uint64(bit(c.origin)))
			b = binary.AppendUvarint(b, uint64(end-c.last))
			if c.origin {
				b = binary.AppendUvarint(b, uint64(end-c.lastAny))
			}
		}
	}
	return b
}

func appendHash(b []byte, h uint64) []byte {
	var x [8]byte
	binary.LittleEndian.PutUint64(x[:], h)
	return append(b, x[:contentBytes]...)
}

// bound returns a length that the marshalled form does not exceed.
func (s *State) bound() int {
	const number = 10
	n := 8 * number
	for _, t := range s.tags {
		n += number + len(t)
	}
	for i := range s.elements {
		e := &s.elements[i]
		n += 17 // four numbers of a few bytes and the flags
		if e.done.n > 0 || e.away.n > 0 {
			n += 4 * number
		}
		n += (contentBytes+9)*len(e.contents) + 3
	}
	return n
}

// UnmarshalBinary restores the state that MarshalBinary returned.
func (s *State) UnmarshalBinary(b []byte) error {
	if len(b) == 0 {
		return errState
	}
	var n State
	r := reader{b: b[1:]}
	switch b[0] {
	case plainFormat:
		n = State{limit: max(s.limit, int(r.uint(math.MaxInt32))), depth: int(r.uint(maxDepth)), forgot: r.uint(1) == 1}
		n.base = n.depth
	case packedFormat:
		p := packers()
		if p.err != nil {
			return fmt.Errorf("dom: unpack a state: %w", p.err)
		}
		plain, err := p.dec.DecodeAll(b[1:], nil)
		if err != nil {
			return errState
		}
		r.b = plain
		n = State{limit: int(r.uint(math.MaxInt32)), depth: int(r.uint(maxDepth)), base: int(r.uint(maxDepth))}
		left := r.uint(3)
		n.forgot, n.passed = left&1 != 0, left&2 != 0
	default:
		return errState
	}
	if n.limit == 0 || n.depth == 0 || n.base < n.depth {
		return errState
	}
	if n.started = r.uint(1) == 1; n.started && !r.bad {
		n.read(&r)
	}
	if r.bad || len(r.b) > 0 {
		return errState
	}
	*s = n
	return nil
}

func (s *State) read(r *reader) {
	s.first = int(r.int(math.MaxInt32))
	end := int32(r.uint(MaxSlots))
	s.last = s.first + int(end)
	s.tags = make([]string, r.count(2))
	for i := range s.tags {
		s.tags[i] = string(r.take(int(r.uint(math.MaxUint16))))
	}
	if r.bad {
		return
	}
	hashes := make([]uint64, len(s.tags))
	for i, t := range s.tags {
		hashes[i] = xxh3.HashString(t)
	}
	s.elements = make([]element, r.count(3))
	single := make([]content, len(s.elements)) // most elements have one content
	for i := range s.elements {
		e := &s.elements[i]
		up := r.uint(uint64(i))
		tag := r.uint(math.MaxInt32)
		if r.bad || tag >= uint64(len(s.tags)) {
			r.bad = true
			return
		}
		e.tag, e.parent, e.depth = int32(tag), -1, 1
		above := uint64(0)
		if up > 0 {
			e.parent = int32(i) - int32(up)
			p := &s.elements[e.parent]
			above, e.depth = p.hash, p.depth+1
		}
		e.read(r, end, single[i:i:i+1], s.parentText(e, end))
		e.hash = pathHash(above, hashes[tag], e.nth)
		if r.bad || int(e.depth) > s.base || int(e.depth) > s.depth && (e.first > 0 || len(e.contents) > 0) {
			r.bad = true
			return
		}
	}
}

func (e *element) read(r *reader, end int32, single []content, above uint64) {
	flags := r.uint(2*asParent - 1)
	if flags&firstborn == 0 {
		e.nth = int32(r.uint(math.MaxInt32))
	}
	if flags&sinceFirst == 0 {
		e.first = int32(r.uint(uint64(end)))
	}
	e.last = end
	if flags&untilLast == 0 {
		e.last -= int32(r.uint(uint64(end)))
	}
	if e.first > e.last {
		r.bad = true
	}
	if flags&folded != 0 {
		for _, v := range [...]*uint64{&e.done.life, &e.done.n, &e.away.life, &e.away.n} {
			*v = r.uint(math.MaxInt64 >> 8)
		}
	}
	switch {
	case flags&one != 0:
		if flags&asParent == 0 {
			above = r.hash()
		}
		single = append(single, content{above, e.first, e.last, true, end})
		e.contents = single
	case flags&many != 0:
		e.contents = make([]content, r.count(contentBytes+2))
		for k := range e.contents {
			c := &e.contents[k]
			c.hash = r.hash()
			v := r.uint(uint64(end)<<1 | 1)
			c.first, c.origin = int32(v>>1), v&1 != 0
			c.last = end - int32(r.uint(uint64(end)))
			if c.origin {
				c.lastAny = end - int32(r.uint(uint64(end)))
			}
			if c.first > c.last || c.origin && c.lastAny < c.last {
				r.bad = true
			}
		}
	}
}
