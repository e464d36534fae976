package popular

import (
	"cmp"
	"slices"
)

// Ranked is a page with the number of distinct pages that link to it, or, of a
// parent, that it links to.
type Ranked struct {
	URL   string
	Links int
}

// Parents returns the pages that link to the most of the best pages of the
// collection, most first, equal ones by URL, at most limit of them (SCIENCE J10).
// inLinks holds, for each of the best pages, the pages that link to it; a page
// named twice there counts once. A best page does not make itself a parent.
func Parents(inLinks map[string][]string, limit int) []Ranked {
	links := newLinkCount()
	for page, parents := range inLinks {
		links.from(page, parents)
	}
	return links.top(1, limit)
}

// Candidates returns the pages to which the most parents link, most first, equal
// ones by URL, at most limit of them, and none to which a single parent links
// (SCIENCE J10: "searching for the repeated ones"). outLinks holds the pages that
// each parent links to. Pages of the collection, which the parents are sure to
// link to, take places too, and Admit drops them after.
func Candidates(outLinks map[string][]string, limit int) []Ranked {
	links := newLinkCount()
	for parent, pages := range outLinks {
		links.from(parent, pages)
	}
	return links.top(2, limit)
}

// linkCount counts distinct linking pages.
type linkCount struct {
	count map[string]int
	last  map[string]int // the linking page, from 1, that was counted last
	pages int
}

func newLinkCount() *linkCount {
	return &linkCount{count: map[string]int{}, last: map[string]int{}}
}

func (c *linkCount) from(page string, others []string) {
	c.pages++
	for _, url := range others {
		if url != page && c.last[url] != c.pages {
			c.last[url] = c.pages
			c.count[url]++
		}
	}
}

func (c *linkCount) top(least, limit int) []Ranked {
	out := []Ranked{}
	for url, n := range c.count {
		if n >= least {
			out = append(out, Ranked{url, n})
		}
	}
	slices.SortFunc(out, func(a, b Ranked) int {
		return cmp.Or(cmp.Compare(b.Links, a.Links), cmp.Compare(a.URL, b.URL))
	})
	return out[:min(max(limit, 0), len(out))]
}

// Reason says why a candidate was not admitted.
type Reason string

// Reasons, in the order in which they are looked at.
const (
	Admitted  Reason = ""
	Known     Reason = "in collection"
	SameSite  Reason = "site in collection"
	Duplicate Reason = "duplicate"
)

// Verdict is what became of a candidate.
type Verdict struct {
	Ranked
	Reason Reason
}

// Admit decides on the candidates in their order (SCIENCE J10): a page of the
// collection, a page of a site that the collection has, among them sites of
// candidates admitted before, and a duplicate do not enter. site gives the
// registrable domain of a URL, or its host where the exact host is to count; ""
// is no site. duplicate, which may be nil, is asked last, since it may have to
// fetch the page.
func Admit(candidates []Ranked, collection []string, site func(url string) string, duplicate func(url string) bool) []Verdict {
	pages, sites := map[string]bool{}, map[string]bool{}
	for _, url := range collection {
		pages[url] = true
		sites[site(url)] = true
	}
	delete(sites, "")
	out := make([]Verdict, 0, len(candidates))
	for _, c := range candidates {
		v, s := Verdict{Ranked: c}, site(c.URL)
		switch {
		case pages[c.URL]:
			v.Reason = Known
		case sites[s]:
			v.Reason = SameSite
		case duplicate != nil && duplicate(c.URL):
			v.Reason = Duplicate
		default:
			pages[c.URL] = true
			if s != "" {
				sites[s] = true
			}
		}
		out = append(out, v)
	}
	return out
}

// Expansion is one step of growth.
type Expansion struct {
	Parents    []Ranked
	Candidates []Ranked
	Verdicts   []Verdict // of the candidates, in their order
}

// Added lists the admitted pages, best first.
func (e *Expansion) Added() []string {
	out := []string{}
	for _, v := range e.Verdicts {
		if v.Reason == Admitted {
			out = append(out, v.URL)
		}
	}
	return out
}

// Expand is Parents, Candidates and Admit in one, where all links are at hand:
// inLinks of the pages in top, outLinks of whatever pages. parents and add are
// the limits, 200 and 10 in the paper.
func Expand(top []string, inLinks, outLinks map[string][]string, collection []string, parents, add int, site func(url string) string) Expansion {
	best := make(map[string][]string, len(top))
	for _, url := range top {
		best[url] = inLinks[url]
	}
	e := Expansion{Parents: Parents(best, parents)}
	out := make(map[string][]string, len(e.Parents))
	for _, p := range e.Parents {
		out[p.URL] = outLinks[p.URL]
	}
	e.Candidates = Candidates(out, add)
	e.Verdicts = Admit(e.Candidates, collection, site, nil)
	return e
}
