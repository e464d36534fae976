package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

var (
	qHeardBetween = statement{all, `
		select p.page_id, p.first_seen, p.url, p.trap is not null from core.page p where p.first_seen > $1 and p.first_seen <= $2`}
	// A link to a page that was not heard of before the window can only be in a
	// version that began in it.
	qVersionsBetween = statement{all, `
		select v.page_id, v.first_seen, v.last_seen, p.first_seen, v.head, k.targets,
		       (select max(o.last_seen) from core.version o where o.bucket = v.bucket and o.page_id = v.page_id and o.first_seen < v.first_seen)
		from core.version v
		join core.page p using (bucket, page_id)
		left join core.link_set k using (bucket, links_hash)
		where v.first_seen > $1 and v.first_seen <= $2 and p.trap is null
		order by v.page_id, v.first_seen`}
	qDropBetween = statement{all, `delete from core.series_between where series_id = any($1::int[])`}
	qBetween     = statement{all, `
		select count(*), count(*) filter (where b.class = 'U'), count(*) filter (where b.class = 'U' and b.novelty::double precision >= $2::double precision), max(b.after), max(b.until)
		from core.series_between b where b.series_id = $1`}
)

// HeardPage is a page that was first heard of in a window of time.
type HeardPage struct {
	Page  PageID
	Heard time.Time
	URL   string
	Trap  bool // the URL looks like a crawler trap
}

// HeardBetween calls f with the pages first heard of in (after, until].
func (db *DB) HeardBetween(ctx context.Context, after, until time.Time, f func(HeardPage)) error {
	rows, err := db.pool.Query(ctx, qHeardBetween.sql, after, until)
	if err != nil {
		return fmt.Errorf("read pages heard of: %w", err)
	}
	var p HeardPage
	if _, err := pgx.ForEachRow(rows, []any{&p.Page, &p.Heard, &p.URL, &p.Trap}, func() error { f(p); return nil }); err != nil {
		return fmt.Errorf("read pages heard of: %w", err)
	}
	return nil
}

// VersionLinksBetween is a version that began in a window of time, with its links.
type VersionLinksBetween struct {
	Page    PageID
	First   time.Time // first and last fetch that saw it
	Last    time.Time
	Heard   time.Time // when its page was first heard of
	Before  time.Time // last fetch of the page that saw an earlier version; zero if there was none
	Head    []byte    // of the first answer
	Targets []byte    // packed, for NextLink; only during the call
}

// VersionsBetween calls f with the versions that began in (after, until], by page and
// time.
func (db *DB) VersionsBetween(ctx context.Context, after, until time.Time, f func(*VersionLinksBetween) error) error {
	rows, err := db.pool.Query(ctx, qVersionsBetween.sql, after, until)
	if err != nil {
		return fmt.Errorf("read versions of a window: %w", err)
	}
	var v VersionLinksBetween
	var packed []byte
	var before *time.Time
	_, err = pgx.ForEachRow(rows, []any{&v.Page, &v.First, &v.Last, &v.Heard, &packed, &v.Targets, &before}, func() (err error) {
		v.Before = deref(before)
		if v.Head, err = unpackHead(packed); err != nil {
			return err
		}
		return f(&v)
	})
	if err != nil {
		return fmt.Errorf("read versions of a window: %w", err)
	}
	return nil
}

// BetweenPage is a page that was found between snapshots.
type BetweenPage struct {
	Page    PageID
	Class   string // ClassOld or ClassUnidentified
	Novelty float32
	InLinks int32
	Found   time.Time // first fetch
	Birth
}

// PutBetween replaces what is known of pages found since the last snapshot of a
// series, which were looked at in (after, until].
func (db *DB) PutBetween(ctx context.Context, id SeriesID, after, until time.Time, pages []BetweenPage) error {
	err := db.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, qDropBetween.sql, []SeriesID{id}); err != nil {
			return err
		}
		_, err := tx.CopyFrom(ctx, pgx.Identifier{"core", "series_between"},
			[]string{"series_id", "page_id", "bucket", "class", "novelty", "in_links", "found_at", "after", "until", "born_from", "born_to", "born_new"},
			pgx.CopyFromSlice(len(pages), func(i int) ([]any, error) {
				p := &pages[i]
				return []any{
					int32(id), int64(p.Page), p.Page.Bucket(), p.Class, p.Novelty, p.InLinks, p.Found, after, until, orNil(p.From), orNil(p.To), p.newOrNil(),
				}, nil
			}))
		return err
	})
	if err != nil {
		return fmt.Errorf("store novelty between snapshots: %w", err)
	}
	return nil
}

// BetweenCounts counts the pages found since the last snapshot of a series.
type BetweenCounts struct {
	Pages, Unidentified, Novel int64
	After, Until               time.Time // the window; zero where no page was found
}

// Between counts pages; novel are those of U with a novelty of threshold or more.
func (db *DB) Between(ctx context.Context, id SeriesID, threshold float64) (c BetweenCounts, err error) {
	var after, until *time.Time
	if err := db.pool.QueryRow(ctx, qBetween.sql, id, threshold).Scan(&c.Pages, &c.Unidentified, &c.Novel, &after, &until); err != nil {
		return c, fmt.Errorf("count pages between snapshots: %w", err)
	}
	c.After, c.Until = deref(after), deref(until)
	return c, nil
}
