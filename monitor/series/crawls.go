package series

import (
	"context"
	"strings"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/strandlinehq/strandline/monitor/novelty"
	"github.com/strandlinehq/strandline/monitor/novelty/birth"
	"github.com/strandlinehq/strandline/store"
)

// lookedBack is how many earlier snapshots tell when a page was last crawled: older
// ones would say little of a page that is found now.
const lookedBack = 4

// crawls is when pages were crawled, by their numbers, in seconds since 1970; 0: not.
type crawls struct {
	now, last, before []uint32 // in this snapshot, in the last one of those before it, in the one before it
	found             map[uint32]found
	groups            []group
}

// found is what is known of a page that no snapshot before knew.
type found struct {
	modified time.Time // valid Last-Modified; zero: none
	group    int
}

// group is the pages of hosts that were last crawled at about the same time.
type group struct {
	since               time.Time // start of the snapshot that last crawled them; of the one before for those never crawled
	pages, unidentified float64
}

// at is when a page was crawled; zero if it was not.
func at(all []uint32, number uint32) time.Time {
	if all[number] == 0 {
		return time.Time{}
	}
	return time.Unix(int64(all[number]), 0).UTC()
}

// readCrawls reads a snapshot and those before it. Group 0 is the hosts that the
// snapshot before crawled, group i those last crawled by the i-th before that, and
// the last group the others.
func readCrawls(ctx context.Context, db *store.DB, set *pageSet, earlier []store.SeriesSnapshot, graph *novelty.Graph) (*crawls, error) {
	n := len(set.flags)
	c := &crawls{now: make([]uint32, n), last: make([]uint32, n), before: make([]uint32, n), found: map[uint32]found{}}
	read := func(id store.SnapshotID, f func(uint32, *store.SnapshotPage)) error {
		return db.SnapshotPages(ctx, id, func(p store.SnapshotPage) error {
			number, err := set.number(p.Page)
			if err == nil && p.Crawled && !p.Trap && p.At.Unix() > 0 {
				f(number, &p)
			}
			return err
		})
	}
	hosts := map[string]int{} // group
	var back []store.SeriesSnapshot
	for _, s := range earlier {
		if s.Pages > 0 {
			back = append(back, s)
		}
	}
	back = back[max(0, len(back)-lookedBack):]
	c.groups = make([]group, len(back)+1)
	for i, s := range back {
		g := len(back) - 1 - i
		c.groups[g].since = s.StartedAt
		err := read(s.ID, func(number uint32, p *store.SnapshotPage) {
			c.last[number] = uint32(p.At.Unix())
			if g == 0 {
				c.before[number] = c.last[number]
			}
			hosts[hostIn(p.URL)] = g
		})
		if err != nil {
			return nil, err
		}
	}
	c.groups[len(back)].since = set.before.StartedAt
	return c, read(set.snapshot.ID, func(number uint32, p *store.SnapshotPage) {
		if set.flags[number]&novelty.Crawled == 0 {
			return // of an endless host
		}
		c.now[number] = uint32(p.At.Unix())
		g, known := hosts[hostIn(p.URL)]
		if !known {
			g = len(back)
		}
		c.groups[g].pages++
		if _, ok := graph.Index(number); ok {
			c.groups[g].unidentified++
			f := found{group: g}
			if p.Valid {
				f.modified = p.LastModified
			}
			c.found[number] = f
		}
	})
}

// hostIn is the host of a canonical URL, with its port.
func hostIn(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	return strings.Clone(host)
}

// fitted is how many pages the model of links is fitted to.
const fitted = 300

// fitLinks fits how links appear to pages that the snapshot before crawled, by a
// hash of their numbers: of a link it is known whether its source had it then, and
// of a source with both crawls also that it did not.
func fitLinks(ctx context.Context, db *store.DB, set *pageSet, c *crawls, l *links) (birth.Model, error) {
	share := min(1, 4*fitted/max(float64(set.before.Pages), 1)) // some have a single link, or too many
	pages := map[uint32]*sampled{}
	for number, when := range c.before {
		var key [4]byte
		key[0], key[1], key[2], key[3] = byte(number), byte(number>>8), byte(number>>16), byte(number>>24)
		if when != 0 && float64(xxh3.Hash(key[:])>>11)/(1<<53) < share {
			pages[uint32(number)] = &sampled{had: map[uint32]bool{}, seen: at(c.before, uint32(number))}
		}
	}
	var targets []uint32
	err := db.SnapshotLinks(ctx, set.before.ID, func(page store.PageID, packed []byte) error {
		source, err := set.number(page)
		if err != nil {
			return err
		}
		if targets, err = set.targets(targets[:0], packed); err != nil {
			return err
		}
		for _, t := range targets {
			if p := pages[t]; p != nil && c.before[source] != 0 && len(p.had) <= mostLinks {
				p.had[source] = true
			}
		}
		return nil
	})
	if err != nil {
		return birth.Model{}, err
	}
	err = eachLink(set, l, func(source, target uint32) {
		if p := pages[target]; p != nil && !p.had[source] && c.before[source] != 0 && len(p.late) <= mostLinks {
			p.late = append(p.late, source)
		}
	})
	if err != nil {
		return birth.Model{}, err
	}
	var evidence []birth.Evidence
	for number := range c.before { // in the order of numbers, so that the fit is the same each time
		if p := pages[uint32(number)]; p != nil && len(p.had)+len(p.late) <= mostLinks {
			evidence = append(evidence, p.evidence(c))
		}
	}
	return birth.Fit(evidence, birth.Default())
}

// sampled is a page to which the model is fitted: which sources had a link to it,
// and which had none and have one now.
type sampled struct {
	seen time.Time
	had  map[uint32]bool
	late []uint32
}

func (p *sampled) evidence(c *crawls) birth.Evidence {
	e := birth.Evidence{Seen: p.seen}
	for source := range p.had { // the order has no say: links are sorted by time
		l := birth.Link{With: at(c.before, source), Until: at(c.now, source)}
		if l.Until.Before(l.With) {
			l.Until = l.With
		}
		e.Links = append(e.Links, l)
	}
	for _, source := range p.late {
		l := birth.Link{Without: at(c.before, source), With: at(c.now, source)}
		if l.Until = l.With; l.Without.Before(l.With) {
			e.Links = append(e.Links, l)
		}
	}
	return e
}
