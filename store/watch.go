package store

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

var (
	qReadWatches = statement{local, `
		select w.watch_id, w.name, coalesce(w.category, ''), coalesce(w.genre, ''), w.timing, w.paused_at is not null, w.config, w.pages_hash
		from core.watch w order by w.name`}
	qPutWatch = statement{local, `
		insert into core.watch (name, category, genre, added_at, config, timing, every)
		values ($1, $2, $3, $4, $5, $6, make_interval(secs => $7))
		on conflict (name) do update set category = excluded.category, genre = excluded.genre, config = excluded.config,
		    timing = excluded.timing, every = excluded.every, paused_at = null
		returning watch_id`}
	qPauseWatches  = statement{local, `update core.watch set paused_at = $2 where watch_id = any($1::int[])`}
	qHashWatch     = statement{local, `update core.watch set pages_hash = $2 where watch_id = $1`}
	qAloneSchedule = statement{local, `select pg_advisory_xact_lock(7305819)`}
)

// WatchSpec is a watch as the configuration has it.
type WatchSpec struct {
	Name     string // the stable key
	Category string
	Genre    string
	Config   json.RawMessage // as configured, for people
	// Timing is everything that decides when its pages are due, as one text. When it
	// differs from what was applied before, all its pages are scheduled anew.
	Timing string
	Every  time.Duration // mean time between two fetches of a page
	Pages  []string      // canonical URLs, each once
	// Labels has what is known of some of the pages, by URL.
	Labels map[string]PageLabels
	// First gives the slot and the due time of a page that joins now, or that was never
	// fetched when its schedule changes. A page for which it fails is set aside with that reason.
	First func(url string, now time.Time) (slot, due time.Time, err error)
	// Again gives those of a page that was last fetched at a time and whose schedule changes, or is
	// taken up again, now; nil: First does.
	Again func(url string, last, now time.Time) (slot, due time.Time, err error)
}

// Applied says what a configuration changed.
type Applied struct {
	Watches                []WatchRow // the running ones, by name
	Added, Changed, Paused []string   // names of watches
	Joined, Left           int        // pages
	SetAside               int        // pages for which First failed
}

// WatchRow is a watch in the database.
type WatchRow struct {
	ID       int32
	Name     string
	Category string
	Genre    string
	Timing   string
	Paused   bool
	Config   json.RawMessage

	pagesHash []byte
}

// Watches returns all watches that ever were configured, by name.
func (db *DB) Watches(ctx context.Context) ([]WatchRow, error) {
	return readWatches(ctx, db.pool)
}

func readWatches(ctx context.Context, q queryer) ([]WatchRow, error) {
	rows, err := q.Query(ctx, qReadWatches.sql)
	if err != nil {
		return nil, fmt.Errorf("read watches: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (w WatchRow, err error) {
		err = row.Scan(&w.ID, &w.Name, &w.Category, &w.Genre, &w.Timing, &w.Paused, &w.Config, &w.pagesHash)
		return w, err
	})
	if err != nil {
		return nil, fmt.Errorf("read watches: %w", err)
	}
	return out, nil
}

// SetWatches makes the watches those given, all or nothing: new ones are added,
// changed ones changed, and those that are not named are paused and keep their
// history. Pages join and leave with the lists; pages that were set aside are
// taken up again. A watch whose list and timing are as before costs nothing,
// however long the list is.
func (db *DB) SetWatches(ctx context.Context, now time.Time, specs []WatchSpec) (Applied, error) {
	for try := 0; ; try++ {
		out, err := db.setWatches(ctx, now, specs)
		if err == nil || try == 3 || !worthRetry(err) {
			return out, err
		}
	}
}

func (db *DB) setWatches(ctx context.Context, now time.Time, specs []WatchSpec) (Applied, error) {
	known, err := db.Watches(ctx)
	if err != nil {
		return Applied{}, err
	}
	byName := make(map[string]WatchRow, len(known))
	for _, w := range known {
		byName[w.Name] = w
	}
	// Pages are made before the transaction: they are as good without it.
	ids := make([][]PageID, len(specs))
	hashes := make([][]byte, len(specs))
	for i, s := range specs {
		hashes[i] = hashPages(s.Pages, s.Labels)
		if w, ok := byName[s.Name]; ok && !w.Paused && w.Timing == s.Timing && slices.Equal(w.pagesHash, hashes[i]) {
			continue
		}
		if ids[i], err = db.resolveInOrder(ctx, s.Pages, now); err != nil {
			return Applied{}, fmt.Errorf("apply watch %s: %w", s.Name, err)
		}
	}
	var out Applied
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		out = Applied{}
		if _, err := tx.Exec(ctx, qAloneSchedule.sql); err != nil {
			return err
		}
		a := applier{tx: tx, now: now, out: &out}
		named := make(map[string]bool, len(specs))
		for i := range specs {
			named[specs[i].Name] = true
			old, ok := byName[specs[i].Name]
			if err := a.apply(ctx, &specs[i], ids[i], hashes[i], old, ok); err != nil {
				return fmt.Errorf("watch %s: %w", specs[i].Name, err)
			}
		}
		var gone []int32
		for _, w := range known {
			if !w.Paused && !named[w.Name] {
				gone = append(gone, w.ID)
				out.Paused = append(out.Paused, w.Name)
			}
		}
		if err := a.pause(ctx, gone); err != nil {
			return err
		}
		if err := a.settle(ctx); err != nil {
			return err
		}
		if err := a.label(ctx); err != nil {
			return err
		}
		all, err := readWatches(ctx, tx)
		for _, w := range all {
			if !w.Paused {
				out.Watches = append(out.Watches, w)
			}
		}
		return err
	})
	if err != nil {
		return Applied{}, fmt.Errorf("apply watches: %w", err)
	}
	return out, nil
}

// SetSource makes the pages that a sitemap or a feed brings to a watch those
// given: new ones join, vanished ones are marked as left and keep their history.
// It returns how many did.
func (db *DB) SetSource(ctx context.Context, watch int32, source string, pages []string, now time.Time,
	first func(url string, now time.Time) (slot, due time.Time, err error),
) (joined, left int, err error) {
	ids, err := db.resolveInOrder(ctx, pages, now)
	if err != nil {
		return 0, 0, fmt.Errorf("apply source %s: %w", source, err)
	}
	var out Applied
	err = db.inTxAgain(ctx, func(tx pgx.Tx) error {
		out = Applied{}
		if _, err := tx.Exec(ctx, qAloneSchedule.sql); err != nil {
			return err
		}
		a := applier{tx: tx, now: now, out: &out}
		if err := a.list(ctx, watch, source, pages, ids, timing{first: first}, false); err != nil {
			return err
		}
		if err := a.settle(ctx); err != nil {
			return err
		}
		return a.label(ctx)
	})
	if err != nil {
		return 0, 0, fmt.Errorf("apply source %s: %w", source, err)
	}
	return out.Joined, out.Left, nil
}

// resolveInOrder returns the ids of canonical URLs.
func (db *DB) resolveInOrder(ctx context.Context, urls []string, now time.Time) ([]PageID, error) {
	const chunk = 10_000
	out := make([]PageID, 0, len(urls))
	for part := range slices.Chunk(urls, chunk) {
		seen := make([]Sighting, len(part))
		for i, u := range part {
			seen[i] = Sighting{u, now}
		}
		ids, err := db.ResolvePages(ctx, seen)
		if err != nil {
			return nil, err
		}
		for _, u := range part {
			id := ids[u]
			if id == 0 {
				return nil, fmt.Errorf("%q is no canonical URL", u)
			}
			out = append(out, id)
		}
	}
	return out, nil
}

func hashPages(pages []string, labels map[string]PageLabels) []byte {
	h := sha256.New()
	for _, p := range pages {
		h.Write([]byte(p))
		if l, ok := labels[p]; ok {
			fmt.Fprintf(h, "\x00%q %q %d %g %t", l.Category, l.Genre, l.Visitors, l.Weight, l.Top)
		}
		h.Write([]byte{'\n'})
	}
	return h.Sum(nil)
}
