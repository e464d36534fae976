package body

import (
	"context"
	"crypto/sha256"
	"fmt"
)

const (
	// batch is how many bodies ReadMany asks for at once.
	batch = 16
	// basesKept is how many raw bytes of bases ReadMany keeps for later bodies.
	basesKept = 32 << 20
)

// GetAll gives the stored frames of those refs that have one.
type GetAll func(ctx context.Context, refs []Ref) (map[Ref]Frame, error)

// ReadMany reads bodies as Read does and hands each to the function, in the order of refs, decoding
// a base that several share once. A body that cannot be read is handed over with its error (a *DamageError,
// or one wrapping ErrNotFound) and does not stop the others; an error of get or of each does. For
// bodies of one page in order of time get is called little more than once for sixteen of them. Raw may
// serve later bodies as a base and must not be changed.
func (c *Codec) ReadMany(ctx context.Context, get GetAll, refs []Ref, each func(ref Ref, raw []byte, err error) error) error {
	r := manyReader{codec: c, get: get, bases: make(map[Ref]base)}
	for len(refs) > 0 {
		n := min(batch, len(refs))
		r.frames = make(map[Ref]Frame, n)
		if err := r.fetch(ctx, refs[:n]); err != nil {
			return err
		}
		for _, ref := range refs[:n] {
			raw, err := r.read(ctx, ref)
			if r.err != nil {
				return r.err
			}
			if err := each(ref, raw, err); err != nil {
				return err
			}
		}
		refs = refs[n:]
	}
	return nil
}

// manyReader is the state of one ReadMany.
type manyReader struct {
	codec  *Codec
	get    GetAll
	frames map[Ref]Frame // of this batch and its bases
	bases  map[Ref]base
	kept   int   // raw bytes in bases
	err    error // of get, which ends it all
}

// base is the checked raw bytes of a body that others stand on.
type base struct {
	raw   []byte
	depth int
}

// fetch gets the frames of refs and of the bases below them, level by level.
func (r *manyReader) fetch(ctx context.Context, refs []Ref) error {
	for range MaxDepth + 1 {
		var want []Ref
		asked := make(map[Ref]bool)
		for _, ref := range refs {
			_, have := r.frames[ref]
			_, decoded := r.bases[ref]
			if !have && !decoded && !asked[ref] {
				asked[ref] = true
				want = append(want, ref)
			}
		}
		if len(want) == 0 {
			return nil
		}
		got, err := r.get(ctx, want)
		if err != nil {
			return fmt.Errorf("read %d bodies: %w", len(want), err)
		}
		refs = refs[:0:0]
		for _, ref := range want {
			if f, ok := got[ref]; ok {
				r.frames[ref] = f
				if f.Depth > 0 {
					refs = append(refs, f.Base)
				}
			}
		}
	}
	return nil
}

// read gives one body, from the nearest base that is decoded already.
func (r *manyReader) read(ctx context.Context, ref Ref) ([]byte, error) {
	if b, ok := r.bases[ref]; ok {
		return b.raw, nil
	}
	var chain []Frame
	var below base
	for want := ref; ; {
		f, err := r.frame(ctx, want)
		if err != nil {
			return nil, missing(chain, want, err)
		}
		if err := link(chain, want, f); err != nil {
			return nil, err
		}
		chain = append(chain, f)
		if f.Depth == 0 {
			break
		}
		if b, ok := r.bases[f.Base]; ok && b.depth == f.Depth-1 {
			below = b
			break
		}
		want = f.Base
	}
	raw := below.raw
	for i := len(chain) - 1; i >= 0; i-- {
		f := chain[i]
		var err error
		if raw, err = r.codec.decode(f, raw); err == nil && sha256.Sum256(raw) != f.Ref.Hash {
			err = errHash
		}
		if err != nil {
			return nil, &DamageError{Ref: f.Ref, Err: err}
		}
		if f.Depth < MaxDepth {
			r.keep(f, raw)
		}
	}
	return raw, nil
}

// frame gives a frame of this batch, or gets one whose decoded base had to be given up meanwhile.
func (r *manyReader) frame(ctx context.Context, ref Ref) (Frame, error) {
	if _, ok := r.frames[ref]; !ok {
		got, err := r.get(ctx, []Ref{ref})
		if err != nil {
			r.err = fmt.Errorf("read %v: %w", ref, err)
			return Frame{}, r.err
		}
		f, ok := got[ref]
		if !ok {
			return Frame{}, ErrNotFound
		}
		r.frames[ref] = f
	}
	return r.frames[ref], nil
}

// keep remembers a base. When they grow too many all older ones go: they are cheap to decode again.
func (r *manyReader) keep(f Frame, raw []byte) {
	if r.kept+len(raw) > basesKept {
		clear(r.bases)
		r.kept = 0
	}
	r.bases[f.Ref] = base{raw: raw, depth: f.Depth}
	r.kept += len(raw)
}
