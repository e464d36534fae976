// Package testdb gives the tests of other packages than store a store on a migrated
// database of their own, which package store/pgtest clones and drops.
package testdb

import (
	"context"
	"testing"

	"github.com/strandlinehq/strandline/migrations"
	"github.com/strandlinehq/strandline/store"
	"github.com/strandlinehq/strandline/store/pgtest"
)

// connections is how many a test's store may have at one time: enough for work side
// by side, few enough for many tests on one server.
const connections = 6

// URL returns the address of a migrated, empty database. It is dropped when the
// test ends.
func URL(t testing.TB) string {
	t.Helper()
	key, err := migrations.Fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	return pgtest.New(t, func(ctx context.Context, url string) error {
		_, err := store.Migrate(ctx, url)
		return err
	}, key)
}

// Connect opens a store on a migrated database, until the test ends.
func Connect(t testing.TB, url string) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), url, store.Options{MaxConns: connections})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

// Open makes a database and opens a store on it.
func Open(t testing.TB) *store.DB {
	t.Helper()
	return Connect(t, URL(t))
}
