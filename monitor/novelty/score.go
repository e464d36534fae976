package novelty

import (
	"context"
	"fmt"
	"math"
)

// Float is the precision of scores. float32 halves the memory and is exact to
// about 1e-6; sums are made in float64 either way.
type Float interface{ float32 | float64 }

// DefaultDelta and DefaultIterations are the parameters of the paper (SCIENCE T10).
const (
	DefaultDelta      = 0.1
	DefaultIterations = 20
)

// ScoreOptions are the parameters of the measure. The zero value is delta 0 and
// iterating until the scores have settled.
type ScoreOptions struct {
	// Delta is the probability that there were links to a page before t_{k-1}
	// outside the snapshots; 0 to 1. No score exceeds 1 - Delta.
	Delta float64
	// Iterations is how many to do at most; 0 is as many as it takes to settle.
	Iterations int
	// Settled is the difference that no score may exceed in an iteration for the
	// scores to count as settled. 0 is 1e-6 in float32 and 1e-14 in float64. It is
	// not looked at when Iterations is given.
	Settled float64
	// Workers is the number of goroutines; 0 is one a processor.
	Workers int
}

// mostIterations ends the iteration of graphs that settle too slowly: only with
// delta 0, and only where random walks hardly leave U.
const mostIterations = 100_000

// Scores is the novelty of the pages of U, by their numbers within U.
type Scores[F Float] struct {
	N       []F
	L1      []float64 // sum of the differences of each iteration: Figure 1 (SCIENCE T4)
	Max     []float64 // greatest difference of each iteration; shrinks at least by 1-delta
	Settled bool      // the last iteration changed no score by more than was asked for
}

// taskBlocks is how many blocks of pages a goroutine takes at a time.
const taskBlocks = 16

// Score computes the novelty of the pages of U (SCIENCE T3) by synchronous
// iteration from 0:
//
//	N'(p) = (1-delta) * (|I(p) in L2| + sum over q in I(p), q in U of N(q)) / |I(p)|
//
// It tends to the least solution, the probability that a random walk along links
// backwards ends in L2: pages of U that link only to each other stay at 0 even with
// delta 0. A page without in-links has 0. The result is the same for any number of
// workers, to the last bit.
func Score[F Float](ctx context.Context, g *Graph, opt ScoreOptions) (*Scores[F], error) {
	if !(opt.Delta >= 0 && opt.Delta <= 1) {
		return nil, fmt.Errorf("delta is %v: it is a probability, from 0 to 1", opt.Delta)
	}
	if opt.Iterations < 0 {
		return nil, fmt.Errorf("%d iterations: must not be negative", opt.Iterations)
	}
	most := opt.Iterations
	if most == 0 {
		most = mostIterations
		if opt.Settled == 0 {
			opt.Settled = settled[F]()
		}
	} else {
		opt.Settled = 0
	}
	tasks := g.tasks()
	differences := make([]difference, len(tasks))
	now, next := make([]F, len(g.nodes)), make([]F, len(g.nodes))
	out := &Scores[F]{}
	for i := 0; i < most; i++ {
		err := parallel(ctx, opt.Workers, len(tasks), func(_, task int) error {
			differences[task] = step(g, tasks[task], opt.Delta, now, next)
			return nil
		})
		if err != nil {
			return nil, err
		}
		now, next = next, now
		var all difference
		for _, d := range differences {
			all.add(d)
		}
		out.L1, out.Max = append(out.L1, all.sum), append(out.Max, all.max)
		if out.Settled = all.max <= opt.Settled; out.Settled && opt.Iterations == 0 {
			break
		}
	}
	out.N = now
	return out, nil
}

func settled[F Float]() float64 {
	if _, single := any(F(0)).(float32); single {
		return 1e-6
	}
	return 1e-14
}

// task is some blocks of a section.
type task struct {
	section    *section
	block, end int
}

func (g *Graph) tasks() []task {
	var tasks []task
	for i := range g.sections {
		s := &g.sections[i]
		for b := 0; b < len(s.base); b += taskBlocks {
			tasks = append(tasks, task{s, b, min(b+taskBlocks, len(s.base))})
		}
	}
	return tasks
}

// difference is between the scores of two iterations.
type difference struct{ sum, max float64 }

func (d *difference) add(e difference) {
	d.sum += e.sum
	d.max = max(d.max, e.max)
}

// step computes the next scores of the pages of a task.
func step[F Float](g *Graph, t task, delta float64, now, next []F) difference {
	var diff difference
	for b := t.block; b < t.end; b++ {
		links, nodes, first := g.block(t.section, b)
		at := uint32(0)
		for i, n := range nodes {
			var score F
			if n.in > 0 {
				sum := float64(n.l2)
				for _, q := range links[at:n.end] {
					sum += float64(now[q])
				}
				at = n.end
				score = F((1 - delta) * sum / float64(n.in))
			}
			next[first+i] = score
			d := math.Abs(float64(score) - float64(now[first+i]))
			diff.sum += d
			diff.max = max(diff.max, d)
		}
	}
	return diff
}
