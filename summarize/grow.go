package summarize

import (
	"context"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/monitor/neardup"
	"github.com/strandlinehq/strandline/monitor/text"
	"github.com/strandlinehq/strandline/store"
	"github.com/strandlinehq/strandline/summarize/popular"
)

// turnAway lets pages leave that are read for the first time and do not belong: they
// are in another language than the topic, or a copy of a page that is here already
// (SCIENCE J5, T15). They do not count in this period.
func (p *period) turnAway() {
	p.run.Leaving = map[store.PageID]string{}
	index := neardup.NewIndex()
	byKey := map[int64]*reading{}
	for _, rd := range p.pages {
		if rd.seen() && !rd.first {
			index.Add(int64(rd.Page), rd.sketch)
		}
		byKey[int64(rd.Page)] = rd
	}
	for _, rd := range p.pages {
		if !rd.seen() || !rd.first {
			continue
		}
		if p.topic.Language != "" && rd.language != "" && rd.language != text.Base(p.topic.Language) {
			p.run.Leaving[rd.Page] = fmt.Sprintf("written in %s, not in %s", rd.language, text.Base(p.topic.Language))
			continue
		}
		if found := index.Like(rd.sketch); len(found) > 0 && found[0].Class != neardup.Near && rd.member.AddedBy != store.AddedAsSeed {
			p.run.Leaving[rd.Page] = "a copy of " + byKey[found[0].Key].URL
			continue
		}
		index.Add(int64(rd.Page), rd.sketch)
	}
	p.run.Departed = len(p.run.Leaving)
	p.pages = slices.DeleteFunc(p.pages, func(rd *reading) bool { return p.run.Leaving[rd.Page] != "" })
}

// grow takes in pages that the parents of the best pages link to (SCIENCE J10). The
// limit cuts before pages of the collection and of its sites are left out, so fewer
// than it enter.
func (p *period) grow(ctx context.Context) error {
	if p.set.Top <= 0 || p.set.Add <= 0 || p.run.Fetches == 0 {
		return nil
	}
	top := map[store.PageID]bool{}
	for _, s := range p.run.Scores {
		if len(top) < p.set.Top && s.UpToDate > 0 {
			top[s.Page] = true
		}
	}
	found, err := p.candidates(ctx, top)
	if err != nil || len(found) == 0 {
		return err
	}
	for _, c := range found {
		page := store.TopicPage{
			Page: c.Page, AddedBy: store.AddedByGrowth, Links: c.links, ProposedAt: p.to,
			Reason: fmt.Sprintf("%d of the %d pages that link to the best %d pages link to it", c.links, c.parents, len(top)),
		}
		if !c.left.IsZero() {
			page.Reason += "; it was here until " + c.left.UTC().Format("2 Jan 2006")
		}
		if p.set.Review {
			p.run.Proposed++
		} else {
			page.AddedAt = p.to
			p.run.Added++
		}
		p.run.Admitted = append(p.run.Admitted, page)
	}
	return nil
}

// candidate is a page that may join.
type candidate struct {
	store.Place
	links, parents int
	left           time.Time // when it was last here
}

// candidates finds the pages that most parents of the top pages link to.
func (p *period) candidates(ctx context.Context, top map[store.PageID]bool) ([]candidate, error) {
	inLinks := map[string][]string{}
	err := p.db.LinksInto(ctx, top, func(source, target store.PageID) {
		if target != source {
			inLinks[key(target)] = append(inLinks[key(target)], key(source))
		}
	})
	if err != nil || len(inLinks) == 0 {
		return nil, err
	}
	parents := popular.Parents(inLinks, p.set.Parents)
	all, err := p.db.TopicPages(ctx, p.topic.ID)
	if err != nil {
		return nil, err
	}
	ids := make([]store.PageID, 0, len(parents))
	for _, r := range parents {
		ids = append(ids, pageOf(r.URL))
	}
	outLinks, targets, err := p.outLinks(ctx, ids)
	if err != nil {
		return nil, err
	}
	known := make([]store.PageID, len(all))
	for i, m := range all {
		known[i] = m.Page
	}
	places, err := p.db.Places(ctx, append(targets, known...))
	if err != nil {
		return nil, err
	}
	left := map[string]time.Time{}
	collection := make([]string, 0, len(known))
	for i, id := range known {
		if p.rested(&all[i]) {
			left[key(id)] = all[i].LeftAt
			continue
		}
		collection = append(collection, key(id))
	}
	ranked := popular.Candidates(outLinks, p.set.Add)
	like, err := p.alike(ctx, ranked, places)
	if err != nil {
		return nil, err
	}
	var out []candidate
	for _, v := range popular.Admit(ranked, collection, func(k string) string { return p.siteOf(places[pageOf(k)]) }, like) {
		if v.Reason == popular.Admitted {
			out = append(out, candidate{places[pageOf(v.URL)], v.Links, len(parents), left[v.URL]})
		}
	}
	return out, nil
}

// rested reports a page that left for lack of news so long ago that it may come back: after as many
// periods as it took to leave.
func (p *period) rested(m *store.TopicPage) bool {
	return m.State() == "left" && m.LeftAt.Before(p.to.Add(-time.Duration(p.set.LeaveAfter)*p.to.Sub(p.from)))
}

// outLinks reads what pages link to now.
func (p *period) outLinks(ctx context.Context, pages []store.PageID) (map[string][]string, []store.PageID, error) {
	places, err := p.db.Places(ctx, pages)
	if err != nil {
		return nil, nil, err
	}
	var of []store.Stored
	for _, id := range pages {
		if v := places[id].Version; v > 0 {
			of = append(of, store.Stored{Page: id, Version: v})
		}
	}
	out := map[string][]string{}
	var targets []store.PageID
	err = p.db.View(ctx, func(tx *store.Tx) error {
		links, err := tx.VersionLinks(ctx, of)
		for page, l := range links {
			for _, t := range l.Targets {
				out[key(page)] = append(out[key(page)], key(t.Page))
				targets = append(targets, t.Page)
			}
		}
		return err
	})
	slices.Sort(targets)
	return out, slices.Compact(targets), err
}

// siteOf names the site of a page, of which the collection has one page at most
// besides those it was formed with: its registrable domain, or its host if the topic
// says so (SCIENCE J10).
func (p *period) siteOf(at store.Place) string {
	if p.set.ExactHost {
		return at.Host
	}
	return at.Site
}

// alike tells of a candidate whether it is a copy of a page of the collection, in
// another language, or no page of text; of one that was never fetched nothing is known yet.
func (p *period) alike(ctx context.Context, ranked []popular.Ranked, places map[store.PageID]store.Place) (func(string) bool, error) {
	index := neardup.NewIndex()
	for _, rd := range p.pages {
		index.Add(int64(rd.Page), rd.sketch)
	}
	bad := map[string]bool{}
	for _, c := range ranked {
		at, ok := places[pageOf(c.URL)]
		if !ok || !isPage(at.URL) {
			bad[c.URL] = true
			continue
		}
		if at.Version == 0 {
			continue
		}
		v, err := p.db.VersionNumber(ctx, at.Page, at.Version)
		if err != nil {
			return nil, err
		}
		records, err := p.db.GoodRecords(ctx, []store.ContentKey{{Bucket: at.Page.Bucket(), Hash: v.Record}})
		if err != nil {
			return nil, err
		}
		for _, raw := range records {
			page, err := extract.DecodeRecord(raw)
			if err != nil {
				continue
			}
			other := p.topic.Language != "" && page.Has(extract.Reliable) && text.Base(page.Detected) != text.Base(p.topic.Language)
			found := index.Like(neardup.Of(page.Text()))
			bad[c.URL] = other || len(found) > 0 && found[0].Class != neardup.Near
		}
	}
	return func(k string) bool { return bad[k] }, nil
}

// pageOf reads a key.
func pageOf(k string) store.PageID {
	var id store.PageID
	for _, c := range k {
		id = id*10 + store.PageID(c-'0')
	}
	return id
}

// isPage reports whether a URL may lead to a page of text, by its ending.
func isPage(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	switch strings.ToLower(path.Ext(u.Path)) {
	case ".jpg", ".jpeg", ".png", ".gif", ".svg", ".webp", ".ico", ".pdf", ".zip", ".gz", ".mp3", ".mp4", ".css", ".js", ".xml", ".rss", ".doc", ".docx",
		".xls", ".xlsx", ".ppt", ".pptx", ".csv", ".json", ".exe", ".dmg", ".apk":
		return false
	}
	return true
}
