package store

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// listColumns are those of a row of a list of pages, from a page's summary s.
const listColumns = `
	select s.page_id, s.url, s.host, s.title, nullif(s.changed_at, '-infinity'), s.every_hours, s.dice, s.knot_hours, s.knot_dice,
	       coalesce(s.shape, ''), s.recent, s.noise, t.last_fetched, coalesce(t.last_outcome, ''), coalesce(t.last_status, 0), coalesce(t.last_error, ''),
	       t.failures, t.version, d.failing_since, d.next_due_at`

// listFrom narrows the pages: $1 text, $2 host, $4 state; $5 is the time before
// which due pages are late. Parameters that ask for nothing are null; statements
// with this text are planned with their values (listMode), so that those cost
// nothing. ofWatches narrows them to the watches $3; it is no such condition, since
// PostgreSQL turns it into a join only where it always holds.
const (
	listFrom = `
	from core.page_summary s
	join core.page_state t on t.bucket = s.bucket and t.page_id = s.page_id
	left join core.page_schedule d on d.bucket = s.bucket and d.page_id = s.page_id
	where $3::int[] is not null and ($1::text is null or s.search_text like $1)
	  and ($2::text is null or s.host = $2)
	  and ($4::text is null
	       or $4 = 'failing' and d.failing_since is not null
	       or $4 = 'aside' and s.page_id in (select m.page_id from core.watch_page m where m.set_aside_at is not null)
	       or $4 = 'late' and d.next_due_at < $5::timestamptz
	       or $4 = 'settled' and s.shape = 'knotted'
	       or $4 = 'unchanged' and s.changed_at = '-infinity')`
	ofWatches = `
	  and exists (select 1 from core.watch_page m where m.bucket = s.bucket and m.page_id = s.page_id and m.watch_id = any($3) and m.left_at is null)`
	byChange = `
	  and ($6::timestamptz is null or (s.changed_at, s.page_id) < ($6, $7::bigint))
	order by s.changed_at desc, s.page_id desc limit $8`
	byChangeUp = `
	  and s.changed_at > '-infinity' and ($6::timestamptz is null or (s.changed_at, s.page_id) > ($6, $7::bigint))
	order by s.changed_at, s.page_id limit $8`
	byEvery = `
	  and ($6::float8 is null or (s.every_hours, s.page_id) > ($6, $7::bigint))
	order by s.every_hours, s.page_id limit $8`
	byEveryDown = `
	  and s.every_hours < 'infinity' and ($6::float8 is null or (s.every_hours, s.page_id) < ($6, $7::bigint))
	order by s.every_hours desc, s.page_id desc limit $8`
	byKnot = `
	  and ($6::float8 is null or (s.knot_hours, s.page_id) > ($6, $7::bigint))
	order by s.knot_hours, s.page_id limit $8`
	byKnotDown = `
	  and s.knot_hours < 'infinity' and ($6::float8 is null or (s.knot_hours, s.page_id) < ($6, $7::bigint))
	order by s.knot_hours desc, s.page_id desc limit $8`
)

// The orders of the list, of all pages and of those of watches. Each has its
// index, or sorts what the filters leave.
var (
	qPagesByChange      = statement{all, listColumns + listFrom + byChange}
	qPagesByChangeUp    = statement{all, listColumns + listFrom + byChangeUp}
	qPagesByEvery       = statement{all, listColumns + listFrom + byEvery}
	qPagesByEveryDown   = statement{all, listColumns + listFrom + byEveryDown}
	qPagesByKnot        = statement{all, listColumns + listFrom + byKnot}
	qPagesByKnotDown    = statement{all, listColumns + listFrom + byKnotDown}
	qWatchedByChange    = statement{all, listColumns + listFrom + ofWatches + byChange}
	qWatchedByChangeUp  = statement{all, listColumns + listFrom + ofWatches + byChangeUp}
	qWatchedByEvery     = statement{all, listColumns + listFrom + ofWatches + byEvery}
	qWatchedByEveryDown = statement{all, listColumns + listFrom + ofWatches + byEveryDown}
	qWatchedByKnot      = statement{all, listColumns + listFrom + ofWatches + byKnot}
	qWatchedByKnotDown  = statement{all, listColumns + listFrom + ofWatches + byKnotDown}
)

// listMode has PostgreSQL plan a statement with the values of its parameters.
const listMode = pgx.QueryExecModeCacheDescribe

// PageOrder is an order of lists of pages.
type PageOrder string

// The orders. Each has its natural direction; PageFilter.Reverse turns it round,
// and then leaves out the pages that have no value.
const (
	ByChange PageOrder = "changed" // last change first
	ByEvery  PageOrder = "every"   // most frequent change first
	ByKnot   PageOrder = "knot"    // that settle soonest first
)

// PageStates are the states that PageFilter.State can ask for.
func PageStates() []string { return []string{"failing", "late", "aside", "settled", "unchanged"} }

// PageFilter says which pages are listed, and from where on. The zero value is the
// beginning of all.
type PageFilter struct {
	Text    string // in URL or title, in any case
	Host    string
	Watches []int32   // the pages of any of these; nil: of none in particular
	State   string    // one of PageStates
	LateAt  time.Time // before this a due page is late
	Order   PageOrder
	Reverse bool
	After   *PageMark // the last row seen
	Limit   int
}

// PageMark is the place of a row in an order.
type PageMark struct {
	Value float64 // hours, or Unix microseconds; -Inf and +Inf without a value
	Page  PageID
}

// PageRow is a row of a list of pages. What is not known is zero or nil.
type PageRow struct {
	Page         PageID
	URL          string
	Host         string
	Title        string
	ChangedAt    time.Time // zero: the text never changed
	EveryHours   float64   // mean time between its last changes; +Inf with less than two
	Dice         *float64  // mean of them
	KnotHours    float64   // +Inf without a knot
	KnotDice     *float64
	Shape        string
	Recent       []float32 // Dice of the last changes in order of time
	Noise        []bool    // which of them were noise
	LastFetched  time.Time
	LastOutcome  Outcome
	LastStatus   int
	LastError    string
	Failures     int
	Version      int32
	FailingSince time.Time // zero: it does not fail, or nobody watches it
	NextDueAt    time.Time // zero: nobody watches it
}

// Mark is the row's place in an order.
func (r *PageRow) Mark(o PageOrder) PageMark {
	switch o {
	case ByEvery:
		return PageMark{r.EveryHours, r.Page}
	case ByKnot:
		return PageMark{r.KnotHours, r.Page}
	}
	if r.ChangedAt.IsZero() {
		return PageMark{math.Inf(-1), r.Page}
	}
	return PageMark{float64(r.ChangedAt.UnixMicro()), r.Page}
}

// ListPages returns fetched pages.
func (db *DB) ListPages(ctx context.Context, f PageFilter) ([]PageRow, error) {
	var mark any
	var page PageID
	if f.After != nil {
		mark, page = f.After.Value, f.After.Page
	}
	q := listStatement(f)
	if f.After != nil && f.Order != ByEvery && f.Order != ByKnot {
		mark = momentOf(f.After.Value)
	}
	watches := f.Watches
	if watches == nil {
		watches = []int32{}
	}
	var text *string
	if f.Text != "" {
		p := "%" + likeLiteral(strings.ToLower(f.Text)) + "%"
		text = &p
	}
	rows, err := db.pool.Query(ctx, q.sql, listMode, text, textOrNil(f.Host), watches, textOrNil(f.State), f.LateAt, mark, page, f.Limit)
	if err != nil {
		return nil, fmt.Errorf("list pages: %w", err)
	}
	out, err := pgx.CollectRows(rows, scanPageRow)
	if err != nil {
		return nil, fmt.Errorf("list pages: %w", err)
	}
	return out, nil
}

// listStatement chooses the statement of a list.
func listStatement(f PageFilter) statement {
	type order struct {
		by               PageOrder
		reverse, watched bool
	}
	by := f.Order
	if by != ByEvery && by != ByKnot {
		by = ByChange
	}
	return map[order]statement{
		{ByChange, false, false}: qPagesByChange, {ByChange, true, false}: qPagesByChangeUp,
		{ByEvery, false, false}: qPagesByEvery, {ByEvery, true, false}: qPagesByEveryDown,
		{ByKnot, false, false}: qPagesByKnot, {ByKnot, true, false}: qPagesByKnotDown,
		{ByChange, false, true}: qWatchedByChange, {ByChange, true, true}: qWatchedByChangeUp,
		{ByEvery, false, true}: qWatchedByEvery, {ByEvery, true, true}: qWatchedByEveryDown,
		{ByKnot, false, true}: qWatchedByKnot, {ByKnot, true, true}: qWatchedByKnotDown,
	}[order{by, f.Reverse, f.Watches != nil}]
}

// momentOf is the time of a mark, with PostgreSQL's -infinity for none.
func momentOf(micros float64) any {
	if math.IsInf(micros, 0) || math.IsNaN(micros) {
		return pgtype.Timestamptz{InfinityModifier: pgtype.NegativeInfinity, Valid: true}
	}
	return time.UnixMicro(int64(micros)).UTC()
}

func scanPageRow(row pgx.CollectableRow) (r PageRow, err error) {
	var changed, fetched, failing, due *time.Time
	err = row.Scan(&r.Page, &r.URL, &r.Host, &r.Title, &changed, &r.EveryHours, &r.Dice, &r.KnotHours, &r.KnotDice, &r.Shape, &r.Recent, &r.Noise,
		&fetched, &r.LastOutcome, &r.LastStatus, &r.LastError, &r.Failures, &r.Version, &failing, &due)
	r.ChangedAt, r.LastFetched, r.FailingSince, r.NextDueAt = deref(changed), deref(fetched), deref(failing), deref(due)
	return r, err
}

// likeLiteral escapes what has a meaning in patterns.
func likeLiteral(s string) string {
	return strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(strings.ReplaceAll(s, "\x00", ""))
}
