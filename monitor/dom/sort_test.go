package dom

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// memorySpool is a Spool without a file.
type memorySpool struct {
	bytes.Buffer
	closed *int
}

func (m *memorySpool) Seek(int64, int) (int64, error) { return 0, nil }
func (m *memorySpool) Close() error                   { *m.closed++; return nil }

func sorted(t *rapid.T, lines []Line, opt SortOptions, columns ...Column) []Line {
	s := NewSorter(opt, columns...)
	for _, l := range lines {
		if err := s.Add(l); err != nil {
			t.Fatal(err)
		}
	}
	out := slices.Collect(s.Lines())
	if s.Err() != nil || s.Close() != nil {
		t.Fatal(s.Err())
	}
	return out
}

func TestSorter(t *testing.T) {
	t.Parallel()
	line := rapid.Custom(func(t *rapid.T) Line {
		path := rapid.SampledFrom([]string{"/a[0]", "/a[0]/b[0]", "/a[1]", ""}).Draw(t, "path")
		return Line{
			FullPath: path, TypePath: "(" + path + ")", Node: Hash(rapid.IntRange(0, 2).Draw(t, "node")),
			Subtree: Hash(rapid.IntRange(0, 2).Draw(t, "subtree")), Version: float64(rapid.IntRange(-1, 3).Draw(t, "version")),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(line, 0, 60).Draw(t, "lines")
		columns := rapid.Permutation([]Column{FullPath, TypePath, NodeHash, SubtreeHash, Version}).Draw(t, "columns")[:rapid.IntRange(0, 5).Draw(t, "used")]
		want := sorted(t, lines, SortOptions{}, columns...)
		if !slices.IsSortedFunc(want, func(a, b Line) int { return Compare(&a, &b, columns...) }) || len(want) != len(lines) {
			t.Fatalf("not sorted by %v: %v", columns, want)
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		opened, closed := 0, 0
		got := sorted(t, lines, SortOptions{Memory: 1000, Spool: func() (Spool, error) {
			opened++
			return &memorySpool{closed: &closed}, nil
		}}, columns...)
		if diff := cmp.Diff(want, got); diff != "" || opened != closed {
			t.Fatalf("%d spools, %d closed; order depends on the input or the memory (-want +got):\n%s", opened, closed, diff)
		}
		// Reduce: groups are equal within and differ from the next, and nothing is lost.
		var all []Line
		var last *Line
		for group := range Reduce(slices.Values(got), columns...) {
			g := slices.Collect(group)
			if len(g) == 0 || last != nil && Compare(last, &g[0], columns...) == 0 && len(columns) > 0 {
				t.Fatalf("groups of %v are torn: %v", columns, g)
			}
			for i := range g {
				if Compare(&g[0], &g[i], columns...) != 0 {
					t.Fatalf("a group of %v differs within: %v", columns, g)
				}
			}
			all, last = append(all, g...), &g[len(g)-1]
		}
		if diff := cmp.Diff(got, all); diff != "" {
			t.Fatalf("Reduce lost lines:\n%s", diff)
		}
		groups := 0
		for range Reduce(slices.Values(got), columns...) { // not gone through
			groups++
		}
		if groups > len(got) || (groups == 0) != (len(got) == 0) {
			t.Fatalf("%d groups of %d lines", groups, len(got))
		}
	})
}

type brokenSpool struct{ memorySpool }

func (*brokenSpool) Read([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestSorterErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("no room")
	s := NewSorter(SortOptions{Memory: 1, Spool: func() (Spool, error) { return nil, broken }}, Version)
	if err := s.Add(Line{}); !errors.Is(err, broken) || !errors.Is(s.Err(), broken) {
		t.Errorf("Add = %v, want %v", err, broken)
	}
	closed := 0
	s = NewSorter(SortOptions{Memory: 1, Spool: func() (Spool, error) { return &brokenSpool{memorySpool{closed: &closed}}, nil }}, Version)
	if err := s.Add(Line{}); err != nil {
		t.Fatal(err)
	}
	for range s.Lines() {
		t.Error("a line from a broken spool")
	}
	if !errors.Is(s.Err(), io.ErrClosedPipe) || s.Close() != nil || closed != 1 {
		t.Errorf("Err = %v after %d closed spools", s.Err(), closed)
	}
}

// TestSorterMemory sorts many lines with little memory. With STRANDLINE_LONG set
// they are those of 1,000 versions of 2,000 elements.
func TestSorterMemory(t *testing.T) {
	versions, memory := 60, 2<<20
	if os.Getenv("STRANDLINE_LONG") != "" {
		versions, memory = 1000, 32<<20
	}
	const elements = 2000
	dir := t.TempDir()
	s := NewSorter(SortOptions{Memory: memory, Spool: func() (Spool, error) {
		f, err := os.CreateTemp(dir, "spool")
		if err == nil {
			err = os.Remove(f.Name()) // goes with its handle
		}
		return f, err
	}}, FullPath, Version)
	defer s.Close()
	n := 0
	for v := range versions {
		for l := range Lines(bigPage(elements, v), float64(v), false) {
			if err := s.Add(l); err != nil {
				t.Fatal(err)
			}
			n++
		}
	}
	var most uint64
	paths, seen := 0, 0
	count := func(lines iter.Seq[Line]) iter.Seq[Line] {
		return func(yield func(Line) bool) {
			for l := range lines {
				if seen++; seen%20_000 == 0 {
					var m runtime.MemStats
					runtime.ReadMemStats(&m)
					most = max(most, m.HeapAlloc)
				}
				if !yield(l) {
					return
				}
			}
		}
	}
	for range Lifespans(count(s.Lines())) {
		paths++
	}
	t.Logf("%d lines of %d paths in %d spools, heap at most %d MiB", n, paths, len(s.spools), most>>20)
	if s.Err() != nil || seen != n || len(s.spools) < 3 {
		t.Errorf("%d of %d lines, %d spools, %v", seen, n, len(s.spools), s.Err())
	}
	if limit := uint64(3*memory + 64<<20); most > limit {
		t.Errorf("heap of %d bytes, want at most %d", most, limit)
	}
}

func BenchmarkSorter(b *testing.B) {
	var lines []Line
	for v := range 20 {
		lines = slices.AppendSeq(lines, Lines(bigPage(2000, v), float64(v), false))
	}
	b.ReportAllocs()
	for b.Loop() {
		s := NewSorter(SortOptions{}, SubtreeHash, FullPath, Version)
		for _, l := range lines {
			_ = s.Add(l)
		}
		Blocks(s.Lines())
	}
	b.ReportMetric(float64(len(lines)), "lines")
}
