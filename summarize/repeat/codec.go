package repeat

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/strandlinehq/strandline/summarize/feature"
)

// The stored form. Numbers are unsigned varints, "signed" ones zigzag varints:
//
//	"srx1", number of sentences, then for each:
//	  key minus the key before (signed), period minus the period before (signed),
//	  normal (8 bytes little endian), number of terms, then for each by rising hash:
//	    number of the term, from 0 in the order of first occurrence; a new one is
//	      followed by its hash (8 bytes little endian)
//	    kind | count << 2
const magic = "srx1"

// ErrDamaged is wrapped by the errors of Decode.
var ErrDamaged = errors.New("repeat: damaged index")

// Append appends the stored form of the index to dst.
func (x *Index) Append(dst []byte) []byte {
	dst = append(dst, magic...)
	dst = binary.AppendUvarint(dst, uint64(len(x.sentences)))
	var key, period int64
	known := int32(0) // terms are numbered in the order of first occurrence already
	for _, s := range x.sentences {
		dst = binary.AppendVarint(dst, s.Key-key)
		dst = binary.AppendVarint(dst, s.Period-period)
		key, period = s.Key, s.Period
		dst = binary.LittleEndian.AppendUint64(dst, s.Normal)
		dst = binary.AppendUvarint(dst, uint64(len(s.Terms)))
		for _, t := range s.Terms {
			id := x.ids[t.Hash]
			dst = binary.AppendUvarint(dst, uint64(id))
			if id >= known {
				known = id + 1
				dst = binary.LittleEndian.AppendUint64(dst, t.Hash)
			}
			dst = binary.AppendUvarint(dst, uint64(t.Kind)|uint64(t.Count)<<2)
		}
	}
	return dst
}

// Decode reads an index that Append wrote. What is not one is an error that wraps
// ErrDamaged; time and memory are linear in len(b).
func Decode(b []byte, opt Options) (*Index, error) {
	d := decoder{b: b}
	if string(d.bytes(len(magic))) != magic {
		return nil, fmt.Errorf("%w: no index of this format", ErrDamaged)
	}
	x := NewIndex(opt)
	var key, period int64
	var hashes []uint64
	for n := d.uvarint(); n > 0 && d.ok(); n-- {
		key += d.varint()
		period += d.varint()
		s := Sentence{Key: key, Period: period, Normal: d.word()}
		terms := d.uvarint()
		if terms > uint64(len(d.b)) {
			d.bad = true
			break
		}
		s.Terms = make(feature.Vector, 0, terms)
		for range terms {
			id := d.uvarint()
			if id == uint64(len(hashes)) {
				hashes = append(hashes, d.word())
			}
			packed := d.uvarint()
			if id >= uint64(len(hashes)) || packed&3 > uint64(feature.Number) || packed>>2 == 0 || packed>>2 > 255 {
				d.bad = true
				break
			}
			t := feature.Term{Hash: hashes[id], Kind: feature.Kind(packed & 3), Count: uint8(packed >> 2)}
			if l := len(s.Terms); l > 0 && s.Terms[l-1].Hash >= t.Hash {
				d.bad = true
				break
			}
			s.Terms = append(s.Terms, t)
		}
		if d.ok() {
			x.Add(s)
		}
	}
	if !d.ok() || len(d.b) > 0 || len(x.terms) != len(hashes) {
		return nil, fmt.Errorf("%w: at byte %d", ErrDamaged, len(b)-len(d.b))
	}
	return x, nil
}

// decoder reads until something is missing; then it is bad and gives zeros.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) ok() bool { return !d.bad }

func (d *decoder) bytes(n int) []byte {
	if d.bad || n > len(d.b) {
		d.bad = true
		return nil
	}
	out := d.b[:n]
	d.b = d.b[n:]
	return out
}

func (d *decoder) word() uint64 {
	b := d.bytes(8)
	if b == nil {
		return 0
	}
	return binary.LittleEndian.Uint64(b)
}

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.b)
	if d.bad || n <= 0 {
		d.bad = true
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) varint() int64 {
	v, n := binary.Varint(d.b)
	if d.bad || n <= 0 {
		d.bad = true
		return 0
	}
	d.b = d.b[n:]
	return v
}
