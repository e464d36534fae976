package body

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// hostRoots is how many full bodies of a host are offered to its other pages.
const hostRoots = 2

// State is what must be remembered of a page to place its next body: a path of bodies, each the base of
// the next, and an account for each (see Codec.Encode). The zero State is a page without bodies. A State
// is a plain value: a copy is a snapshot. One blob kind of one page has one State.
type State struct {
	path [MaxDepth]node // path[:n], shallowest first, depths rising by one; the last may be a base itself
	n    int
}

// node is a body that others may be based on. Sizes are bytes at the fast level.
type node struct {
	ref   Ref
	depth int
	size  int // of this body's own frame
	fresh int // smallest frame yet based on this body, 0 for none
	owed  int // what frames based on it took beyond fresh, summed
}

// Candidates lists the stored bodies that Encode may ask for, the first asked for first. At most three.
func (s *State) Candidates() []Ref {
	refs := make([]Ref, 0, MaxDepth)
	for i := s.n - 1; i >= 0; i-- {
		refs = append(refs, s.path[i].ref)
	}
	return refs
}

// push puts a body below the first keep nodes of the path; a body too deep to be a base is left out.
func (s *State) push(keep int, b node) {
	s.n = keep
	if b.depth < MaxDepth {
		s.path[s.n] = b
		s.n++
	}
	clear(s.path[s.n:])
}

// Host is what must be remembered of a host to place the first body of a page, and the first after a
// page has changed beyond recognition: the last full bodies of any of its pages, newest first. The zero
// Host has none.
type Host struct {
	roots [hostRoots]Ref
	n     int
}

// Candidates lists the stored bodies that Encode may ask for when the page's own do not serve.
func (h *Host) Candidates() []Ref { return append([]Ref(nil), h.roots[:h.n]...) }

// add makes a full body the newest root.
func (h *Host) add(r Ref) {
	copy(h.roots[1:], h.roots[:hostRoots-1])
	h.roots[0] = r
	h.n = min(h.n+1, hostRoots)
}

// The stored form of State and Host, at most 180 and 86 bytes:
//
//	byte    1, the version of this form
//	byte    number of entries
//	entries page (zig-zag varint), hash (32 bytes) and, in a State, depth (byte) and size, fresh, owed
//	        (varints)
const (
	formVersion = 1
	maxAccount  = 1 << 40
)

// MarshalBinary gives the stored form, at most 180 bytes. It does not fail.
func (s *State) MarshalBinary() ([]byte, error) {
	b := []byte{formVersion, byte(s.n)}
	for _, p := range s.path[:s.n] {
		b = appendRef(b, p.ref)
		b = append(b, byte(p.depth))
		for _, v := range [...]int{p.size, p.fresh, p.owed} {
			b = binary.AppendUvarint(b, uint64(v))
		}
	}
	return b, nil
}

// UnmarshalBinary reads the stored form; nothing at all is the zero State. A form that Encode could not
// have made is an error and leaves s as it was. A page whose state is lost starts again with a full body.
func (s *State) UnmarshalBinary(data []byte) error {
	var out State
	if len(data) > 0 {
		r, n, err := openForm(data, MaxDepth)
		if err != nil {
			return fmt.Errorf("page state: %w", err)
		}
		out.n = n
		for i := range n {
			p := node{ref: r.ref(), depth: int(r.byte())}
			p.size, p.fresh, p.owed = r.number(), r.number(), r.number()
			if i > 0 && p.depth != out.path[i-1].depth+1 || p.depth >= MaxDepth {
				r.fail = true
			}
			out.path[i] = p
		}
		if err := r.close(); err != nil {
			return fmt.Errorf("page state: %w", err)
		}
	}
	*s = out
	return nil
}

// MarshalBinary gives the stored form, at most 86 bytes. It does not fail.
func (h *Host) MarshalBinary() ([]byte, error) {
	b := []byte{formVersion, byte(h.n)}
	for _, r := range h.roots[:h.n] {
		b = appendRef(b, r)
	}
	return b, nil
}

// UnmarshalBinary reads the stored form, with the rules of State.UnmarshalBinary.
func (h *Host) UnmarshalBinary(data []byte) error {
	var out Host
	if len(data) > 0 {
		r, n, err := openForm(data, hostRoots)
		if err != nil {
			return fmt.Errorf("host state: %w", err)
		}
		out.n = n
		for i := range n {
			out.roots[i] = r.ref()
		}
		if err := r.close(); err != nil {
			return fmt.Errorf("host state: %w", err)
		}
	}
	*h = out
	return nil
}

func appendRef(b []byte, r Ref) []byte {
	return append(binary.AppendVarint(b, r.Page), r.Hash[:]...)
}

var errForm = errors.New("malformed stored form")

// form reads the stored form; the first fault makes all later values zero.
type form struct {
	rest []byte
	fail bool
}

func openForm(data []byte, most int) (*form, int, error) {
	if len(data) < 2 {
		return nil, 0, errForm
	}
	if data[0] != formVersion {
		return nil, 0, fmt.Errorf("version %d of the stored form, only %d is known", data[0], formVersion)
	}
	n := int(data[1])
	if n > most {
		return nil, 0, errForm
	}
	return &form{rest: data[2:]}, n, nil
}

func (f *form) take(n int) []byte {
	if f.fail || n <= 0 || n > len(f.rest) {
		f.fail = true
		return nil
	}
	b := f.rest[:n]
	f.rest = f.rest[n:]
	return b
}

func (f *form) byte() byte {
	if b := f.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (f *form) ref() (r Ref) {
	v, n := binary.Varint(f.rest)
	f.take(n)
	copy(r.Hash[:], f.take(len(r.Hash)))
	r.Page = v
	return r
}

func (f *form) number() int {
	v, n := binary.Uvarint(f.rest)
	f.take(n)
	if v > maxAccount {
		f.fail = true
	}
	if f.fail {
		return 0
	}
	return int(v)
}

func (f *form) close() error {
	if f.fail || len(f.rest) > 0 {
		return errForm
	}
	return nil
}
