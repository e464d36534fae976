package main

import (
	"context"
	"math"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/webgraph"
	"github.com/strandlinehq/strandline/configs"
	"github.com/strandlinehq/strandline/monitor/novelty"
)

// benchNoveltyCmd measures the novelty of a generated web.
type benchNoveltyCmd struct {
	Pages        int          `help:"Pages of the web." default:"10000000"`
	Links        float64      `help:"Distinct links between them; a heavy tail makes it about a hundredth less." default:"476e6"`
	Unidentified float64      `help:"Share of pages in U, up to 0.9; that of the paper's May 2004." default:"0.31"`
	L2           float64      `name:"l2" help:"Share of the old pages in L2; that of the paper's May 2004." default:"0.7"`
	Delta        float64      `help:"Decay of novelty per link." default:"0.1"`
	Iterations   int          `help:"Iterations." default:"20"`
	Duplicates   bool         `help:"Build as if links could come twice, as from files."`
	Memory       configs.Size `help:"Most memory that building may take; default nine tenths of what is free." placeholder:"SIZE"`
	Baseline     float64      `help:"Part of the web's size at which the plain program runs; 0 leaves it out." default:"0.1"`
	Seed         uint64       `help:"Another number gives another web."`
}

// noveltyFigures is what bench novelty prints.
type noveltyFigures struct {
	Pages        int     `json:"pages"`
	Unidentified int     `json:"unidentified"`
	Links        uint64  `json:"links"`                    // of the whole web
	LinksIntoU   uint64  `json:"links_into_u"`             // that the formula sums over
	LinksStored  uint64  `json:"links_stored"`             // from U: the others are constants
	GraphBytes   uint64  `json:"graph_bytes"`              // with classes and scores
	Peak         uint64  `json:"peak_rss_bytes"`           // of the process up to here
	Passes       int     `json:"passes"`                   // over the links
	Generate     float64 `json:"generate_cpu_ns_per_link"` // a pass over the links that does nothing with them
	Build        spent   `json:"build"`                    // with generating the links in each pass
	Iterate      spent   `json:"iterate"`
	Iterations   int     `json:"iterations"`
	LastL1       float64 `json:"last_l1"`
	PerLink      float64 `json:"cpu_ns_per_link_into_u_and_iteration"`
	PerStored    float64 `json:"cpu_ns_per_link_stored_and_iteration"`
	Processors   int     `json:"processors"`

	Baseline *baselineFigures `json:"baseline,omitempty"`
}

// baselineFigures compares with a plain program on a smaller web.
type baselineFigures struct {
	Pages      int     `json:"pages"`
	LinksIntoU uint64  `json:"links_into_u"`
	Build      spent   `json:"build"`
	Iterate    spent   `json:"iterate"`
	PerLink    float64 `json:"cpu_ns_per_link_into_u_and_iteration"`
	Bytes      uint64  `json:"heap_bytes"`
	Ours       float64 `json:"ours_cpu_ns_per_link_into_u_and_iteration"`
	OurBytes   uint64  `json:"ours_bytes"`
	Difference float64 `json:"greatest_difference_of_scores"`
}

// spent is time: that of the clock, and that of the processors, which other work on
// the machine does not lengthen.
type spent struct {
	Seconds float64 `json:"seconds"`
	CPU     float64 `json:"cpu_seconds"`
}

func (s *spent) measure(work func() error) error {
	start, cpu := time.Now(), processorTime()
	err := work()
	s.Seconds, s.CPU = time.Since(start).Seconds(), (processorTime() - cpu).Seconds()
	return err
}

// processorTime is what the process has used of the processors.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Run prints the figures as JSON.
func (c *benchNoveltyCmd) Run(ctx context.Context, a *app) error {
	switch {
	case c.Pages < 1 || c.Pages > 1<<31:
		return usagef("--pages %d: from 1 to 2147483648", c.Pages)
	case !(c.Links >= 0 && c.Links <= 1000*float64(c.Pages)):
		return usagef("--links %v: from 0 to 1000 a page", c.Links)
	case !(c.Unidentified >= 0 && c.Unidentified <= 0.9):
		return usagef("--unidentified %v: from 0 to 0.9", c.Unidentified)
	case !(c.L2 >= 0 && c.L2 <= 1):
		return usagef("--l2 %v: from 0 to 1", c.L2)
	case !(c.Baseline >= 0 && c.Baseline <= 1):
		return usagef("--baseline %v: from 0 to 1", c.Baseline)
	case c.Iterations < 1:
		return usagef("--iterations %d: at least 1", c.Iterations)
	}
	memory := uint64(c.Memory.Bytes())
	if memory == 0 {
		memory = freeMemory() / 10 * 9
	}
	var out noveltyFigures
	web := &countedWeb{Graph: c.web(c.Pages)}
	var generate spent
	sample := (web.Parts() + 15) / 16
	if err := generate.measure(func() error {
		for part := range sample {
			if err := web.Part(part, func(uint32, []uint32) error { return ctx.Err() }); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	out.Generate = generate.CPU * 1e9 / float64(max(web.links.Swap(0), 1))
	graph, scores, err := c.ours(ctx, web, memory, &out.Build, &out.Iterate)
	if err != nil {
		return err
	}
	out.Links = web.links.Load()
	if c.Duplicates { // each pass reads them all; else only the first does
		out.Links /= uint64(graph.Stats().Passes)
	}
	stats := graph.Stats()
	out.Pages, out.Unidentified, out.LinksIntoU, out.LinksStored = stats.Pages, stats.Unidentified, stats.Links, stats.Stored
	out.GraphBytes, out.Passes, out.Processors = stats.Bytes, stats.Passes, runtime.GOMAXPROCS(0)
	out.Peak = peakMemory()
	out.Iterations, out.LastL1 = len(scores.L1), scores.L1[len(scores.L1)-1]
	out.PerLink, out.PerStored = c.perLink(out.Iterate, stats.Links), c.perLink(out.Iterate, stats.Stored)
	if c.Baseline > 0 {
		graph, scores = nil, nil
		debug.FreeOSMemory()
		if out.Baseline, err = c.compare(ctx, c.web(max(1, int(float64(c.Pages)*c.Baseline))), memory); err != nil {
			return err
		}
	}
	return a.printJSON(out)
}

func (c *benchNoveltyCmd) web(pages int) *webgraph.Graph {
	return webgraph.New(webgraph.Options{
		Pages: pages, LinksPerPage: c.Links / float64(c.Pages), Unidentified: c.Unidentified, L2: c.L2, Seed: c.Seed,
	})
}

// perLink gives the nanoseconds of processor time for a link in one iteration, which
// all cores together share.
func (c *benchNoveltyCmd) perLink(s spent, links uint64) float64 {
	return s.CPU * 1e9 / float64(max(links, 1)) / float64(c.Iterations)
}

// ours builds and scores the web as the program does.
func (c *benchNoveltyCmd) ours(ctx context.Context, web generated, memory uint64, build, iterate *spent) (*novelty.Graph, *novelty.Scores[float32], error) {
	var graph *novelty.Graph
	var scores *novelty.Scores[float32]
	err := build.measure(func() (err error) {
		graph, err = novelty.Build(ctx, web.Classes(), web, novelty.BuildOptions{Memory: memory, Distinct: !c.Duplicates})
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	err = iterate.measure(func() (err error) {
		scores, err = novelty.Score[float32](ctx, graph, novelty.ScoreOptions{Delta: c.Delta, Iterations: c.Iterations})
		return err
	})
	return graph, scores, err
}

// compare runs the plain program and ours on the same web.
func (c *benchNoveltyCmd) compare(ctx context.Context, web *webgraph.Graph, memory uint64) (*baselineFigures, error) {
	var ignored, iterate spent
	graph, scores, err := c.ours(ctx, web, memory, &ignored, &iterate)
	if err != nil {
		return nil, err
	}
	stats := graph.Stats()
	out := &baselineFigures{Pages: stats.Pages, LinksIntoU: stats.Links, OurBytes: stats.Bytes, Ours: c.perLink(iterate, stats.Links)}
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	classes := web.Classes()
	var in [][]uint32
	err = out.Build.measure(func() (err error) {
		in, err = plainInLinks(ctx, classes, web)
		return err
	})
	if err != nil {
		return nil, err
	}
	var plain []float64
	if err := out.Iterate.measure(func() error {
		plain = plainScores(classes, in, c.Delta, c.Iterations)
		return nil
	}); err != nil {
		return nil, err
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if after.HeapAlloc > before.HeapAlloc { // of a very small web other things decide
		out.Bytes = after.HeapAlloc - before.HeapAlloc
	}
	out.PerLink = c.perLink(out.Iterate, stats.Links)
	for i, page := range graph.Pages() {
		out.Difference = max(out.Difference, math.Abs(float64(scores.N[i])-plain[page]))
	}
	runtime.KeepAlive(in)
	return out, nil
}

// generated is a web whose links can be read.
type generated interface {
	novelty.Links
	Classes() []novelty.Class
}

// countedWeb counts the links that are read, but for those that are chosen.
type countedWeb struct {
	*webgraph.Graph
	links atomic.Uint64
}

// Part reads a part and counts its links.
func (w *countedWeb) Part(i int, yield func(uint32, []uint32) error) error {
	var n uint64
	defer func() { w.links.Add(n) }()
	return w.Graph.Part(i, func(source uint32, targets []uint32) error {
		n += uint64(len(targets))
		return yield(source, targets)
	})
}

// plainInLinks is how one would gather in-links without further thought: a list for
// each page of U.
func plainInLinks(ctx context.Context, classes []novelty.Class, web *webgraph.Graph) ([][]uint32, error) {
	in := make([][]uint32, len(classes))
	for part := range web.Parts() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := web.Part(part, func(source uint32, targets []uint32) error {
			for _, p := range targets {
				if classes[p] == novelty.Unidentified {
					in[p] = append(in[p], source)
				}
			}
			return nil
		}); err != nil {
			return nil, err
		}
	}
	return in, nil
}

// plainScores is the formula of the paper word by word (SCIENCE T3).
func plainScores(classes []novelty.Class, in [][]uint32, delta float64, iterations int) []float64 {
	now, next := make([]float64, len(classes)), make([]float64, len(classes))
	for p, class := range classes {
		if class == novelty.L2 {
			now[p], next[p] = 1, 1
		}
	}
	for range iterations {
		for p, class := range classes {
			if class != novelty.Unidentified || len(in[p]) == 0 {
				continue
			}
			sum := 0.0
			for _, q := range in[p] {
				sum += now[q]
			}
			next[p] = (1 - delta) * sum / float64(len(in[p]))
		}
		now, next = next, now
	}
	return now
}
