package body

import (
	"crypto/sha256"
	"errors"
	"fmt"
)

const (
	// MaxDepth is the greatest number of bases below a frame, so that any body is read back from at
	// most MaxDepth+1 frames.
	MaxDepth = 3
	// MaxSize is the largest body that can be stored, in bytes. A frame that declares more is damaged.
	MaxSize = 16 << 20
)

var (
	// ErrTooLarge is returned for a body of more than MaxSize bytes.
	ErrTooLarge = errors.New("body larger than 16 MiB")
	// ErrDamaged is matched by every DamageError.
	ErrDamaged = errors.New("damaged body frame")
	// ErrNotFound is what a Load, Get or GetAll returns (wrapped or not) for a body that is not stored.
	ErrNotFound = errors.New("body not stored")
)

// Ref names one stored body. The page is part of the name, since two pages may hold the same bytes and
// each keeps its own frame; the number is the caller's and is not interpreted here.
type Ref struct {
	Page int64
	Hash [sha256.Size]byte // SHA-256 of the raw bytes
}

// String gives the page and the first bytes of the hash, for errors and logs.
func (r Ref) String() string { return fmt.Sprintf("body %x", r.Hash[:6]) }

// Frame is a body as it is stored.
type Frame struct {
	Ref     Ref
	Base    Ref    // whose raw bytes are the dictionary; zero when Depth is 0
	Depth   int    // number of bases below: 0 for a full frame, else the base's depth + 1; at most MaxDepth
	RawSize int    // length of the raw bytes
	Data    []byte // one zstd frame; without a content checksum, since Ref.Hash is checked
}

// Body is a body as it was received.
type Body struct {
	Ref Ref // Ref.Hash must be the SHA-256 of Raw; it is not computed again
	Raw []byte
	// Quick says that the page may never be fetched again: its first body is stored
	// as found at the fast level, on the host's root that was made last or in full.
	Quick bool
}

// DamageError names a stored frame that cannot give back its body. It matches ErrDamaged.
type DamageError struct {
	Ref Ref
	Err error // what is wrong with it
}

func (e *DamageError) Error() string { return fmt.Sprintf("%v of %v: %v", ErrDamaged, e.Ref, e.Err) }

// Unwrap lets errors.Is find ErrDamaged and the cause.
func (e *DamageError) Unwrap() []error { return []error{ErrDamaged, e.Err} }

// check tells whether the frame's own figures can be right, before anything is allocated for it.
func (f Frame) check() error {
	switch {
	case f.Depth < 0 || f.Depth > MaxDepth:
		return fmt.Errorf("depth %d outside 0 to %d", f.Depth, MaxDepth)
	case f.RawSize < 0 || f.RawSize > MaxSize:
		return fmt.Errorf("raw size %d outside 0 to %d", f.RawSize, MaxSize)
	case f.Depth == 0 && f.Base != Ref{}:
		return errors.New("full frame with a base")
	case f.Depth > 0 && f.Base == Ref{}:
		return errors.New("no base named")
	case f.Depth > 0 && f.Base == f.Ref:
		return errors.New("frame is its own base")
	}
	return nil
}
