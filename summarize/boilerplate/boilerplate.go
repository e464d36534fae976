// Package boilerplate finds the sentences that a site says on page after page
// (imprint, cookie notice, call to subscribe), so that they are out of the texts
// before anything is counted (SCIENCE 2.2, J14: "dedupe per host before
// counting").
//
// Find names them; PerHost keeps each sentence of a host once, so that a copy on
// two of its pages is not two voices. Left out: what repeats on one page over
// time, which is not new there (SCIENCE J7), and blocks without sentences.
package boilerplate

import "math"

// Options of Find. The zero Options is a good default.
type Options struct {
	Pages int     // least number of pages of a site that say it; 0 means 3
	Share float64 // and least share of the site's pages; 0 means 0.3
}

// Sentence is a sentence of a page, as far as this package needs to know it.
type Sentence struct {
	Site   string // registrable domain of the page
	Page   int64
	Normal uint64 // hash of its normal form
}

// key is a text of a site.
type key struct {
	site   string
	normal uint64
}

// Find reports for each sentence whether it is boilerplate: whether at least
// Pages pages of its site, and at least Share of those that appear here, say it.
// A sentence on a front page and in its article is on two pages, and stays. Give
// it all sentences of the pages' versions, not the new ones only: what is new on
// one page may be old on the others.
func Find(sentences []Sentence, opt Options) []bool {
	if opt.Pages <= 0 {
		opt.Pages = 3
	}
	if opt.Share <= 0 {
		opt.Share = 0.3
	}
	pages := map[string]map[int64]bool{}
	said := map[key]map[int64]bool{}
	for _, s := range sentences {
		add(pages, s.Site, s.Page)
		add(said, key{s.Site, s.Normal}, s.Page)
	}
	out := make([]bool, len(sentences))
	for i, s := range sentences {
		least := max(opt.Pages, int(math.Ceil(opt.Share*float64(len(pages[s.Site]))-1e-9)))
		out[i] = len(said[key{s.Site, s.Normal}]) >= least
	}
	return out
}

func add[K comparable](sets map[K]map[int64]bool, k K, page int64) {
	if sets[k] == nil {
		sets[k] = map[int64]bool{}
	}
	sets[k][page] = true
}

// Voice is a sentence with the host that says it.
type Voice struct {
	Host   string
	Normal uint64
}

// PerHost reports for each sentence whether it is the first of its host with
// these words.
func PerHost(voices []Voice) []bool {
	seen := make(map[Voice]bool, len(voices))
	out := make([]bool, len(voices))
	for i, v := range voices {
		out[i] = !seen[v]
		seen[v] = true
	}
	return out
}
