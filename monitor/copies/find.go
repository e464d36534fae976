package copies

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/monitor/neardup"
	"github.com/strandlinehq/strandline/store"
)

// Bounds of the search.
const (
	holders    = 16 // oldest pages looked at for a key
	candidates = 8  // that are confirmed for a page
	leastWords = 30 // of the texts that are compared: shorter ones are alike by chance
	atOnce     = 64 // pages whose candidates are in memory
)

// From these Jaccard coefficients on a page is a copy, or near (SCIENCE 2.3).
const (
	asCopy = 0.9
	asNear = 0.6
)

// Asked is a version of a page that may be a copy.
type Asked struct {
	Page    store.PageID
	Version int32
	At      time.Time // when it was first seen
	// Since and Until are the span of the snapshot that saw the page first. Pages first
	// seen within it are twins, those before it older. Zero where there is no snapshot:
	// then every page seen before At is older.
	Since, Until time.Time
}

// older reports whether a version first seen at a time may be the source of the asked
// one, and whether as a twin.
func (a Asked) older(seen time.Time) (older, twin bool) {
	if a.Since.IsZero() {
		return seen.Before(a.At), false
	}
	return seen.Before(a.Since), !seen.Before(a.Since) && !seen.After(a.Until)
}

// Options of Find.
type Options struct {
	// Missing reports whether a page that was there before is no longer found; nil:
	// what its last fetch said counts alone.
	Missing func(store.PageID) bool
	// Cache remembers what was read; nil: nothing is.
	Cache *Cache
}

// Find looks for the pages whose texts the asked ones have, stores what it finds, and
// returns it. All of them and what they may be copies of have sketches already.
func Find(ctx context.Context, db *store.DB, asked []Asked, opt Options) ([]store.PageCopy, error) {
	f := finder{db: db, opt: opt, templates: map[string]map[string]int{}, bare: map[bareKey]neardup.Sketch{}}
	var out []store.PageCopy
	for part := range slices.Chunk(asked, atOnce) {
		clear(f.bare)
		found, err := f.find(ctx, part)
		if err != nil {
			return nil, err
		}
		pages := make([]store.PageID, len(part))
		for i, a := range part {
			pages[i] = a.Page
		}
		if err := db.PutCopies(ctx, pages, found); err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

// finder keeps what several parts need.
type finder struct {
	db        *store.DB
	opt       Options
	templates map[string]map[string]int  // by host: on how many sampled pages a line stands
	bare      map[bareKey]neardup.Sketch // of the part
}

// bareKey names a text without the lines that a host repeats.
type bareKey struct {
	body *body
	host string
}

// rival is a page that may be the source.
type rival struct {
	store.Holder
	shared [2]int // keys of the main text, and of the whole
}

func (r rival) keys() int { return r.shared[saltMain] + r.shared[saltWhole] }

func (f *finder) find(ctx context.Context, asked []Asked) ([]store.PageCopy, error) {
	versions := make([]store.Todo, len(asked))
	for i, a := range asked {
		versions[i] = store.Todo{Page: a.Page, Version: a.Version}
	}
	rivals, err := f.rivals(ctx, asked, versions)
	if err != nil {
		return nil, err
	}
	about := map[store.PageID]bool{}
	for i, a := range asked {
		about[a.Page] = about[a.Page] || len(rivals[i]) > 0
		for _, r := range rivals[i] {
			about[r.Page] = true
		}
	}
	pages, err := f.db.CopyPages(ctx, pagesOf(about))
	if err != nil {
		return nil, err
	}
	read := map[store.Todo]bool{}
	for i, a := range asked {
		rivals[i] = slices.DeleteFunc(rivals[i], func(r rival) bool { return !worthReading(a, r, pages) })
		if len(rivals[i]) > 0 {
			read[versions[i]] = true
		}
		for _, r := range rivals[i] {
			read[store.Todo{Page: r.Page, Version: r.Version}] = true
		}
	}
	refs, err := f.db.VersionRefs(ctx, keysOf(read))
	if err != nil {
		return nil, err
	}
	bodies, err := readBodies(ctx, f.db, refs, f.opt.Cache)
	if err != nil {
		return nil, err
	}
	var out []store.PageCopy
	for i, a := range asked {
		own := bodies[versions[i]]
		if own == nil || len(rivals[i]) == 0 {
			continue
		}
		c, ok, err := f.best(ctx, a, own, rivals[i], bodies, pages)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, c)
		}
	}
	return out, nil
}

// worthReading reports whether a rival can be the source of a page, as far as keys and
// addresses tell. Of two twins one is. Across sites the texts are compared of which the
// keys are: of a Jaccard coefficient J two or more of the eight smallest shingles are
// common to both with the probability 1 - (1-J)^8 - 8 J (1-J)^7, .991 at .6 and all but 1
// at .9, while texts of one language often have one in common. Within a site what is
// compared has fewer lines than what the keys are of.
func worthReading(a Asked, r rival, pages map[store.PageID]store.PageNow) bool {
	mine, ok := placeOf(pages[a.Page].URL)
	theirs, ok2 := placeOf(pages[r.Page].URL)
	if !ok || !ok2 {
		return false
	}
	if _, twin := a.older(r.FirstSeen); twin && !theirs.before(mine) {
		return false
	}
	return mine.site == theirs.site || max(r.shared[saltMain], r.shared[saltWhole]) > 1
}

// rivals are the pages that share keys with each version, those that share most first,
// of as many the oldest.
func (f *finder) rivals(ctx context.Context, asked []Asked, versions []store.Todo) ([][]rival, error) {
	sketches, err := f.db.Sketches(ctx, versions)
	if err != nil {
		return nil, err
	}
	keys := map[store.Todo][]int64{}
	wanted := map[int64]bool{}
	for _, s := range sketches {
		keys[store.Todo{Page: s.Page, Version: s.Version}] = s.Keys
		for _, k := range s.Keys {
			wanted[k] = true
		}
	}
	held, err := f.db.KeyHolders(ctx, numbersOf(wanted), holders)
	if err != nil {
		return nil, err
	}
	out := make([][]rival, len(versions))
	for i, v := range versions {
		found := map[store.Todo]*rival{}
		own := keys[v]
		for n, k := range own {
			of := saltMain // keys of both texts, as many of each; where one has fewer, all count as of one
			if len(own) == 2*neardup.MostKeys && n >= neardup.MostKeys {
				of = saltWhole
			}
			for _, h := range held[k] {
				if older, twin := asked[i].older(h.FirstSeen); h.Page == v.Page || !older && !twin {
					continue
				}
				at := store.Todo{Page: h.Page, Version: h.Version}
				r := found[at]
				if r == nil {
					r = &rival{Holder: h}
					found[at] = r
				}
				r.shared[of]++
			}
		}
		for _, r := range found {
			out[i] = append(out[i], *r)
		}
		slices.SortFunc(out[i], func(a, b rival) int {
			return cmp.Or(cmp.Compare(b.keys(), a.keys()), a.FirstSeen.Compare(b.FirstSeen), cmp.Compare(a.Page, b.Page), cmp.Compare(a.Version, b.Version))
		})
		out[i] = out[i][:min(candidates, len(out[i]))]
	}
	return out, nil
}

// best confirms the candidates of a page and returns the best as what the page is to
// it. An older page comes before a twin, a copy before what is near; then the more
// alike, and the older.
func (f *finder) best(ctx context.Context, a Asked, own *body, rivals []rival, bodies map[store.Todo]*body, pages map[store.PageID]store.PageNow) (store.PageCopy, bool, error) {
	var best store.PageCopy
	found := false
	mine, ok := placeOf(pages[a.Page].URL)
	if !ok {
		return best, false, nil
	}
	for _, r := range rivals {
		theirs, ok := placeOf(pages[r.Page].URL)
		other := bodies[store.Todo{Page: r.Page, Version: r.Version}]
		_, twin := a.older(r.FirstSeen)
		if !ok || other == nil {
			continue
		}
		c := store.PageCopy{
			Page: a.Page, Version: a.Version, Source: r.Page, SourceURL: pages[r.Page].URL, SourceAt: r.FirstSeen, SourceState: pages[r.Page].State,
			SameSite: mine.site == theirs.site, SamePath: mine.path == theirs.path, Host: mine.host, SourceHost: theirs.host,
		}
		j, basis, err := f.compare(ctx, a.Page, r.Page, mine, theirs, own, other)
		if err != nil {
			return best, false, err
		}
		if j < asNear {
			continue
		}
		c.Jaccard, c.Basis = j, basis
		if c.SourceState == "there" && f.opt.Missing != nil && f.opt.Missing(r.Page) {
			c.SourceState = "missing"
		}
		switch {
		case j < asCopy:
			c.Kind = store.Near
		case twin:
			c.Kind = store.Twin
		case c.SourceState == "there":
			c.Kind = store.Copy
		default:
			c.Kind = store.Moved
		}
		if !found || rank(c) < rank(best) || rank(c) == rank(best) && (c.Jaccard > best.Jaccard || c.Jaccard == best.Jaccard && c.SourceAt.Before(best.SourceAt)) {
			best, found = c, true
		}
	}
	return best, found, nil
}

func rank(c store.PageCopy) int {
	switch c.Kind {
	case store.Copy, store.Moved:
		return 0
	case store.Twin:
		return 1
	}
	return 2
}

// place is where a page lies.
type place struct{ site, host, path string }

func placeOf(url string) (place, bool) {
	facts, err := canonical.FactsOf(url)
	if err != nil {
		return place{}, false
	}
	return place{facts.Site, facts.Host, strings.TrimPrefix(url, facts.Origin)}, true
}

// before orders twins: on one of two mirrors all pages are the sources. The shorter name
// is more often the one that people use.
func (p place) before(o place) bool {
	return cmp.Or(cmp.Compare(len(p.host), len(o.host)), cmp.Compare(p.host, o.host), cmp.Compare(len(p.path), len(o.path)), cmp.Compare(p.path, o.path)) < 0
}
