package diff

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// check reports what is wrong with a script and returns the number of tokens
// it keeps.
func check(t interface {
	Helper()
	Errorf(string, ...any)
}, a, b []string, edits []Edit,
) (kept int) {
	t.Helper()
	var old, new []string
	i, j := 0, 0
	for n, e := range edits {
		if e.AStart != i || e.BStart != j || e.AEnd < i || e.BEnd < j || e.AEnd > len(a) || e.BEnd > len(b) {
			t.Errorf("edit %d %+v does not continue at %d, %d", n, e, i, j)
			return 0
		}
		i, j = e.AEnd, e.BEnd
		la, lb := e.AEnd-e.AStart, e.BEnd-e.BStart
		switch e.Op {
		case Keep:
			if la == 0 || !slices.Equal(a[e.AStart:e.AEnd], b[e.BStart:e.BEnd]) {
				t.Errorf("edit %d %+v keeps what differs", n, e)
			}
			kept += la
		case Delete:
			if la == 0 || lb != 0 {
				t.Errorf("edit %d %+v is no deletion", n, e)
			}
		case Insert:
			if la != 0 || lb == 0 {
				t.Errorf("edit %d %+v is no insertion", n, e)
			}
		}
		if n > 0 && (edits[n-1].Op == e.Op || edits[n-1].Op == Insert && e.Op == Delete) {
			t.Errorf("edit %d: %v after %v", n, e.Op, edits[n-1].Op)
		}
		old = append(old, a[e.AStart:e.AEnd]...)
		new = append(new, b[e.BStart:e.BEnd]...)
	}
	if !slices.Equal(old, a) || !slices.Equal(new, b) {
		t.Errorf("script of %q and %q rebuilds %q and %q", a, b, old, new)
	}
	return kept
}

// longestCommon is the length of the longest common subsequence, by the table.
func longestCommon(a, b []string) int {
	row := make([]int, len(b)+1)
	for i := range a {
		diagonal := 0
		for j := range b {
			up := row[j+1]
			if a[i] == b[j] {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(up, row[j])
			}
			diagonal = up
		}
	}
	return row[len(b)]
}

func TestDiff(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, a, b string
		want       []Edit
	}{
		{"both empty", "", "", nil},
		{"equal", "a b", "a b", []Edit{{Keep, 0, 2, 0, 2}}},
		{"from nothing", "", "a b", []Edit{{Insert, 0, 0, 0, 2}}},
		{"to nothing", "a b", "", []Edit{{Delete, 0, 2, 0, 0}}},
		{"replaced", "x a y", "x b c y", []Edit{{Keep, 0, 1, 0, 1}, {Delete, 1, 2, 1, 1}, {Insert, 2, 2, 1, 3}, {Keep, 2, 3, 3, 4}}},
		{"swapped", "a b", "b a", []Edit{{Insert, 0, 0, 0, 1}, {Keep, 0, 1, 1, 2}, {Delete, 1, 2, 2, 2}}},
	} {
		a, b := strings.Fields(tt.a), strings.Fields(tt.b)
		got := Diff(a, b)
		check(t, a, b, got)
		if tt.name == "swapped" { // two shortest scripts exist
			if kept := check(t, a, b, got); kept != 1 {
				t.Errorf("swapped: kept %d tokens, want 1", kept)
			}
			continue
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: Diff (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestDiffIsShortest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		token := rapid.SampledFrom(strings.Fields("a b c d e f"))
		a := rapid.SliceOfN(token, 0, 40).Draw(t, "a")
		b := rapid.SliceOfN(token, 0, 40).Draw(t, "b")
		if got, want := check(t, a, b, Diff(a, b)), longestCommon(a, b); got != want {
			t.Errorf("Diff(%q, %q) keeps %d tokens, want %d", a, b, got, want)
		}
	})
}

// TestDiffCutShort runs the search with a limit so low that it always strikes.
func TestDiffCutShort(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		token := rapid.SampledFrom(strings.Fields("a b c d"))
		a := rapid.SliceOfN(token, 0, 60).Draw(t, "a")
		b := rapid.SliceOfN(token, 0, 60).Draw(t, "b")
		keepA, keepB := make([]bool, len(a)), make([]bool, len(b))
		s := search[string]{keepA: keepA, keepB: keepB, limit: rapid.IntRange(1, 3).Draw(t, "limit")}
		s.a, s.atA = shared(a, 0, len(a), b)
		s.b, s.atB = shared(b, 0, len(b), a)
		s.run()
		check(t, a, b, script(len(a), len(b), keepA, keepB))
	})
}

func random(seed uint64, n, vocabulary int) []string {
	rng := rand.New(rand.NewPCG(seed, 7))
	out := make([]string, n)
	for i := range out {
		out[i] = strconv.Itoa(rng.IntN(vocabulary))
	}
	return out
}

func TestDiffOfManyTokensIsBounded(t *testing.T) {
	t.Parallel()
	for n, vocabulary := range map[int]int{20_000: 2, 30_000: 50, 100_000: 1000} {
		a, b := random(1, n, vocabulary), random(2, n, vocabulary)
		from := time.Now()
		edits := Diff(a, b)
		took := time.Since(from)
		kept := check(t, a, b, edits)
		t.Logf("%d random tokens of %d: %v, %d kept", n, vocabulary, took, kept)
		if took > 20*time.Second { // without a limit: minutes
			t.Errorf("vocabulary %d took %v", vocabulary, took)
		}
		if kept == 0 {
			t.Errorf("vocabulary %d: nothing kept", vocabulary)
		}
	}
}

func TestMoves(t *testing.T) {
	t.Parallel()
	a := strings.Fields("intro p q one two three outro")
	b := strings.Fields("intro one two three new p q outro")
	edits := Diff(a, b)
	check(t, a, b, edits)
	if diff := cmp.Diff([]Move{{1, 3, 5, 7}}, Moves(edits, a, b)); diff != "" {
		t.Errorf("Moves (-want +got):\n%s", diff)
	}
	rapid.Check(t, func(t *rapid.T) {
		token := rapid.SampledFrom(strings.Fields("a b c d e f"))
		a := rapid.SliceOfN(token, 0, 20).Draw(t, "a")
		b := rapid.SliceOfN(token, 0, 20).Draw(t, "b")
		edits := Diff(a, b)
		freeA, freeB := make([]bool, len(a)), make([]bool, len(b))
		left := map[string][2]int{} // deleted and inserted, per token
		for _, e := range edits {
			for i := e.AStart; e.Op == Delete && i < e.AEnd; i++ {
				freeA[i] = true
				left[a[i]] = [2]int{left[a[i]][0] + 1, left[a[i]][1]}
			}
			for j := e.BStart; e.Op == Insert && j < e.BEnd; j++ {
				freeB[j] = true
				left[b[j]] = [2]int{left[b[j]][0], left[b[j]][1] + 1}
			}
		}
		for _, m := range Moves(edits, a, b) {
			if m.AEnd-m.AStart != m.BEnd-m.BStart || m.AEnd == m.AStart {
				t.Fatalf("move %+v has unequal sides", m)
			}
			for n := range m.AEnd - m.AStart {
				i, j := m.AStart+n, m.BStart+n
				if a[i] != b[j] || !freeA[i] || !freeB[j] {
					t.Fatalf("move %+v takes a token twice, or a kept one, or another", m)
				}
				freeA[i], freeB[j] = false, false
				left[a[i]] = [2]int{left[a[i]][0] - 1, left[a[i]][1] - 1}
			}
		}
		for token, n := range left {
			if n[0] > 0 && n[1] > 0 {
				t.Errorf("a pair of %q is left unmoved in %q, %q", token, a, b)
			}
		}
	})
}

func BenchmarkDiff(b *testing.B) {
	old := random(1, 4500, 900)
	edited := slices.Clone(old)
	for i := 100; i < 4500; i += 100 { // an edit in each hundred words
		edited[i] = "new"
	}
	for _, bb := range []struct {
		name string
		a, b []string
	}{
		{"page-45-edits", old, edited},
		{"page-rewritten", old, random(2, 4500, 900)},
		{"100000-random-of-1000", random(1, 100_000, 1000), random(2, 100_000, 1000)},
		{"100000-disjoint", random(1, 100_000, 1<<40), random(2, 100_000, 1<<40)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Diff(bb.a, bb.b)
			}
		})
	}
}
