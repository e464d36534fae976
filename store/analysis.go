package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// The measures of a page beyond single changes (its curve, terms and elements)
// are continued from a stored state when a version arrives. When a page's
// versions are laid anew its state is dropped in the same transaction, and the
// next version that is measured starts over.
var (
	qMakeAnalyses = statement{routed, `
		insert into core.page_analysis (page_id, bucket)
		select v.page_id, (v.page_id >> 40)::int from unnest($1::bigint[]) v(page_id)
		on conflict (page_id, bucket) do nothing`}
	qLockAnalyses = statement{routed, `
		select a.page_id, a.version, a.origin, a.curve, a.sets, a.terms, a.elements, a.damaged, a.beyond, a.rules, a.shown_until
		from core.page_analysis a
		where a.bucket = any($2::int[]) and a.page_id = any($1::bigint[])
		order by a.page_id for update`}
	qReadAnalysis = statement{routed, `
		select a.page_id, a.version, a.origin, a.curve, a.sets, a.terms, a.elements, a.damaged, a.beyond, a.rules, a.shown_until
		from core.page_analysis a where a.bucket = $2 and a.page_id = $1 and a.version > 0`}
	qPutAnalyses = statement{routed, `
		update core.page_analysis a
		set version = v.version, origin = v.origin, curve = v.curve, sets = v.sets, terms = v.terms, elements = v.elements,
		    damaged = v.damaged, beyond = v.beyond, rules = v.rules, shown_until = v.shown_until, computed_at = $11
		from unnest($1::bigint[], $2::int[], $3::timestamptz[], $4::bytea[], $5::bytea[], $6::bytea[], $7::bytea[], $8::int[], $9::int[], $12::bytea[], $13::timestamptz[])
		     v(page_id, version, origin, curve, sets, terms, elements, damaged, beyond, rules, shown_until)
		where a.bucket = any($10::int[]) and a.page_id = v.page_id`}
	qDropAnalysis = statement{routed, `delete from core.page_analysis where bucket = $2 and page_id = $1`}

	qSpans = statement{routed, `
		select v.page_id, v.version, v.first_seen, v.last_seen, v.record
		from unnest($1::bigint[], $2::int[], $3::int[]) t(page_id, low, high)
		join core.version v on v.page_id = t.page_id and v.version between t.low and t.high
		where v.bucket = any($4::int[])
		order by v.page_id, v.version`}
	qSpanBefore = statement{routed, `
		select v.page_id, v.version, v.first_seen, v.last_seen, v.record
		from core.version v where v.bucket = $2 and v.page_id = $1 and v.first_seen < $3
		order by v.version desc limit 1`}
	qSeen = statement{routed, `
		select f.page_id, f.version, f.started_at
		from unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[]) t(page_id, low, high)
		join core.fetch f on f.page_id = t.page_id and f.started_at > t.low and f.started_at < t.high
		where f.bucket = any($4::int[]) and f.version is not null and f.started_at >= $5 and f.started_at <= $6
		order by f.page_id, f.started_at`}
)

// Analysis is what the measures of a page are continued from. The states are
// opaque to the store.
type Analysis struct {
	Page    PageID
	Version int32     // the last one that was taken into account; 0: none
	Origin  time.Time // middle of the first slot; zero: none
	// Curve, Sets, Terms and Elements cover the slots before that of Version.
	Curve, Sets, Terms, Elements []byte
	Damaged, Beyond              int32 // versions left out
	// Rules is a hash of the ignore rules under which all this was computed; nil: of none.
	Rules []byte
	// ShownUntil is the last fetch that the measures for the views count; zero: they were
	// never computed from this.
	ShownUntil time.Time
}

func scanAnalysis(row pgx.CollectableRow) (*Analysis, error) {
	var a Analysis
	var origin, shown *time.Time
	err := row.Scan(&a.Page, &a.Version, &origin, &a.Curve, &a.Sets, &a.Terms, &a.Elements, &a.Damaged, &a.Beyond, &a.Rules, &shown)
	a.Origin, a.ShownUntil = deref(origin), deref(shown)
	return &a, err
}

// LockAnalyses returns the analyses of pages, ascending by page, and keeps others
// from continuing them until the transaction ends. A page without one gets an
// empty one.
func (t *Tx) LockAnalyses(ctx context.Context, pages []PageID) ([]*Analysis, error) {
	pages = slices.Clone(pages)
	slices.Sort(pages) // locks are taken in one order
	pages = slices.Compact(pages)
	for made := false; ; made = true {
		rows, err := t.tx.Query(ctx, qLockAnalyses.sql, pages, bucketsOf(pages))
		if err != nil {
			return nil, fmt.Errorf("lock analyses: %w", err)
		}
		out, err := pgx.CollectRows(rows, scanAnalysis)
		if err != nil {
			return nil, fmt.Errorf("lock analyses: %w", err)
		}
		if len(out) == len(pages) || made {
			return out, nil
		}
		if _, err := t.tx.Exec(ctx, qMakeAnalyses.sql, pages); err != nil {
			return nil, fmt.Errorf("make analyses: %w", err)
		}
	}
}

// PutAnalyses stores analyses that were locked.
func (t *Tx) PutAnalyses(ctx context.Context, as []*Analysis) error {
	var in struct {
		pages                        []PageID
		versions, damaged, beyond    []int32
		origins, shown               []*time.Time
		curves, sets, terms, element [][]byte
		rules                        [][]byte
	}
	for _, a := range as {
		in.pages = append(in.pages, a.Page)
		in.versions = append(in.versions, a.Version)
		in.origins = append(in.origins, orNil(a.Origin))
		in.curves = append(in.curves, a.Curve)
		in.sets = append(in.sets, a.Sets)
		in.terms = append(in.terms, a.Terms)
		in.element = append(in.element, a.Elements)
		in.damaged = append(in.damaged, a.Damaged)
		in.beyond = append(in.beyond, a.Beyond)
		in.rules = append(in.rules, a.Rules)
		in.shown = append(in.shown, orNil(a.ShownUntil))
	}
	_, err := t.tx.Exec(ctx, qPutAnalyses.sql, in.pages, in.versions, in.origins, in.curves, in.sets, in.terms, in.element, in.damaged,
		in.beyond, bucketsOf(in.pages), t.db.now(), in.rules, in.shown)
	if err != nil {
		return fmt.Errorf("store analyses: %w", err)
	}
	return nil
}

// Analysis returns the analysis of a page, or an error that wraps ErrNotFound.
func (db *DB) Analysis(ctx context.Context, page PageID) (*Analysis, error) {
	rows, err := db.pool.Query(ctx, qReadAnalysis.sql, page, page.Bucket())
	if err != nil {
		return nil, fmt.Errorf("read analysis of page %d: %w", page, err)
	}
	a, err := pgx.CollectExactlyOneRow(rows, scanAnalysis)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("analysis of page %d: %w", page, ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("read analysis of page %d: %w", page, err)
	}
	return a, nil
}

// Span is a version as the analyses see it.
type Span struct {
	Page                PageID
	Version             int32
	FirstSeen, LastSeen time.Time
	Record              SHA256
}

// Range asks for the versions Low to High of a page.
type Range struct {
	Page      PageID
	Low, High int32
}

func scanSpan(row pgx.CollectableRow) (Span, error) {
	var s Span
	var record []byte
	err := row.Scan(&s.Page, &s.Version, &s.FirstSeen, &s.LastSeen, &record)
	copy(s.Record[:], record)
	return s, err
}

// Seen is a fetch that saw a version.
type Seen struct {
	Page    PageID
	Version int32
	At      time.Time
}

// Interval asks for the fetches of a page between two times, both left out.
type Interval struct {
	Page      PageID
	Low, High time.Time
}

// Spans returns versions, ascending by page and number. A page may be named once.
func (t *Tx) Spans(ctx context.Context, ranges []Range) ([]Span, error) {
	return spans(ctx, t.tx, ranges)
}

// Spans returns versions, ascending by page and number. A page may be named once.
func (db *DB) Spans(ctx context.Context, ranges []Range) ([]Span, error) {
	return spans(ctx, db.pool, ranges)
}

func spans(ctx context.Context, q queryer, ranges []Range) ([]Span, error) {
	pages := make([]PageID, len(ranges))
	low, high := make([]int32, len(ranges)), make([]int32, len(ranges))
	for i, r := range ranges {
		pages[i], low[i], high[i] = r.Page, r.Low, r.High
	}
	rows, err := q.Query(ctx, qSpans.sql, pages, low, high, bucketsOf(pages))
	if err != nil {
		return nil, fmt.Errorf("read versions: %w", err)
	}
	out, err := pgx.CollectRows(rows, scanSpan)
	if err != nil {
		return nil, fmt.Errorf("read versions: %w", err)
	}
	return out, nil
}

// SpanBefore returns the last version that was first seen before a time.
func (t *Tx) SpanBefore(ctx context.Context, page PageID, at time.Time) (Span, error) {
	return spanBefore(ctx, t.tx, page, at)
}

// SpanBefore returns the last version that was first seen before a time.
func (db *DB) SpanBefore(ctx context.Context, page PageID, at time.Time) (Span, error) {
	return spanBefore(ctx, db.pool, page, at)
}

func spanBefore(ctx context.Context, q queryer, page PageID, at time.Time) (Span, error) {
	rows, err := q.Query(ctx, qSpanBefore.sql, page, page.Bucket(), at)
	if err != nil {
		return Span{}, fmt.Errorf("read version: %w", err)
	}
	s, err := pgx.CollectExactlyOneRow(rows, scanSpan)
	if errors.Is(err, pgx.ErrNoRows) {
		return s, fmt.Errorf("version of page %d before %s: %w", page, at.Format(time.RFC3339), ErrNotFound)
	}
	if err != nil {
		return s, fmt.Errorf("read version: %w", err)
	}
	return s, nil
}

// Seen returns the fetches that saw a version, ascending by page and time.
func (t *Tx) Seen(ctx context.Context, in []Interval) ([]Seen, error) { return seen(ctx, t.tx, in) }

// Seen returns the fetches that saw a version, ascending by page and time.
func (db *DB) Seen(ctx context.Context, in []Interval) ([]Seen, error) { return seen(ctx, db.pool, in) }

func seen(ctx context.Context, q queryer, in []Interval) ([]Seen, error) {
	if len(in) == 0 {
		return nil, nil
	}
	pages := make([]PageID, len(in))
	low, high := make([]time.Time, len(in)), make([]time.Time, len(in))
	earliest, latest := in[0].Low, in[0].High
	for i, r := range in {
		pages[i], low[i], high[i] = r.Page, r.Low, r.High
		if r.Low.Before(earliest) {
			earliest = r.Low
		}
		if r.High.After(latest) {
			latest = r.High
		}
	}
	// The bounds let PostgreSQL skip the partitions of all other months.
	rows, err := q.Query(ctx, qSeen.sql, pages, low, high, bucketsOf(pages), earliest, latest)
	if err != nil {
		return nil, fmt.Errorf("read fetches: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Seen])
	if err != nil {
		return nil, fmt.Errorf("read fetches: %w", err)
	}
	return out, nil
}

// Records returns extracted records by page bucket and hash.
func (db *DB) Records(ctx context.Context, keys []ContentKey) (map[ContentKey][]byte, error) {
	return db.contents(ctx, db.pool, recordTable, keys)
}

// URLs returns the URLs of pages.
func (t *Tx) URLs(ctx context.Context, pages []PageID) (map[PageID]string, error) {
	return urlsOf(ctx, t.tx, pages)
}
