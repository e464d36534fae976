package series

import (
	"context"
	"slices"
	"strings"

	"github.com/strandlinehq/strandline/monitor/novelty"
	"github.com/strandlinehq/strandline/store"
)

// A host that answers any address with a page, and links to addresses that it makes up,
// looks the same in each snapshot and shares no address with the one before: all of its
// pages would be in U, linked from pages that are, as if it were nothing but new. Its
// spelling tells nothing, but a crawl does, since it takes the same way each time. A
// host is endless in a snapshot where
//
//	it gave leastPages or more in the crawl before, and at least half as many now,
//	fewer than 1/keptShare of those are crawled or linked to now, and
//	of its own addresses that nobody knew before as many are left over as gave a page.
//
// The last tells it from a host that shows what is new and has no more. Pages of endless
// hosts that were not known before are traps (SCIENCE T16): no part of W, and counted as
// traps. A large site that gives all of its pages other addresses looks like this once.
// Imports are what somebody chose to keep, so nothing follows from what they lack.
const (
	leastPages = 20
	keptShare  = 10
	byCrawl    = "crawl" // the origin of a snapshot
)

// presence is what a host has in a snapshot and had in the one before.
type presence struct {
	name           string
	was, kept, now int
	left           map[store.PageID]bool // nil where the host is none to be looked at
	example        store.PageID          // one of its pages
}

func (p *presence) suspect() bool {
	return p.was >= leastPages && 2*p.now >= p.was && keptShare*p.kept < p.was
}

// hostNames numbers hosts.
type hostNames struct {
	numbers map[string]uint32
	names   []string
}

// number is the number of the host of a canonical URL.
func (h *hostNames) number(url string) uint32 {
	_, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	n, ok := h.numbers[host]
	if !ok {
		n = uint32(len(h.names))
		host = strings.Clone(host)
		h.numbers[host], h.names = n, append(h.names, host)
	}
	return n
}

// dropEndless takes the pages of endless hosts out of W and returns those hosts. What
// was surveyed before is not true then.
func (s *pageSet) dropEndless(l *links, seen *surveyed) ([]presence, error) {
	if s.before == nil || s.before.Origin != byCrawl || s.snapshot.Origin != byCrawl {
		return nil, nil
	}
	hosts := make([]presence, len(s.hosts.names))
	for i, p := range s.previous {
		h := &hosts[s.previousHosts[i]]
		h.was++
		if n := p.Number(); s.flags[n]&novelty.Crawled != 0 || seen.inLinks[n] > 0 {
			h.kept++
		}
	}
	for _, p := range s.pages {
		hosts[p.host].now++
		hosts[p.host].example = p.page
	}
	if !slices.ContainsFunc(hosts, func(h presence) bool { return h.suspect() }) {
		return nil, nil
	}
	of := map[uint32]*presence{} // by the number of the page
	for _, p := range s.pages {
		if h := &hosts[p.host]; h.suspect() {
			if h.left == nil {
				h.left, h.name = map[store.PageID]bool{}, s.hosts.names[p.host]
			}
			of[uint32(p.page.Number())] = h
		}
	}
	for part := range l.Parts() {
		err := l.part(part, func(source uint32, packed []byte) error {
			h := of[source]
			if h == nil || len(h.left) >= h.now {
				return nil
			}
			return s.names(packed, func(page store.PageID, number uint32) {
				// Pages of a host are in its bucket.
				if s.flags[number]&(novelty.Known|novelty.Crawled) == 0 && page.Bucket() == h.example.Bucket() {
					h.left[page] = true
				}
			})
		})
		if err != nil {
			return nil, err
		}
	}
	endless := func(h *presence) bool { return h.left != nil && len(h.left) >= h.now }
	s.pages = slices.DeleteFunc(s.pages, func(c crawled) bool {
		n := c.page.Number()
		if !endless(&hosts[c.host]) || s.flags[n]&novelty.Known != 0 {
			return false
		}
		s.flags[n] &^= novelty.Crawled
		s.traps++
		return true
	})
	return slices.DeleteFunc(hosts, func(h presence) bool { return !endless(&h) }), nil
}

// survey is what the links of a snapshot tell, without endless hosts; of those is told,
// and the order by novelty takes what they gave for nothing.
func (s *pageSet) survey(ctx context.Context, db *store.DB, l *links, opt Options) (*surveyed, error) {
	seen, err := survey(l, s)
	if err != nil {
		return nil, err
	}
	endless, err := s.dropEndless(l, seen)
	if err != nil || len(endless) == 0 {
		return seen, err
	}
	examples := make([]store.PageID, len(endless))
	for i, h := range endless {
		examples[i] = h.example
		opt.Logger.Warn("host has none of the pages of its last crawl and others without end: its new pages are counted as traps, not as novel",
			"host", h.name, "snapshot", s.snapshot.Number, "pages", h.now, "before", h.was)
	}
	if err := db.ForgetGains(ctx, s.snapshot.Series, examples); err != nil {
		return nil, err
	}
	return survey(l, s)
}
