package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

var (
	// Versions that a page had in a span of time, and the one before them.
	qPeriodVersions = statement{routed, `
		select v.page_id, v.version, v.first_seen, v.last_seen, coalesce(v.language, ''), v.record, coalesce(c.text_changed and not c.masked, true)
		from core.version v
		left join core.change c on c.bucket = any($2::int[]) and c.bucket = v.bucket and c.page_id = v.page_id and c.version = v.version
		where v.bucket = any($2) and v.page_id = any($1::bigint[]) and v.first_seen < $4 and v.thinned_at is null
		  and (v.last_seen >= $3 or v.version = (
		      select max(b.version) from core.version b
		      where b.bucket = any($2) and b.bucket = v.bucket and b.page_id = v.page_id and b.first_seen < $3 and b.thinned_at is null))
		order by v.page_id, v.version`}
	qPeriodFetches = statement{routed, `
		select f.page_id, count(*), count(*) filter (where f.outcome in ('new', 'changed', 'same', 'not_modified'))
		from core.fetch f
		where f.bucket = any($2::int[]) and f.page_id = any($1::bigint[]) and f.started_at >= $3 and f.started_at < $4
		group by f.page_id`}
	qFetchSpan = statement{routed, `
		select min(v.first_seen), max(v.last_seen) from core.version v where v.bucket = any($2::int[]) and v.page_id = any($1::bigint[])`}
	qCurrentLinks = statement{all, `
		select s.page_id, l.targets
		from core.page_state s
		join core.version v on v.bucket = s.bucket and v.page_id = s.page_id and v.version = s.version
		join core.link_set l on l.bucket = v.bucket and l.links_hash = v.links_hash`}
)

// PeriodVersion is a version that a page had in a span of time, or the one before.
type PeriodVersion struct {
	Page      PageID
	Version   int32
	FirstSeen time.Time
	LastSeen  time.Time
	Language  string
	Record    ContentKey
	Changed   bool // its text differs from the version before by more than known noise
}

// PeriodVersions returns the versions that pages had from one time to another, and
// the last one of each before, by page and version.
func (db *DB) PeriodVersions(ctx context.Context, pages []PageID, from, to time.Time) ([]PeriodVersion, error) {
	if len(pages) == 0 {
		return nil, nil
	}
	rows, err := db.pool.Query(ctx, qPeriodVersions.sql, pages, bucketsOf(pages), from, to)
	if err != nil {
		return nil, fmt.Errorf("read versions of a period: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (v PeriodVersion, err error) {
		var hash []byte
		err = row.Scan(&v.Page, &v.Version, &v.FirstSeen, &v.LastSeen, &v.Language, &hash, &v.Changed)
		v.Record.Bucket = v.Page.Bucket()
		copy(v.Record.Hash[:], hash)
		return v, err
	})
	if err != nil {
		return nil, fmt.Errorf("read versions of a period: %w", err)
	}
	return out, nil
}

// PeriodFetches is how often a page was tried in a span of time, and how often that
// gave a version.
type PeriodFetches struct{ Tried, Good int }

// PeriodFetches counts the fetches of pages from one time to another.
func (db *DB) PeriodFetches(ctx context.Context, pages []PageID, from, to time.Time) (map[PageID]PeriodFetches, error) {
	out := make(map[PageID]PeriodFetches, len(pages))
	if len(pages) == 0 {
		return out, nil
	}
	rows, err := db.pool.Query(ctx, qPeriodFetches.sql, pages, bucketsOf(pages), from, to)
	if err != nil {
		return nil, fmt.Errorf("count fetches of a period: %w", err)
	}
	var page PageID
	var n PeriodFetches
	if _, err := pgx.ForEachRow(rows, []any{&page, &n.Tried, &n.Good}, func() error { out[page] = n; return nil }); err != nil {
		return nil, fmt.Errorf("count fetches of a period: %w", err)
	}
	return out, nil
}

// VersionSpan returns when the first version of any of the pages was first seen and
// the last one last; zero times where there is none.
func (db *DB) VersionSpan(ctx context.Context, pages []PageID) (first, last time.Time, err error) {
	if len(pages) == 0 {
		return first, last, nil
	}
	var a, b *time.Time
	if err := db.pool.QueryRow(ctx, qFetchSpan.sql, pages, bucketsOf(pages)).Scan(&a, &b); err != nil {
		return first, last, fmt.Errorf("read span of versions: %w", err)
	}
	return deref(a), deref(b), nil
}

// EachLinks calls f with every page that has a version now and what that links to,
// packed, in no order. The bytes are good until f returns; NextLink walks them.
func (db *DB) EachLinks(ctx context.Context, f func(source PageID, packed []byte) error) error {
	rows, err := db.pool.Query(ctx, qCurrentLinks.sql, pgx.QueryResultFormats{pgx.BinaryFormatCode})
	if err != nil {
		return fmt.Errorf("read links: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		raw := rows.RawValues()
		if len(raw) != 2 || len(raw[0]) != 8 {
			return fmt.Errorf("read links: %w", errLinksDamaged)
		}
		if err := f(PageID(binary.BigEndian.Uint64(raw[0])), raw[1]); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read links: %w", err)
	}
	return nil
}

// GoodRecords returns extracted records by page bucket and hash; damaged ones are
// left out.
func (db *DB) GoodRecords(ctx context.Context, keys []ContentKey) (map[ContentKey][]byte, error) {
	out, _, err := db.readBlobs(ctx, db.pool, recordTable, distinctKeys(keys))
	if err != nil {
		return nil, fmt.Errorf("read records: %w", err)
	}
	return out, nil
}

func distinctKeys(keys []ContentKey) []ContentKey {
	seen := make(map[ContentKey]bool, len(keys))
	var out []ContentKey
	for _, k := range keys {
		if !seen[k] {
			seen[k] = true
			out = append(out, k)
		}
	}
	return out
}
