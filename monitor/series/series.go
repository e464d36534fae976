package series

import (
	"context"
	"fmt"
	"time"

	"github.com/strandlinehq/strandline/store"
)

// Update cuts what was imported into a series into snapshots and computes every
// snapshot that is not computed. It returns the series' snapshots. It may be
// stopped at any time and repeated; what is computed stays. Where other programs on the
// database are at the same series, one works after the other, and on what is left.
func Update(ctx context.Context, db *store.DB, id store.SeriesID, opt Options) ([]store.SeriesSnapshot, error) {
	return alone(ctx, db, id, opt, func() ([]store.SeriesSnapshot, error) {
		if _, err := db.CutSnapshots(ctx, id); err != nil {
			return nil, err
		}
		return run(ctx, db, id, opt, func(s *store.SeriesSnapshot) bool { return s.ComputedAt.IsZero() })
	})
}

// alone calls f while nobody else computes snapshots of the series.
func alone(ctx context.Context, db *store.DB, id store.SeriesID, opt Options, f func() ([]store.SeriesSnapshot, error)) (out []store.SeriesSnapshot, err error) {
	busy := func() {
		opt.withDefaults().Logger.Info("another program computes snapshots of the series: waiting for it", "series", id)
	}
	err = db.SeriesAlone(ctx, id, busy, func() (err error) {
		out, err = f()
		return err
	})
	return out, err
}

// What Recompute is asked for beside the numbers of snapshots, which begin with 1.
const (
	All  = 0
	Last = -1 // the last one that has ended
)

// Recompute computes the snapshot of a number again, or the Last, and what is not computed; or All of
// them: then imports are cut anew and links taken from the versions as they are now. Scores of
// a snapshot do not rest on those of others. Where there is none to compute it is store.ErrNotFound.
func Recompute(ctx context.Context, db *store.DB, id store.SeriesID, number int, opt Options) ([]store.SeriesSnapshot, error) {
	return alone(ctx, db, id, opt, func() ([]store.SeriesSnapshot, error) { return recompute(ctx, db, id, number, opt) })
}

func recompute(ctx context.Context, db *store.DB, id store.SeriesID, number int, opt Options) ([]store.SeriesSnapshot, error) {
	if number == All {
		if err := renew(ctx, db, id); err != nil {
			return nil, err
		}
	}
	if _, err := db.CutSnapshots(ctx, id); err != nil {
		return nil, err
	}
	if number == Last {
		all, err := db.Snapshots(ctx, id)
		if err != nil {
			return nil, err
		}
		for _, s := range all {
			if s.Ended() {
				number = s.Number
			}
		}
	}
	found := false
	out, err := run(ctx, db, id, opt, func(s *store.SeriesSnapshot) bool {
		found = found || s.Number == number
		return number == All || s.Number == number || s.ComputedAt.IsZero()
	})
	switch {
	case err == nil && number == Last:
		return nil, fmt.Errorf("no snapshot has ended: %w", store.ErrNotFound)
	case err == nil && number != All && !found:
		return nil, fmt.Errorf("snapshot %d: %w", number, store.ErrNotFound)
	}
	return out, err
}

// renew takes over what became of versions since the snapshots were stored.
func renew(ctx context.Context, db *store.DB, id store.SeriesID) error {
	if err := db.Recut(ctx, id); err != nil {
		return err
	}
	all, err := db.Snapshots(ctx, id)
	if err != nil {
		return err
	}
	var crawls []store.SnapshotID
	for _, s := range all {
		if s.Origin == "crawl" {
			crawls = append(crawls, s.ID)
		}
	}
	_, err = db.Relink(ctx, crawls)
	return err
}

func run(ctx context.Context, db *store.DB, id store.SeriesID, opt Options, wanted func(*store.SeriesSnapshot) bool) ([]store.SeriesSnapshot, error) {
	opt = opt.withDefaults()
	all, err := db.Snapshots(ctx, id)
	if err != nil {
		return nil, err
	}
	var earlier []store.SeriesSnapshot
	for i := range all {
		s := &all[i]
		if !s.Ended() {
			continue // a failed one has seen nothing, a running one not yet
		}
		if wanted(s) {
			start := time.Now()
			if err := compute(ctx, db, s, earlier, opt); err != nil {
				return nil, fmt.Errorf("snapshot %d: %w", s.Number, err)
			}
			if *s, err = db.Snapshot(ctx, s.ID); err != nil {
				return nil, err // it was cut anew meanwhile
			}
			opt.Logger.Info("snapshot computed", "series", id, "snapshot", s.Number, "pages", s.Pages, "unidentified", s.Unidentified, "took", time.Since(start))
		}
		earlier = append(earlier, *s)
	}
	return all, nil
}
