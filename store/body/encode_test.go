package body_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/strandlinehq/strandline/store/body"
)

// TestHistories draws histories of a few pages (edits of any size and place, returns to an older state,
// copies of another page, empty and tiny bodies, lost bases) and expects every body back.
func TestHistories(t *testing.T) {
	t.Parallel()
	codec := body.New(body.Options{Workers: 2})
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64().Draw(rt, "seed")
		rng := rand.New(rand.NewPCG(seed, 7))
		s := newShelf(t, codec)
		size := rapid.SampledFrom([]int{0, 1, 63, 64, 65, 700, 5_000, 70_000}).Draw(rt, "size")
		current := make([][]byte, 3)
		for range rapid.IntRange(1, 40).Draw(rt, "versions") {
			page := rng.IntN(len(current))
			b := slices.Clone(current[page])
			switch rng.IntN(12) {
			case 0:
				b = make([]byte, rng.IntN(size+1))
				for i := range b {
					b[i] = byte(rng.Uint32())
				}
			case 1:
				b = slices.Clone(current[rng.IntN(len(current))])
			case 2:
				if len(s.order) > 0 {
					b = slices.Clone(s.raw[s.order[rng.IntN(len(s.order))]])
				}
			case 3:
				b = newSite(rng.Uint64(), 1, size).page()
			case 4:
				b = b[:rng.IntN(len(b)+1)]
			case 5:
				b = append(b, b[rng.IntN(len(b)+1):]...)
			default:
				at := rng.IntN(len(b) + 1)
				b = slices.Concat(b[:at], fmt.Appendf(nil, "<p>%d</p>", rng.Uint64()), b[min(len(b), at+rng.IntN(40)):])
			}
			current[page] = b
			f := s.put(int64(page), b)
			if rng.IntN(20) == 0 {
				// A base vanishes with what stands on it: later bodies must do without.
				s.drop(f.Ref)
			}
		}
		s.check()
	})
}

// drop removes a body and all that stand on it.
func (s *shelf) drop(ref body.Ref) {
	delete(s.frames, ref)
	delete(s.raw, ref)
	s.order = slices.DeleteFunc(s.order, func(r body.Ref) bool { return r == ref })
	for r, f := range s.frames {
		if f.Depth > 0 && f.Base == ref {
			s.drop(r)
		}
	}
}

// TestHourly holds the figures promised for a page of 48 KB that changes a little every hour.
func TestHourly(t *testing.T) {
	t.Parallel()
	s := newShelf(t, body.New(body.Options{}))
	page := newSite(1, 1, 48_000)
	s.put(1, page.page())
	const hours = 300
	sum := 0
	for range hours {
		page.hour()
		sum += len(s.put(1, page.page()).Data)
	}
	if mean := sum / hours; mean > 1000 {
		t.Errorf("a changed version takes %d bytes, want 1000 at most", mean)
	} else {
		t.Logf("%d bytes a version", mean)
	}
	s.check()
}

// TestTemplate expects the first body of a page to lean on another page of the host.
func TestTemplate(t *testing.T) {
	t.Parallel()
	s := newShelf(t, body.New(body.Options{}))
	for i := range int64(20) {
		page := newSite(uint64(i), 1, 20_000)
		page.sentences = page.sentences[:10+i]
		f := s.put(i, page.page())
		if i > 0 && (f.Depth != 1 || f.Base.Page == i) {
			t.Errorf("page %d stored at depth %d on page %d", i, f.Depth, f.Base.Page)
		}
	}
	f := s.put(100, newSite(9, 9, 20_000).page())
	if f.Depth != 0 {
		t.Errorf("a page without common text stored on another")
	}
	s.check()
}

// TestReturn alternates between a page and an error page: after both have been seen, neither costs much.
func TestReturn(t *testing.T) {
	t.Parallel()
	s := newShelf(t, body.New(body.Options{}))
	good, bad := newSite(1, 1, 30_000), newSite(2, 2, 10_000)
	sum := 0
	for i := range 40 {
		page := good
		if i%4 == 3 {
			page = bad
		}
		page.hour()
		f := s.put(1, page.page())
		if i >= 8 {
			sum += len(f.Data)
		}
	}
	if mean := sum / 32; mean > 1500 {
		t.Errorf("%d bytes a version while alternating, want 1500 at most", mean)
	}
	s.check()
}

// TestSameFrames expects the same frames from a used and a fresh codec, and from states that went
// through their stored form: what is stored depends on the order of bodies alone.
func TestSameFrames(t *testing.T) {
	t.Parallel()
	shared := body.New(body.Options{Workers: 1})
	one := newShelf(t, shared)
	two := newShelf(t, nil)
	noise := newShelf(t, shared)
	page, other := newSite(1, 1, 9_000), newSite(2, 2, 40_000)
	for range 60 {
		page.hour()
		raw := page.page()
		noise.put(1, other.page())
		two.codec = body.New(body.Options{Workers: 1})
		if diff := cmp.Diff(one.put(1, raw), two.put(1, raw)); diff != "" {
			t.Fatalf("frames differ:\n%s", diff)
		}
		state, want := two.pages[1], two.pages[1]
		form, _ := state.MarshalBinary()
		var back body.State
		if err := back.UnmarshalBinary(form); err != nil {
			t.Fatal(err)
		}
		if back != want {
			t.Fatalf("state after its stored form: %+v, want %+v", back, want)
		}
		two.pages[1] = back
	}
}

// TestLarge stores bodies that exceed the pooled window, alone and on each other, and refuses more.
func TestLarge(t *testing.T) {
	t.Parallel()
	s := newShelf(t, body.New(body.Options{}))
	raw := bytes.Repeat([]byte(newSite(1, 1, 50_000).page()), 220)[:10<<20]
	first := s.put(1, raw)
	raw = slices.Concat([]byte("<!-- moved by an odd number of bytes -->"), raw[:len(raw)-40])
	second := s.put(1, raw)
	if first.Depth != 0 || second.Depth != 1 || len(second.Data) > len(first.Data)/2 {
		t.Errorf("depths %d %d, sizes %d %d", first.Depth, second.Depth, len(first.Data), len(second.Data))
	}
	noise := make([]byte, 2<<20)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	s.put(2, noise)
	moved := slices.Clone(noise[1:])
	moved[1000]++
	if f := s.put(2, moved); len(f.Data) > 1000 {
		t.Errorf("noise on noise takes %d bytes", len(f.Data))
	}
	s.check()
	var state body.State
	_, err := s.codec.Encode(t.Context(), body.Body{Raw: make([]byte, body.MaxSize+1)}, &state, nil, s.load)
	if !errors.Is(err, body.ErrTooLarge) {
		t.Errorf("too large a body: error %v", err)
	}
}

// TestLoadErrors: a lost base is passed over, any other error leaves the states as they were.
func TestLoadErrors(t *testing.T) {
	t.Parallel()
	s := newShelf(t, body.New(body.Options{}))
	page := newSite(1, 1, 5_000)
	for range 5 {
		page.hour()
		s.put(1, page.page())
	}
	raw := page.page()
	in := body.Body{Ref: body.Ref{Page: 1, Hash: sha256.Sum256(raw)}, Raw: raw}
	fault := errors.New("connection lost")
	for _, tt := range []struct {
		name  string
		load  error
		depth int
		want  error
	}{
		{"gone", fmt.Errorf("query: %w", body.ErrNotFound), 0, nil},
		{"damaged", &body.DamageError{Err: errors.New("bad")}, 0, nil},
		{"down", fault, 0, fault},
	} {
		state, host := s.pages[1], s.host
		f, err := s.codec.Encode(t.Context(), in, &state, &host, func(context.Context, body.Ref) ([]byte, error) { return nil, tt.load })
		if !errors.Is(err, tt.want) || f.Depth != tt.depth {
			t.Errorf("%s: depth %d, error %v; want %d, %v", tt.name, f.Depth, err, tt.depth, tt.want)
		}
		if changed := state != s.pages[1] || host != s.host; changed != (tt.want == nil) {
			t.Errorf("%s: states changed: %v", tt.name, changed)
		}
	}
}

// TestParallel uses one codec from many goroutines with fewer workers.
func TestParallel(t *testing.T) {
	t.Parallel()
	codec := body.New(body.Options{Workers: 2})
	var wg sync.WaitGroup
	for g := range uint64(6) {
		wg.Go(func() {
			s := newShelf(t, codec)
			page := newSite(g, 1, 3_000)
			for range 20 {
				page.hour()
				s.put(1, page.page())
			}
			s.check()
		})
	}
	wg.Wait()
}
