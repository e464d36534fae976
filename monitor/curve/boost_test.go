package curve

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestBoostAccuracy cross-validates the boosted stumps beside the rule (SCIENCE A18).
func TestBoostAccuracy(t *testing.T) {
	t.Parallel()
	boost, rule := ValidateBoost(600, 25, 10)
	t.Logf("ten-fold cross-validation on 600 curves: LogitBoost %.4f, rule %.4f", boost, rule)
	if boost < .97 || rule < .97 {
		t.Errorf("LogitBoost has %.4f right, the rule %.4f, want .97 of both", boost, rule)
	}
}

// TestBoostSlow holds the stumps against all splits, tried one by one, and wants the
// same training twice.
func TestBoostSlow(t *testing.T) {
	t.Parallel()
	all := generate(60)
	b := train(all, 1)
	if diff := cmp.Diff(b, train(generate(60), 1), cmp.AllowUnexported(Boost{}, stump{})); diff != "" {
		t.Errorf("trained twice:\n%s", diff)
	}
	// In the first round p = 1/3, so all weights are 2/9 and z is 3 or -3/2.
	for j, got := range b.rounds[0] {
		z := make([]float64, len(all))
		for i := range all {
			if z[i] = -1.5; all[i].shape == Shape(j+1) {
				z[i] = 3
			}
		}
		loss := func(s stump) (sum float64) {
			for i := range all {
				d := z[i] - s.at(&all[i].x)
				sum += d * d
			}
			return sum
		}
		best := math.Inf(1)
		for k := range features {
			for i := range all {
				s := stump{feature: k, limit: all[i].x[k]}
				var n, sum [2]float64
				for m := range all {
					side := 0
					if all[m].x[k] >= s.limit {
						side = 1
					}
					n[side]++
					sum[side] += z[m]
				}
				s.below, s.from = sum[0]/math.Max(n[0], 1), sum[1]/math.Max(n[1], 1)
				best = math.Min(best, loss(s))
			}
		}
		if math.Abs(loss(got)-best) > 1e-6 {
			t.Errorf("shape %v: a stump with the loss %v, the best has %v", Shape(j+1), loss(got), best)
		}
	}
}

func TestBoostClassify(t *testing.T) {
	t.Parallel()
	b := TrainBoost(0, 0)
	for want, value := range map[Shape]func(x float64) float64{
		Flat:    func(float64) float64 { return 1 },
		Sloped:  func(x float64) float64 { return 1 - x/200 },
		Knotted: func(x float64) float64 { return 1 - math.Min(x, 20)/50 },
	} {
		x, y := grid(100, func(i int) float64 { return value(float64(i)) })
		f, _ := FitKnot(x, y)
		got, p := b.Classify(f)
		if sum := p[0] + p[1] + p[2]; got != want || math.Abs(sum-1) > 1e-12 || p[want-1] < .5 {
			t.Errorf("%v is told %v with %v", want, got, p)
		}
	}
}

func BenchmarkTrainBoost(b *testing.B) {
	for b.Loop() {
		TrainBoost(0, 0)
	}
}
