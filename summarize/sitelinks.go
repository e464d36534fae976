package summarize

import (
	"cmp"
	"context"
	"slices"

	"github.com/strandlinehq/strandline/store"
	"github.com/strandlinehq/strandline/summarize/popular"
)

// mostArticles bounds the pages outside of the collection that are read in a period.
const mostArticles = 300

// siteLinks gives for each page the other pages of its site in the collection that
// it links to.
func (p *period) siteLinks(ctx context.Context) (map[string][]string, error) {
	site := map[store.PageID]string{}
	for _, rd := range p.pages {
		site[rd.Page] = p.siteOf(rd.Place)
	}
	out := map[string][]string{}
	err := p.eachLink(ctx, func(rd *reading, target store.PageID) {
		if name, ok := site[target]; ok && target != rd.Page && name == p.siteOf(rd.Place) {
			out[key(rd.Page)] = append(out[key(rd.Page)], key(target))
		}
	})
	return out, err
}

// addArticles adds the pages that were published in the period, which pages of the
// collection on their site link to and which are not in the collection themselves: a
// list of articles is as good as what it leads to (paper J section 5), and its
// articles hardly ever join, as growth refuses pages of a site that is there. They
// count as far as somebody fetched them, and in no weight of a term.
func (p *period) addArticles(ctx context.Context, scores map[string]float64, links map[string][]string) error {
	if p.set.Portion <= 0 {
		return nil
	}
	parents, err := p.newLinks(ctx)
	if err != nil || len(parents) == 0 {
		return err
	}
	var pages []store.TopicPage
	for id := range parents {
		pages = append(pages, store.TopicPage{Page: id})
	}
	slices.SortFunc(pages, func(a, b store.TopicPage) int {
		return cmp.Or(cmp.Compare(len(parents[b.Page]), len(parents[a.Page])), cmp.Compare(a.Page, b.Page))
	})
	pages = pages[:min(len(pages), mostArticles)]
	slices.SortFunc(pages, func(a, b store.TopicPage) int { return cmp.Compare(a.Page, b.Page) })
	articles, err := p.read(ctx, p.lang, p.set, pages, nil, p.from, p.to)
	if err != nil {
		return err
	}
	for _, rd := range articles {
		if !rd.seen() || rd.from.FirstSeen.Before(p.from) {
			continue
		}
		rd.arrive(p.set.Plain)
		var terms []string
		for _, s := range rd.fresh {
			if !p.template[voice{s.Site, s.Normal}] {
				terms = append(terms, p.forms.Terms(s.Text, p.languageOf(rd))...)
			}
		}
		scores[key(rd.Page)] = popular.Score(terms, p.weights)
		for _, source := range parents[rd.Page] {
			links[key(source.Page)] = append(links[key(source.Page)], key(rd.Page))
		}
	}
	return nil
}

// newLinks gives the pages outside of the collection that were heard of in the period
// and that pages of their site link to which did not before.
func (p *period) newLinks(ctx context.Context) (map[store.PageID][]*reading, error) {
	member := map[store.PageID]bool{}
	var old []store.Stored
	for _, rd := range p.pages {
		member[rd.Page] = true
		if rd.seen() {
			old = append(old, store.Stored{Page: rd.Page, Version: rd.from.Version})
		}
	}
	type link struct{ source, target store.PageID }
	had := map[link]bool{}
	err := p.db.View(ctx, func(tx *store.Tx) error {
		links, err := tx.VersionLinks(ctx, old)
		for page, l := range links {
			for _, t := range l.Targets {
				had[link{page, t.Page}] = true
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	parents := map[store.PageID][]*reading{}
	err = p.eachLink(ctx, func(rd *reading, target store.PageID) {
		if !member[target] && !had[link{rd.Page, target}] {
			parents[target] = append(parents[target], rd)
		}
	})
	if err != nil || len(parents) == 0 {
		return nil, err
	}
	var ids []store.PageID
	for id := range parents {
		ids = append(ids, id)
	}
	places, err := p.db.Places(ctx, ids)
	if err != nil {
		return nil, err
	}
	for id, from := range parents {
		at := places[id]
		from = slices.DeleteFunc(from, func(rd *reading) bool { return p.siteOf(rd.Place) != p.siteOf(at) })
		if parents[id] = from; len(from) == 0 || at.Version == 0 || at.FirstSeen.Before(p.from) {
			delete(parents, id)
		}
	}
	return parents, nil
}
