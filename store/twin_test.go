package store_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/strandlinehq/strandline/migrations"
	"github.com/strandlinehq/strandline/store"
	"github.com/strandlinehq/strandline/store/pgtest"
)

// The twin is the schema as a cluster would have it, in plain PostgreSQL: each
// table that is passed to core.distribute is partitioned by hash of its bucket,
// with the months below. PostgreSQL's own rules then stand in for a cluster's: a
// unique key without bucket is refused, and partition pruning shows the route
// that a statement takes.

const twinParts = 8

// twinSQL takes the place of the two functions by which migrations make tables
// of page data. It is run after each step of the migrations.
const twinSQL = `
create schema if not exists twin;
create or replace function core.distribute(tbl regclass) returns void language plpgsql as $$
declare
    name text := (select relname from pg_class where oid = tbl);
    months text := coalesce('partition by ' || pg_get_partkeydef(tbl), '');
    fk record;
    part text;
begin
    execute format('alter table core.%I set schema twin', name);
    execute format('create table core.%1$I (like twin.%1$I including all) partition by hash (bucket)', name);
    for fk in select conname, pg_get_constraintdef(oid) as def from pg_constraint where conrelid = tbl and contype = 'f' loop
        execute format('alter table core.%I add constraint %I %s', name, fk.conname, fk.def);
    end loop;
    for i in 0..7 loop
        part := name || '_h' || i;
        execute format('create table core.%I partition of core.%I for values with (modulus 8, remainder %s) %s', part, name, i, months);
        if months <> '' then
            execute format('create table core.%I partition of core.%I default', part || '_rest', part);
        end if;
    end loop;
    execute format('drop table twin.%I', name);
end $$;
create or replace function core.ensure_partition(parent text, at timestamptz) returns boolean
language sql as 'select false';
`

// makeTwin migrates an empty database into a twin.
func makeTwin(ctx context.Context, url string) error {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return err
	}
	conn := stdlib.OpenDB(*cfg)
	defer conn.Close()
	steps, err := store.NewProvider(conn)
	if err != nil {
		return err
	}
	for range steps.ListSources() {
		if _, err := steps.UpByOne(ctx); err != nil {
			return err
		}
		if _, err := conn.ExecContext(ctx, twinSQL); err != nil {
			return err
		}
	}
	return nil
}

// twin is a connection to a twin.
type twin struct {
	*pgx.Conn
	tables []string // distributed ones, without schema
	group  []int32  // buckets that lie in one partition
	parts  *regexp.Regexp
}

func newTwin(t testing.TB) *twin {
	t.Helper()
	key, err := migrations.Fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(twinSQL))
	url := pgtest.New(t, makeTwin, key+" twin "+hex.EncodeToString(sum[:8]))
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	tw := &twin{Conn: conn, parts: regexp.MustCompile(fmt.Sprintf(`^(.+)_h([0-%d])(_rest)?$`, twinParts-1))}
	tw.tables = column[string](t, conn, `
		select relname::text from pg_class
		where relnamespace = 'core'::regnamespace and relkind = 'p' and not relispartition and pg_get_partkeydef(oid) = 'HASH (bucket)'
		order by 1`)
	tw.group = column[int32](t, conn, `
		select b from generate_series(0, 4095) b where satisfies_hash_partition('core.host'::regclass, $1, 3, b) order by b limit 3`, twinParts)
	return tw
}

// rower is a connection, a pool or a transaction.
type rower interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// column returns the rows of a query of one column.
func column[T any](t testing.TB, q rower, sql string, args ...any) []T {
	t.Helper()
	rows, err := q.Query(t.Context(), sql, args...)
	if err != nil {
		t.Fatal(err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowTo[T])
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// plan is a node of PostgreSQL's JSON plans.
type plan struct {
	Type      string `json:"Node Type"`
	Operation string `json:"Operation"`
	Parent    string `json:"Parent Relationship"`
	Schema    string `json:"Schema"`
	Relation  string `json:"Relation Name"`
	Targets   []plan `json:"Target Tables"`
	Plans     []plan `json:"Plans"`
}

// each calls f with the node and all below it.
func (p *plan) each(f func(*plan)) {
	f(p)
	for i := range p.Targets {
		f(&p.Targets[i])
	}
	for i := range p.Plans {
		p.Plans[i].each(f)
	}
}

// explain plans a statement with real parameters.
func (tw *twin) explain(ctx context.Context, sql string, args ...any) (*plan, error) {
	var text []byte
	if err := tw.QueryRow(ctx, "explain (verbose, costs off, format json) "+sql, args...).Scan(&text); err != nil {
		return nil, err
	}
	var out []struct{ Plan plan }
	if err := json.Unmarshal(text, &out); err != nil {
		return nil, err
	}
	return &out[0].Plan, nil
}

// part tells of a relation of a plan which distributed table it belongs to and
// which part of it that is; -1 stands for the table itself, the target of an insert.
func (tw *twin) part(p *plan) (table string, part int, ok bool) {
	if p.Schema != "core" {
		return "", 0, false
	}
	if m := tw.parts.FindStringSubmatch(p.Relation); m != nil && slices.Contains(tw.tables, m[1]) {
		return m[1], int(m[2][0] - '0'), true
	}
	return p.Relation, -1, slices.Contains(tw.tables, p.Relation)
}

// touched returns the parts of each distributed table that a plan touches.
func (tw *twin) touched(p *plan) map[string][]int {
	out := map[string][]int{}
	p.each(func(n *plan) {
		if table, part, ok := tw.part(n); ok && !slices.Contains(out[table], part) {
			out[table] = append(out[table], part)
		}
	})
	return out
}

// samples are parameters of each type: ids and buckets lie in one group.
func (tw *twin) samples() map[uint32]any {
	ids := make([]int64, len(tw.group))
	for i, b := range tw.group {
		ids[i] = int64(b)<<40 | 1
	}
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	return map[uint32]any{
		pgtype.Int4OID: tw.group[0], pgtype.Int4ArrayOID: tw.group, pgtype.Int8OID: ids[0], pgtype.Int8ArrayOID: ids,
		pgtype.Int2OID: int16(1), pgtype.Int2ArrayOID: []int16{1}, pgtype.BoolOID: true, pgtype.BoolArrayOID: []bool{true},
		pgtype.Float8OID: 0.5, pgtype.Float8ArrayOID: []float64{0.5}, pgtype.TextOID: "a", pgtype.TextArrayOID: []string{"a"},
		pgtype.TimestamptzOID: at, pgtype.TimestamptzArrayOID: []time.Time{at}, pgtype.ByteaOID: []byte{1}, pgtype.ByteaArrayOID: [][]byte{{1}},
		pgtype.UUIDOID: [16]byte{1}, pgtype.UUIDArrayOID: [][16]byte{{1}}, pgtype.JSONBOID: []byte("{}"), pgtype.JSONBArrayOID: [][]byte{[]byte("{}")},
		pgtype.IntervalOID: time.Hour, pgtype.IntervalArrayOID: []time.Duration{time.Hour},
		pgtype.DateOID: at, pgtype.NumericOID: 1, pgtype.NameOID: "a",
	}
}

// parameters returns values for the parameters that PostgreSQL finds in a statement.
func (tw *twin) parameters(ctx context.Context, sql string) ([]any, error) {
	d, err := tw.Prepare(ctx, "", sql)
	if err != nil {
		return nil, err
	}
	samples := tw.samples()
	args := make([]any, len(d.ParamOIDs))
	for i, oid := range d.ParamOIDs {
		v, ok := samples[oid]
		if !ok {
			return nil, fmt.Errorf("no sample for parameter $%d of type %d", i+1, oid)
		}
		args[i] = v
	}
	return args, nil
}
