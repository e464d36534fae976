package series

import (
	"context"
	"fmt"
	"slices"

	"github.com/strandlinehq/strandline/monitor/novelty"
	"github.com/strandlinehq/strandline/monitor/novelty/eval"
	"github.com/strandlinehq/strandline/store"
)

// compute computes a snapshot and stores the result.
func compute(ctx context.Context, db *store.DB, snapshot *store.SeriesSnapshot, earlier []store.SeriesSnapshot, opt Options) error {
	set, err := readPages(ctx, db, snapshot, earlier)
	if err != nil {
		return err
	}
	l, err := openLinks(ctx, db, set, opt.LinkBytes)
	if err != nil {
		return err
	}
	seen, err := set.survey(ctx, db, l, opt)
	if err != nil {
		return err
	}
	set.knowAliases()
	classes, err := classify(ctx, db, set, l, opt.Rules)
	if err != nil {
		return err
	}
	graph, err := novelty.Build(ctx, classes, l, novelty.BuildOptions{Workers: l.workers(), Distinct: true})
	if err != nil {
		return fmt.Errorf("links of unidentified pages: %w", err)
	}
	res := &store.NoveltyResult{Counts: set.counts(novelty.Count(classes), seen), Delta: opt.Delta, Rules: ruleNames(opt.Rules)}
	var truths []*truth
	if set.before != nil {
		own, err := datedPages(ctx, db, set, graph, opt.PageDates)
		if err != nil {
			return err
		}
		truths = []*truth{datedURLs(set, graph), own}
		for _, t := range truths {
			res.Truths = append(res.Truths, t.row())
		}
	}
	var scores []float32
	for _, delta := range opt.deltas() {
		run, err := novelty.Score[float32](ctx, graph, novelty.ScoreOptions{Delta: delta, Iterations: opt.Iterations})
		if err != nil {
			return fmt.Errorf("novelty: %w", err)
		}
		if delta == opt.Delta {
			scores, res.Iterations = run.N, len(run.L1)
		}
		if set.before != nil { // else there is nothing to tell new pages from
			judge(res, truths, delta, eval.Thresholds(), run)
		}
	}
	var born map[uint32]store.Birth
	if set.before != nil {
		if err := misses(ctx, res, set, l, opt); err != nil {
			return err
		}
		if born, err = births(ctx, db, set, earlier, l, graph, opt); err != nil {
			return err
		}
	}
	if err := set.findCopies(ctx, db, classes, graph, scores); err != nil {
		return fmt.Errorf("copies: %w", err)
	}
	return db.PutNovelty(ctx, snapshot.ID, res, seen.heard, rows(set, classes, graph, scores, born, seen, opt.Rules))
}

// classify gives the class of every page. Where rule 4 is asked for, the pages that
// the other rules leave in U are read for their own dates first.
func classify(ctx context.Context, db *store.DB, set *pageSet, l *links, rules novelty.Rules) ([]novelty.Class, error) {
	classes, err := novelty.Classify(ctx, set.flags, l, rules, l.workers())
	if err != nil {
		return nil, fmt.Errorf("classes: %w", err)
	}
	if rules&novelty.RuleDated == 0 || set.before == nil {
		return classes, nil
	}
	if err := set.dateUnidentified(ctx, db, classes); err != nil {
		return nil, err
	}
	if classes, err = novelty.Classify(ctx, set.flags, l, rules, l.workers()); err != nil {
		return nil, fmt.Errorf("classes by dates: %w", err)
	}
	return classes, nil
}

// surveyed is what one reading of the links tells.
type surveyed struct {
	links   int64
	inLinks []int32        // by page number, distinct sources
	byOld   []uint64       // bits: linked from a page with an old Last-Modified
	heard   []store.PageID // pages that the series had not heard of before
}

// survey counts links and finds the pages that are new to the series: W, and what
// it links to, under the linked name and at the end of redirects.
func survey(l *links, set *pageSet) (*surveyed, error) {
	s := &surveyed{inLinks: make([]int32, len(set.flags)), byOld: make([]uint64, (len(set.flags)+63)/64)}
	heard := make([]uint64, len(s.byOld))
	hear := func(page store.PageID) {
		n := page.Number()
		if set.flags[n]&novelty.Known == 0 && heard[n/64]>>(n%64)&1 == 0 {
			heard[n/64] |= 1 << (n % 64)
			s.heard = append(s.heard, page)
		}
	}
	for _, c := range set.pages {
		hear(c.page)
	}
	var targets []uint32
	for part := range l.Parts() {
		err := l.part(part, func(source uint32, packed []byte) (err error) {
			if set.flags[source]&novelty.Crawled == 0 {
				return nil
			}
			err = set.names(packed, func(page store.PageID, number uint32) {
				hear(page)
				if end, redirects := set.aliases[number]; redirects {
					hear(end)
				}
			})
			if err != nil {
				return err
			}
			if targets, err = set.targets(targets[:0], packed); err != nil {
				return err
			}
			s.links += int64(len(targets))
			old := set.flags[source]&novelty.Modified != 0
			for _, t := range targets {
				s.inLinks[t]++
				if old {
					s.byOld[t/64] |= 1 << (t % 64)
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

// counts are the sizes of the snapshot.
func (s *pageSet) counts(c novelty.Counts, seen *surveyed) store.NoveltyCounts {
	return store.NoveltyCounts{
		Pages: int64(c.Crawled()), Links: seen.links, Fringe: int64(c.Fringe), Aliases: int64(len(s.aliases)), Failed: s.failed, Traps: s.traps,
		L2: int64(c.L2), OldOther: int64(c.Old), Unidentified: int64(c.Unidentified),
	}
}

// rows yields the pages of W in order of their numbers, as they are stored.
func rows(set *pageSet, classes []novelty.Class, graph *novelty.Graph, scores []float32, born map[uint32]store.Birth, seen *surveyed, rules novelty.Rules) func() (store.PageNovelty, bool) {
	i := 0
	return func() (store.PageNovelty, bool) {
		if i == len(set.pages) {
			return store.PageNovelty{}, false
		}
		page := set.pages[i].page
		i++
		number := uint32(page.Number())
		p := store.PageNovelty{Page: page, Class: classes[number].String(), InLinks: seen.inLinks[number]}
		switch classes[number] {
		case novelty.Unidentified:
			if index, ok := graph.Index(number); ok {
				p.Novelty = scores[index]
			}
			p.Birth = born[number]
			return p, true
		case novelty.L2:
			p.Novelty = 1
		}
		p.OldBy = set.oldBy(number, seen, rules)
		return p, true
	}
}

// The numbers of the rules in the database.
const (
	bySeen = iota + 1
	byModified
	byLinked
	byDate
)

// oldBy is the first rule in use that tells an old page to be old.
func (s *pageSet) oldBy(number uint32, seen *surveyed, rules novelty.Rules) int {
	switch f := s.flags[number]; {
	case rules&novelty.RuleKnown != 0 && f&novelty.Known != 0:
		return bySeen
	case rules&novelty.RuleModified != 0 && f&novelty.Modified != 0:
		return byModified
	case rules&novelty.RuleLinked != 0 && seen.byOld[number/64]>>(number%64)&1 != 0:
		return byLinked
	}
	return byDate
}

// deltas are those of the evaluation and the one asked for, rising.
func (o *Options) deltas() []float64 {
	out := append([]float64{o.Delta}, o.Deltas...)
	slices.Sort(out)
	return slices.Compact(out)
}
