package store

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

var (
	qNextDues = statement{all, `
		select m.watch_id, p.url, m.slot_at, m.due_at
		from core.watch_page m join core.page p on p.bucket = m.bucket and p.page_id = m.page_id
		where m.watch_id = $1 and m.due_at is not null and m.left_at is null
		order by m.due_at, m.page_id limit $2`}
	qListedPages = statement{all, `
		select p.url from core.watch_page m join core.page p on p.bucket = m.bucket and p.page_id = m.page_id
		where m.watch_id = $1 and m.source = '' and m.left_at is null order by p.url`}
	qSeriesPlans = statement{local, `
		select r.name, r.config, coalesce(r.schedule, ''), r.paused_at is not null, r.next_due_at
		from core.series r where r.schedule is not null or r.paused_at is not null order by r.name`}
)

// WatchStep is what SetWatches would do to a watch.
type WatchStep struct {
	Name   string
	Action WatchAction
	// Before is the watch as it is in the database, unless it is added.
	Before WatchRow
	// Joins and Leaves are how many pages would join and leave by its own list.
	Joins, Leaves int
	// Anew is set where all pages get new due times.
	Anew bool
}

// WatchAction is what becomes of a watch.
type WatchAction string

// The actions. One that is paused keeps its history; one that was paused before and is wanted again is resumed.
const (
	WatchAdded   WatchAction = "added"
	WatchChanged WatchAction = "changed"
	WatchResumed WatchAction = "resumed"
	WatchPaused  WatchAction = "paused"
	WatchKept    WatchAction = "kept"
)

// PlanWatches says what SetWatches would do to each watch, in the order given and then the paused ones
// by name. It writes nothing.
func (db *DB) PlanWatches(ctx context.Context, specs []WatchSpec) ([]WatchStep, error) {
	known, err := db.Watches(ctx)
	if err != nil {
		return nil, err
	}
	byName := make(map[string]WatchRow, len(known))
	for _, w := range known {
		byName[w.Name] = w
	}
	var out []WatchStep
	named := make(map[string]bool, len(specs))
	for i := range specs {
		s := &specs[i]
		named[s.Name] = true
		old, ok := byName[s.Name]
		step := WatchStep{Name: s.Name, Before: old, Action: WatchKept, Anew: !ok || old.Paused || old.Timing != s.Timing}
		listed := !ok || !slices.Equal(old.pagesHash, hashPages(s.Pages, s.Labels))
		switch {
		case !ok:
			step.Action = WatchAdded
		case old.Paused:
			step.Action = WatchResumed
		case step.Anew || listed || old.Category != s.Category || old.Genre != s.Genre || !sameJSON(old.Config, s.Config):
			step.Action = WatchChanged
		}
		if listed {
			if step.Joins, step.Leaves, err = db.movers(ctx, old.ID, s.Pages); err != nil {
				return nil, err
			}
		}
		out = append(out, step)
	}
	for _, w := range known {
		if !w.Paused && !named[w.Name] {
			out = append(out, WatchStep{Name: w.Name, Action: WatchPaused, Before: w})
		}
	}
	return out, nil
}

// movers counts the pages that a list adds to those of a watch, and those that it leaves out.
func (db *DB) movers(ctx context.Context, watch int32, pages []string) (joins, leaves int, err error) {
	rows, err := db.pool.Query(ctx, qListedPages.sql, watch)
	if err != nil {
		return 0, 0, fmt.Errorf("read the pages of a watch: %w", err)
	}
	have, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return 0, 0, fmt.Errorf("read the pages of a watch: %w", err)
	}
	wanted := make(map[string]bool, len(pages))
	for _, u := range pages {
		wanted[u] = true
	}
	joins = len(wanted)
	for _, u := range have {
		if wanted[u] {
			joins--
		} else {
			leaves++
		}
	}
	return joins, leaves, nil
}

// PageDue is when a watch wants a page.
type PageDue struct {
	URL       string
	Slot, Due time.Time
}

// NextDues returns the pages of a watch that are due first.
func (db *DB) NextDues(ctx context.Context, watch int32, limit int) ([]PageDue, error) {
	rows, err := db.pool.Query(ctx, qNextDues.sql, watch, limit)
	if err != nil {
		return nil, fmt.Errorf("read due times: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (d PageDue, err error) {
		var slot *time.Time
		err = row.Scan(&watch, &d.URL, &slot, &d.Due)
		d.Slot = deref(slot)
		return d, err
	})
	if err != nil {
		return nil, fmt.Errorf("read due times: %w", err)
	}
	return out, nil
}

// SeriesPlan is a crawled series as it was last configured.
type SeriesPlan struct {
	Name     string
	Config   []byte // JSON
	Schedule string
	Paused   bool
	Due      time.Time // of the next snapshot; zero: none
}

// SeriesPlans returns all series that were ever configured to be crawled, by name.
func (db *DB) SeriesPlans(ctx context.Context) ([]SeriesPlan, error) {
	rows, err := db.pool.Query(ctx, qSeriesPlans.sql)
	if err != nil {
		return nil, fmt.Errorf("read series: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (s SeriesPlan, err error) {
		var due *time.Time
		err = row.Scan(&s.Name, &s.Config, &s.Schedule, &s.Paused, &due)
		s.Due = deref(due)
		return s, err
	})
	if err != nil {
		return nil, fmt.Errorf("read series: %w", err)
	}
	return out, nil
}

// ScheduleNow is what time it is for the schedule: virtual where the daemon that was last seen runs on
// virtual time.
func (db *DB) ScheduleNow(ctx context.Context) (time.Time, error) {
	var now time.Time
	if err := db.pool.QueryRow(ctx, qScheduleNow.sql).Scan(&now); err != nil {
		return now, fmt.Errorf("ask for the time: %w", err)
	}
	return now, nil
}

// sameJSON reports whether two documents say the same.
func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}
