package terms

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/monitor/dice"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func eachOf(counts map[string]int) func(func([]byte, uint64, int)) {
	return func(f func([]byte, uint64, int)) {
		for w, n := range counts { // in any order, which must not matter
			f([]byte(w), hashOf(w), n)
		}
	}
}

// slowRows computes the rows of the kept terms from all versions.
func slowRows(versions []map[string]int, first, level int) []Row {
	share := meanShare(versions)
	var out []Row
	for _, l := range Lifespans(versions) {
		if hashOf(l.Term)&(1<<level-1) != 0 {
			continue
		}
		s := ""
		for _, v := range versions {
			switch {
			case v == nil:
				s += "-"
			case v[l.Term] > 0:
				s += "1"
			default:
				s += "0"
			}
		}
		r := Row{Lifespan: l, PDoc: share[l.Term]}
		r.Power, r.HasPower = slowPower(s)
		for i := range r.Spans {
			r.Spans[i].From += first
			r.Spans[i].To += first
		}
		out = append(out, r)
	}
	return out
}

func TestState(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		counts := rapid.MapOf(rapid.StringMatching("[a-f]{1,2}"), rapid.IntRange(1, 3))
		n := rapid.IntRange(1, 25).Draw(t, "slots")
		first := rapid.IntRange(-500, 500).Draw(t, "first")
		limit := rapid.SampledFrom([]int{0, 120, 300}).Draw(t, "limit")
		stays, stored := NewState(limit), NewState(limit)
		var versions []map[string]int
		var last map[string]int
		for i := range n {
			var v map[string]int
			kind := rapid.IntRange(0, 4).Draw(t, "kind")
			switch {
			case kind == 0 && i > 0:
			case kind == 1 && i > 0:
				v = last
				for _, s := range []*State{stays, stored} {
					if err := s.Repeat(first + i); err != nil {
						t.Fatal(err)
					}
				}
			default:
				v = counts.Draw(t, "counts")
				for _, s := range []*State{stays, stored} {
					if err := s.Add(first+i, eachOf(v)); err != nil {
						t.Fatal(err)
					}
				}
				last = v
			}
			versions = append(versions, v)
			b, err := stored.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			stored = new(State)
			if err := stored.UnmarshalBinary(b); err != nil {
				t.Fatal(err)
			}
			if again, _ := stays.MarshalBinary(); !slices.Equal(b, again) {
				t.Fatalf("slot %d: the state depends on when it was stored:\n%x\n%x", i, b, again)
			}
			if diff := cmp.Diff(slowRows(versions, first, stored.level), stored.Rows(), approx, cmp.Transformer("empty", func(r []Row) []Row { return append([]Row{}, r...) })); diff != "" {
				t.Fatalf("slot %d: Rows differs (-slow +state):\n%s", i, diff)
			}
			var spans []Lifespan
			for _, r := range stored.Rows() {
				spans = append(spans, r.Lifespan)
			}
			if diff := cmp.Diff(spans, append([]Lifespan(nil), stored.Lifespans()...)); diff != "" {
				t.Fatalf("slot %d: Lifespans differs (-rows +lifespans):\n%s", i, diff)
			}
			if len(b) > stored.limit+40 {
				t.Fatalf("state of %d bytes, limit %d", len(b), stored.limit)
			}
		}
		for i, v := range versions {
			set, ok := stored.Set(first + i)
			if ok != (v != nil && stored.level == 0) || ok && len(set) != len(v) {
				t.Fatalf("Set(%d) = %v, %v, want that of %v", first+i, set, ok, v)
			}
			for w := range v {
				if _, found := slices.BinarySearch(set, hashOf(w)); ok && !found {
					t.Fatalf("Set(%d) lacks %q", first+i, w)
				}
			}
		}
		if err := stored.Add(first, eachOf(nil)); !errors.Is(err, ErrOrder) {
			t.Fatalf("Add of an old slot: %v, want ErrOrder", err)
		}
	})
}

func TestStateLimits(t *testing.T) {
	t.Parallel()
	s := NewState(0)
	if err := s.Repeat(0); !errors.Is(err, ErrOrder) {
		t.Errorf("Repeat of nothing: %v", err)
	}
	if rows := s.Rows(); len(rows) != 0 {
		t.Errorf("Rows of nothing = %v", rows)
	}
	many := map[string]int{}
	for i := range 100_000 {
		many[fmt.Sprintf("w%dx", i)] = 1
	}
	if err := s.Add(0, eachOf(many)); err != nil {
		t.Fatal(err)
	}
	if err := s.Add(MaxSlots, eachOf(many)); err == nil {
		t.Error("a clock that jumped far is accepted")
	}
	b, _ := s.MarshalBinary()
	kept := float64(len(s.Rows()))
	if est := kept / s.Sampled(); len(b) > DefaultLimit || math.Abs(est-1e5) > 5e3 {
		t.Errorf("%d bytes for %v terms sampled at %v: estimate %v of 100,000", len(b), kept, s.Sampled(), est)
	}
	for _, r := range s.Rows() {
		if math.Abs(r.PDoc-1e-5) > 1e-11 || r.HasPower {
			t.Fatalf("row %+v", r)
		}
	}
}

// news is a page like those of the corpus: lasting words, articles that stay
// some versions, and counters.
func news(rng *rand.Rand, n int) []map[string]int {
	word := func(i int) string {
		return fmt.Sprintf("%c%s%d", 'a'+i%26, []string{"ing", "ter", "sch", "on"}[i%4], i)
	}
	var out []map[string]int
	next := 1000
	var articles [][]int
	for i := range n {
		v := map[string]int{}
		for w := range 500 {
			v[word(w)] = 1 + w%5
		}
		if i == 0 || rng.IntN(3) == 0 {
			var a []int
			for range 25 {
				if rng.IntN(2) == 0 {
					next++
					a = append(a, next)
				} else {
					a = append(a, rng.IntN(next))
				}
			}
			articles = append(articles, a)
			articles = articles[max(0, len(articles)-20):]
		}
		for _, a := range articles {
			for _, w := range a {
				v[word(w)]++
			}
		}
		v[word(1_000_000+rng.IntN(60))]++
		out = append(out, v)
	}
	return out
}

func longState(t testing.TB, limit int) (*State, []map[string]int) {
	t.Helper()
	versions := news(rand.New(rand.NewPCG(1, 2)), 841)
	s := NewState(limit)
	for i, v := range versions[:840] {
		if err := s.Add(i, eachOf(v)); err != nil {
			t.Fatal(err)
		}
	}
	return s, versions
}

func TestStateSize(t *testing.T) {
	t.Parallel()
	s, versions := longState(t, 1<<20)
	b, _ := s.MarshalBinary()
	start := time.Now()
	rows := s.Rows()
	t.Logf("%d terms in %d groups take %d bytes after 840 versions; rows in %v", len(rows), len(s.groups), len(b), time.Since(start))
	if len(b) > 16*len(rows)+10_000 {
		t.Errorf("%d bytes for %d terms", len(b), len(rows))
	}
	if diff := cmp.Diff(len(Lifespans(versions[:840])), len(rows)); diff != "" {
		t.Errorf("number of terms differs: %s", diff)
	}
}

func FuzzUnmarshal(f *testing.F) {
	for _, limit := range []int{0, 200} {
		s := NewState(limit)
		b, _ := s.MarshalBinary()
		f.Add(b)
		for i, v := range news(rand.New(rand.NewPCG(1, 2)), 4) {
			if err := s.Add(i*i, eachOf(v)); err != nil {
				f.Fatal(err)
			}
			b, _ := s.MarshalBinary()
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var s State
		if s.UnmarshalBinary(b) != nil {
			return
		}
		if s.seen < 1000 && len(s.slots) < 50 && (!s.started || s.slots[len(s.slots)-1].To-s.slots[0].From < 2000) {
			for _, r := range s.Rows() {
				if r.Power < 0 || r.Power > 1+1e-9 || math.IsNaN(r.PDoc) {
					t.Fatalf("row %+v", r)
				}
			}
		}
		next := 0
		if s.started {
			next = s.slots[len(s.slots)-1].To
		}
		_ = s.Add(next, eachOf(map[string]int{"word": 2}))
		_ = s.Repeat(next + 1)
		if _, err := s.MarshalBinary(); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkState(b *testing.B) {
	s, versions := longState(b, 0)
	state, _ := s.MarshalBinary()
	type wc struct {
		w []byte
		h uint64
		n int
	}
	var list []wc
	for w, n := range versions[840] {
		list = append(list, wc{[]byte(w), hashOf(w), n})
	}
	each := func(f func([]byte, uint64, int)) {
		for _, x := range list {
			f(x.w, x.h, x.n)
		}
	}
	b.Run("read,add,write", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var s State
			if err := errors.Join(s.UnmarshalBinary(state), s.Add(840, each)); err != nil {
				b.Fatal(err)
			}
			if _, err := s.MarshalBinary(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(state)), "bytes")
		b.ReportMetric(float64(len(s.terms)), "terms")
	})
	s, _ = longState(b, 1<<20) // all terms
	b.Run("rows", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.Rows()
		}
	})
	b.Run("lifespans", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.Lifespans()
		}
	})
	b.Run("lifespans from versions", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Lifespans(versions)
		}
	})
}

func BenchmarkStayingPower(b *testing.B) {
	present, observed := NewBits(840), NewBits(840)
	observed.SetRange(0, 840)
	for i := 0; i < 840; i += 3 {
		present.Set(i)
	}
	g := NewGrid(observed)
	b.ReportAllocs()
	for b.Loop() {
		g.StayingPower(present)
	}
}

func hashOf(text string) uint64 { return dice.Hash([]byte(text)) }
