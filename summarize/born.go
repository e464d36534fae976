package summarize

import (
	"context"
	"slices"

	"github.com/strandlinehq/strandline/store"
	"github.com/strandlinehq/strandline/summarize/novel"
)

// What a page says when its topic reads it for the first time is one of three things.
//
//   - News, where the page was published in the period: all that it says is new.
//   - History, where a version from before the period is at hand.
//   - Neither, where it was first fetched in the period and nobody knows since when it
//     says that: nothing of it is told, and it makes nobody else's sentence of the
//     same period an old one. From the next period on it is history.
//
// A page was published in the period if its URL was first heard of in it, and that by
// a page of the collection which had been read before and did not link to it then: the
// first fetch of an old page says nothing of its age (SCIENCE 3.2). The time of the
// period before counts too, as a page joins the collection at the end of the period in
// which it was found.

// findBorn marks the pages that were published in the period, and makes what they say new.
func (p *period) findBorn(ctx context.Context) error {
	since := p.from.Add(-p.to.Sub(p.from))
	young := map[store.PageID]*reading{}
	for _, rd := range p.pages {
		if rd.seen() && rd.first && !rd.from.FirstSeen.Before(p.from) && !rd.FirstSeen.Before(since) {
			young[rd.Page] = rd
		}
	}
	if len(young) == 0 {
		return nil
	}
	return p.eachLink(ctx, func(source *reading, target store.PageID) {
		if rd := young[target]; rd != nil && rd != source && source.from.FirstSeen.Before(rd.FirstSeen) && source.to.Version != source.from.Version {
			rd.arrive(p.set.Plain)
		}
	})
}

// arrive makes all that a page said in the period new; all keeps earlier states of a sentence.
func (p *reading) arrive(all bool) {
	if p.born {
		return
	}
	p.born = true
	in := func(list []sentence) map[uint64]bool {
		out := make(map[uint64]bool, len(list))
		for _, s := range list {
			out[s.Normal] = true
		}
		return out
	}
	gather, said := gathering{byForm: map[string][]int{}, all: all}, map[uint64]bool{}
	now := in(p.known)
	for _, s := range p.known {
		if !said[s.Normal] {
			said[s.Normal] = true
			gather.add(s, now)
		}
	}
	now = in(p.last)
	for _, s := range p.fresh {
		gather.add(s, now)
	}
	p.fresh = gather.left()
}

// eachLink calls f with each link of the last versions of the period, to pages of the
// collection and to others.
func (p *period) eachLink(ctx context.Context, f func(source *reading, target store.PageID)) error {
	var of []store.Stored
	for _, rd := range p.pages {
		if rd.seen() {
			of = append(of, store.Stored{Page: rd.Page, Version: rd.to.Version})
		}
	}
	return p.db.View(ctx, func(tx *store.Tx) error {
		links, err := tx.VersionLinks(ctx, of)
		for _, rd := range p.pages {
			for _, t := range links[rd.Page].Targets {
				f(rd, t.Page)
			}
		}
		return err
	})
}

// background is what the pages that are read for the first time said before: what
// counts as history for this period already, and what does for the next ones only.
func (p *period) background() (before, after []novel.Sentence) {
	for _, rd := range p.pages {
		if !rd.first || rd.born {
			continue
		}
		texts := make([]novel.Sentence, len(rd.known))
		for i, s := range rd.known {
			texts[i] = s.Sentence
		}
		if rd.from.FirstSeen.Before(p.from) {
			before = slices.Concat(before, texts)
		} else {
			after = slices.Concat(after, texts)
		}
	}
	return before, after
}
