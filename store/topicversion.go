package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
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
		where f.bucket = any($2::int[]) and f.page_id = any($1::bigint[]) and f.started_at >= $3 and f.started_at < $4 and f.kind <> 'source'
		group by f.page_id`}
	qFetchSpan = statement{routed, `
		select min(v.first_seen), max(v.last_seen) from core.version v where v.bucket = any($2::int[]) and v.page_id = any($1::bigint[])`}
	qLinkSets = statement{all, `select l.links_hash, l.targets, l.bucket from core.link_set l`}
	// Pages whose version of now has one of some sets of links.
	qCurrentSets = statement{routed, `
		select s.page_id, v.links_hash
		from core.version v
		join core.page_state s on s.bucket = any($2::int[]) and s.bucket = v.bucket and s.page_id = v.page_id and s.version = v.version
		where v.bucket = any($2) and v.links_hash = any($1::uuid[])`}
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

// LinksInto calls f with each link from a page, as its version of now has it, to one of some pages, in no order.
//
// It reads the sets of links first and joins only those to pages that have such a link: few do, and joining
// all costs several times as much as reading them. Sets of earlier versions are read too.
func (db *DB) LinksInto(ctx context.Context, to map[PageID]bool, f func(source, target PageID)) error {
	if len(to) == 0 {
		return nil
	}
	sets, buckets, err := db.setsInto(ctx, to)
	if err != nil || len(sets) == 0 {
		return err
	}
	hashes := make([][16]byte, 0, len(sets))
	for h := range sets {
		hashes = append(hashes, h)
	}
	slices.SortFunc(hashes, func(a, b [16]byte) int { return bytes.Compare(a[:], b[:]) })
	rows, err := db.pool.Query(ctx, qCurrentSets.sql, hashes, buckets)
	if err != nil {
		return fmt.Errorf("read pages with links: %w", err)
	}
	var source PageID
	var hash [16]byte
	_, err = pgx.ForEachRow(rows, []any{&source, &hash}, func() error {
		for _, target := range sets[hash] {
			f(source, target)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read pages with links: %w", err)
	}
	return nil
}

// setsInto returns the sets of links that have a link to one of some pages, with those that they link to, and
// the buckets in which they are. Equal sets have the same hash in all buckets.
func (db *DB) setsInto(ctx context.Context, to map[PageID]bool) (map[[16]byte][]PageID, []int32, error) {
	rows, err := db.pool.Query(ctx, qLinkSets.sql, pgx.QueryResultFormats{pgx.BinaryFormatCode})
	if err != nil {
		return nil, nil, fmt.Errorf("read links: %w", err)
	}
	defer rows.Close()
	sets, in := map[[16]byte][]PageID{}, map[int32]bool{}
	for rows.Next() {
		raw := rows.RawValues()
		if len(raw) != 3 || len(raw[0]) != 16 || len(raw[2]) != 4 {
			return nil, nil, fmt.Errorf("read links: %w", errLinksDamaged)
		}
		var found []PageID
		packed, target := raw[1], PageID(0)
		for ok := true; ok; {
			if target, packed, ok = NextLink(packed, target); ok && to[target] {
				found = append(found, target)
			}
		}
		if found != nil {
			sets[[16]byte(raw[0])] = found
			in[int32(binary.BigEndian.Uint32(raw[2]))] = true
		}
	}
	if err := rows.Err(); err != nil {
		return nil, nil, fmt.Errorf("read links: %w", err)
	}
	return sets, slices.Sorted(maps.Keys(in)), nil
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
