package main

import (
	"context"

	"github.com/strandlinehq/strandline/crawler/snapshot"
	"github.com/strandlinehq/strandline/store"
)

// orderTruth is what an order of fetches found with fewer fetches than there are
// pages.
type orderTruth struct {
	Order    string  `json:"order"`
	Budget   float64 `json:"budget"` // pages a snapshot, as a share of those that the last whole one had
	Fetches  int     `json:"fetches"`
	New      int     `json:"new"` // pages that appeared after the snapshot before
	Thousand float64 `json:"new_per_1000_fetches"`
	// Any is what fetches in no order would find: the share of the new pages among
	// those that hosts which answered have.
	Any float64 `json:"new_per_1000_in_any_order"`
}

// wholeRounds are taken without a bound, so that folders show what they give.
const wholeRounds = 2

// measureOrder takes snapshots, the first two whole and the others within a budget,
// and counts pages that are truly new. It needs an empty database.
func measureOrder(ctx context.Context, db *store.DB, web *bornWeb, opt bornOptions, budget float64, novel bool) (*orderTruth, error) {
	out := &orderTruth{Order: "breadth-first", Budget: budget}
	if novel {
		out.Order = "novelty"
	}
	most := 0
	var fresh, there float64
	before := web.clock.Now()
	for k := range opt.Snapshots {
		if err := web.turn(ctx); err != nil {
			return nil, err
		}
		s := snapshot.Series{
			Name: "order", Seeds: web.homes, Scope: snapshot.Scope{Sites: []string{"test"}, MaxPages: most}, Novel: novel, Config: []byte("{}"),
		}
		id, err := web.crawl(ctx, db, s, k)
		if err != nil {
			return nil, err
		}
		crawled, err := crawledURLs(ctx, db, id)
		if err != nil {
			return nil, err
		}
		switch {
		case k == wholeRounds-1:
			most = max(1, int(budget*float64(len(crawled))))
		case k >= wholeRounds:
			born, err := web.born(ctx)
			if err != nil {
				return nil, err
			}
			for _, u := range crawled {
				out.Fetches++
				if at, known := born[u]; known && at.After(before) {
					out.New++
				}
			}
			for u, at := range born {
				if web.away(hostOf(u), k) {
					continue
				}
				there++
				if at.After(before) {
					fresh++
				}
			}
		}
		before = web.clock.Now()
		if k+1 < opt.Snapshots {
			web.clock.Advance(opt.Every)
		}
	}
	out.Thousand = round3(1000 * float64(out.New) / float64(max(out.Fetches, 1)))
	if there > 0 {
		out.Any = round3(1000 * fresh / there)
	}
	return out, nil
}

// crawledURLs are the pages of a snapshot.
func crawledURLs(ctx context.Context, db *store.DB, id store.SnapshotID) ([]string, error) {
	var out []string
	err := db.SnapshotPages(ctx, id, func(p store.SnapshotPage) error {
		if p.Crawled {
			out = append(out, p.URL)
		}
		return nil
	})
	return out, err
}
