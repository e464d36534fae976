// Package pgtest gives tests a real PostgreSQL database of their own.
//
// [New] clones a template database that was migrated once, and drops the clone
// when the test ends. The server is the one named by the environment variable
// STRANDLINE_TEST_DATABASE (the URL of a database whose role is a superuser),
// else a private one that all test binaries of the user share, with durability
// switched off. It is started by the first and stops by itself some seconds
// after the last has ended. A machine without PostgreSQL skips the tests; if
// the environment variable CI is set, it fails them instead.
//
// Test binaries run side by side and may be killed, so nothing relies on a
// cleanup. Every process, called a run here, keeps one session open with two
// kinds of advisory lock, which the server releases when the session ends:
//
//	run/R       exclusive   run R is alive: its clones strandline_test_R_N are in use
//	template/K  shared      template strandline_template_K is in use
//	build/K     exclusive   held while template K is being made
//	sweep       exclusive   held while what dead runs left is removed
//
// Whoever gets run/R is sure that the run is dead and drops its clones; whoever
// gets template/K exclusively may drop the template, and does so if it has not
// been used for an hour.
//
// Left out: schemas instead of databases, and a pool; tests open what they need.
package pgtest

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/store/localpg"
)

// DatabaseVar names the environment variable that holds the URL of the server
// to be used by tests.
const DatabaseVar = "STRANDLINE_TEST_DATABASE"

// patience bounds each step against the server. It is long because a dozen test
// binaries may share two cores.
const patience = time.Minute

// Migrate brings the empty database at url to the state that tests start from.
// It must have closed its connections when it returns.
type Migrate func(ctx context.Context, url string) error

// current is the run of this process. There is one because all tests of a
// binary share the server, and nothing tells a library that the last test has
// ended: the run lasts as long as the process.
var current = sync.OnceValues(func() (*run, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	return startRun(ctx)
})

// New returns the URL of a fresh database, a clone of the template that migrate
// made. The key stands for everything that decides what migrate does, such as a
// hash of the migrations: for each key migrate runs once, among all tests of all
// processes. A nil migrate gives an empty database. The database is dropped when
// the test ends; connections that are still open then are cut.
func New(t testing.TB, migrate func(ctx context.Context, url string) error, key string) string {
	t.Helper()
	r, err := current()
	if err != nil {
		giveUp(t, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	template := "template0"
	if migrate != nil {
		if template, err = r.template(ctx, migrate, key); err != nil {
			t.Fatalf("pgtest: template for key %q: %v", key, err)
		}
	}
	name, err := r.clone(ctx, template)
	if err != nil {
		t.Fatalf("pgtest: clone %s: %v", template, err)
	}
	t.Cleanup(func() {
		// t.Context has ended by now.
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := r.drop(ctx, name); err != nil {
			t.Errorf("pgtest: drop %s: %v", name, err)
		}
	})
	return r.url(name)
}

// giveUp ends a test that can have no server.
func giveUp(t testing.TB, err error) {
	t.Helper()
	if canSkip(err, os.Getenv("CI")) {
		t.Skipf("pgtest: %v, or set %s", err, DatabaseVar)
	}
	t.Fatalf("pgtest: %v", err)
}

// run is one process that uses the server.
type run struct {
	admin string // URL of the database that holds the advisory locks
	// server is the private server, nil when another is used. It is held here so
	// that the collector does not give up our share of it.
	server *localpg.Server
	id     int32
	next   atomic.Int64 // number of the next clone

	mu    sync.Mutex // guards what follows, for as long as a template is made
	conn  *pgx.Conn  // the session of the run's advisory locks; closed by the end of the process
	ready map[string]bool
}

// url returns the address of a database of the server.
func (r *run) url(database string) string { return withDatabase(r.admin, database) }

// clone makes a database from the template.
func (r *run) clone(ctx context.Context, template string) (string, error) {
	name := fmt.Sprintf("%s%d_%d", clonePrefix, r.id, r.next.Add(1))
	return name, r.exec(ctx, "create database "+name+" template "+template+" strategy "+strategy)
}

// strategy is how PostgreSQL copies the template. Copying files needs two
// checkpoints, which are cheap on a server that need not be durable, and writes
// no WAL; see BenchmarkNew.
const strategy = "file_copy"

// drop removes a database, cutting its connections.
func (r *run) drop(ctx context.Context, name string) error {
	return r.exec(ctx, "drop database if exists "+name+" with (force)")
}

// exec runs a statement on a session of its own, so that tests do not wait for
// each other.
func (r *run) exec(ctx context.Context, sql string) error {
	conn, err := pgx.Connect(ctx, r.admin)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	_, err = conn.Exec(ctx, sql)
	return err
}
