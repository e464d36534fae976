package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// ColumnType is the type of a column of a view, as it is read by ReadView. A
// column of any other type comes as Text.
type ColumnType int

// The types. Their values come in PostgreSQL's binary format: numbers in network
// byte order, Timestamp as microseconds since the year 2000 in UTC, lists as arrays.
const (
	Text ColumnType = iota
	Bool
	Int16
	Int32
	Int64
	Float32
	Float64
	Timestamp
	TextList
)

// ViewColumn is a column of a view.
type ViewColumn struct {
	Name string
	Type ColumnType
}

// ViewQuery says which rows of a view of schema api_v1 are read. A filter on a
// column that the view does not have is an error; Watch, Series and Topic choose the
// rows of their pages then, if the view is of pages.
type ViewQuery struct {
	View     string
	URL      string    // canonical; a * at the end stands for any rest; empty for all
	From, To time.Time // From <= time of the row < To; zero for no bound
	Watch    string
	Series   string
	Topic    string
}

// ErrNoView is wrapped by the error of a query that names a view or a filter that
// there is not.
var ErrNoView = errors.New("no such view")

var (
	qViewColumns = statement{local, `
		select a.attname::text, format_type(a.atttypid, a.atttypmod)
		from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
		where c.relnamespace = 'api_v1'::regnamespace and c.relkind in ('v', 'm') and c.relname = $1
		order by a.attnum`}
	qViewNames = statement{local, `
		select relname::text from pg_class where relnamespace = 'api_v1'::regnamespace and relkind in ('v', 'm') order by 1`}
)

// columnTypes are the types by PostgreSQL's names.
func columnTypes() map[string]ColumnType {
	return map[string]ColumnType{
		"text": Text, "boolean": Bool, "smallint": Int16, "integer": Int32, "bigint": Int64,
		"real": Float32, "double precision": Float64, "timestamp with time zone": Timestamp, "text[]": TextList,
	}
}

// timeColumns are those that From and To are about: the first that a view has.
func timeColumns() []string {
	return []string{"started_at", "changed_at", "crawled_at", "added_at", "period_start", "learned_at", "at", "first_seen"}
}

// ReadView reads the rows of a view as they stand at one moment, in no order. It
// calls begin once with the columns, then row for each row with a value a column,
// nil for null; the values are only lent until row returns. Rows come as the
// database makes them, so memory does not grow with their number.
func (db *DB) ReadView(ctx context.Context, q ViewQuery, begin func([]ViewColumn) error, row func(values [][]byte) error) error {
	opt := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	return pgx.BeginTxFunc(ctx, db.pool, opt, func(tx pgx.Tx) error {
		columns, err := viewColumns(ctx, tx, q.View)
		if err != nil {
			return err
		}
		ask, err := db.viewSelect(ctx, q, columns)
		if err != nil {
			return err
		}
		if err := begin(columns); err != nil {
			return err
		}
		// Asked for in the binary format whatever the types' defaults are.
		rows, err := tx.Query(ctx, ask.sql, append([]any{pgx.QueryResultFormats{pgx.BinaryFormatCode}}, ask.args...)...)
		if err != nil {
			return fmt.Errorf("read view %s: %w", q.View, err)
		}
		defer rows.Close()
		for rows.Next() {
			if err := row(rows.RawValues()); err != nil {
				return err
			}
		}
		if err := rows.Err(); err != nil {
			return fmt.Errorf("read view %s: %w", q.View, err)
		}
		return nil
	})
}

func viewColumns(ctx context.Context, tx pgx.Tx, view string) ([]ViewColumn, error) {
	rows, err := tx.Query(ctx, qViewColumns.sql, view)
	if err != nil {
		return nil, fmt.Errorf("read the columns of view %s: %w", view, err)
	}
	types := columnTypes()
	columns, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (ViewColumn, error) {
		var c ViewColumn
		var name string
		err := row.Scan(&c.Name, &name)
		c.Type = types[name] // Text for what is not there
		return c, err
	})
	if err != nil {
		return nil, fmt.Errorf("read the columns of view %s: %w", view, err)
	}
	if len(columns) > 0 {
		return columns, nil
	}
	rows, err = tx.Query(ctx, qViewNames.sql)
	if err != nil {
		return nil, fmt.Errorf("read the names of views: %w", err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("read the names of views: %w", err)
	}
	return nil, fmt.Errorf("%w: %q; there are %s", ErrNoView, view, strings.Join(names, ", "))
}

// viewSelect is a select of one view, made for one question. It is no statement,
// since any view may be asked for: what a view may read is held by the tests of views.
type viewSelect struct {
	sql  string
	args []any
}

// membersOf are the pages that belong, or did, to a watch, series or topic, for views that name the pages alone.
func membersOf() map[string]string {
	return map[string]string{
		"watch":  "from core.watch_page m join core.watch o using (watch_id) where o.name",
		"series": "from core.snapshot_page m join core.snapshot n using (snapshot_id) join core.series o using (series_id) where o.name",
		"topic":  "from core.topic_page m join core.topic o using (topic_id) where m.added_at is not null and o.name",
	}
}

// viewSelect writes the query. Names come from the catalogue and are quoted; what a
// person wrote goes as parameters.
func (db *DB) viewSelect(ctx context.Context, q ViewQuery, columns []ViewColumn) (viewSelect, error) {
	var args []any
	has := func(name string) bool {
		return slices.ContainsFunc(columns, func(c ViewColumn) bool { return c.Name == name })
	}
	var where []string
	only := func(format, column string, value any) {
		args = append(args, value)
		where = append(where, fmt.Sprintf(format, pgx.Identifier{column}.Sanitize(), len(args)))
	}
	for _, f := range []struct{ column, value string }{{"watch", q.Watch}, {"series", q.Series}, {"topic", q.Topic}} {
		if f.value == "" {
			continue
		}
		switch {
		case has(f.column):
			only("%s = $%d", f.column, f.value)
		case has("page_id") && has("bucket"):
			only("(%[1]s, bucket) in (select m.page_id, m.bucket "+membersOf()[f.column]+" = $%[2]d)", "page_id", f.value)
		default:
			return viewSelect{}, fmt.Errorf("%w of a %s, or of pages: %s", ErrNoView, f.column, q.View)
		}
	}
	if !q.From.IsZero() || !q.To.IsZero() {
		i := slices.IndexFunc(timeColumns(), has)
		if i < 0 {
			return viewSelect{}, fmt.Errorf("%w with a time for each row: %s has none", ErrNoView, q.View)
		}
		if !q.From.IsZero() {
			only("%s >= $%d", timeColumns()[i], q.From)
		}
		if !q.To.IsZero() {
			only("%s < $%d", timeColumns()[i], q.To)
		}
	}
	if q.URL != "" {
		if !has("url") {
			return viewSelect{}, fmt.Errorf("%w with a column url: %s has none", ErrNoView, q.View)
		}
		prefix, star := strings.CutSuffix(q.URL, "*")
		switch {
		case star:
			only("starts_with(%s, $%d)", "url", prefix)
		case has("page_id") && has("bucket"):
			// By the page's id, for which there are indexes.
			page, err := db.PageByURL(ctx, q.URL)
			if err != nil && !errors.Is(err, ErrNotFound) {
				return viewSelect{}, err
			}
			only("%s = $%d", "page_id", int64(page.ID))
			only("%s = $%d", "bucket", page.ID.Bucket())
		default:
			only("%s = $%d", "url", q.URL)
		}
	}
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = pgx.Identifier{c.Name}.Sanitize()
		if c.Type == Text { // some of other types, which read as text
			list[i] += "::text"
		}
	}
	sql := "select " + strings.Join(list, ", ") + " from " + pgx.Identifier{"api_v1", q.View}.Sanitize()
	if len(where) > 0 {
		sql += " where " + strings.Join(where, " and ")
	}
	return viewSelect{sql, args}, nil
}
