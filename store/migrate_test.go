package store_test

import (
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"golang.org/x/sync/errgroup"

	"github.com/strandlinehq/strandline/store"
	"github.com/strandlinehq/strandline/store/pgtest"
)

// connect opens a connection for queries of a test's own.
func connect(t testing.TB, url string) *sql.DB {
	t.Helper()
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	conn := stdlib.OpenDB(*cfg)
	t.Cleanup(func() { conn.Close() })
	return conn
}

// schemaOf tells the schema in words: objects with their columns, definitions and
// comments.
func schemaOf(t testing.TB, conn *sql.DB) string {
	t.Helper()
	var out string
	// Partitions are made by the calendar, not by a step.
	err := conn.QueryRowContext(t.Context(), `
		select coalesce(string_agg(line, e'\n' order by line), '') from (
			select format('%s %s %s %s %s %s', c.oid::regclass, c.relkind, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
			              col_description(c.oid, a.attnum)) as line
			from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
			where c.relnamespace in (select oid from pg_namespace where nspname in ('core', 'api_v1')) and not c.relispartition
			union all
			select format('%s %s', p.oid::regprocedure, p.prosrc) from pg_proc p
			where p.pronamespace in (select oid from pg_namespace where nspname in ('core', 'api_v1'))
			union all
			select format('schema %s', nspname) from pg_namespace where nspname in ('core', 'api_v1')) l`).Scan(&out)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestDownAndUp takes every step back, one by one, wants nothing to be left, and
// the same schema once they are applied again.
func TestDownAndUp(t *testing.T) {
	t.Parallel()
	url, db := openURL(t)
	db.Close()
	conn := connect(t, url)
	before := schemaOf(t, conn)
	steps, err := store.NewProvider(conn)
	if err != nil {
		t.Fatal(err)
	}
	for range steps.ListSources() {
		if _, err := steps.Down(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if left := schemaOf(t, conn); left != "" {
		t.Errorf("left after all steps down:\n%s", left)
	}
	applied, err := store.Migrate(t.Context(), url)
	if err != nil || len(applied) != len(migrationFiles(t)) {
		t.Fatalf("Migrate applied %d steps, %v", len(applied), err)
	}
	if diff := cmp.Diff(strings.Split(before, "\n"), strings.Split(schemaOf(t, conn), "\n")); diff != "" {
		t.Errorf("schema after down and up (-before +after):\n%s", diff)
	}
}

func TestMigrateTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	url, db := openURL(t)
	db.Close()
	applied, err := store.Migrate(t.Context(), url)
	if err != nil || len(applied) != 0 {
		t.Errorf("second Migrate applied %v, %v; want nothing", applied, err)
	}
}

func TestSchemaOfOtherProgram(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, sql string
		open      error
		migrate   error
	}{
		{"newer", `insert into strandline_migration (version_id, is_applied) values (99999, true)`, store.ErrSchemaNewer, store.ErrSchemaNewer},
		{"older", `delete from strandline_migration where version_id = (select max(version_id) from strandline_migration)`, store.ErrSchemaOlder, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			url, db := openURL(t)
			db.Close()
			if _, err := connect(t, url).ExecContext(t.Context(), test.sql); err != nil {
				t.Fatal(err)
			}
			if db, err := store.Open(t.Context(), url, store.Options{}); !errors.Is(err, test.open) {
				if err == nil {
					db.Close()
				}
				t.Errorf("Open: %v, want %v", err, test.open)
			}
			if test.migrate == nil {
				return // the step itself is there already
			}
			if _, err := store.Migrate(t.Context(), url); !errors.Is(err, test.migrate) {
				t.Errorf("Migrate: %v, want %v", err, test.migrate)
			}
		})
	}
}

func TestTwoMigrate(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t, nil, "")
	var g errgroup.Group
	var applied [2]int
	for i := range applied {
		g.Go(func() error {
			steps, err := store.Migrate(t.Context(), url)
			applied[i] = len(steps)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	if n := applied[0] + applied[1]; n != len(migrationFiles(t)) {
		t.Errorf("two programs applied %v steps, want %d in all", applied, len(migrationFiles(t)))
	}
	db, err := store.Open(t.Context(), url, store.Options{MaxConns: 2})
	if err != nil {
		t.Fatal(err)
	}
	db.Close()
}

func TestPartitionsAreMadeAhead(t *testing.T) {
	t.Parallel()
	db := open(t)
	tests := []struct {
		at   time.Time
		made int // partitions of the two tables
		in   string
	}{
		{time.Date(1995, 7, 1, 0, 0, 0, 0, time.UTC), 2, "core.version_y1995"},
		{time.Date(2024, 11, 30, 23, 59, 59, 0, time.UTC), 2 * 3, "core.version_y2024"}, // the year, January and February
		{time.Date(2031, 12, 31, 23, 59, 59, 999999000, time.UTC), 2 * 4, "core.version_y2031m12"},
	}
	for _, test := range tests {
		name := test.at.Format(time.DateOnly)
		// Some of them may have been made for the months around now.
		had := column[int64](t, db.Pool(), `select count(*) from pg_inherits where inhparent in ('core.fetch'::regclass, 'core.version'::regclass)`)[0]
		made, err := db.MakeAhead(t.Context(), test.at)
		if err != nil {
			t.Fatal(err)
		}
		if has := column[int64](t, db.Pool(), `select count(*) from pg_inherits where inhparent in ('core.fetch'::regclass, 'core.version'::regclass)`)[0]; has-had != int64(made) || made != test.made {
			t.Errorf("%s: MakeAhead says %d, made %d, want %d", name, made, has-had, test.made)
		}
		if made, err := db.MakeAhead(t.Context(), test.at); err != nil || made != 0 {
			t.Errorf("%s: MakeAhead again made %d, %v; want none", name, made, err)
		}
		c := capture("http://a.test/"+name, 0, name)
		c.StartedAt = test.at
		write(t, db, c)
		id := pageOf(t, db, c.URL)
		if in := column[string](t, db.Pool(), `select tableoid::regclass::text from core.version where page_id = $1`, int64(id)); !cmp.Equal(in, []string{test.in}) {
			t.Errorf("%s: version lies in %v, want %s", name, in, test.in)
		}
	}
}
