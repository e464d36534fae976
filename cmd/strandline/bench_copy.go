package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// copiedTables are the tables of page data that copies get rows of, parents first.
func copiedTables() []string {
	return []string{
		"page", "page_state", "page_summary", "fetch", "version", "change", "page_analysis", "page_curve", "page_terms", "page_elements", "watch_page", "page_schedule",
		"page_text", "passage",
	}
}

// seriesTables get rows of one copy in seriesShare, so that the series is a part of
// the web that is watched.
func seriesTables() []string { return []string{"snapshot_page", "snapshot_novelty"} }

// Copies lie in few buckets, since contents are stored once a bucket; their times
// are spread over some weeks.
const (
	copyBuckets = 8
	copyDays    = 45
	copyNumber  = 100_000_000 // from which numbers of pages and hosts are taken
	seriesShare = 20          // of so many copies one is in the snapshots
)

// copying says what copyPages makes.
type copying struct {
	pages    int  // about so many there shall be
	versions int  // pages with more are not copied
	asOf     bool // copies keep their times; otherwise they are spread over the last copyDays
}

// copyPages fills the database with copies of the pages that it has, each time all
// of them on a host of its own. SQL copies them: nothing passes through the program.
func copyPages(ctx context.Context, pool *pgxpool.Pool, c copying) error {
	var templates int
	var last time.Time
	if _, err := pool.Exec(ctx, fmt.Sprintf(`create table bench_page as
		select page_id, row_number() over (order by page_id) as n from core.page_state where version between 1 and %d`, c.versions)); err != nil {
		return err
	}
	if err := pool.QueryRow(ctx, `select (select count(*)::int from bench_page), (select max(last_seen) from core.version join bench_page using (page_id))`).Scan(&templates, &last); err != nil {
		return err
	}
	for _, t := range []string{"fetch", "version"} {
		if _, err := pool.Exec(ctx, `select core.ensure_partition($1, now() - make_interval(days => d)) from generate_series(0, 90, 10) d`, t); err != nil {
			return err
		}
	}
	inserts := map[string]string{}
	for _, t := range slices.Concat(copiedTables(), seriesTables()) {
		sql, err := copyStatement(ctx, pool, t)
		if err != nil {
			return err
		}
		inserts[t] = sql
	}
	// An index of words is made at once in a fraction of the time that rows one by one take.
	var words string
	if err := pool.QueryRow(ctx, `select indexdef from pg_indexes where schemaname = 'core' and indexname = 'passage_words'`).Scan(&words); err != nil {
		return err
	}
	if _, err := pool.Exec(ctx, `drop index core.passage_words`); err != nil {
		return err
	}
	buckets := map[int32]bool{}
	copies := (c.pages - 1) / templates
	for k := range copies {
		host, bucket := copyHost(k)
		if !buckets[bucket] {
			buckets[bucket] = true
			for _, t := range []string{"body", "record", "link_set"} {
				key := map[string]string{"body": "sha256", "record": "sha256", "link_set": "links_hash"}[t]
				sql, err := contentStatement(ctx, pool, t, key)
				if err != nil {
					return err
				}
				if _, err := pool.Exec(ctx, sql, bucket); err != nil {
					return fmt.Errorf("copy %s: %w", t, err)
				}
			}
		}
		hostID := int64(bucket)<<40 | int64(copyNumber+k)
		if _, err := pool.Exec(ctx, `insert into core.host (host_id, bucket, name, site, tld, created_at) values ($1, $2, $3, 'bench.test', 'test', now())`,
			hostID, bucket, host); err != nil {
			return err
		}
		base := int64(bucket)<<40 | int64(copyNumber+k*templates)
		shift := time.Since(last) - time.Duration(k)*copyDays*24*time.Hour/time.Duration(copies)
		if c.asOf {
			shift = 0
		}
		tables := copiedTables()
		if k%seriesShare == 0 {
			tables = slices.Concat(tables, seriesTables())
		}
		for _, t := range tables {
			if _, err := pool.Exec(ctx, inserts[t], base, bucket, hostID, host, shift); err != nil {
				return fmt.Errorf("copy %s: %w", t, err)
			}
		}
	}
	if _, err := pool.Exec(ctx, words); err != nil {
		return fmt.Errorf("index the words: %w", err)
	}
	if _, err := pool.Exec(ctx, `update core.snapshot s set pages = n.pages, l2 = n.l2, old_other = n.o, unidentified = n.u
		from (select snapshot_id, count(*) as pages, count(*) filter (where class = 'L2') as l2, count(*) filter (where class = 'O') as o,
		             count(*) filter (where class = 'U') as u from core.snapshot_novelty group by snapshot_id) n
		where n.snapshot_id = s.snapshot_id`); err != nil {
		return err
	}
	// Some fail and some are late, as in life.
	if _, err := pool.Exec(ctx, `update core.page_schedule set next_due_at = now() + (page_id % 3600) * interval '1 second' - interval '30 seconds', due_at = now()`); err != nil {
		return err
	}
	_, err := pool.Exec(ctx, `update core.page_schedule set failing_since = now() - interval '1 day', next_due_at = now() - interval '1 hour' where page_id % 197 = 3`)
	return err
}

// copyHost finds a name for the k-th host whose bucket is among the few.
func copyHost(k int) (name string, bucket int32) {
	for i := 0; ; i++ {
		name = fmt.Sprintf("host-%d-%d.bench.test", k, i)
		sum := sha256.Sum256([]byte(name))
		if bucket = int32(binary.BigEndian.Uint16(sum[:2]) >> 4); bucket < copyBuckets {
			return name, bucket
		}
	}
}

// columnsOf lists the columns of a table with their types.
func columnsOf(ctx context.Context, pool *pgxpool.Pool, table string) (names, types []string, err error) {
	rows, err := pool.Query(ctx, `select column_name::text, data_type::text from information_schema.columns
		where table_schema = 'core' and table_name = $1 order by ordinal_position`, table)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name, kind string
		if err := rows.Scan(&name, &kind); err != nil {
			return nil, nil, err
		}
		names, types = append(names, name), append(types, kind)
	}
	return names, types, rows.Err()
}

// copyStatement copies the rows of all first pages: $1 is added to their numbers,
// $2 is the bucket, $3 and $4 the host, $5 is added to their times.
func copyStatement(ctx context.Context, pool *pgxpool.Pool, table string) (string, error) {
	names, types, err := columnsOf(ctx, pool, table)
	if err != nil {
		return "", err
	}
	exprs := make([]string, len(names))
	const url = `'http://' || $4::text || '/' || b.n || '/' || regexp_replace(t.url, '^https?://', '')`
	for i, name := range names {
		switch {
		case name == "page_id":
			exprs[i] = "$1::bigint + b.n"
		case name == "bucket":
			exprs[i] = "$2::int"
		case name == "host_id":
			exprs[i] = "$3::bigint"
		case name == "host":
			exprs[i] = "$4::text"
		case name == "url", name == "search_text":
			exprs[i] = strings.ReplaceAll(url, "t.url", "t."+name)
		case types[i] == "tsvector": // and one that only the copies of a host have
			exprs[i] = "t.words || array_to_tsvector(array['copy' || ($1::bigint & 1099511627775)::text])"
		case name == "url_hash":
			exprs[i] = "encode(substr(sha256(convert_to(" + url + ", 'UTF8')), 1, 16), 'hex')::uuid"
		case strings.HasPrefix(types[i], "timestamp"):
			exprs[i] = "t." + name + " + $5::interval"
		default:
			exprs[i] = "t." + name
		}
	}
	return fmt.Sprintf(`insert into core.%[1]s (%[2]s) select %[3]s from core.%[1]s t join bench_page b using (page_id)
		where $1::bigint is not null and $2::int is not null and $3::bigint is not null and $4::text is not null and $5::interval is not null`,
		table, strings.Join(names, ", "), strings.Join(exprs, ", ")), nil
}

// contentStatement copies contents into the bucket $1.
func contentStatement(ctx context.Context, pool *pgxpool.Pool, table, key string) (string, error) {
	names, _, err := columnsOf(ctx, pool, table)
	if err != nil {
		return "", err
	}
	exprs := make([]string, len(names))
	for i, name := range names {
		if exprs[i] = "t." + name; name == "bucket" {
			exprs[i] = "$1::int"
		}
	}
	return fmt.Sprintf(`insert into core.%[1]s (%[2]s) select distinct on (t.%[4]s) %[3]s from core.%[1]s t where t.bucket >= %[5]d and t.bucket in (select bucket from core.page_state join bench_page using (page_id)) order by t.%[4]s
		on conflict do nothing`, table, strings.Join(names, ", "), strings.Join(exprs, ", "), key, copyBuckets), nil
}
