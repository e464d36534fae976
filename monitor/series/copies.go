package series

import (
	"context"
	"slices"

	"github.com/strandlinehq/strandline/monitor/copies"
	"github.com/strandlinehq/strandline/monitor/novelty"
	"github.com/strandlinehq/strandline/store"
)

// findCopies looks which pages of U have the text of an older page, or of another one
// that the snapshot saw first (SCIENCE T15). The classes stay as they are; the counts
// say what is left without copies. All versions that the snapshot saw can be found
// from then on; those that it shares with the one before are known already.
func (s *pageSet) findCopies(ctx context.Context, db *store.DB, classes []novelty.Class, graph *novelty.Graph, scores []float32) error {
	cache := &copies.Cache{}
	if err := sketch(ctx, db, s.snapshot.ID, cache); err != nil {
		return err
	}
	var u []store.PageID
	for _, c := range s.pages {
		if classes[c.page.Number()] == novelty.Unidentified {
			u = append(u, c.page)
		}
	}
	asked, err := s.asked(ctx, db, u)
	if err != nil {
		return err
	}
	found, err := copies.Find(ctx, db, asked, copies.Options{Missing: s.missing(), Cache: cache})
	if err != nil {
		return err
	}
	if err := s.markMissing(ctx, db); err != nil {
		return err
	}
	if err := s.markBack(ctx, db); err != nil {
		return err
	}
	threshold, err := db.Threshold(ctx, s.snapshot.Series)
	if err != nil {
		return err
	}
	return db.PutCopyCounts(ctx, s.snapshot.ID, count(u, found, func(page store.PageID) bool {
		index, ok := graph.Index(uint32(page.Number()))
		return ok && float64(scores[index]) >= threshold
	}))
}

// sketch makes sketches of all versions that a snapshot saw and that have none.
func sketch(ctx context.Context, db *store.DB, id store.SnapshotID, cache *copies.Cache) error {
	for {
		refs, err := db.Unsketched(ctx, id, recordsAtOnce)
		if err != nil || len(refs) == 0 {
			return err
		}
		if err := copies.Sketches(ctx, db, refs, cache); err != nil {
			return err
		}
	}
}

// asked are the versions that the snapshot saw of pages.
func (s *pageSet) asked(ctx context.Context, db *store.DB, pages []store.PageID) ([]copies.Asked, error) {
	var out []copies.Asked
	for len(pages) > 0 {
		batch := pages[:min(recordsAtOnce, len(pages))]
		pages = pages[len(batch):]
		refs, err := db.SnapshotVersions(ctx, s.snapshot.ID, batch)
		if err != nil {
			return nil, err
		}
		for _, r := range refs {
			out = append(out, copies.Asked{Page: r.Page, Version: r.Version, At: r.FirstSeen, Since: s.snapshot.StartedAt, Until: s.lastFetch()})
		}
	}
	return out, nil
}

// missing reports pages that the snapshot before crawled and this one did not, on hosts
// of which it crawled others. A snapshot that was cut short misses pages anyhow.
func (s *pageSet) missing() func(store.PageID) bool {
	if s.before == nil || s.snapshot.Status != store.SnapshotDone {
		return nil
	}
	visited := map[int32]bool{} // buckets: as good as hosts
	for _, c := range s.pages {
		visited[c.page.Bucket()] = true
	}
	return func(page store.PageID) bool {
		number, err := s.number(page)
		return err == nil && s.flags[number]&novelty.Previous != 0 && s.flags[number]&novelty.Crawled == 0 && visited[page.Bucket()]
	}
}

// markMissing makes copies that were found earlier moved ones, where their source is
// missing now.
func (s *pageSet) markMissing(ctx context.Context, db *store.DB) error {
	missing := s.missing()
	if missing == nil {
		return nil
	}
	var gone []store.PageID
	for _, page := range s.previous {
		if missing(page) {
			gone = append(gone, page)
		}
	}
	_, err := db.SourcesMissing(ctx, gone)
	return err
}

// markBack makes moved pages copies again, where the snapshot has their source.
func (s *pageSet) markBack(ctx context.Context, db *store.DB) error {
	moved, err := db.MovedSources(ctx)
	if err != nil {
		return err
	}
	return db.SourcesBack(ctx, slices.DeleteFunc(moved, func(page store.PageID) bool {
		number, err := s.number(page)
		return err != nil || s.flags[number]&novelty.Crawled == 0
	}))
}

// count counts copies among the pages of U.
func count(u []store.PageID, found []store.PageCopy, novel func(store.PageID) bool) store.CopyCounts {
	var out store.CopyCounts
	for _, page := range u {
		if novel(page) {
			out.Novel++
		}
	}
	out.NovelWithout = out.Novel
	for _, c := range found {
		switch c.Kind {
		case store.Copy:
			out.Copies++
		case store.Moved:
			out.Moved++
		case store.Twin:
			out.Twins++
		case store.Near:
			out.Near++
			continue
		}
		if novel(c.Page) {
			out.NovelWithout--
		}
	}
	return out
}
