package curve

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/strandlinehq/strandline/monitor/dice"
)

func set(words ...string) dice.WordSet {
	var b dice.Builder
	for _, w := range words {
		b.Add([]byte(w))
	}
	return b.Set()
}

func TestOf(t *testing.T) {
	t.Parallel()
	a, b, c := set("a", "b"), set("b", "c"), set("x", "y", "z")
	empty := dice.WordSet{}
	tests := []struct {
		name     string
		versions []dice.WordSet
		starts   []int
		want     Curve
	}{
		{"none", nil, nil, Curve{Full: -1}},
		{"no start", []dice.WordSet{a, b}, nil, Curve{Full: -1}},
		{"one version", []dice.WordSet{a}, []int{0}, Curve{[]float64{1}, []int{1}, 0}},
		{"one start", []dice.WordSet{a, b, c}, []int{0}, Curve{[]float64{1, .5, 0}, []int{1, 1, 1}, 2}},
		{"two starts", []dice.WordSet{a, b, c, b}, []int{1, 0}, Curve{[]float64{1, .25, .5, .5}, []int{2, 2, 2, 1}, 2}},
		{"a gap", []dice.WordSet{a, nil, a, b}, []int{0}, Curve{[]float64{1, 0, 1, .5}, []int{1, 0, 1, 1}, 3}},
		{"half a gap", []dice.WordSet{a, b, nil, a}, []int{0, 1}, Curve{[]float64{1, .5, .5, 1}, []int{2, 1, 1, 1}, 2}},
		{"unusable starts", []dice.WordSet{a, nil, b}, []int{-1, 0, 1, 9, 0}, Curve{[]float64{1, 0, .5}, []int{1, 0, 1}, 2}},
		{"no words", []dice.WordSet{empty, empty, a}, []int{0}, Curve{[]float64{1, 1, 0}, []int{1, 1, 1}, 2}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, Of(tt.versions, tt.starts)); diff != "" {
			t.Errorf("%s: Of differs (-want +got):\n%s", tt.name, diff)
		}
	}
	if _, ok := Of([]dice.WordSet{a, nil, b}, []int{0}).At(1); ok {
		t.Error("a gap has a value")
	}
	x, y := Of([]dice.WordSet{a, nil, b}, []int{0}).Points()
	if diff := cmp.Diff([][]float64{{0, 2}, {1, .5}}, [][]float64{x, y}); diff != "" {
		t.Errorf("Points differs (-want +got):\n%s", diff)
	}
}

func until(n int) []int {
	var out []int
	for i := range n {
		out = append(out, i)
	}
	return out
}

func TestStarts(t *testing.T) {
	t.Parallel()
	// A full window: all five in the first week, distinct, and the same again.
	early := 0
	for i := range 200 {
		url := fmt.Sprintf("http://example.org/%d", i)
		s := Starts(url, until(840), Options{})
		if len(s) != 5 || !slices.IsSorted(s) || len(slices.Compact(slices.Clone(s))) != 5 || s[4] >= 168 {
			t.Fatalf("Starts(%s) = %v", url, s)
		}
		if diff := cmp.Diff(s, Starts(url, until(840), Options{})); diff != "" {
			t.Fatalf("Starts(%s) is not stable: %s", url, diff)
		}
	}
	// One version in the first week, m later ones that may be drawn, two draws:
	// the first takes the early one in 4 of 4+m cases, the second in 4 of 3+m.
	slots := []int{0}
	for i := 200; i < 1000; i += 10 {
		slots = append(slots, i)
	}
	m := 0.
	for _, s := range slots[1:] {
		if 2*s <= slots[len(slots)-1] {
			m++
		}
	}
	const pages = 4000
	for i := range pages {
		for _, s := range Starts(fmt.Sprint(i), slots, Options{Starts: 2}) {
			if s < 168 {
				early++
			}
			if 2*s > 990 {
				t.Fatalf("start %d has less than half of the window after it", s)
			}
		}
	}
	near(t, "share of the first week", float64(early)/pages, 4/(4+m)+m/(4+m)*4/(3+m), .02)
	if got := Starts("x", []int{7}, Options{}); !slices.Equal(got, []int{7}) {
		t.Errorf("Starts of one slot = %v", got)
	}
	if got := Starts("x", nil, Options{}); got != nil {
		t.Errorf("Starts of no slot = %v", got)
	}
}

// history is a page that loses words, with missing slots and repeated versions.
func history(rng *rand.Rand, n, words int, missing, repeat float64) []dice.WordSet {
	out := make([]dice.WordSet, n)
	now := make([]uint64, words)
	for i := range now {
		now[i] = rng.Uint64()
	}
	var last dice.WordSet
	for i := range out {
		if rng.Float64() < missing {
			continue
		}
		if last == nil || rng.Float64() >= repeat {
			for range 1 + words/20 {
				if words > 0 {
					now[rng.IntN(words)] = rng.Uint64()
				}
			}
			var b dice.Builder
			for _, w := range now {
				b.AddHash(w)
			}
			last = b.Set()
		}
		out[i] = last
	}
	return out
}

func followedSlots(a *Accumulator) (out []int) {
	for i := range a.follow {
		out = append(out, a.follow[i].slot)
	}
	return out
}

func same(a, b dice.WordSet) bool { return a != nil && b != nil && slices.Equal(a, b) }

// TestAccumulator checks after every slot that the accumulator, stored and read
// back at random, has the curve that the batch computation gives.
func TestAccumulator(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "slots")
		opt := Options{Starts: rapid.IntRange(1, 5).Draw(t, "starts"), Week: rapid.IntRange(1, 40).Draw(t, "week")}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		offset := rapid.IntRange(-1000, 1000).Draw(t, "offset")
		versions := history(rng, n, rapid.IntRange(0, 30).Draw(t, "words"), rng.Float64()*.7, rng.Float64())
		url := fmt.Sprint(rng.Uint64())
		acc := NewAccumulator(url, opt)
		first := -1
		var slots []int
		var last dice.WordSet
		for i, v := range versions {
			if v == nil {
				continue
			}
			if first < 0 {
				first = i
			}
			slots = append(slots, i-first)
			if rng.IntN(3) == 0 {
				acc = stored(t, acc, versions, offset)
			}
			before := followedSlots(acc)
			err := ErrSets
			if same(v, last) && rng.IntN(2) == 0 {
				if err = acc.Repeat(offset + i); err != nil && !errors.Is(err, ErrSets) {
					t.Fatal(err)
				}
			}
			if err != nil {
				if err := acc.Add(offset+i, v); err != nil {
					t.Fatal(err)
				}
			}
			last = v
			if !acc.Moved() && !slices.Equal(before, followedSlots(acc)) {
				t.Fatalf("slot %d: %v became %v unnoticed", i, before, followedSlots(acc))
			}
			starts := Starts(url, slots, opt)
			shifted := acc.Starts()
			for k := range shifted {
				shifted[k] -= offset + first
			}
			if diff := cmp.Diff(starts, shifted); diff != "" {
				t.Fatalf("slot %d: starts differ (-batch +accumulator):\n%s", i, diff)
			}
			if diff := cmp.Diff(Of(versions[first:i+1], starts), acc.Curve()); diff != "" {
				t.Fatalf("slot %d: curve differs (-batch +accumulator):\n%s", i, diff)
			}
		}
		if err := acc.Add(offset-2, nil); first >= 0 && !errors.Is(err, ErrOrder) {
			t.Fatalf("Add of an old slot: %v, want ErrOrder", err)
		}
	})
}

// stored writes and reads an accumulator, its sets by either way.
func stored(t *rapid.T, a *Accumulator, versions []dice.WordSet, offset int) *Accumulator {
	state, err := a.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	sets := a.MarshalSets(1 << 20)
	var out Accumulator
	if err := out.UnmarshalBinary(state); err != nil {
		t.Fatal(err)
	}
	if len(state)%2 == 0 && sets != nil {
		if err := out.UnmarshalSets(sets); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range out.Needs() {
		if err := out.Add(s+1<<20, nil); !errors.Is(err, ErrSets) && err == nil {
			t.Fatal("Add worked without sets")
		}
		if !out.Supply(s, versions[s-offset]) {
			t.Fatalf("slot %d is not wanted", s)
		}
	}
	again, err := out.MarshalBinary()
	if err != nil || !slices.Equal(state, again) || !slices.Equal(sets, out.MarshalSets(1<<20)) {
		t.Fatalf("state changed by storing it: %x, %x, %v", state, again, err)
	}
	return &out
}

func FuzzUnmarshal(f *testing.F) {
	rng := rand.New(rand.NewPCG(9, 9))
	for _, n := range []int{0, 1, 30, 90} {
		a := NewAccumulator("http://example.org/", Options{Week: 20})
		for i, v := range history(rng, n, 10, .2, .3) {
			if v != nil {
				if err := a.Add(i, v); err != nil {
					f.Fatal(err)
				}
			}
		}
		state, _ := a.MarshalBinary()
		f.Add(state, a.MarshalSets(1<<20))
	}
	f.Fuzz(func(t *testing.T, state, sets []byte) {
		var a Accumulator
		if a.UnmarshalBinary(state) != nil {
			return
		}
		c := a.Curve()
		for i := range c.Value {
			if v, ok := c.At(i); ok && !(v >= 0 && v <= 1) {
				t.Fatalf("c(%d) = %v", i, v)
			}
		}
		next := 0
		if a.started {
			next = a.last() + 1
		}
		if a.UnmarshalSets(sets) == nil {
			_ = a.Repeat(next)
			_ = a.Add(next+1, dice.WordSet{1, 2, 3})
			if _, err := a.MarshalBinary(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestStateSize holds the state of a page that changes every hour for five
// weeks to its share of what is stored for a page.
func TestStateSize(t *testing.T) {
	t.Parallel()
	a := NewAccumulator("http://example.org/", Options{})
	most := 0
	for i, v := range history(rand.New(rand.NewPCG(2, 2)), 840, 1500, .02, 0) {
		if v != nil {
			if err := a.Add(i, v); err != nil {
				t.Fatal(err)
			}
			most = max(most, len(a.follow))
		}
	}
	state, err := a.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	sets := a.MarshalSets(1 << 20)
	t.Logf("state %d bytes, sets %d bytes, at most %d slots followed", len(state), len(sets), most)
	if len(state) > 10<<10 || len(a.follow) != 5 {
		t.Errorf("state of %d bytes with %d followed slots, want at most 10 KiB and 5", len(state), len(a.follow))
	}
	if a.MarshalSets(len(sets)-1) != nil {
		t.Error("MarshalSets exceeds its limit")
	}
}

func BenchmarkAdd(b *testing.B) {
	versions := history(rand.New(rand.NewPCG(2, 2)), 841, 1500, 0, 0)
	a := NewAccumulator("http://example.org/", Options{})
	for i, v := range versions[:840] {
		if err := a.Add(i, v); err != nil {
			b.Fatal(err)
		}
	}
	state, _ := a.MarshalBinary()
	sets := a.MarshalSets(1 << 20)
	b.Run("add", func(b *testing.B) {
		b.ReportAllocs()
		i := 840
		for b.Loop() {
			if i-a.first == MaxSlots-1 {
				b.Fatal("window is full")
			}
			if err := a.Add(i, versions[840]); err != nil {
				b.Fatal(err)
			}
			i++
		}
	})
	b.Run("read,add,write", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var a Accumulator
			if err := errors.Join(a.UnmarshalBinary(state), a.UnmarshalSets(sets), a.Add(840, versions[840])); err != nil {
				b.Fatal(err)
			}
			if _, err := a.MarshalBinary(); err != nil {
				b.Fatal(err)
			}
			a.MarshalSets(1 << 20)
		}
	})
	b.Run("curve,shape", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			a.Curve().Shape()
		}
	})
}
