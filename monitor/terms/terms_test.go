package terms

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

var approx = cmpopts.EquateApprox(0, 1e-9)

// presence reads "1", "0" and "-" for present, absent and missing.
func presence(s string) (present, observed Bits) {
	present, observed = NewBits(len(s)), NewBits(len(s))
	for i, c := range s {
		if c != '-' {
			observed.Set(i)
		}
		if c == '1' {
			present.Set(i)
		}
	}
	return present, observed
}

func TestStayingPowerGolden(t *testing.T) {
	t.Parallel()
	tests := []struct {
		presence string
		want     float64
		ok       bool
	}{
		{"10101", 5. / 12, true}, // SCIENCE A22
		{"11100", 5. / 24, true},
		{"10001", 1. / 4, true},
		{"11111", 1, true},
		{"00000", 0, true},
		{"00100", 0, true},
		{"11", 1, true},
		{"10", 0, true},
		{"1", 0, false},
		{"", 0, false},
		{"--1--", 0, false},
		{"1---1", 1, true},               // only gap 4 has a pair
		{"1-1-1", 1, true},               // gaps 2 and 4
		{"1-0-1", .5, true},              // gap 2: 0 of 2, gap 4: 1 of 1
		{"--10101---", 5. / 12, true},    // missing ends do not count
		{"11-0", (1. + 0 + 0) / 3, true}, // gaps 1: 1/1, 2: 0/1, 3: 0/1
	}
	for _, tt := range tests {
		got, ok := StayingPower(presence(tt.presence))
		if ok != tt.ok || math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("StayingPower(%q) = %v, %v, want %v, %v", tt.presence, got, ok, tt.want, tt.ok)
		}
	}
}

// slowPower goes through all pairs of slots.
func slowPower(s string) (float64, bool) {
	sum, gaps := 0., 0
	for a := 1; a < len(s); a++ {
		both, pairs := 0, 0
		for t := 0; t+a < len(s); t++ {
			if s[t] != '-' && s[t+a] != '-' {
				pairs++
				if s[t] == '1' && s[t+a] == '1' {
					both++
				}
			}
		}
		if pairs > 0 {
			gaps++
			sum += float64(both) / float64(pairs)
		}
	}
	if gaps == 0 {
		return 0, false
	}
	return sum / float64(gaps), true
}

func TestStayingPowerSlow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		alphabet := rapid.SampledFrom([]string{"01-1", "0001", "------01", "1"}).Draw(t, "alphabet")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		s := ""
		for range rapid.IntRange(0, 300).Draw(t, "slots") {
			s += string(alphabet[rng.IntN(len(alphabet))])
		}
		want, wantOK := slowPower(s)
		got, ok := StayingPower(presence(s))
		if ok != wantOK || math.Abs(got-want) > 1e-12 {
			t.Fatalf("StayingPower(%q) = %v, %v, want %v, %v", s, got, ok, want, wantOK)
		}
		if got < 0 || got > 1+1e-12 {
			t.Fatalf("StayingPower(%q) = %v is no probability", s, got)
		}
	})
}

func TestHistogram(t *testing.T) {
	t.Parallel()
	var powers []float64
	for i := range 11 {
		powers = append(powers, float64(i)/10)
	}
	h := NewHistogram(powers, 10)
	if want := []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 2}; !slices.Equal(h.Counts, want) {
		t.Errorf("Counts = %v, want %v", h.Counts, want)
	}
	if h.Fleeting != 2 || h.Lasting != 2 || h.Terms != 11 { // .2 and .8 are neither
		t.Errorf("fleeting %d, lasting %d of %d, want 2, 2 of 11", h.Fleeting, h.Lasting, h.Terms)
	}
	if b, ok := h.Bimodality(); !ok || math.Abs(b-4./11) > 1e-12 {
		t.Errorf("Bimodality = %v, %v, want 4/11", b, ok)
	}
	if b, ok := NewHistogram(nil, 0).Bimodality(); ok {
		t.Errorf("Bimodality of nothing = %v", b)
	}
}

func TestLifespans(t *testing.T) {
	t.Parallel()
	versions := []map[string]int{
		{"nav": 1, "old": 2, "also": 1},
		{"nav": 3, "old": 1, "also": 1},
		nil,
		{"nav": 1, "new": 1, "old": 1, "zero": 0},
		{"nav": 1, "brief": 1, "also": 2},
	}
	want := []Lifespan{
		{"nav", []Span{{0, 5}}, 4},
		{"also", []Span{{0, 2}, {4, 5}}, 3},
		{"old", []Span{{0, 4}}, 3},
		{"new", []Span{{3, 4}}, 1},
		{"brief", []Span{{4, 5}}, 1},
	}
	if diff := cmp.Diff(want, Lifespans(versions)); diff != "" {
		t.Errorf("Lifespans differs (-want +got):\n%s", diff)
	}
}

func TestDivergenceGolden(t *testing.T) {
	t.Parallel()
	docs := map[string][]map[string]int{
		"d": {{"w": 1, "x": 1}, {"w": 1, "x": 3}},
		"e": {{"y": 2}, {"y": 4}},
	}
	got := Divergences(docs, "d")
	want := Divergence{PDoc: 3. / 8, PCol: 3. / 16, Div: 3. / 8 * math.Ln2} // SCIENCE A24
	if diff := cmp.Diff(want, got["w"], approx); diff != "" {
		t.Errorf("Divergences differs (-want +got):\n%s", diff)
	}
	if _, ok := got["y"]; ok || len(got) != 2 {
		t.Errorf("Divergences has terms that the page lacks: %v", got)
	}
	at := DivergencesAt(docs, "d", 1)
	want = Divergence{PDoc: 1. / 4, PCol: 1. / 8, Div: 1. / 4 * math.Ln2}
	if diff := cmp.Diff(want, at["w"], approx); diff != "" {
		t.Errorf("DivergencesAt differs (-want +got):\n%s", diff)
	}
	for _, tt := range []struct {
		doc string
		t   int
	}{{"d", -1}, {"d", 2}, {"none", 0}} {
		if got := DivergencesAt(docs, tt.doc, tt.t); got != nil {
			t.Errorf("DivergencesAt(%s, %d) = %v, want none", tt.doc, tt.t, got)
		}
	}
	empty := map[string][]map[string]int{"d": {{}, nil, {"w": 0}}, "e": {{"w": 1}}}
	if got := Divergences(empty, "d"); got != nil {
		t.Errorf("Divergences of a page without words = %v", got)
	}
}

// pages draws a collection of a few pages with missing and empty versions.
func pages(t *rapid.T) map[string][]map[string]int {
	return rapid.MapOfN(rapid.StringMatching("[a-d]"),
		rapid.SliceOfN(rapid.Custom(func(t *rapid.T) map[string]int {
			if rapid.IntRange(0, 4).Draw(t, "missing") == 0 {
				return nil
			}
			return rapid.MapOf(rapid.StringMatching("[p-z]"), rapid.IntRange(1, 9)).Draw(t, "counts")
		}), 0, 8), 1, 4).Draw(t, "docs")
}

// TestDivergenceIsKL checks the sign and that a collection of one page says nothing.
func TestDivergenceIsKL(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		docs := pages(t)
		for name, versions := range docs {
			sum := 0.
			for w, d := range Divergences(docs, name) {
				sum += d.Div
				if math.IsNaN(d.Div) || d.PDoc <= 0 || d.PDoc > 1+1e-9 || d.PCol <= 0 || d.PCol > 1+1e-9 {
					t.Fatalf("%s: %+v", w, d)
				}
			}
			if sum < -1e-12 {
				t.Fatalf("the divergence of %s is %v", name, sum)
			}
			for w, d := range Divergences(map[string][]map[string]int{name: versions}, name) {
				if math.Abs(d.Div) > 1e-12 {
					t.Fatalf("%s diverges from itself: %+v", w, d)
				}
			}
		}
	})
}

func TestCollection(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		docs := pages(t)
		slots := 0
		for _, v := range docs {
			slots = max(slots, len(v))
		}
		var c Collection
		last := map[string]map[string]int{}
		var pooled []map[string]int
		for i := range slots {
			pooled = append(pooled, pool(docs, i))
			for name, v := range docs {
				var now map[string]int
				if i < len(v) {
					now = v[i]
				}
				c.Replace(last[name], now)
				last[name] = now
			}
			for w := range c.Terms {
				length := 0
				for _, n := range pooled[i] {
					length += n
				}
				if want := float64(pooled[i][w]) / float64(max(length, 1)); math.Abs(c.ProbabilityNow(w)-want) > 1e-12 {
					t.Fatalf("ProbabilityNow(%s) = %v, want %v", w, c.ProbabilityNow(w), want)
				}
			}
			c.Close()
			want := meanShare(pooled)
			sum := 0.
			for w := range c.Terms {
				sum += c.Probability(w)
				if math.Abs(c.Probability(w)-want[w]) > 1e-12 {
					t.Fatalf("slot %d: Probability(%s) = %v, want %v", i, w, c.Probability(w), want[w])
				}
			}
			if len(want) > 0 && math.Abs(sum-1) > 1e-9 {
				t.Fatalf("probabilities add up to %v", sum)
			}
		}
	})
	var c Collection
	c.Change("w", -3)
	if c.Words != 0 || c.Probability("w") != 0 || c.ProbabilityNow("w") != 0 {
		t.Errorf("a word taken from nothing leaves %+v", c)
	}
}

func TestSelect(t *testing.T) {
	t.Parallel()
	var in []Scored
	for i := range 7 {
		in = append(in, Scored{Term: fmt.Sprintf("last%d", i), Power: .9, HasPower: true, Div: float64(i), HasDiv: true, At: 1, HasAt: i < 2})
	}
	in = append(in, Scored{Term: "brief", Power: .1, HasPower: true, At: 5, HasAt: true, Div: 99, HasDiv: true},
		Scored{Term: "middle", Power: .8, HasPower: true, Div: 50, HasDiv: true}, Scored{Term: "unknown", Power: .9, HasDiv: true}, Scored{Term: "rare", Power: .9, HasPower: true})
	names := func(s []Scored) (out []string) {
		for _, x := range s {
			out = append(out, x.Term)
		}
		return out
	}
	got := Select(in, 2, 10)
	want := [][]string{{"brief", "last0"}, {"last6", "last5", "last4", "last3"}, {"last0", "last1", "last2"}}
	if diff := cmp.Diff(want, [][]string{names(got.Start), names(got.High), names(got.Low)}); diff != "" {
		t.Errorf("Select differs (-want +got):\n%s", diff)
	}
	got = Select(in, 20, 2)
	if diff := cmp.Diff([][]string{{"last6", "last5"}, {"last0", "last1"}}, [][]string{names(got.High), names(got.Low)}); diff != "" {
		t.Errorf("Select differs (-want +got):\n%s", diff)
	}
}
