package store

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"
)

// changeColumns are those of a row of a list of changes. The list goes on behind
// the row $2, $3, $4, from the newest on, and ends at $1; parameters that ask for
// nothing are null, see listFrom.
const (
	changeColumns = `
		select c.page_id, s.url, s.host, s.title, c.version, c.changed_at, c.hours, c.dice, c.words_added, c.words_removed,
		       c.sentences_added, c.sentences_removed, c.significance, c.words_changed
		from core.change c
		join core.page_summary s on s.bucket = c.bucket and s.page_id = c.page_id`
	changeFilter = `
		  and ($1::timestamptz is null or c.changed_at >= $1)
		  and c.changed_at <= $2::timestamptz and (c.changed_at, c.page_id, c.version) < ($2, $3::bigint, $4::int)
		  and ($5::float8 is null or c.significance >= $5)
		  and ($6::text is null or s.host = $6)`
	changeOrder = `
		order by c.changed_at desc, c.page_id desc, c.version desc limit $7`
)

var (
	qChangeList = statement{all, changeColumns + `
		where c.text_changed and not c.masked` + changeFilter + changeOrder}
	qWatchChanges = statement{all, changeColumns + `
		where c.text_changed and not c.masked` + changeFilter + `
		  and exists (select 1 from core.watch_page m where m.bucket = c.bucket and m.page_id = c.page_id and m.watch_id = any($8::int[]) and m.left_at is null)` + changeOrder}
	qPageChangeList = statement{routed, changeColumns + ` and s.bucket = $9 and s.page_id = $8
		where c.bucket = $9 and c.page_id = $8::bigint and c.text_changed and not c.masked` + changeFilter + changeOrder}
)

// ChangeRow is a change of a page's text that is more than noise.
type ChangeRow struct {
	Page                             PageID
	URL                              string
	Host                             string
	Title                            string
	Version                          int32 // that it led to
	At                               time.Time
	Hours                            float64 // since the change before, or the first fetch
	Dice                             float64
	WordsAdded, WordsRemoved         int
	SentencesAdded, SentencesRemoved int
	Significance                     float64
	WordsChanged                     bool
}

// ChangeMark is the place of a row in a list of changes.
type ChangeMark struct {
	At      time.Time
	Page    PageID
	Version int32
}

// Mark is the row's place.
func (r *ChangeRow) Mark() ChangeMark { return ChangeMark{r.At, r.Page, r.Version} }

// ChangeFilter says which changes are listed, and from where on. The zero value is
// the beginning of all.
type ChangeFilter struct {
	Page         PageID    // 0: all pages
	Watches      []int32   // of the pages that any of these wants; nil: of none in particular
	Host         string    // empty: all
	From, To     time.Time // changes from From on and before To; zero: no bound
	Significance float64   // at least; 0: any
	After        *ChangeMark
	Limit        int
}

// ListChanges returns changes of text but for noise, the newest first.
func (db *DB) ListChanges(ctx context.Context, f ChangeFilter) ([]ChangeRow, error) {
	last := ChangeMark{time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), 0, 0}
	if !f.To.IsZero() {
		last.At = f.To // the changes of this very moment stand behind it
	}
	if f.After != nil && f.After.At.Before(last.At) {
		last = *f.After
	}
	var significance *float64
	if f.Significance > 0 && !math.IsNaN(f.Significance) {
		significance = &f.Significance
	}
	args := []any{listMode, orNil(f.From), last.At, last.Page, last.Version, significance, textOrNil(f.Host), f.Limit}
	q := qChangeList
	switch {
	case f.Page != 0:
		q, args = qPageChangeList, append(args, f.Page, f.Page.Bucket())
	case f.Watches != nil:
		q, args = qWatchChanges, append(args, f.Watches)
	}
	rows, err := db.pool.Query(ctx, q.sql, args...)
	if err != nil {
		return nil, fmt.Errorf("list changes: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByPos[ChangeRow])
	if err != nil {
		return nil, fmt.Errorf("list changes: %w", err)
	}
	return out, nil
}
