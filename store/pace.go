package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Pace is how fast a watch with schedule auto goes: the threshold, and what keeps it
// right. One row serves all daemons.
type Pace struct {
	Watch             int32
	Budget            float64       // fetches an hour
	Shortest, Longest time.Duration // intervals, as configured
	Reach             time.Duration // the longest in force
	Pages             int
	Threshold         float64
	Applied           float64            // by which all waiting pages had their due times last
	Hosts             map[string]float64 // factors on the threshold where a host's own limit binds
	Fetched           int64              // since the first plan for this budget
	PlanAt            int64              // of Fetched: when to plan anew
	Backlog           int                // due and waiting for long when last looked at
	ObservedAt        time.Time          // zero: the row is new

	counted int64
}

// Observed is what happened since a Pace was last looked at.
type Observed struct {
	Pages   int   // that take part now
	Fetched int64 // since then
	Backlog int   // due and waiting for long now
}

var (
	qMakePace = statement{local, `
		insert into core.watch_pace (watch_id, budget, shortest, longest, reach, pages, threshold, applied, hosts, fetched, plan_at, backlog, counted)
		values ($1, 0, interval '0', interval '0', interval '0', 0, 0, 0, '{}', 0, 0, 0, 0)
		on conflict (watch_id) do nothing`}
	qLockPace = statement{local, `
		select p.budget, p.shortest, p.longest, p.reach, p.pages, p.threshold, p.applied, p.hosts, p.fetched, p.plan_at, p.backlog, p.counted, p.observed_at
		from core.watch_pace p where p.watch_id = $1 for update`}
	qReadPace = statement{local, `
		select p.budget, p.shortest, p.longest, p.reach, p.pages, p.threshold, p.applied, p.hosts, p.fetched, p.plan_at, p.backlog, p.counted, p.observed_at
		from core.watch_pace p where p.watch_id = $1`}
	qPutPace = statement{local, `
		update core.watch_pace set budget = $2, shortest = $3, longest = $4, reach = $5, pages = $6, threshold = $7, applied = $8, hosts = $9,
		    fetched = $10, plan_at = $11, backlog = $12, counted = $13, observed_at = $14
		where watch_id = $1`}
	qAppliedPace = statement{local, `update core.watch_pace set applied = $2 where watch_id = $1`}
	qCountLags   = statement{local, `
		select coalesce(sum(l.fetches) filter (where l.hour >= $2), 0)::bigint, coalesce(sum(l.fetches) filter (where l.hour >= $3), 0)::bigint
		from core.schedule_lag l where l.watch_id = $1 and l.kind = 'watch' and l.hour >= $2`}
	qCountWatchPages = statement{all, `
		select count(*) from core.watch_page m where m.watch_id = $1 and m.due_at is not null`}
	// Due pages stand at the front of the index; those that were put off are few and have their own.
	qCountBacklog = statement{all, `
		select count(*)
		from (select s.page_id, s.bucket from core.page_schedule s where s.next_due_at <= $2
		      union
		      select s.page_id, s.bucket from core.page_schedule s where s.deferred_at is not null) d
		join core.watch_page m on m.bucket = d.bucket and m.page_id = d.page_id
		where m.watch_id = $1 and m.due_at <= $2`}
	qSampleRates = statement{all, `
		select h.name, p.url, coalesce(r.state, '')
		from core.watch_page m
		join core.page p on p.bucket = m.bucket and p.page_id = m.page_id
		join core.host h on h.bucket = p.bucket and h.host_id = p.host_id
		left join core.page_rate r on r.bucket = m.bucket and r.page_id = m.page_id
		where m.watch_id = $1 and m.due_at is not null and (hashint8(m.page_id)::bigint & 2147483647) % $2 = 0
		order by h.name, m.page_id`}
	qWaitingPages = statement{all, `
		select m.page_id, p.url, h.name, m.slot_at, m.due_at, coalesce(r.state, '')
		from core.watch_page m
		join core.page p on p.bucket = m.bucket and p.page_id = m.page_id
		join core.host h on h.bucket = p.bucket and h.host_id = p.host_id
		left join core.page_rate r on r.bucket = m.bucket and r.page_id = m.page_id
		where m.watch_id = $1 and m.page_id > $2 and m.due_at > $3
		order by m.page_id limit $4`}
)

// lateCount is how long after its start a fetch may be stored and still be counted.
const lateCount = time.Hour

// UpdatePace looks at the pace of a watch, for all daemons at most once in every. When
// it is time, or renew says that the row is not for the configuration in force, f is told
// what happened since and changes the row, which is locked meanwhile. Pages that were due up to waiting
// and are not stored count as its backlog. The result is the
// row as it stands then.
func (db *DB) UpdatePace(ctx context.Context, watch int32, now, waiting time.Time, every time.Duration, renew func(Pace) bool,
	f func(p *Pace, o Observed) error,
) (Pace, error) {
	var p Pace
	err := db.inTx(ctx, func(tx pgx.Tx) error {
		var err error
		if p, err = readPace(ctx, tx, qReadPace, watch); err == nil && !p.due(now, every) && !renew(p) {
			return nil // most times another daemon was there first, or it is too early
		}
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		if _, err := tx.Exec(ctx, qMakePace.sql, watch); err != nil {
			return err
		}
		if p, err = readPace(ctx, tx, qLockPace, watch); err != nil || !p.due(now, every) && !renew(p) {
			return err
		}
		before := p.ObservedAt
		if before.IsZero() {
			before = now
		}
		var o Observed
		var since, counted int64
		if err := tx.QueryRow(ctx, qCountLags.sql, watch, before.Truncate(time.Hour).Add(-lateCount), now.Truncate(time.Hour).Add(-lateCount)).Scan(&since, &counted); err != nil {
			return err
		}
		o.Fetched = max(0, since-p.counted)
		if p.ObservedAt.IsZero() {
			o.Fetched = 0
		}
		if err := tx.QueryRow(ctx, qCountWatchPages.sql, watch).Scan(&o.Pages); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, qCountBacklog.sql, watch, waiting).Scan(&o.Backlog); err != nil {
			return err
		}
		if err := f(&p, o); err != nil {
			return err
		}
		p.Pages, p.Backlog, p.counted, p.ObservedAt = o.Pages, o.Backlog, counted, now
		hosts, err := json.Marshal(p.Hosts)
		if err != nil {
			return err
		}
		if p.Hosts == nil {
			hosts = []byte("{}")
		}
		_, err = tx.Exec(ctx, qPutPace.sql, watch, p.Budget, p.Shortest, p.Longest, p.Reach, p.Pages, p.Threshold, p.Applied, hosts,
			p.Fetched, p.PlanAt, p.Backlog, p.counted, p.ObservedAt)
		return err
	})
	if err != nil {
		return p, fmt.Errorf("keep the pace of watch %d: %w", watch, err)
	}
	return p, nil
}

func (p *Pace) due(now time.Time, every time.Duration) bool {
	return p.ObservedAt.IsZero() || !now.Before(p.ObservedAt.Add(every))
}

func readPace(ctx context.Context, tx pgx.Tx, q statement, watch int32) (Pace, error) {
	p := Pace{Watch: watch}
	var observed *time.Time
	var hosts []byte
	err := tx.QueryRow(ctx, q.sql, watch).Scan(&p.Budget, &p.Shortest, &p.Longest, &p.Reach, &p.Pages, &p.Threshold, &p.Applied, &hosts,
		&p.Fetched, &p.PlanAt, &p.Backlog, &p.counted, &observed)
	if err != nil {
		return p, err
	}
	p.ObservedAt = deref(observed)
	return p, json.Unmarshal(hosts, &p.Hosts)
}

// SampleRates calls f with the host, the URL and the state of the rate of every n-th page of a
// watch, drawn by a hash and the same each time, host by host.
func (db *DB) SampleRates(ctx context.Context, watch int32, n int, f func(host, url string, state []byte)) error {
	rows, err := db.pool.Query(ctx, qSampleRates.sql, watch, int64(max(n, 1)))
	if err != nil {
		return fmt.Errorf("sample rates: %w", err)
	}
	var host, url string
	var state []byte
	if _, err := pgx.ForEachRow(rows, []any{&host, &url, &state}, func() error { f(host, url, state); return nil }); err != nil {
		return fmt.Errorf("sample rates: %w", err)
	}
	return nil
}

// Waiting is a page of a watch that is not due yet.
type Waiting struct {
	Page      PageID
	URL, Host string
	Slot, Due time.Time
	State     []byte // of its rate
}

// Hasten gives the waiting pages of a watch earlier due times where due says so, in
// bounded transactions. Doing it twice is as good as once.
func (db *DB) Hasten(ctx context.Context, watch int32, now time.Time, due func(Waiting) time.Time) (int, error) {
	moved := 0
	for last := PageID(0); ; {
		rows, err := db.pool.Query(ctx, qWaitingPages.sql, watch, last, now, hintChunk)
		if err != nil {
			return moved, fmt.Errorf("hasten pages: %w", err)
		}
		list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (w Waiting, err error) {
			var slot *time.Time
			err = row.Scan(&w.Page, &w.URL, &w.Host, &slot, &w.Due, &w.State)
			w.Slot = deref(slot)
			return w, err
		})
		if err != nil {
			return moved, fmt.Errorf("hasten pages: %w", err)
		}
		var pages []PageID
		var when []time.Time
		for _, w := range list {
			if at := due(w); at.Before(w.Due) {
				pages, when = append(pages, w.Page), append(when, at)
			}
			last = w.Page
		}
		err = db.inTxAgain(ctx, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, qAloneSchedule.sql); err != nil {
				return err
			}
			return (&Tx{db: db, tx: tx}).advance(ctx, watch, pages, when)
		})
		if err != nil {
			return moved, fmt.Errorf("hasten pages: %w", err)
		}
		moved += len(pages)
		if len(list) < hintChunk {
			return moved, nil
		}
	}
}

// PaceApplied notes that all waiting pages of a watch have due times by a threshold.
func (db *DB) PaceApplied(ctx context.Context, watch int32, threshold float64) error {
	if _, err := db.pool.Exec(ctx, qAppliedPace.sql, watch, threshold); err != nil {
		return fmt.Errorf("keep the pace of watch %d: %w", watch, err)
	}
	return nil
}
