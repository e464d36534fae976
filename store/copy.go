package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

var (
	qDropCopies = statement{routed, `delete from core.page_copy where page_id = any($1::bigint[]) and bucket = any($2::int[])`}
	qPutCopies  = statement{routed, `
		insert into core.page_copy (page_id, bucket, version, kind, source_id, source_url, source_at, source_state, jaccard, basis, same_site, same_path, host,
		       source_host, computed_at)
		select v.page_id, (v.page_id >> 40)::int, v.version, v.kind, v.source_id, v.source_url, v.source_at, v.source_state, v.jaccard, v.basis, v.same_site,
		       v.same_path, v.host, v.source_host, $14
		from unnest($1::bigint[], $2::int[], $3::text[], $4::bigint[], $5::text[], $6::timestamptz[], $7::text[], $8::float8[], $9::text[], $10::boolean[],
		       $11::boolean[], $12::text[], $13::text[])
		     v(page_id, version, kind, source_id, source_url, source_at, source_state, jaccard, basis, same_site, same_path, host, source_host)
		on conflict (page_id, bucket) do update
		set version = excluded.version, kind = excluded.kind, source_id = excluded.source_id, source_url = excluded.source_url, source_at = excluded.source_at,
		    source_state = excluded.source_state, jaccard = excluded.jaccard, basis = excluded.basis, same_site = excluded.same_site,
		    same_path = excluded.same_path, host = excluded.host, source_host = excluded.source_host, computed_at = excluded.computed_at`}
	// A page that redirects has an error as its last outcome, with the target in words.
	qPageStates = statement{routed, `
		select p.page_id, p.url,
		       case when s.last_outcome = 'gone' or s.last_status in (404, 410) then 'gone'
		            when s.last_status between 300 and 399 and s.last_status <> 304 then 'redirects' else 'there' end
		from core.page p
		left join core.page_state s on s.bucket = p.bucket and s.page_id = p.page_id and s.bucket = any($2::int[])
		where p.page_id = any($1::bigint[]) and p.bucket = any($2::int[])`}
	qSourcesMissing = statement{all, `
		update core.page_copy c set kind = 'moved', source_state = 'missing' where c.kind = 'copy' and c.source_id = any($1::bigint[])`}
	qMovedSources = statement{all, `select distinct c.source_id from core.page_copy c where c.kind = 'moved'`}
	qSourcesBack  = statement{all, `
		update core.page_copy c set kind = 'copy', source_state = 'there' where c.kind = 'moved' and c.source_id = any($1::bigint[])`}
	qCopyOf = statement{routed, `
		select c.page_id, c.version, c.kind, c.source_id, c.source_url, c.source_at, c.source_state, c.jaccard, c.basis, c.same_site, c.same_path, c.host,
		       c.source_host
		from core.page_copy c where c.page_id = any($1::bigint[]) and c.bucket = any($2::int[])`}
	qPutCopyCounts = statement{local, `
		insert into core.snapshot_copies (snapshot_id, copies, moved, twins, near, novel, novel_without_copies) values ($1, $2, $3, $4, $5, $6, $7)
		on conflict (snapshot_id) do update set copies = excluded.copies, moved = excluded.moved, twins = excluded.twins, near = excluded.near,
		    novel = excluded.novel, novel_without_copies = excluded.novel_without_copies`}
	qDropCopyCounts = statement{local, `delete from core.snapshot_copies where snapshot_id = any($1::int[])`}
	qCopyCounts     = statement{local, `
		select n.snapshot, c.copies, c.moved, c.twins, c.near, c.novel, c.novel_without_copies
		from core.snapshot_copies c join core.numbered_snapshot n using (snapshot_id)
		where n.series_id = $1`}
)

// CopyKind says what a page is to the page whose text it has.
type CopyKind string

// The kinds of copies (SCIENCE T15).
const (
	Copy  CopyKind = "copy"  // of an older page that is still there
	Moved CopyKind = "moved" // of an older page that is gone
	Twin  CopyKind = "twin"  // of a page that was first seen by the same snapshot
	Near  CopyKind = "near"  // like an older page, and no copy of it
)

// PageCopy is a page whose text was another's before.
type PageCopy struct {
	Page        PageID
	Version     int32 // that was looked at
	Kind        CopyKind
	Source      PageID
	SourceURL   string
	SourceAt    time.Time // when the source had the text first
	SourceState string    // there, gone, redirects, missing
	Jaccard     float64
	Basis       string // main or whole text
	SameSite    bool
	SamePath    bool
	Host        string
	SourceHost  string
}

// PutCopies replaces what is known of pages as copies: those of the list that are none
// lose their row.
func (db *DB) PutCopies(ctx context.Context, looked []PageID, copies []PageCopy) error {
	err := db.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, qDropCopies.sql, looked, bucketsOf(looked)); err != nil {
			return err
		}
		if len(copies) == 0 {
			return nil
		}
		n := len(copies)
		pages, versions, kinds, sources, urls := make([]PageID, n), make([]int32, n), make([]string, n), make([]PageID, n), make([]string, n)
		ats, states, jaccards, bases := make([]time.Time, n), make([]string, n), make([]float64, n), make([]string, n)
		sites, paths, hosts, sourceHosts := make([]bool, n), make([]bool, n), make([]string, n), make([]string, n)
		for i, c := range copies {
			pages[i], versions[i], kinds[i], sources[i], urls[i], ats[i] = c.Page, c.Version, string(c.Kind), c.Source, c.SourceURL, c.SourceAt
			states[i], jaccards[i], bases[i], sites[i], paths[i] = c.SourceState, c.Jaccard, c.Basis, c.SameSite, c.SamePath
			hosts[i], sourceHosts[i] = c.Host, c.SourceHost
		}
		_, err := tx.Exec(ctx, qPutCopies.sql, pages, versions, kinds, sources, urls, ats, states, jaccards, bases, sites, paths, hosts, sourceHosts,
			db.now().UTC().Truncate(time.Microsecond))
		return err
	})
	if err != nil {
		return fmt.Errorf("store copies: %w", err)
	}
	return nil
}

// PageNow is a page's URL and whether it is there.
type PageNow struct {
	Page  PageID
	URL   string
	State string // there, gone, redirects
}

// CopyPages returns the URLs of pages with whether they were there when they were last
// tried.
func (db *DB) CopyPages(ctx context.Context, pages []PageID) (map[PageID]PageNow, error) {
	out := make(map[PageID]PageNow, len(pages))
	if len(pages) == 0 {
		return out, nil
	}
	rows, err := db.pool.Query(ctx, qPageStates.sql, pages, bucketsOf(pages))
	if err != nil {
		return nil, fmt.Errorf("look up pages: %w", err)
	}
	var p PageNow
	if _, err := pgx.ForEachRow(rows, []any{&p.Page, &p.URL, &p.State}, func() error { out[p.Page] = p; return nil }); err != nil {
		return nil, fmt.Errorf("look up pages: %w", err)
	}
	return out, nil
}

// SourcesMissing makes copies of pages that a snapshot no longer found moved ones.
func (db *DB) SourcesMissing(ctx context.Context, pages []PageID) (int64, error) {
	if len(pages) == 0 {
		return 0, nil
	}
	tag, err := db.pool.Exec(ctx, qSourcesMissing.sql, pages)
	if err != nil {
		return 0, fmt.Errorf("mark sources of copies: %w", err)
	}
	return tag.RowsAffected(), nil
}

// MovedSources returns the pages whose texts have moved elsewhere, as far as is known.
func (db *DB) MovedSources(ctx context.Context) ([]PageID, error) {
	rows, err := db.pool.Query(ctx, qMovedSources.sql)
	if err != nil {
		return nil, fmt.Errorf("read sources of moved pages: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowTo[PageID])
	if err != nil {
		return nil, fmt.Errorf("read sources of moved pages: %w", err)
	}
	return out, nil
}

// SourcesBack makes what moved from pages copies of them, since they are there again.
func (db *DB) SourcesBack(ctx context.Context, pages []PageID) error {
	if len(pages) == 0 {
		return nil
	}
	if _, err := db.pool.Exec(ctx, qSourcesBack.sql, pages); err != nil {
		return fmt.Errorf("mark sources of copies: %w", err)
	}
	return nil
}

// Copies returns those of the pages that are copies, with their sources.
func (db *DB) Copies(ctx context.Context, pages []PageID) (map[PageID]PageCopy, error) {
	out := map[PageID]PageCopy{}
	if len(pages) == 0 {
		return out, nil
	}
	rows, err := db.pool.Query(ctx, qCopyOf.sql, pages, bucketsOf(pages))
	if err != nil {
		return nil, fmt.Errorf("read copies: %w", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[PageCopy])
	if err != nil {
		return nil, fmt.Errorf("read copies: %w", err)
	}
	for _, c := range all {
		out[c.Page] = c
	}
	return out, nil
}

// CopyCounts counts the pages of U of a snapshot that are copies.
type CopyCounts struct {
	Copies, Moved, Twins, Near int64
	Novel, NovelWithout        int64 // judged novel: all, and those that are no copy, moved or twin
}

// PutCopyCounts replaces the counts of a snapshot.
func (db *DB) PutCopyCounts(ctx context.Context, id SnapshotID, c CopyCounts) error {
	if _, err := db.pool.Exec(ctx, qPutCopyCounts.sql, id, c.Copies, c.Moved, c.Twins, c.Near, c.Novel, c.NovelWithout); err != nil {
		return fmt.Errorf("store counts of copies: %w", err)
	}
	return nil
}

// CopyCounts returns the counts of the snapshots of a series by their numbers; those
// that have none were not looked at.
func (db *DB) CopyCounts(ctx context.Context, series SeriesID) (map[int]CopyCounts, error) {
	rows, err := db.pool.Query(ctx, qCopyCounts.sql, series)
	if err != nil {
		return nil, fmt.Errorf("read counts of copies: %w", err)
	}
	out := map[int]CopyCounts{}
	var number int
	var c CopyCounts
	_, err = pgx.ForEachRow(rows, []any{&number, &c.Copies, &c.Moved, &c.Twins, &c.Near, &c.Novel, &c.NovelWithout}, func() error {
		out[number] = c
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read counts of copies: %w", err)
	}
	return out, nil
}
