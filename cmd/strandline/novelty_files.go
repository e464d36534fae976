package main

import (
	"bufio"
	"context"
	"fmt"
	"strconv"

	"github.com/strandlinehq/strandline/configs"
	"github.com/strandlinehq/strandline/monitor/novelty"
	"github.com/strandlinehq/strandline/monitor/novelty/linkfile"
)

// noveltyFiles are the flags of novelty on files.
type noveltyFiles struct {
	Pages  string       `help:"File of pages, id<TAB>class, instead of the database; class L2, O or U, ids dense from 0." placeholder:"FILE"`
	Links  string       `help:"File of their links, source<TAB>target." placeholder:"FILE"`
	Format string       `help:"Form of the files: text, or bin for pairs of little-endian uint32." enum:"text,bin" default:"text"`
	Memory configs.Size `help:"Most memory that files may take; default nine tenths of what is free." placeholder:"SIZE"`
}

// doublePages is up to how many pages of U scores are kept in float64: beyond, the
// memory counts more than digits that 20 iterations do not reach.
const doublePages = 1 << 24

// runFiles computes the novelty of the pages in files, and prints id<TAB>score for
// each page of U.
func (c *noveltyCmd) runFiles(ctx context.Context, a *app) error {
	if c.Files.Pages == "" || c.Files.Links == "" {
		return usagef("--pages and --links go together")
	}
	if err := checkFiles([]string{c.Files.Pages, c.Files.Links}); err != nil {
		return err
	}
	format := linkfile.Text
	if c.Files.Format == "bin" {
		format = linkfile.Binary
	}
	classes, err := linkfile.Pages(c.Files.Pages, format)
	if err != nil {
		return err
	}
	links, err := linkfile.Open(c.Files.Links, format, len(classes))
	if err != nil {
		return err
	}
	memory := uint64(c.Files.Memory.Bytes())
	if memory == 0 {
		memory = freeMemory() / 10 * 9
	}
	graph, err := novelty.Build(ctx, classes, links, novelty.BuildOptions{Memory: memory, Planned: func(p novelty.Plan) {
		fmt.Fprintf(a.stderr, "%d unidentified pages with %d in-links: %.1f MiB of memory, %d passes over the links\n",
			p.Unidentified, p.Links, float64(p.Bytes)/(1<<20), p.Passes)
	}})
	if err != nil {
		return err
	}
	stats := graph.Stats()
	if stats.Duplicates > 0 {
		fmt.Fprintf(a.stderr, "%d duplicate links were dropped\n", stats.Duplicates)
	}
	opt := novelty.ScoreOptions{Delta: novelty.DefaultDelta, Iterations: novelty.DefaultIterations}
	if c.Delta != nil {
		opt.Delta = *c.Delta
	}
	if c.Iterations != nil {
		opt.Iterations = *c.Iterations
	}
	if u := uint64(stats.Unidentified); u <= doublePages && (memory == 0 || stats.Peak+8*u <= memory) {
		return printScores[float64](ctx, a, graph, opt, 64)
	}
	return printScores[float32](ctx, a, graph, opt, 32)
}

// printScores computes and prints, in as few digits as tell the scores apart.
func printScores[F novelty.Float](ctx context.Context, a *app, graph *novelty.Graph, opt novelty.ScoreOptions, bits int) error {
	scores, err := novelty.Score[F](ctx, graph, opt)
	if err != nil {
		return usageError{err}
	}
	if opt.Iterations == 0 && !scores.Settled {
		fmt.Fprintf(a.stderr, "the scores have not settled after %d iterations; the last one changed them by up to %g\n",
			len(scores.Max), scores.Max[len(scores.Max)-1])
	}
	w := bufio.NewWriterSize(a.stdout, 1<<20)
	var line []byte
	for i, page := range graph.Pages() {
		line = strconv.AppendUint(line[:0], uint64(page), 10)
		line = append(line, '\t')
		line = strconv.AppendFloat(line, float64(scores.N[i]), 'g', -1, bits)
		line = append(line, '\n')
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return w.Flush()
}
