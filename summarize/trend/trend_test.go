package trend

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestG2(t *testing.T) {
	t.Parallel()
	// By hand: 10 of 20 against 10 of 80. Together 1/5, so E = 4, 16, 16, 64.
	want := 2 * (10*math.Log(10.0/4) + 10*math.Log(10.0/16) + 10*math.Log(10.0/16) + 70*math.Log(70.0/64))
	if got := G2(Count{10, 20}, Count{10, 80}); math.Abs(got-want) > 1e-9 {
		t.Errorf("G2 = %v, want %v", got, want)
	}
	if got := G2(Count{10, 80}, Count{10, 20}); math.Abs(got+want) > 1e-9 {
		t.Errorf("the other way round %v, want %v", got, -want)
	}
	for _, c := range [][2]Count{{{0, 0}, {3, 9}}, {{3, 9}, {0, 0}}, {{1, 3}, {2, 6}}, {{0, 5}, {0, 5}}, {{5, 5}, {9, 9}}, {{9, -1}, {-3, 2}}} {
		if got := G2(c[0], c[1]); math.Abs(got) > 1e-9 {
			t.Errorf("G2(%v, %v) = %v, want 0", c[0], c[1], got)
		}
	}
}

func TestOf(t *testing.T) {
	t.Parallel()
	flat := []Count{{2, 40}, {2, 40}, {3, 40}, {2, 40}, {1, 40}, {2, 40}, {2, 40}, {3, 40}}
	for _, tt := range []struct {
		name string
		last []Count
		want Direction
	}{
		{"as ever", []Count{{2, 40}}, Steady},
		{"a burst", []Count{{18, 40}, {20, 40}}, Rising},
		{"gone after a high time", []Count{{20, 40}, {22, 40}, {21, 40}, {0, 40}}, Falling},
		{"no fetches", []Count{{0, 0}}, Steady},
	} {
		got := Of(append(flat[:len(flat):len(flat)], tt.last...), Options{})
		if got.Direction != tt.want || math.IsNaN(got.G2) {
			t.Errorf("%s: %+v, want %s", tt.name, got, tt.want)
		}
	}
	if got := Of(nil, Options{}); got.Direction != Steady || got.Since != -1 {
		t.Errorf("of nothing: %+v", got)
	}
}

// TestViterbi compares with all ways through the states.
func TestViterbi(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 10).Draw(t, "n")
		series := make([]Count, n)
		hits, of := 0, 0
		for i := range series {
			series[i].Of = rapid.IntRange(0, 12).Draw(t, "of")
			series[i].Hits = rapid.IntRange(0, series[i].Of).Draw(t, "hits")
			hits += series[i].Hits
			of += series[i].Of
		}
		got := Bursts(series, Options{})
		if hits == 0 || hits == of {
			if got != nil {
				t.Fatalf("bursts %v of a constant", got)
			}
			return
		}
		p0 := float64(hits) / float64(of)
		p := []float64{p0, min(3*p0, 0.9999)}
		price := func(states func(i int) int) float64 {
			sum, state := 0.0, 0
			for i, c := range series {
				next := states(i)
				if next > state {
					sum += math.Log(float64(n))
				}
				state = next
				sum -= float64(c.Hits)*math.Log(p[state]) + float64(c.Of-c.Hits)*math.Log(1-p[state])
			}
			return sum
		}
		best := math.Inf(1)
		if p[1] <= p[0] {
			return
		}
		for mask := range 1 << n {
			best = min(best, price(func(i int) int { return mask >> i & 1 }))
		}
		found := price(func(i int) int {
			for _, b := range got {
				if i >= b.From && i < b.To {
					return 1
				}
			}
			return 0
		})
		if math.Abs(found-best) > 1e-9 {
			t.Fatalf("bursts %v of %v cost %v, the cheapest way %v", got, series, found, best)
		}
	})
}

// TestPlantedBursts measures delay and false alarms: a term used by 3 of 60 hosts
// a period is used by 12 from period 200 on, for 5 periods (SCIENCE 3.5).
func TestPlantedBursts(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	draw := func(share float64) Count {
		c := Count{Of: 60}
		for range c.Of {
			if r.Float64() < share {
				c.Hits++
			}
		}
		return c
	}
	const terms, start = 200, 200
	found, delay, alarms := 0, 0, 0
	for range terms {
		var series []Count
		for range start {
			series = append(series, draw(0.05))
		}
		for _, b := range Bursts(series, Options{}) {
			alarms += b.To - b.From
		}
		for d := range 5 {
			series = append(series, draw(0.2))
			if Of(series, Options{}).Direction == Rising {
				found++
				delay += d
				break
			}
		}
	}
	t.Logf("found %d of %d, after %.2f periods more; %d false alarms in %d periods", found, terms, float64(delay)/float64(found), alarms, terms*start)
	if found < terms*98/100 || float64(delay)/float64(found) > 0.5 || alarms > terms {
		t.Error("want at least 98 %, at most half a period late, at most one false alarm a term")
	}
}

func TestBurstIsWhereItWasPlanted(t *testing.T) {
	t.Parallel()
	series := make([]Count, 30)
	for i := range series {
		series[i] = Count{1, 30}
	}
	for i := 12; i < 15; i++ {
		series[i].Hits = 20
	}
	series[13].Of, series[13].Hits = 0, 0 // a period without fetches inside
	got := Bursts(series, Options{})
	if len(got) != 1 || !cmp.Equal([]int{got[0].From, got[0].To}, []int{12, 15}) || got[0].Weight <= 0 {
		t.Errorf("bursts %+v", got)
	}
}
