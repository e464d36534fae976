package summarize

import (
	"context"
	"fmt"
	"time"

	"github.com/strandlinehq/strandline/store"
	"github.com/strandlinehq/strandline/summarize/popular"
)

// Form forms the collection of a topic as far as it can be now (SCIENCE J5): it asks
// the provider for the base pages, and then, for each click, takes in the pages to
// which most of the pages of the step before link. A step waits until the pages of
// the one before have been fetched, or until Patience is over. A topic that is
// formed is left as it is. What a provider did wrong is kept as the topic's note,
// and tried again later.
func (r *Runner) Form(ctx context.Context, t store.Topic, set Settings) (store.Topic, error) {
	set = set.withDefaults()
	for t.FormedAt.IsZero() {
		clicks := t.Clicks
		var err error
		if clicks < 0 {
			err = r.base(ctx, &t, set)
		} else {
			err = r.click(ctx, &t, set)
		}
		if err != nil {
			return t, fmt.Errorf("form topic %s: %w", t.Name, err)
		}
		if t.FormedAt.IsZero() && t.Clicks == clicks {
			break // it waits
		}
	}
	return t, nil
}

// base asks the provider.
func (r *Runner) base(ctx context.Context, t *store.Topic, set Settings) error {
	now := r.now().UTC()
	if set.Provider == nil || !t.TriedAt.IsZero() && now.Before(t.TriedAt.Add(r.pause(t.Failures))) {
		return nil
	}
	// One slow server may not hold up the periods of other topics for long; what it gave by then counts.
	asking, done := context.WithTimeout(ctx, r.opt.Search)
	hits, err := set.Provider.Find(asking, t.Query, t.Language, set.Results)
	done()
	if err != nil && ctx.Err() != nil {
		return err
	}
	t.TriedAt = now
	if len(hits) == 0 {
		t.Failures++
		t.Note = "the search found no page"
		if err != nil {
			t.Note = "the search failed: " + err.Error()
		}
		r.log.Warn("topic has no pages", "topic", t.Name, "why", t.Note)
		return r.db.PutTopicState(ctx, t.ID, t.TopicState)
	}
	sightings := make([]store.Sighting, len(hits))
	for i, h := range hits {
		sightings[i] = store.Sighting{URL: h.URL, At: now}
	}
	ids, perr := r.db.ResolvePages(ctx, sightings)
	if perr != nil {
		return perr
	}
	by := store.AddedAsBase
	if t.Provider == "seeds" {
		by = store.AddedAsSeed
	}
	var pages []store.TopicPage
	seen := map[store.PageID]bool{}
	for i, h := range hits {
		if id := ids[h.URL]; id != 0 && !seen[id] {
			seen[id] = true
			pages = append(pages, store.TopicPage{Page: id, AddedBy: by, Reason: h.Reason, Links: i + 1, ProposedAt: now, AddedAt: now})
		}
	}
	if _, err := r.db.AddTopicPages(ctx, t.ID, pages); err != nil {
		return err
	}
	t.Failures, t.Note = 0, fmt.Sprintf("%d pages from the search", len(pages))
	if len(pages) == 1 {
		t.Note = "1 page from the search"
	}
	if err != nil { // some pages came before it
		t.Note += "; then the search failed: " + err.Error()
	}
	return r.stepped(ctx, t, 0, set)
}

// pause is how long the provider is left alone after it failed.
func (r *Runner) pause(failures int) time.Duration {
	if failures <= 0 {
		return 0
	}
	return min(r.opt.Retry<<min(failures-1, 12), 24*time.Hour)
}

// stepped notes that a step of forming was made.
func (r *Runner) stepped(ctx context.Context, t *store.Topic, clicks int, set Settings) error {
	t.Clicks, t.ClickedAt = clicks, r.now().UTC()
	if clicks >= set.Clicks || set.Links <= 0 || t.Provider == "seeds" && set.Clicks == 0 {
		t.FormedAt = t.ClickedAt
	}
	return r.db.PutTopicState(ctx, t.ID, t.TopicState)
}

// click takes in the pages that the last ones link to, the most often linked first.
func (r *Runner) click(ctx context.Context, t *store.Topic, set Settings) error {
	if t.Clicks >= set.Clicks || set.Links <= 0 {
		return r.stepped(ctx, t, t.Clicks, set)
	}
	all, err := r.db.TopicPages(ctx, t.ID)
	if err != nil {
		return err
	}
	var last []store.PageID
	known := map[string]bool{}
	for _, p := range all {
		known[key(p.Page)] = true
		if p.Click == t.Clicks && p.State() == "member" {
			last = append(last, p.Page)
		}
	}
	places, err := r.db.Places(ctx, last)
	if err != nil {
		return err
	}
	waiting := 0
	for _, id := range last {
		if places[id].LastFetched.IsZero() {
			waiting++
		}
	}
	if waiting > 0 && r.opt.Patience > 0 && r.now().Before(t.ClickedAt.Add(r.opt.Patience)) {
		return nil
	}
	p := period{Runner: r, topic: *t}
	outLinks, targets, err := p.outLinks(ctx, last)
	if err != nil {
		return err
	}
	at, err := r.db.Places(ctx, targets)
	if err != nil {
		return err
	}
	ranked := popular.Parents(outLinks, len(targets)) // by the number of distinct pages that link to each
	now := r.now().UTC()
	var pages []store.TopicPage
	for _, c := range ranked {
		page, ok := at[pageOf(c.URL)]
		if !ok || known[c.URL] || !isPage(page.URL) || t.Language != "" && page.Version > 0 && other(page.Language, t.Language) {
			continue
		}
		if len(pages) == set.Links {
			break
		}
		pages = append(pages, store.TopicPage{
			Page: page.Page, AddedBy: store.AddedByLink, Links: c.Links, Click: t.Clicks + 1, ProposedAt: now, AddedAt: now,
			Reason: fmt.Sprintf("%d of %d pages link to it, %d clicks from the search", c.Links, len(last), t.Clicks+1),
		})
	}
	if _, err := r.db.AddTopicPages(ctx, t.ID, pages); err != nil {
		return err
	}
	t.Note = fmt.Sprintf("%s; %d pages by click %d", t.Note, len(pages), t.Clicks+1)
	return r.stepped(ctx, t, t.Clicks+1, set)
}

// CatchUp sums up all periods of a topic that have ended, the oldest first, and
// returns how many. The first one starts when the topic was formed. From more than
// limit missed ones only the last limit are made, and the others joined to the first
// of these.
func (r *Runner) CatchUp(ctx context.Context, t store.Topic, set Settings, limit int) (int, error) {
	if set.Next == nil || t.FormedAt.IsZero() {
		return 0, nil
	}
	if t.StartsAt.IsZero() {
		t.StartsAt = t.FormedAt
		return 0, r.db.PutTopicState(ctx, t.ID, t.TopicState)
	}
	now := r.now()
	var ends []time.Time
	for end := set.Next(t.StartsAt); !end.IsZero() && !end.After(now); end = set.Next(end) {
		if ends = append(ends, end); len(ends) > limit {
			ends = ends[1:]
		}
	}
	for i, end := range ends {
		if _, err := r.Period(ctx, t, set, t.StartsAt, end, true); err != nil {
			return i, err
		}
		t.StartsAt = end
	}
	return len(ends), nil
}
