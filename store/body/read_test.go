package body_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/strandlinehq/strandline/store/body"
)

// chain gives a shelf with a body of depth 3 and its frames from the full one up.
func chain(t *testing.T) (*shelf, [body.MaxDepth + 1]body.Ref) {
	t.Helper()
	s := newShelf(t, body.New(body.Options{}))
	page := newSite(1, 1, 6_000)
	var refs [body.MaxDepth + 1]body.Ref
	for i := range refs {
		page.hour()
		f := s.put(1, page.page())
		if f.Depth != i {
			t.Fatalf("version %d has depth %d", i, f.Depth)
		}
		refs[i] = f.Ref
	}
	return s, refs
}

// TestDamage damages each frame of a chain in every way a store can and expects Read and ReadMany to
// name the frame at fault.
func TestDamage(t *testing.T) {
	t.Parallel()
	whole, refs := chain(t)
	top := refs[body.MaxDepth]
	stray := whole.put(2, newSite(5, 5, 6_000).page())
	for _, tt := range []struct {
		name   string
		damage func(*body.Frame)
		from   int // shallowest depth the damage applies to
	}{
		{"truncated", func(f *body.Frame) { f.Data = f.Data[:len(f.Data)-1] }, 0},
		{"empty", func(f *body.Frame) { f.Data = nil }, 0},
		{"half", func(f *body.Frame) { f.Data = f.Data[:len(f.Data)/2] }, 0},
		{"frame twice", func(f *body.Frame) { f.Data = slices.Concat(f.Data, f.Data) }, 0},
		{"other body's data", func(f *body.Frame) { f.Data, f.RawSize = stray.Data, stray.RawSize }, 0},
		{"short raw size", func(f *body.Frame) { f.RawSize-- }, 0},
		{"long raw size", func(f *body.Frame) { f.RawSize++ }, 0},
		{"huge raw size", func(f *body.Frame) { f.RawSize = 1 << 40 }, 0},
		{"negative raw size", func(f *body.Frame) { f.RawSize = -1 }, 0},
		{"huge depth", func(f *body.Frame) { f.Depth = 200 }, 0},
		{"negative depth", func(f *body.Frame) { f.Depth = -1 }, 0},
		{"other name", func(f *body.Frame) { f.Ref = stray.Ref }, 0},
		{"own base", func(f *body.Frame) { f.Base = f.Ref }, 0},
		{"depth lost", func(f *body.Frame) { f.Depth = 0 }, 1},
		{"base lost", func(f *body.Frame) { f.Base, f.Depth = body.Ref{}, 0 }, 1},
		{"base not stored", func(f *body.Frame) { f.Base.Page = 77 }, 1},
	} {
		for depth := tt.from; depth <= body.MaxDepth; depth++ {
			s := whole.clone()
			f := s.frames[refs[depth]]
			tt.damage(&f)
			s.frames[refs[depth]] = f
			raw, err := s.codec.Read(t.Context(), s.get, top)
			s.blames(fmt.Sprintf("%s at %d: Read", tt.name, depth), raw, err, refs[depth])
			_ = s.codec.ReadMany(t.Context(), s.getAll, []body.Ref{stray.Ref, top}, func(ref body.Ref, raw []byte, err error) error {
				if ref == top {
					s.blames(fmt.Sprintf("%s at %d: ReadMany", tt.name, depth), raw, err, refs[depth])
				} else if err != nil {
					t.Errorf("%s at %d: ReadMany of a whole body: %v", tt.name, depth, err)
				}
				return nil
			})
		}
	}
}

func (s *shelf) blames(what string, raw []byte, err error, want body.Ref) {
	s.t.Helper()
	var damage *body.DamageError
	if raw != nil || !errors.Is(err, body.ErrDamaged) || !errors.As(err, &damage) || damage.Ref != want {
		s.t.Errorf("%s: %d bytes, error %v; want the blame on %v", what, len(raw), err, want)
	}
}

// TestFlippedBits changes every byte of the frames of a chain in turn: no read may give wrong bytes, and
// a failed one must name the frame that was changed.
func TestFlippedBits(t *testing.T) {
	t.Parallel()
	whole, refs := chain(t)
	top := refs[body.MaxDepth]
	caught := 0
	for _, ref := range refs {
		for i := range whole.frames[ref].Data {
			if i > 400 && i%7 != 0 {
				continue
			}
			s := whole.clone()
			f := s.frames[ref]
			f.Data = slices.Clone(f.Data)
			f.Data[i] ^= 1 << (i % 8)
			s.frames[ref] = f
			raw, err := s.codec.Read(t.Context(), s.get, top)
			if err == nil {
				// A bit of the frame that means nothing, such as one of an unused header field.
				if !bytes.Equal(raw, s.raw[top]) {
					t.Fatalf("byte %d of %v flipped: wrong bytes returned as good", i, ref)
				}
				continue
			}
			s.blames(fmt.Sprintf("byte %d of %v flipped", i, ref), raw, err, ref)
			caught++
		}
	}
	if caught < 500 {
		t.Errorf("only %d flipped bits noticed", caught)
	}
}

// TestLoop gives frames that point at each other: depth ends the walk after four.
func TestLoop(t *testing.T) {
	t.Parallel()
	codec := body.New(body.Options{})
	a, b := body.Ref{Page: 1}, body.Ref{Page: 2}
	gets := 0
	get := func(_ context.Context, ref body.Ref) (body.Frame, error) {
		if gets++; gets > 10 {
			return body.Frame{}, errors.New("still walking")
		}
		base := a
		if ref == a {
			base = b
		}
		return body.Frame{Ref: ref, Base: base, Depth: 2, RawSize: 10}, nil
	}
	if _, err := codec.Read(t.Context(), get, a); !errors.Is(err, body.ErrDamaged) || gets > 4 {
		t.Errorf("Read in a loop: %d gets, error %v", gets, err)
	}
}

// TestMissing tells a body that is not stored from a chain that is broken, and both from a failing store.
func TestMissing(t *testing.T) {
	t.Parallel()
	s, refs := chain(t)
	if _, err := s.codec.Read(t.Context(), s.get, body.Ref{Page: 9}); !errors.Is(err, body.ErrNotFound) || errors.Is(err, body.ErrDamaged) {
		t.Errorf("Read of an unknown body: %v", err)
	}
	delete(s.frames, refs[1])
	if raw, err := s.codec.Read(t.Context(), s.get, refs[3]); !errors.Is(err, body.ErrNotFound) {
		t.Errorf("Read without a base: %v", err)
	} else {
		s.blames("Read without a base", raw, err, refs[2])
	}
	down := errors.New("connection lost")
	if _, err := s.codec.Read(t.Context(), func(context.Context, body.Ref) (body.Frame, error) { return body.Frame{}, down }, refs[0]); !errors.Is(err, down) {
		t.Errorf("Read from a failing store: %v", err)
	}
	err := s.codec.ReadMany(t.Context(), func(context.Context, []body.Ref) (map[body.Ref]body.Frame, error) { return nil, down }, refs[:], nil)
	if !errors.Is(err, down) {
		t.Errorf("ReadMany from a failing store: %v", err)
	}
	err = s.codec.ReadMany(t.Context(), s.getAll, refs[:], func(body.Ref, []byte, error) error { return down })
	if !errors.Is(err, down) {
		t.Errorf("ReadMany with a failing function: %v", err)
	}
}

// TestReadManyShares counts what ReadMany asks for: each frame once, however many bodies stand on it.
func TestReadManyShares(t *testing.T) {
	t.Parallel()
	s := newShelf(t, body.New(body.Options{}))
	page := newSite(1, 1, 6_000)
	for range 100 {
		page.hour()
		s.put(1, page.page())
	}
	calls, frames := 0, 0
	err := s.codec.ReadMany(t.Context(), func(ctx context.Context, refs []body.Ref) (map[body.Ref]body.Frame, error) {
		calls, frames = calls+1, frames+len(refs)
		return s.getAll(ctx, refs)
	}, s.order, func(_ body.Ref, _ []byte, err error) error { return err })
	if err != nil || frames > 100 || calls > 10 {
		t.Errorf("100 bodies took %d calls for %d frames, error %v; want 10 and 100 at most", calls, frames, err)
	}
}

// TestBomb decodes a small frame of 64 MB of zeros that declares 100 bytes, without making room for more.
// It is not parallel: what other tests allocate would be counted too.
func TestBomb(t *testing.T) {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	bomb := w.EncodeAll(make([]byte, 64<<20), nil)
	var stream bytes.Buffer // the same without its size in the head
	w.Reset(&stream)
	_, _ = w.Write(make([]byte, 64<<20))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	codec := body.New(body.Options{})
	for name, data := range map[string][]byte{"sized": bomb, "stream": stream.Bytes()} {
		f := body.Frame{Ref: body.Ref{Hash: sha256.Sum256(make([]byte, 100))}, RawSize: 100, Data: data}
		const runs = 10
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range runs {
			if _, err := codec.Decode(f, nil); !errors.Is(err, body.ErrDamaged) {
				t.Errorf("%s: error %v", name, err)
			}
		}
		runtime.ReadMemStats(&after)
		if grown := (after.TotalAlloc - before.TotalAlloc) / runs; grown > 2<<20 {
			t.Errorf("%s: decoding a bomb allocates %d bytes", name, grown)
		}
	}
}

// FuzzDecode feeds arbitrary frames to Decode, which must give the bytes of the hash or an error.
func FuzzDecode(f *testing.F) {
	s := newShelf(f, body.New(body.Options{Workers: 1}))
	page := newSite(1, 1, 2_000)
	root := page.page()
	full := s.put(1, root)
	page.hour()
	leaf := s.put(1, page.page())
	f.Add(full.Data, full.RawSize, 0)
	f.Add(leaf.Data, leaf.RawSize, 1)
	f.Add([]byte{}, 0, 0)
	f.Add(leaf.Data[:20], 1<<20, 3)
	f.Fuzz(func(t *testing.T, data []byte, size, depth int) {
		for _, want := range []body.Frame{full, leaf} {
			frame := body.Frame{Ref: want.Ref, Depth: depth, RawSize: size, Data: data}
			if depth != 0 {
				frame.Base = full.Ref
				frame.Ref.Page = 2
			}
			raw, err := s.codec.Decode(frame, root)
			if err == nil && sha256.Sum256(raw) != want.Ref.Hash {
				t.Fatal("wrong bytes returned as good")
			}
			if err != nil && !errors.Is(err, body.ErrDamaged) {
				t.Fatalf("error %v is no damage", err)
			}
		}
	})
}
