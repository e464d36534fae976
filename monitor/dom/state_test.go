package dom

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/strandlinehq/strandline/crawler/extract"
)

var approx = cmpopts.EquateApprox(0, 1e-9)

func by(lines []Line, columns ...Column) iter.Seq[Line] {
	s := NewSorter(SortOptions{}, columns...)
	for _, l := range lines {
		_ = s.Add(l)
	}
	return s.Lines()
}

func TestBlocksGolden(t *testing.T) {
	t.Parallel()
	// SCIENCE A29: stories A, B, C enter at the top, one each version, and move down.
	var lines []Line
	for v, p := range []string{
		`<p>menu</p><ul><li>A</li><li>old</li></ul>`,
		`<p>menu</p><ul><li>B</li><li>A</li></ul>`,
		`<p>menu</p><ul><li>C</li><li>B</li></ul>`,
	} {
		lines = slices.AppendSeq(lines, Lines(Parse([]byte(p)), float64(v), false))
	}
	atPath, travel := Blocks(by(lines, SubtreeHash, FullPath, Version))
	wantAt := map[string]Block{"/p[0]": {2, 1}, "/ul[0]/li[0]": {0, 3}, "/ul[0]/li[1]": {0, 3}, "/ul[0]": {0, 3}}
	wantTravel := map[string]Block{"/p[0]": {2, 1}, "/ul[0]/li[0]": {2. / 3, 3}, "/ul[0]/li[1]": {0, 1}, "/ul[0]": {0, 3}}
	if diff := cmp.Diff(wantAt, atPath, approx); diff != "" {
		t.Errorf("at path (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(wantTravel, travel, approx); diff != "" {
		t.Errorf("travel (-want +got):\n%s", diff)
	}
}

func TestSurvive(t *testing.T) {
	t.Parallel()
	lives := []Lifespan{
		{"stays", 0, 48}, {"goes after a day", 0, 24}, {"goes before", 0, 23}, {"formatting", 0, .5}, {"comes later", 2, 48},
	}
	got := Survive(slices.Values(lives), 0, 48, []float64{2, 24, 25, 48, 49})
	want := []Survival{{2, 1, true}, {24, 2. / 3, true}, {25, 1. / 3, true}, {48, 1. / 3, true}, {49, 0, false}}
	if diff := cmp.Diff(want, got, approx); diff != "" {
		t.Errorf("Survive differs (-want +got):\n%s", diff)
	}
	got = Survive(slices.Values(lives[3:]), 0, 48, []float64{2})
	if got[0].OK {
		t.Errorf("Survive without a base = %+v", got)
	}
	over := SummariseSurvival([][]Survival{{{2, 1, true}, {9, 0, false}}, {{2, .5, true}, {9, 0, false}}, {{2, .9, true}, {9, 0, false}}})
	if diff := cmp.Diff([]SurvivalOver{{2, 3, .8, .9}}, over, approx); diff != "" {
		t.Errorf("SummariseSurvival differs (-want +got):\n%s", diff)
	}
}

// TestSurviveMonotone: a longer horizon has fewer survivors.
func TestSurviveMonotone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lives := rapid.SliceOf(rapid.Custom(func(t *rapid.T) Lifespan {
			first := rapid.Float64Range(0, 3).Draw(t, "first")
			return Lifespan{"p", math.Floor(first), first + rapid.Float64Range(0, 900).Draw(t, "life")}
		})).Draw(t, "lives")
		before := 1.
		for _, s := range Survive(slices.Values(lives), 0, 1000, Horizons()) {
			if s.OK && (s.Share > before || s.Share < 0) {
				t.Fatalf("share %v after %v at %v", s.Share, before, s.Horizon)
			}
			if s.OK {
				before = s.Share
			}
		}
	})
}

// checkState compares a state with what the lines of all versions say.
func checkState(t *rapid.T, s *State, lines []Line) {
	if diff := cmp.Diff(slices.Collect(Lifespans(by(lines, FullPath, Version))), s.Lifespans()); diff != "" {
		t.Fatalf("Lifespans differs (-batch +state):\n%s", diff)
	}
	var texts []Line
	for _, l := range lines {
		if l.Subtree != 0 {
			texts = append(texts, l)
		}
	}
	atPath, travel := Blocks(by(texts, SubtreeHash, FullPath, Version))
	at, tr := s.Blocks()
	if diff := cmp.Diff(atPath, at, approx); diff != "" {
		t.Fatalf("at path (-batch +state):\n%s", diff)
	}
	if diff := cmp.Diff(travel, tr, approx); diff != "" {
		t.Fatalf("travel (-batch +state):\n%s", diff)
	}
}

func TestState(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		stays, stored := NewState(0), NewState(0)
		first := rapid.IntRange(-99, 99).Draw(t, "first")
		var lines []Line
		var last []extract.Node
		var versions [][]extract.Node
		for i := range rapid.IntRange(1, 8).Draw(t, "slots") {
			kind := rapid.IntRange(0, 5).Draw(t, "kind")
			slot := first + i
			switch {
			case kind == 0 && i > 0:
				continue
			case kind == 1 && i > 0:
				if err := errors.Join(stays.Repeat(slot), stored.Repeat(slot)); err != nil {
					t.Fatal(err)
				}
			default:
				if kind == 2 && i > 0 { // an old version returns
					last = rapid.SampledFrom(versions).Draw(t, "old")
				} else {
					last = outline(t)
				}
				versions = append(versions, last)
				if err := errors.Join(stays.Add(slot, last), stored.Add(slot, last)); err != nil {
					t.Fatal(err)
				}
			}
			lines = slices.AppendSeq(lines, Lines(last, float64(slot), false))
			b, _ := stored.MarshalBinary()
			stored = new(State)
			if err := stored.UnmarshalBinary(b); err != nil {
				t.Fatal(err)
			}
			if again, _ := stays.MarshalBinary(); !slices.Equal(b, again) {
				t.Fatalf("the state depends on when it was stored:\n%x\n%x", b, again)
			}
			checkState(t, stored, lines)
		}
		if !stored.Exact() {
			t.Fatal("not exact")
		}
		if err := stored.Add(first, nil); !errors.Is(err, ErrOrder) {
			t.Fatalf("Add of an old slot: %v", err)
		}
		if err := stored.Add(first+MaxSlots, nil); err == nil {
			t.Fatal("a clock that jumped far is accepted")
		}
	})
}

func TestStateLimits(t *testing.T) {
	t.Parallel()
	s := NewState(3000)
	if err := s.Repeat(1); !errors.Is(err, ErrOrder) {
		t.Errorf("Repeat of nothing: %v", err)
	}
	for v := range 5 {
		if err := s.Add(v, bigPage(600, v)); err != nil {
			t.Fatal(err)
		}
		if b, _ := s.MarshalBinary(); len(b) > 4000 {
			t.Errorf("%d bytes, limit 3000", len(b))
		}
	}
	if s.Exact() || s.Depth() != 3 {
		t.Errorf("depth %d, exact %v, want 3 levels", s.Depth(), s.Exact())
	}
	// Contents that are gone are forgotten, their lives are not.
	s = NewState(1 << 20)
	const n = 3 * maxPast
	for v := range n {
		if err := s.Add(v, Parse(fmt.Appendf(nil, "<p>%d</p>", v/2))); err != nil {
			t.Fatal(err)
		}
	}
	atPath, travel := s.Blocks()
	want := map[string]Block{"/p[0]": {1, n / 2}}
	if diff := cmp.Diff([]map[string]Block{want, want}, []map[string]Block{atPath, travel}); diff != "" || s.Exact() {
		t.Errorf("exact %v; blocks differ (-want +got):\n%s", s.Exact(), diff)
	}
	if r := s.Regions(); len(r) != 1 || len(r[0].Changes) < maxPast/2 || r[0].Life != 1 {
		t.Errorf("regions %v", r)
	}
}

func longState(t testing.TB) *State {
	t.Helper()
	s := NewState(0)
	var nodes []extract.Node
	for v := range 840 {
		if v%3 == 0 {
			nodes = bigPage(1000, v/3)
		}
		if err := s.Add(v, nodes); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestStateSize(t *testing.T) {
	t.Parallel()
	s := longState(t)
	b, _ := s.MarshalBinary()
	t.Logf("%d elements take %d bytes after 840 versions, depth %d, exact %v", len(s.elements), len(b), s.Depth(), s.Exact())
	if len(b) > DefaultLimit || s.Depth() != maxDepth {
		t.Errorf("%d bytes, depth %d, want at most %d and all", len(b), s.Depth(), DefaultLimit)
	}
}

func FuzzUnmarshal(f *testing.F) {
	s := NewState(0)
	b, _ := s.MarshalBinary()
	f.Add(b)
	for v := range 4 {
		if err := s.Add(v*v, bigPage(30, v)); err != nil {
			f.Fatal(err)
		}
		b, _ := s.MarshalBinary()
		f.Add(b)
	}
	nodes := bigPage(30, 3)
	f.Fuzz(func(t *testing.T, b []byte) {
		var s State
		if s.UnmarshalBinary(b) != nil || len(s.elements) > 1000 {
			return
		}
		s.Lifespans()
		s.Regions()
		_ = s.Repeat(s.last + 1)
		_ = s.Add(s.last+1, nodes)
		if _, err := s.MarshalBinary(); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkState(b *testing.B) {
	s := longState(b)
	state, _ := s.MarshalBinary()
	nodes := bigPage(1000, 280)
	b.Run("read,add,write", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var s State
			if err := errors.Join(s.UnmarshalBinary(state), s.Add(840, nodes)); err != nil {
				b.Fatal(err)
			}
			if _, err := s.MarshalBinary(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(state)), "bytes")
		b.ReportMetric(float64(len(s.elements)), "elements")
	})
	b.Run("lifespans,blocks", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.Lifespans()
			s.Blocks()
		}
	})
}

// shedding is a page whose deep elements die first: lists below lists, of which the
// last lines go from version to version, and others come.
func shedding(version int) []extract.Node {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "<div><h2>%d</h2><div><ul>", i)
		for k := range max(0, 12-version-i%5) {
			fmt.Fprintf(&b, "<li><p><b>%d %d</b></p></li>", i, k*version)
		}
		fmt.Fprintf(&b, "</ul></div></div>")
	}
	for range version {
		b.WriteString("<section><div><p>later</p></div></section>")
	}
	return Parse([]byte(b.String()))
}

// TestStateSurvival: Table 4 does not depend on the room that a page's state has,
// though the lives of contents do.
func TestStateSurvival(t *testing.T) {
	t.Parallel()
	s := NewState(6000)
	var lines []Line
	for v := range 9 {
		nodes := shedding(v)
		if err := s.Add(v, nodes); err != nil {
			t.Fatal(err)
		}
		b, _ := s.MarshalBinary()
		if len(b) > 6000 {
			t.Errorf("%d bytes, limit 6000", len(b))
		}
		s = new(State)
		if err := s.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		lines = slices.AppendSeq(lines, Lines(nodes, float64(v), false))
	}
	if s.Exact() || !s.Complete() {
		t.Fatalf("exact %v, complete %v: want a page that is cut, but not its first version", s.Exact(), s.Complete())
	}
	horizons := []float64{1, 2, 3, 4, 5, 6, 7, 8}
	want := Survive(Lifespans(by(lines, FullPath, Version)), 0, 8, horizons)
	if diff := cmp.Diff(want, Survive(slices.Values(s.Lifespans()), 0, 8, horizons)); diff != "" {
		t.Errorf("survival (-batch +state):\n%s", diff)
	}
	if want[7].Share > .9 {
		t.Errorf("nearly all survive: %v", want)
	}
	tiny := NewState(400)
	if err := tiny.Add(0, shedding(0)); err != nil {
		t.Fatal(err)
	}
	if b, _ := tiny.MarshalBinary(); tiny.Complete() || len(b) > 400 {
		t.Errorf("complete %v in %d bytes", tiny.Complete(), len(b))
	}
}

// TestPlainState reads what the first release wrote.
func TestPlainState(t *testing.T) {
	t.Parallel()
	s := NewState(1 << 20)
	for v := range 3 {
		if err := s.Add(v, shedding(v)); err != nil {
			t.Fatal(err)
		}
	}
	r := reader{b: s.append(nil)}
	limit, depth, _ := r.uint(math.MaxUint32), r.uint(maxDepth), r.uint(maxDepth)
	plain := binary.AppendUvarint(binary.AppendUvarint([]byte{plainFormat}, limit), depth)
	got := NewState(0)
	if err := got.UnmarshalBinary(append(plain, r.b...)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s.Lifespans(), got.Lifespans()); diff != "" || !got.Complete() || !got.Exact() {
		t.Errorf("exact %v, complete %v, lifespans (-want +got):\n%s", got.Exact(), got.Complete(), diff)
	}
}
