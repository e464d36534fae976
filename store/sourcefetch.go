package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Attempts on sitemaps and feeds stand in the log of fetches and nowhere else: they make no versions and
// leave the state of a page alone that has the same address.
var (
	// Somebody may have fetched the address as a page at the very moment.
	qPutSourceFetches = statement{routed, `
		insert into core.fetch (page_id, bucket, started_at, attempt, finished_at, due_at, outcome, status, kind, watch_id, bytes, error, detail)
		select v.page_id, (v.page_id >> 40)::int, v.started_at,
		       coalesce((select max(f.attempt) + 1 from core.fetch f where f.bucket = any($12::int[]) and f.page_id = v.page_id and f.started_at = v.started_at), 0),
		       v.finished_at, v.due_at, v.outcome::core.outcome, nullif(v.status, 0), $10, $11, v.bytes, nullif(v.error, ''), nullif(v.detail, '')::jsonb
		from unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[], $4::timestamptz[], $5::text[], $6::smallint[], $7::bigint[], $8::text[], $9::text[])
		     v(page_id, started_at, finished_at, due_at, outcome, status, bytes, error, detail)
		on conflict do nothing`}
	qPutSource = statement{local, `
		insert into core.watch_source as s (watch_id, kind, url, read_at, next_due_at, failing_since, error)
		values ($1, $2, $3, $4, $5, $6, $7)
		on conflict (watch_id, kind, url) do update
		set read_at = excluded.read_at, next_due_at = excluded.next_due_at, failing_since = excluded.failing_since, error = excluded.error`}
	qSourceHealth = statement{local, `
		select s.name, s.sources, s.next_due_at, coalesce(s.reason, '') from core.source_health s`}
)

// SourceState is how the reading of a sitemap or feed of a watch went.
type SourceState struct {
	Watch        int32
	Kind         string // sitemap or feed
	URL          string // as the configuration has it
	ReadAt       time.Time
	NextDueAt    time.Time
	FailingSince time.Time // zero: it was read whole
	Error        string
}

// SourceFetch is an attempt on a document of a source.
type SourceFetch struct {
	URL                          string // canonical
	DueAt, StartedAt, FinishedAt time.Time
	Outcome                      Outcome // New, Changed or Same where a document came
	Status                       int     // 0: no answer
	Error                        string
	Detail                       json.RawMessage
	Bytes                        int // of the document
}

// PutSource notes that a source was read, with the attempts on its documents, of which nothing else is kept.
func (db *DB) PutSource(ctx context.Context, s SourceState, attempts []SourceFetch) error {
	seen := make([]Sighting, len(attempts))
	for i, c := range attempts {
		seen[i] = Sighting{c.URL, c.StartedAt}
	}
	ids, err := db.ResolvePages(ctx, seen)
	if err != nil {
		return fmt.Errorf("store the reading of source %s: %w", s.URL, err)
	}
	for _, c := range attempts {
		if err := db.ensurePartition(ctx, c.StartedAt); err != nil {
			return err
		}
	}
	var in struct {
		pages               []PageID
		start, end, due     []*time.Time
		outcomes            []string
		status              []int16
		bytes               []int64
		reasons, detailText []string
	}
	for _, c := range attempts {
		if ids[c.URL] == 0 {
			continue // no address that a page may have
		}
		in.pages = append(in.pages, ids[c.URL])
		in.start, in.end, in.due = append(in.start, orNil(c.StartedAt)), append(in.end, orNil(c.FinishedAt)), append(in.due, orNil(c.DueAt))
		in.outcomes, in.status, in.bytes = append(in.outcomes, string(c.Outcome)), append(in.status, int16(c.Status)), append(in.bytes, int64(c.Bytes))
		in.reasons, in.detailText = append(in.reasons, c.Error), append(in.detailText, string(c.Detail))
	}
	err = db.inTxAgain(ctx, func(tx pgx.Tx) error {
		if len(in.pages) > 0 {
			if _, err := tx.Exec(ctx, qPutSourceFetches.sql, in.pages, in.start, in.end, in.due, in.outcomes, in.status, in.bytes, in.reasons, in.detailText,
				string(KindSource), s.Watch, bucketsOf(in.pages)); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, qPutSource.sql, s.Watch, s.Kind, s.URL, s.ReadAt, s.NextDueAt, orNil(s.FailingSince), textOrNil(s.Error))
		return err
	})
	if err != nil {
		return fmt.Errorf("store the reading of source %s: %w", s.URL, err)
	}
	return nil
}

// addSources counts the sources of the watches, and says when the next is due and why one fails.
func (db *DB) addSources(ctx context.Context, health []ScheduleHealth) error {
	rows, err := db.pool.Query(ctx, qSourceHealth.sql)
	if err != nil {
		return fmt.Errorf("read the state of sources: %w", err)
	}
	var name, reason string
	var n int
	var next *time.Time
	_, err = pgx.ForEachRow(rows, []any{&name, &n, &next, &reason}, func() error {
		for i := range health {
			if health[i].Kind == string(KindSource) && health[i].Name == name {
				health[i].Pages, health[i].NextDueAt, health[i].Reason = n, deref(next), reason
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the state of sources: %w", err)
	}
	return nil
}
