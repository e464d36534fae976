package series

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/strandlinehq/strandline/monitor/novelty"
	"github.com/strandlinehq/strandline/monitor/novelty/birth"
	"github.com/strandlinehq/strandline/store"
)

// Coverage is the probability of the intervals of birth that are stored.
const Coverage = 0.9

// mostLinks bounds the links to a page that are looked at.
const mostLinks = 32

// births estimates when pages of U appeared (SCIENCE T17, 3.2). No snapshot before
// has seen a link to a page of U, so each of its links appeared between the last
// crawl of its source, in whichever earlier snapshot, and this one.
//
// How fast links appear is fitted to pages of the snapshot before, of which links
// are known in both (fitLinks): pages of U do not tell, as being in U is to have had
// no link that was seen. How many pages appear is taken from hosts that both
// snapshots crawled (crawls.priors).
func births(ctx context.Context, db *store.DB, set *pageSet, earlier []store.SeriesSnapshot, l *links, graph *novelty.Graph, opt Options) (map[uint32]store.Birth, error) {
	c, err := readCrawls(ctx, db, set, earlier, graph)
	if err != nil {
		return nil, err
	}
	model, err := fitLinks(ctx, db, set, c, l)
	if err != nil {
		return nil, err
	}
	step := max(1, (graph.Len()+opt.Births-1)/opt.Births)
	pages := make([]dated, 0, (graph.Len()+step-1)/step)
	for index, number := range graph.Pages() {
		if index%step == 0 {
			pages = append(pages, dated{number, birth.Evidence{Seen: at(c.now, number), Modified: c.found[number].modified}})
		}
	}
	err = eachLink(set, l, func(source, target uint32) {
		if index, ok := graph.Index(target); ok && index%step == 0 {
			pages[index/step].add(c.link(source))
		}
	})
	if err != nil {
		return nil, err
	}
	c.priors(pages, set)
	return estimate(ctx, model, pages, set.before.StartedAt)
}

// eachLink yields the links of W.
func eachLink(set *pageSet, l *links, yield func(source, target uint32)) error {
	for part := range l.Parts() {
		err := l.Part(part, func(source uint32, targets []uint32) error {
			if set.flags[source]&novelty.Crawled != 0 {
				for _, t := range targets {
					yield(source, t)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// dated is a page whose birth is estimated.
type dated struct {
	number   uint32
	evidence birth.Evidence
}

// add takes a link. Of those that bound the birth from above alone, whose sources
// were crawled for the first time, the earliest says all.
func (d *dated) add(l birth.Link) {
	links := d.evidence.Links
	if l.Without.IsZero() {
		if i := slices.IndexFunc(links, unbounded); i >= 0 {
			if l.With.Before(links[i].With) {
				links[i] = l
			}
			return
		}
	}
	if len(links) < mostLinks {
		d.evidence.Links = append(d.evidence.Links, l)
	}
}

func unbounded(l birth.Link) bool { return l.Without.IsZero() }

// link is what is known of a link to a page of U.
func (c *crawls) link(source uint32) birth.Link {
	with := at(c.now, source)
	l := birth.Link{Without: at(c.last, source), With: with, Until: with}
	if !l.Without.Before(with) {
		l.Without = time.Time{} // by a clock that went back
	}
	return l
}

// priors tells the pages how likely they are to be new before their links are looked
// at. Of the pages of hosts that the snapshot before crawled, a share f has appeared
// since: those of U that a page links to which did not then. Hosts that it missed
// grew alike, but their pages of U are what no link had told of, so that of U_g
// pages in U among N_g
//
//	f_g N_g / U_g
//
// are new, with f_g = 1 - (1-f)^(time since the hosts were crawled / time between the snapshots).
func (c *crawls) priors(pages []dated, set *pageSet) {
	between := set.snapshot.StartedAt.Sub(set.before.StartedAt)
	if between <= 0 {
		return
	}
	linked, looked := 0., 0.
	for _, p := range pages {
		if c.found[p.number].group != 0 {
			continue
		}
		looked++
		if slices.ContainsFunc(p.evidence.Links, func(l birth.Link) bool { return !l.Without.Before(set.before.StartedAt) }) {
			linked++
		}
	}
	g := c.groups[0]
	if looked == 0 || g.pages == 0 {
		return
	}
	f := linked / looked * g.unidentified / g.pages
	for i := range pages {
		e := &pages[i].evidence
		g := c.groups[c.found[pages[i].number].group]
		e.Since = g.since
		past := float64(set.snapshot.StartedAt.Sub(g.since)) / float64(between)
		e.New = min(max(-math.Expm1(past*math.Log1p(-min(f, .99)))*g.pages/max(g.unidentified, 1), .01), .99)
		if !e.Since.Before(e.Seen) {
			e.New = 0
		}
	}
}

// estimate gives the interval of each page's birth and the probability that it lies
// after a time.
func estimate(ctx context.Context, model birth.Model, pages []dated, since time.Time) (map[uint32]store.Birth, error) {
	all := make([]store.Birth, len(pages))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	const chunk = 256
	for from := 0; from < len(pages); from += chunk {
		g.Go(func() error {
			for i := from; i < min(from+chunk, len(pages)); i++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				p, err := model.Posterior(pages[i].evidence)
				if err != nil {
					return fmt.Errorf("birth of page %d: %w", pages[i].number, err)
				}
				b := store.Birth{New: float32(p.After(since))}
				b.From, b.To = p.Interval(Coverage)
				all[i] = b
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	out := make(map[uint32]store.Birth, len(pages))
	for i, p := range pages {
		out[p.number] = all[i]
	}
	return out, nil
}
