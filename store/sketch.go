package store

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// Versions are found by keys of their texts, which an index over arrays answers.
// Keys are asked of all buckets in one statement that returns a bounded number of
// pages for each, so that what it costs goes by how many texts are asked.
var (
	// Versions that a snapshot saw and that have no keys yet.
	qUnsketched = statement{all, `
		select r.page_id, r.version, r.first_seen, r.bucket, r.record
		from core.snapshot_page s
		join core.version r on r.bucket = s.bucket and r.page_id = s.page_id and r.first_seen <= s.crawled_at and r.last_seen >= s.crawled_at
		left join core.page_sketch k on k.bucket = r.bucket and k.page_id = r.page_id and k.version = r.version
		where s.snapshot_id = $1 and s.crawled and k.page_id is null
		order by r.page_id, r.version
		limit $2`}
	qVersionRefs = statement{routed, `
		select r.page_id, r.version, r.first_seen, r.bucket, r.record
		from unnest($1::bigint[], $2::int[]) v(page_id, version)
		join core.version r on r.page_id = v.page_id and r.version = v.version
		where r.bucket = any($3::int[])
		order by r.page_id, r.version`}
	qPutSketches = statement{routed, `
		insert into core.page_sketch (page_id, bucket, version, first_seen, words, keys)
		select v.page_id, (v.page_id >> 40)::int, v.version, v.first_seen, v.words, v.keys::bigint[]
		from unnest($1::bigint[], $2::int[], $3::timestamptz[], $4::int[], $5::text[]) v(page_id, version, first_seen, words, keys)
		on conflict (page_id, bucket, version) do nothing`}
	qSketchKeys = statement{routed, `
		select s.page_id, s.version, s.first_seen, s.words, s.keys
		from unnest($1::bigint[], $2::int[]) v(page_id, version)
		join core.page_sketch s on s.page_id = v.page_id and s.version = v.version
		where s.bucket = any($3::int[])`}
	// The pages that had a key first. Versions of a page are numbered in order of time.
	qKeyHolders = statement{all, `
		select h.key, (array_agg(h.page_id order by h.first_seen, h.page_id))[1:$2::int],
		       (array_agg(h.version order by h.first_seen, h.page_id))[1:$2::int],
		       (array_agg(h.first_seen order by h.first_seen, h.page_id))[1:$2::int]
		from (
			select u.key, s.bucket, s.page_id, min(s.version) as version, min(s.first_seen) as first_seen
			from core.page_sketch s
			cross join lateral unnest(s.keys) u(key)
			join unnest($1::bigint[]) w(key) on w.key = u.key
			where s.keys && $1::bigint[]
			group by u.key, s.bucket, s.page_id
		) h
		group by h.key`}
	// Pages of a bucket in which a site's template is looked for.
	qSketchSample = statement{routed, `
		select f.page_id, f.version, f.first_seen
		from (
			select s.page_id, min(s.version) as version, min(s.first_seen) as first_seen, p.url_hash
			from core.page_sketch s
			join core.page p on p.bucket = s.bucket and p.page_id = s.page_id
			where s.bucket = $1 and p.bucket = $1 and p.host_id = (select q.host_id from core.page q where q.page_id = $2 and q.bucket = $1) and s.words > 0
			group by s.page_id, p.url_hash
			order by s.page_id
			limit 512
		) f
		order by f.url_hash
		limit $3`}
	qQueueCopies = statement{routed, `
		insert into core.monitor_todo (page_id, bucket, version, stage, enqueued_at)
		select v.page_id, (v.page_id >> 40)::int, v.version, $3, $4 from unnest($1::bigint[], $2::int[]) v(page_id, version)
		on conflict (page_id, bucket, version, stage) do nothing`}
	qInSeries = statement{routed, `
		select distinct c.page_id
		from core.series r
		join core.series_capture c using (series_id)
		where c.page_id = any($1::bigint[]) and c.bucket = any($2::int[])`}
	qDropSketches = statement{routed, `delete from core.page_sketch where bucket = $2 and page_id = $1`}
)

// StageCopies is the queue of versions that may be copies of others.
const StageCopies = "copies"

// VersionRef names a version with its extracted record.
type VersionRef struct {
	Page      PageID
	Version   int32
	FirstSeen time.Time
	Record    ContentKey
}

// Sketch is what is kept of a version's text to find others that are like it.
type Sketch struct {
	Page      PageID
	Version   int32
	FirstSeen time.Time
	Words     int32 // of the main text
	Keys      []int64
}

// Holder is a page that had a key, with the first of its versions that did.
type Holder struct {
	Page      PageID
	Version   int32
	FirstSeen time.Time
}

// Unsketched returns versions that a snapshot saw and that have no sketch, as many as
// limit, by page.
func (db *DB) Unsketched(ctx context.Context, id SnapshotID, limit int) ([]VersionRef, error) {
	rows, err := db.pool.Query(ctx, qUnsketched.sql, id, limit)
	if err != nil {
		return nil, fmt.Errorf("look for versions without sketch: %w", err)
	}
	out, err := pgx.CollectRows(rows, scanVersionRef)
	if err != nil {
		return nil, fmt.Errorf("look for versions without sketch: %w", err)
	}
	return out, nil
}

// VersionRefs returns those of the versions that exist.
func (db *DB) VersionRefs(ctx context.Context, versions []Todo) ([]VersionRef, error) {
	if len(versions) == 0 {
		return nil, nil
	}
	pages, numbers := todoColumns(versions)
	rows, err := db.pool.Query(ctx, qVersionRefs.sql, pages, numbers, bucketsOf(pages))
	if err != nil {
		return nil, fmt.Errorf("look up versions: %w", err)
	}
	out, err := pgx.CollectRows(rows, scanVersionRef)
	if err != nil {
		return nil, fmt.Errorf("look up versions: %w", err)
	}
	return out, nil
}

func scanVersionRef(row pgx.CollectableRow) (r VersionRef, err error) {
	var hash []byte
	err = row.Scan(&r.Page, &r.Version, &r.FirstSeen, &r.Record.Bucket, &hash)
	copy(r.Record.Hash[:], hash)
	return r, err
}

func todoColumns(versions []Todo) ([]PageID, []int32) {
	pages, numbers := make([]PageID, len(versions)), make([]int32, len(versions))
	for i, v := range versions {
		pages[i], numbers[i] = v.Page, v.Version
	}
	return pages, numbers
}

// PutSketches stores sketches. One that is there already stays.
func (db *DB) PutSketches(ctx context.Context, all []Sketch) error {
	if len(all) == 0 {
		return nil
	}
	n := len(all)
	pages, versions, words := make([]PageID, n), make([]int32, n), make([]int32, n)
	seen, keys := make([]time.Time, n), make([]string, n)
	for i, s := range all {
		pages[i], versions[i], words[i], seen[i], keys[i] = s.Page, s.Version, s.Words, s.FirstSeen, arrayText(s.Keys)
	}
	if _, err := db.pool.Exec(ctx, qPutSketches.sql, pages, versions, seen, words, keys); err != nil {
		return fmt.Errorf("store sketches: %w", err)
	}
	return nil
}

// arrayText writes numbers as PostgreSQL reads an array: unnest flattens arrays of
// arrays.
func arrayText(all []int64) string {
	var b strings.Builder
	b.WriteByte('{')
	for i, v := range all {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatInt(v, 10))
	}
	b.WriteByte('}')
	return b.String()
}

// Sketches returns the sketches of versions that have one.
func (db *DB) Sketches(ctx context.Context, versions []Todo) ([]Sketch, error) {
	if len(versions) == 0 {
		return nil, nil
	}
	pages, numbers := todoColumns(versions)
	rows, err := db.pool.Query(ctx, qSketchKeys.sql, pages, numbers, bucketsOf(pages))
	if err != nil {
		return nil, fmt.Errorf("read sketches: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Sketch])
	if err != nil {
		return nil, fmt.Errorf("read sketches: %w", err)
	}
	return out, nil
}

// KeyHolders returns, for keys that any page has, the pages that had each first, at
// most limit, in order of time.
func (db *DB) KeyHolders(ctx context.Context, keys []int64, limit int) (map[int64][]Holder, error) {
	out := make(map[int64][]Holder, len(keys))
	if len(keys) == 0 {
		return out, nil
	}
	rows, err := db.pool.Query(ctx, qKeyHolders.sql, keys, limit)
	if err != nil {
		return nil, fmt.Errorf("look up sketches: %w", err)
	}
	var key int64
	var pages []PageID
	var versions []int32
	var seen []time.Time
	_, err = pgx.ForEachRow(rows, []any{&key, &pages, &versions, &seen}, func() error {
		holders := make([]Holder, len(pages))
		for i := range pages {
			holders[i] = Holder{pages[i], versions[i], seen[i]}
		}
		out[key] = holders
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look up sketches: %w", err)
	}
	return out, nil
}

// QueueCopies has versions looked at by the stage of copies.
func (t *Tx) QueueCopies(ctx context.Context, versions []Todo) error {
	if len(versions) == 0 {
		return nil
	}
	pages, numbers := todoColumns(versions)
	if _, err := t.tx.Exec(ctx, qQueueCopies.sql, pages, numbers, StageCopies, t.db.now()); err != nil {
		return fmt.Errorf("queue versions for copies: %w", err)
	}
	return nil
}

// InSeries returns those of the pages that were imported into a series.
func (db *DB) InSeries(ctx context.Context, pages []PageID) (map[PageID]bool, error) {
	rows, err := db.pool.Query(ctx, qInSeries.sql, pages, bucketsOf(pages))
	if err != nil {
		return nil, fmt.Errorf("look for pages of series: %w", err)
	}
	out := map[PageID]bool{}
	var page PageID
	if _, err := pgx.ForEachRow(rows, []any{&page}, func() error { out[page] = true; return nil }); err != nil {
		return nil, fmt.Errorf("look for pages of series: %w", err)
	}
	return out, nil
}

// SketchSample returns pages of the host of a page, the same ones whenever the host
// has at most 512.
func (db *DB) SketchSample(ctx context.Context, page PageID, limit int) ([]Holder, error) {
	rows, err := db.pool.Query(ctx, qSketchSample.sql, page.Bucket(), page, limit)
	if err != nil {
		return nil, fmt.Errorf("read pages of a host: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Holder])
	if err != nil {
		return nil, fmt.Errorf("read pages of a host: %w", err)
	}
	return out, nil
}
