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
	settings := column[string](t, tx, `select split_part(s, '=', 1) from pg_roles, unnest(rolconfig) s where rolname = 'strandline_reader' order by 1`)
	want := []string{
		"default_transaction_read_only", "idle_in_transaction_session_timeout", "idle_session_timeout", "lock_timeout",
		"max_parallel_workers_per_gather", "search_path", "statement_timeout", "TimeZone", "work_mem",
	}
	slices.SortFunc(settings, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
	slices.SortFunc(want, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
	if diff := cmp.Diff(want, settings); diff != "" {
		t.Errorf("settings of the role (-want +got):\n%s", diff)
	}
	limit := column[int](t, tx, `select rolconnlimit from pg_roles where rolname = 'strandline_reader'`)
	if diff := cmp.Diff([]int{50}, limit); diff != "" {
		t.Errorf("connections (-want +got):\n%s", diff)
	}
}
