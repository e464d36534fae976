package series

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/strandlinehq/strandline/monitor/novelty"
	"github.com/strandlinehq/strandline/monitor/novelty/eval"
	"github.com/strandlinehq/strandline/store"
)

// pageSet is a snapshot's W with what is known of all pages before it. Pages go by
// the number in their id, which is nearly dense over all pages.
type pageSet struct {
	snapshot *store.SeriesSnapshot
	before   *store.SeriesSnapshot // the last one with pages; nil for the first

	flags    []novelty.Flag
	pages    []crawled      // W, in order of their numbers
	previous []store.PageID // W of the snapshot before
	hosts    hostNames
	// previousHosts are the numbers of the hosts of previous.
	previousHosts []uint32
	aliases       map[uint32]store.PageID // where each redirect leads in the end
	failed        int64
	traps         int64
}

// crawled is a page of W.
type crawled struct {
	page  store.PageID
	month eval.Month // in its URL; 0: none
	host  uint32
}

// maxRedirects ends chains, and so circles, of redirects.
const maxRedirects = 20

// readPages reads W of a snapshot. Earlier are all snapshots of the series before it.
func readPages(ctx context.Context, db *store.DB, snapshot *store.SeriesSnapshot, earlier []store.SeriesSnapshot) (*pageSet, error) {
	n, err := db.PageNumbers(ctx)
	if err != nil {
		return nil, err
	}
	if n > math.MaxUint32 {
		return nil, fmt.Errorf("the database has handed out %d page numbers: at most 2^32 can be computed on", n)
	}
	s := &pageSet{snapshot: snapshot, flags: make([]novelty.Flag, n), aliases: map[uint32]store.PageID{}, hosts: hostNames{numbers: map[string]uint32{}}}
	ids := make([]store.SnapshotID, len(earlier))
	for i := range earlier {
		ids[i] = earlier[i].ID
		if earlier[i].Pages > 0 {
			s.before = &earlier[i]
		}
	}
	var stray error
	err = db.KnownPages(ctx, ids, func(p store.PageID) {
		if number, err := s.number(p); err == nil {
			s.flags[number] |= novelty.Known
		} else if stray == nil {
			stray = err
		}
	})
	if err = cmp.Or(err, stray); err != nil {
		return nil, err
	}
	if s.before != nil {
		if err := s.readBefore(ctx, db); err != nil {
			return nil, err
		}
	}
	err = db.SnapshotPages(ctx, snapshot.ID, func(p store.SnapshotPage) error { return s.add(p) })
	if err != nil {
		return nil, err
	}
	slices.SortFunc(s.pages, func(a, b crawled) int { return cmp.Compare(a.page.Number(), b.page.Number()) })
	s.followRedirects()
	return s, nil
}

// readBefore marks W of the snapshot before.
func (s *pageSet) readBefore(ctx context.Context, db *store.DB) error {
	return db.SnapshotPages(ctx, s.before.ID, func(p store.SnapshotPage) error {
		number, err := s.number(p.Page)
		if err == nil && p.Crawled && !p.Trap {
			s.flags[number] |= novelty.Previous | novelty.Known
			s.previous = append(s.previous, p.Page)
			s.previousHosts = append(s.previousHosts, s.hosts.number(p.URL))
		}
		return err
	})
}

// add takes a URL that the snapshot tried.
func (s *pageSet) add(p store.SnapshotPage) error {
	number, err := s.number(p.Page)
	switch {
	case err != nil:
		return err
	case !p.Crawled && p.Alias != 0:
		if _, err := s.number(p.Alias); err != nil {
			return err
		}
		s.aliases[number] = p.Alias
		return nil
	case !p.Crawled:
		s.failed++
		return nil
	case p.Trap:
		s.traps++
		return nil
	}
	c := crawled{page: p.Page, host: s.hosts.number(p.URL)}
	if m, ok := s.dater().Of(p.URL); ok {
		c.month = m
	}
	s.pages = append(s.pages, c)
	s.flags[number] |= novelty.Crawled
	if s.before != nil {
		if p.Valid && p.LastModified.Before(s.before.StartedAt) {
			s.flags[number] |= novelty.Modified
		}
		if c.month != 0 && c.month < eval.MonthOf(s.before.StartedAt) {
			s.flags[number] |= novelty.Dated
		}
	}
	return nil
}

// followRedirects makes every alias lead to the end of its chain. A redirect in a
// circle leads nowhere and is dropped.
func (s *pageSet) followRedirects() {
	ends := make(map[uint32]store.PageID, len(s.aliases))
	for from, to := range s.aliases {
		for range maxRedirects {
			next, more := s.aliases[uint32(to.Number())]
			if !more {
				ends[from] = to
				break
			}
			to = next
		}
	}
	s.aliases = ends
}

// knowAliases makes pages known whose aliases are. It comes behind the survey,
// which notes what the series itself has heard of.
func (s *pageSet) knowAliases() {
	for from, to := range s.aliases {
		s.flags[to.Number()] |= s.flags[from] & novelty.Known
	}
}

// number is the page's number, checked.
func (s *pageSet) number(p store.PageID) (uint32, error) {
	if n := p.Number(); n >= 0 && n < int64(len(s.flags)) {
		return uint32(n), nil
	}
	return 0, fmt.Errorf("page %d has a number that was never handed out", p)
}
