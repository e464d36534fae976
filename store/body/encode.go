package body

import (
	"bytes"
	"context"
	"errors"
	"fmt"
)

const (
	// minBase is the length below which a body is stored alone and never used as a base.
	minBase = 64
	// The fine level is tried for frames of more than one fineShare-th of the body at the fast level, kept
	// between fineMin and fineMax. Below there is little to win for work that grows with the body.
	fineShare        = 32
	fineMin, fineMax = 512, 2048
	// A base of another page is used when the frame takes at most hostNum/hostDen of a full one: it costs
	// a level of depth that the page's later versions would profit from.
	hostNum, hostDen = 7, 10
	// Where time counts, it is used without that comparison when the frame takes at most this share of the body.
	quickNum, quickDen = 1, 3
	// A body unlike its base: more than jumpFresh times the smallest frame on this base, and more than
	// jumpNum/jumpDen of the base's own frame.
	jumpFresh        = 2
	jumpNum, jumpDen = 7, 10
)

// Load gives the raw bytes of a stored body, exactly as Codec.Read does. A body that is gone or damaged
// (ErrNotFound, ErrDamaged) is passed over; any other error ends Encode.
type Load func(ctx context.Context, ref Ref) ([]byte, error)

// Encode makes the frame of a body that is not stored yet for this page, choosing its base among the
// candidates of page and host, and brings both up to date. Host may be nil: then other pages are not
// considered. On an error both stay as they were. The caller stores the frame and both states in one
// transaction, and does not run two Encodes on one State or one Host at a time.
//
// The policy. Bodies of a page form a path of bases root, upper, lower and any number of leaves on the
// lowest. A new body is a leaf unless its base has aged. With d(v) the frame size of v on its base b,
// d_min the smallest so far, and D the size the frame would have one level up,
//
//	owed(b) = sum over v on b of d(v) - d_min
//
// and v takes the place of b, one level up, as soon as owed(b) >= D - d(v): what the age of b has cost by
// then is what renewing it costs now. If d(v) grows evenly with age, this is the interval of least cost;
// if it jumps, v is renewed at once; if the page returns to an old state, d(v) is small and b stays. The
// rule is applied again one level up with D for d(v), up to the root. D is only found out, by a second
// fast compression, when owed(b) has reached the size of b's own frame (less d_min), or v is unlike b.
func (c *Codec) Encode(ctx context.Context, b Body, page *State, host *Host, load Load) (Frame, error) {
	if len(b.Raw) > MaxSize {
		return Frame{}, fmt.Errorf("encode %v of %d bytes: %w", b.Ref, len(b.Raw), ErrTooLarge)
	}
	if host == nil {
		host = new(Host)
	}
	p := placing{codec: c, body: b, host: host, load: load, state: *page}
	if len(b.Raw) < minBase {
		best, err := p.full()
		if err != nil {
			return Frame{}, fmt.Errorf("encode %v: %w", b.Ref, err)
		}
		return p.frame(best)
	}
	best, keep, err := p.place(ctx)
	if err != nil {
		return Frame{}, fmt.Errorf("encode %v: %w", b.Ref, err)
	}
	size := len(best.data)
	f, err := p.frame(best)
	if err != nil {
		return Frame{}, fmt.Errorf("encode %v: %w", b.Ref, err)
	}
	p.state.push(keep, node{ref: b.Ref, depth: f.Depth, size: size})
	*page = p.state
	if f.Depth == 0 {
		host.add(b.Ref)
	}
	return f, nil
}

// EncodeOn makes the frame of a body on a given base, or a full one when baseRaw is nil: for a frame that
// was damaged in its place, as Encode had made it on that base. BaseDepth is the base's depth.
func (c *Codec) EncodeOn(b Body, base Ref, baseDepth int, baseRaw []byte) (Frame, error) {
	if len(b.Raw) > MaxSize {
		return Frame{}, fmt.Errorf("encode %v of %d bytes: %w", b.Ref, len(b.Raw), ErrTooLarge)
	}
	t := &trial{}
	if baseRaw != nil {
		t.base, t.depth, t.dict = base, baseDepth+1, baseRaw
	}
	p := placing{codec: c, body: b}
	var err error
	if t.data, err = c.compress(b.Raw, t.dict, fast); err == nil {
		var f Frame
		if f, err = p.frame(t); err == nil {
			err = f.check()
		}
		if err == nil {
			return f, nil
		}
	}
	return Frame{}, fmt.Errorf("encode %v: %w", b.Ref, err)
}

// placing is the search for the base of one body.
type placing struct {
	codec  *Codec
	body   Body
	host   *Host
	load   Load
	state  State // a copy, whose accounts are kept on the way
	trials []*trial
}

// trial is the body compressed at the fast level on one base, or on none.
type trial struct {
	base  Ref
	depth int    // of the body if this trial is taken
	dict  []byte // raw bytes of the base; nil for a full frame
	data  []byte // nil when the base cannot be used
}

// place finds the trial to store and how many nodes of the path stay above the body.
func (p *placing) place(ctx context.Context) (*trial, int, error) {
	cur, i, err := p.climb(ctx, p.state.n)
	if err != nil {
		return nil, 0, err
	}
	for i >= 0 {
		b := &p.state.path[i]
		d := len(cur.data)
		if b.fresh == 0 || d < b.fresh {
			b.fresh = d
		}
		owed := b.owed + d - b.fresh
		jump := d > jumpFresh*b.fresh && d*jumpDen > b.size*jumpNum
		if !jump && owed < b.size-b.fresh {
			b.owed = owed
			break
		}
		up, above, err := p.climb(ctx, i)
		if err != nil {
			return nil, 0, err
		}
		if owed < len(up.data)-d {
			b.owed = owed
			break
		}
		cur, i = up, above
	}
	return cur, i + 1, nil
}

// climb tries the nearest usable node above path[i], or a new root when there is none; then the index is -1.
func (p *placing) climb(ctx context.Context, i int) (*trial, int, error) {
	for i--; i >= 0; i-- {
		t, err := p.on(ctx, p.state.path[i].ref, p.state.path[i].depth)
		if err != nil || t.data != nil {
			return t, i, err
		}
	}
	t, err := p.root(ctx)
	return t, -1, err
}

// root tries a full frame and the roots of the host.
func (p *placing) root(ctx context.Context) (*trial, error) {
	if p.quick() && p.host.n > 0 {
		// A frame this small would hardly be beaten by far, so the full one is not tried.
		t, err := p.on(ctx, p.host.roots[0], 0)
		if err != nil || t.data != nil && len(t.data)*quickDen <= len(p.body.Raw)*quickNum {
			return t, err
		}
	}
	best, err := p.full()
	if err != nil {
		return nil, err
	}
	limit := len(best.data) * hostNum / hostDen
	roots := p.host.roots[:p.host.n]
	if p.quick() {
		roots = roots[:min(len(roots), 1)]
	}
	for _, ref := range roots {
		t, err := p.on(ctx, ref, 0)
		if err != nil {
			return nil, err
		}
		if t.data != nil && len(t.data) <= limit && len(t.data) < len(best.data) {
			best = t
		}
	}
	return best, nil
}

// quick reports whether time counts for more than size: of a page's first body only.
func (p *placing) quick() bool { return p.body.Quick && p.state.n == 0 }

func (p *placing) full() (*trial, error) {
	data, err := p.codec.compress(p.body.Raw, nil, fast)
	return &trial{data: data}, err
}

// on tries one base, each only once: a page's own root may be its host's too.
func (p *placing) on(ctx context.Context, ref Ref, depth int) (*trial, error) {
	for _, t := range p.trials {
		if t.base == ref {
			return t, nil
		}
	}
	t := &trial{base: ref, depth: depth + 1}
	p.trials = append(p.trials, t)
	if ref == p.body.Ref {
		return t, nil
	}
	raw, err := p.load(ctx, ref)
	if errors.Is(err, ErrNotFound) || errors.Is(err, ErrDamaged) {
		return t, nil
	}
	if err != nil {
		return nil, fmt.Errorf("load base %v: %w", ref, err)
	}
	if len(raw) < minBase || len(raw) > MaxSize {
		return t, nil
	}
	t.dict = raw
	t.data, err = p.codec.compress(p.body.Raw, raw, fast)
	return t, err
}

// frame makes the frame to be stored from a trial and proves that it can be read back.
func (p *placing) frame(t *trial) (Frame, error) {
	f := Frame{Ref: p.body.Ref, Base: t.base, Depth: t.depth, RawSize: len(p.body.Raw), Data: t.data}
	if len(f.Data) > min(max(len(p.body.Raw)/fineShare, fineMin), fineMax) && !p.quick() {
		data, err := p.codec.compress(p.body.Raw, t.dict, fine)
		if err != nil {
			return Frame{}, err
		}
		if len(data) < len(f.Data) {
			f.Data = data
		}
	}
	// The bytes exist nowhere else once the page has moved on, so a fault of the compressor must show now.
	raw, err := p.codec.decode(f, t.dict)
	if err != nil {
		return Frame{}, fmt.Errorf("read back: %w", err)
	}
	if !bytes.Equal(raw, p.body.Raw) {
		return Frame{}, errors.New("read back: other bytes")
	}
	return f, nil
}
