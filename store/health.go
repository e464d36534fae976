package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

var (
	qHealth = statement{all, `
		select s.kind, s.name, s.due, s.late, s.failing, s.oldest_due_at, coalesce(s.lag_p50, 0), coalesce(s.lag_p99, 0)
		from api_v1.schedule_health s order by s.kind, s.name`}
	qCountSetAside = statement{all, `
		select m.watch_id, count(*), min(m.set_aside_reason) from core.watch_page m where m.set_aside_at is not null group by m.watch_id`}
	qCountPages = statement{all, `
		select m.watch_id, count(*), min(m.due_at) filter (where m.due_at > $1) from core.watch_page m where m.left_at is null group by m.watch_id`}
	qCountLeased = statement{all, `
		select count(*) from core.page_schedule s where s.next_due_at <= $1 and s.lease_until > $2`}
	qStageLag = statement{all, `
		select t.stage, count(*), min(t.enqueued_at) from core.monitor_todo t group by t.stage order by t.stage`}
	qScheduleNow = statement{local, `select core.schedule_now()`}
)

// Status is what the daemons do now.
type Status struct {
	Now      time.Time // on the daemons' clock
	Daemons  []DaemonRow
	Running  int // pages that a daemon has taken and that are due
	Schedule []ScheduleHealth
	Stages   []StageLag
}

// ScheduleHealth is how one schedule is kept; see the view of that name.
type ScheduleHealth struct {
	Kind        string
	Name        string
	Due         int
	Late        int
	Failing     int
	OldestDueAt time.Time // zero: nothing is due
	LagP50      time.Duration
	LagP99      time.Duration
	Pages       int       // that it watches, or sources that it has; told by Status, of sources always
	NextDueAt   time.Time // when one of them is due next; zero: never; told by Status
	SetAside    int       // pages set aside as misconfigured
	Reason      string    // why one of them was, or a source fails
}

// StageLag is the queue of a later stage.
type StageLag struct {
	Stage    string
	Queued   int
	OldestAt time.Time
}

// Status returns what the daemons do now. It counts all watched pages.
func (db *DB) Status(ctx context.Context) (Status, error) {
	s, err := db.Work(ctx)
	if err != nil {
		return s, err
	}
	return s, db.addPages(ctx, s.Schedule)
}

// Work is Status without Pages and NextDueAt of the schedules, and reads only the pages
// that are due.
func (db *DB) Work(ctx context.Context) (Status, error) {
	var s Status
	if err := db.pool.QueryRow(ctx, qScheduleNow.sql).Scan(&s.Now); err != nil {
		return s, fmt.Errorf("status: %w", err)
	}
	var err error
	if s.Daemons, err = db.Daemons(ctx, s.Now); err != nil {
		return s, fmt.Errorf("status: %w", err)
	}
	if err := db.pool.QueryRow(ctx, qCountLeased.sql, s.Now, s.Now).Scan(&s.Running); err != nil {
		return s, fmt.Errorf("status: %w", err)
	}
	if s.Schedule, err = db.ScheduleHealth(ctx); err != nil {
		return s, fmt.Errorf("status: %w", err)
	}
	rows, err := db.pool.Query(ctx, qStageLag.sql)
	if err != nil {
		return s, fmt.Errorf("status: %w", err)
	}
	s.Stages, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (l StageLag, err error) {
		err = row.Scan(&l.Stage, &l.Queued, &l.OldestAt)
		return l, err
	})
	if err != nil {
		return s, fmt.Errorf("status: %w", err)
	}
	return s, nil
}

// ScheduleHealth returns how the schedules are kept, without Pages and NextDueAt.
func (db *DB) ScheduleHealth(ctx context.Context) ([]ScheduleHealth, error) {
	rows, err := db.pool.Query(ctx, qHealth.sql)
	if err != nil {
		return nil, fmt.Errorf("read schedule health: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (h ScheduleHealth, err error) {
		var oldest *time.Time
		var p50, p99 float64
		err = row.Scan(&h.Kind, &h.Name, &h.Due, &h.Late, &h.Failing, &oldest, &p50, &p99)
		h.OldestDueAt = deref(oldest)
		h.LagP50, h.LagP99 = time.Duration(p50*float64(time.Second)), time.Duration(p99*float64(time.Second))
		return h, err
	})
	if err != nil {
		return nil, fmt.Errorf("read schedule health: %w", err)
	}
	if err := db.addSources(ctx, out); err != nil {
		return nil, err
	}
	return out, db.addSetAside(ctx, out)
}

// addPages counts the pages of the watches, and says when each has work next.
func (db *DB) addPages(ctx context.Context, health []ScheduleHealth) error {
	watches, err := db.Watches(ctx)
	if err != nil {
		return err
	}
	names := make(map[int32]string, len(watches))
	for _, w := range watches {
		names[w.ID] = w.Name
	}
	var now time.Time
	if err := db.pool.QueryRow(ctx, qScheduleNow.sql).Scan(&now); err != nil {
		return fmt.Errorf("count watched pages: %w", err)
	}
	rows, err := db.pool.Query(ctx, qCountPages.sql, now)
	if err != nil {
		return fmt.Errorf("count watched pages: %w", err)
	}
	var watch int32
	var n int
	var next *time.Time
	_, err = pgx.ForEachRow(rows, []any{&watch, &n, &next}, func() error {
		i := slices.IndexFunc(health, func(h ScheduleHealth) bool { return h.Kind == "watch" && h.Name == names[watch] })
		if i >= 0 {
			health[i].Pages, health[i].NextDueAt = n, deref(next)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("count watched pages: %w", err)
	}
	return nil
}

// addSetAside counts the pages that were set aside.
func (db *DB) addSetAside(ctx context.Context, health []ScheduleHealth) error {
	watches, err := db.Watches(ctx)
	if err != nil {
		return err
	}
	names := make(map[int32]string, len(watches))
	for _, w := range watches {
		names[w.ID] = w.Name
	}
	rows, err := db.pool.Query(ctx, qCountSetAside.sql)
	if err != nil {
		return fmt.Errorf("read pages set aside: %w", err)
	}
	var watch int32
	var n int
	var reason string
	_, err = pgx.ForEachRow(rows, []any{&watch, &n, &reason}, func() error {
		i := slices.IndexFunc(health, func(h ScheduleHealth) bool { return h.Kind == "watch" && h.Name == names[watch] })
		if i >= 0 {
			health[i].SetAside, health[i].Reason = n, reason
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read pages set aside: %w", err)
	}
	return nil
}
