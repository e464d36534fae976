package curve

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// Boost tells the shape of a curve by LogitBoost with decision stumps, the kind of
// classifier that the paper used (SCIENCE A18). It is trained on generated curves,
// since the paper's hand-labelled ones are not published. Classify is the rule beside
// it, which needs no training and says why.
//
// The additive model has a sum of stumps for each shape j, and
//
//	P(j|x) = exp F_j(x) / Σ_k exp F_k(x)
//
// Each round fits a stump by weighted least squares to the working response
// z = (y - p)/(p(1-p)) with the weights p(1-p), for each shape, and adds
// (J-1)/J (f_j - mean_k f_k) (Friedman, Hastie and Tibshirani 2000, algorithm 6).
type Boost struct {
	rounds [][shapes]stump
}

const (
	shapes      = 3 // Flat, Sloped, Knotted
	features    = 7
	boostCurves = 1200
	boostRounds = 40
	maxResponse = 4 // bound of z, which keeps points far on the wrong side from ruling a stump
)

type example struct {
	x     [features]float64
	shape Shape
	rule  Shape // what Classify says
}

// stump gives one of two values by one feature.
type stump struct {
	feature     int
	limit       float64
	below, from float64
}

func (s *stump) at(x *[features]float64) float64 {
	if x[s.feature] < s.limit {
		return s.below
	}
	return s.from
}

// featuresOf describes a fit by numbers that do not depend on the unit of x.
func featuresOf(f Fit) (x [features]float64) {
	span := f.To - f.From
	tiny := func(v float64) float64 { return v + 1e-12 }
	rest := math.Max(1, float64(f.Points-4))
	return [features]float64{
		(f.Line.SSE - f.SSE) / tiny(f.Line.SSE),                              // share of the error that the knot removes
		math.Log(tiny((f.Line.SSE - f.SSE) / 2 / tiny(f.SSE/rest))),          // F ratio of the knot
		f.First.At(f.From) - f.Y,                                             // fall up to the knot
		math.Abs(f.Second.Slope) / tiny(math.Abs(f.First.Slope)),             // what remains of the slope
		math.Abs(f.Line.Slope) * span,                                        // movement of the one line
		math.Log(tiny(math.Abs(f.Line.Slope)) / tiny(math.Abs(f.LineError))), // and its certainty
		(f.X - f.From) / tiny(span),                                          // place of the knot
	}
}

// TrainBoost trains on n generated curves with some rounds; the same arguments give
// the same Boost. Zeroes mean 1200 and 40.
func TrainBoost(n, rounds int) *Boost {
	if n <= 0 {
		n = boostCurves
	}
	if rounds <= 0 {
		rounds = boostRounds
	}
	return train(generate(n), rounds)
}

// ValidateBoost returns the share of generated curves that are told rightly, by Boosts
// trained on the other folds, and by Classify on the same curves.
func ValidateBoost(n, rounds, folds int) (boost, rule float64) {
	all := generate(n)
	right, byRule := 0, 0
	for k := range folds {
		var rest, held []example
		for i, e := range all {
			if i%folds == k {
				held = append(held, e)
			} else {
				rest = append(rest, e)
			}
		}
		b := train(rest, rounds)
		for _, e := range held {
			if shape, _ := b.shape(&e.x); shape == e.shape {
				right++
			}
			if e.rule == e.shape {
				byRule++
			}
		}
	}
	return float64(right) / float64(len(all)), float64(byRule) / float64(len(all))
}

// Classify tells the shape of a curve from its fit by FitKnot, and how likely the
// training makes each, in the order flat, sloped, knotted.
func (b *Boost) Classify(f Fit) (Shape, [3]float64) {
	x := featuresOf(f)
	return b.shape(&x)
}

func (b *Boost) shape(x *[features]float64) (Shape, [shapes]float64) {
	var sum [shapes]float64
	for i := range b.rounds {
		addRound(&sum, &b.rounds[i], x)
	}
	p := softmax(sum)
	best := 0
	for j := range p {
		if p[j] > p[best] {
			best = j
		}
	}
	return Shape(best + 1), p
}

func addRound(sum *[shapes]float64, round *[shapes]stump, x *[features]float64) {
	var f [shapes]float64
	mean := 0.
	for j := range round {
		f[j] = round[j].at(x)
		mean += f[j] / shapes
	}
	for j := range f {
		sum[j] += (f[j] - mean) * (shapes - 1) / shapes
	}
}

func softmax(f [shapes]float64) (p [shapes]float64) {
	top := slices.Max(f[:])
	total := 0.
	for j := range f {
		p[j] = math.Exp(f[j] - top)
		total += p[j]
	}
	for j := range p {
		p[j] /= total
	}
	return p
}

func train(all []example, rounds int) *Boost {
	var order [features][]int // examples by feature
	for k := range order {
		order[k] = make([]int, len(all))
		for i := range all {
			order[k][i] = i
		}
		slices.SortStableFunc(order[k], func(a, b int) int { return cmp.Compare(all[a].x[k], all[b].x[k]) })
	}
	b := &Boost{}
	sums, p := make([][shapes]float64, len(all)), make([][shapes]float64, len(all))
	z, w := make([]float64, len(all)), make([]float64, len(all))
	for range rounds {
		for i := range all {
			p[i] = softmax(sums[i])
		}
		var round [shapes]stump
		for j := range round {
			for i := range all {
				p := p[i][j]
				w[i] = math.Max(p*(1-p), 1e-9)
				y := 0.
				if all[i].shape == Shape(j+1) {
					y = 1
				}
				z[i] = math.Min(math.Max((y-p)/w[i], -maxResponse), maxResponse)
			}
			round[j] = fitStump(all, &order, z, w)
		}
		for i := range all {
			addRound(&sums[i], &round, &all[i].x)
		}
		b.rounds = append(b.rounds, round)
	}
	return b
}

// fitStump finds the split with the least weighted squared error: that with the
// greatest (Σwz)²/Σw of its two sides together. Ties go to the first.
func fitStump(all []example, order *[features][]int, z, w []float64) (best stump) {
	var totalW, totalZ float64
	for i := range all {
		totalW += w[i]
		totalZ += w[i] * z[i]
	}
	best = stump{limit: math.Inf(-1), below: totalZ / totalW, from: totalZ / totalW}
	gain := totalZ * totalZ / totalW * (1 + 1e-12)
	for k := range order {
		var leftW, leftZ float64
		for at, i := range order[k][:len(all)-1] {
			leftW += w[i]
			leftZ += w[i] * z[i]
			a, b := all[i].x[k], all[order[k][at+1]].x[k]
			if a == b {
				continue
			}
			rightW, rightZ := totalW-leftW, totalZ-leftZ
			if g := leftZ*leftZ/leftW + rightZ*rightZ/rightW; g > gain {
				gain = g
				best = stump{feature: k, limit: b, below: leftZ / leftW, from: rightZ / rightW}
			}
		}
	}
	return best
}

// generate makes curves of known shapes: of 30 to 840 points with noise of a standard
// deviation up to .02, a third of each shape.
func generate(n int) []example {
	rng := rand.New(rand.NewPCG(18, 2009))
	out := make([]example, 0, n)
	for i := 0; len(out) < n; i++ {
		e := example{shape: Shape(1 + i%shapes)}
		points := 30 + rng.IntN(811)
		sd := [...]float64{0, .003, .01, .02}[rng.IntN(4)]
		knot := (.05 + .55*rng.Float64()) * float64(points)
		fall, rest, slope := .15+.5*rng.Float64(), .05*rng.Float64(), .1+.5*rng.Float64()
		level := .9 + .1*rng.Float64()
		x, y := make([]float64, points), make([]float64, points)
		for t := range points {
			at := float64(t)
			switch x[t] = at; e.shape {
			case Flat:
				y[t] = level
			case Sloped:
				y[t] = 1 - slope*at/float64(points)
			default:
				y[t] = 1 - fall*math.Min(at/knot, 1) - rest*math.Max(at-knot, 0)/float64(points)
			}
			y[t] += sd * rng.NormFloat64()
		}
		if f, ok := FitKnot(x, y); ok {
			e.x, e.rule = featuresOf(f), Classify(f)
			out = append(out, e)
		}
	}
	return out
}
