package body

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
)

// Get gives one stored frame; ErrNotFound if there is none.
type Get func(ctx context.Context, ref Ref) (Frame, error)

// Read gives back a body from its frame and those of its bases, at most MaxDepth+1 calls of get, checked
// against its hash. A chain that cannot be followed or decoded is a *DamageError naming the frame at
// fault, a frame that is missing one wrapping ErrNotFound; other errors of get are returned wrapped.
func (c *Codec) Read(ctx context.Context, get Get, ref Ref) ([]byte, error) {
	var chain []Frame // from the body down to the full frame
	for want := ref; ; {
		f, err := get(ctx, want)
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
		want = f.Base
	}
	raw, err := c.unwind(chain, false)
	if err != nil {
		// Hashing the bases, to see which is at fault, is left out as long as all is well.
		return c.unwind(chain, true)
	}
	return raw, nil
}

// missing words an error of get. A base that is gone is the damage of the frame that needs it.
func missing(chain []Frame, want Ref, err error) error {
	if errors.Is(err, ErrNotFound) && len(chain) > 0 {
		return &DamageError{Ref: chain[len(chain)-1].Ref, Err: fmt.Errorf("base %v: %w", want, err)}
	}
	return fmt.Errorf("read %v: %w", want, err)
}

// link checks that f is the frame wanted and stands one level above the frame that asked for it. Depth
// falls by one at each step, so no chain of frames is longer than MaxDepth+1 and none comes back to itself.
func link(chain []Frame, want Ref, f Frame) error {
	err := f.check()
	if err == nil && f.Ref != want {
		err = fmt.Errorf("frame of %v found in its place", f.Ref)
	}
	if err == nil && len(chain) > 0 && f.Depth != chain[len(chain)-1].Depth-1 {
		err = fmt.Errorf("depth %d below a frame of depth %d", f.Depth, chain[len(chain)-1].Depth)
	}
	if err != nil {
		return &DamageError{Ref: want, Err: err}
	}
	return nil
}

// unwind decodes a chain from its full frame up. The last body is always compared with its hash, the
// others if all is set.
func (c *Codec) unwind(chain []Frame, all bool) (raw []byte, err error) {
	for i := len(chain) - 1; i >= 0; i-- {
		if raw, err = c.decode(chain[i], raw); err == nil && (all || i == 0) && sha256.Sum256(raw) != chain[i].Ref.Hash {
			err = errHash
		}
		if err != nil {
			return nil, &DamageError{Ref: chain[i].Ref, Err: err}
		}
	}
	return raw, nil
}
