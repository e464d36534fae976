package store_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestContractIsWhole wants every name of the contract to be in api_v1: a check of
// the views that are there says nothing of one that is missing. Of a function the
// arguments and the columns of its result are compared.
func TestContractIsWhole(t *testing.T) {
	t.Parallel()
	db := open(t)
	have := viewsOf(t, db.Pool())
	functions := map[string]string{"keyword_novelty": "series text, words text"}
	for _, name := range slices.Sorted(maps.Keys(contract)) {
		arguments, isFunction := functions[name]
		if !isFunction {
			if !slices.Contains(have, name) {
				t.Errorf("api_v1.%s was promised and is not there", name)
			}
			continue
		}
		// Mode t is a column of a function's result, mode i an argument.
		got := column[string](t, db.Pool(), `
			select string_agg(n, ',' order by i) from pg_proc p, unnest(p.proargnames, p.proargmodes) with ordinality as a (n, m, i)
			where p.pronamespace = 'api_v1'::regnamespace and p.proname = $1 and a.m = 't' group by p.oid`, name)
		if diff := cmp.Diff([]string{contract[name]}, got); diff != "" {
			t.Errorf("result of api_v1.%s (-want +got):\n%s", name, diff)
		}
		got = column[string](t, db.Pool(), `
			select pg_get_function_identity_arguments(p.oid) from pg_proc p where p.pronamespace = 'api_v1'::regnamespace and p.proname = $1`, name)
		if diff := cmp.Diff([]string{arguments}, got); diff != "" {
			t.Errorf("arguments of api_v1.%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestReaderLimits wants the role of analysts to be read-only and bounded in time,
// memory and connections.
func TestReaderLimits(t *testing.T) {
	t.Parallel()
	db := open(t)
	// Roles belong to the whole server, which other tests use: the role is taken back.
	tx, err := db.Pool().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	if _, err := tx.Exec(t.Context(), `select core.grant_reader()`); err != nil {
		t.Fatal(err)
	}
	settings := column[string](t, tx, `select s from pg_roles, unnest(rolconfig) s where rolname = 'strandline_reader' order by lower(s)`)
	want := []string{
		"default_transaction_read_only=on", "idle_in_transaction_session_timeout=10min", "idle_session_timeout=8h", "lock_timeout=5s",
		"max_parallel_workers_per_gather=2", "search_path=api_v1, pg_catalog", "statement_timeout=60s", "temp_file_limit=2GB", "TimeZone=UTC", "work_mem=32MB",
	}
	if diff := cmp.Diff(want, settings); diff != "" {
		t.Errorf("settings of the role (-want +got):\n%s", diff)
	}
	// What it may not do even in a session that lifts its defaults.
	for _, sql := range []string{`create temporary table t (a int)`, `select lo_from_bytea(0, 'x')`, `select pg_notify('a', 'b')`, `create table api_v1.t (a int)`, `select count(*) from core.page`} {
		_, err := tx.Exec(t.Context(), `savepoint s; set local role strandline_reader; set local transaction_read_only = off; `+sql)
		if err == nil || !strings.Contains(err.Error(), "42501") {
			t.Errorf("%s as the reader: %v", sql, err)
		}
		if _, err := tx.Exec(t.Context(), `rollback to savepoint s`); err != nil {
			t.Fatal(err)
		}
	}
	limit := column[int](t, tx, `select rolconnlimit from pg_roles where rolname = 'strandline_reader'`)
	if diff := cmp.Diff([]int{50}, limit); diff != "" {
		t.Errorf("connections (-want +got):\n%s", diff)
	}
}
