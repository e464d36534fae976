package pgtest

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// helperKey, when set in the environment, makes TestHelper a run of its own.
const helperKey = "PGTEST_HELPER_KEY"

// TestHelper makes a clone. As a process of another test it says how many times it
// migrated and what the clone's address is, and waits for the end of its input.
func TestHelper(t *testing.T) {
	key := os.Getenv(helperKey)
	var migrated atomic.Int32
	url := New(t, counting(&migrated), cmp.Or(key, "alone"))
	if key == "" {
		if n := migrated.Load(); url == "" || n > 1 {
			t.Errorf("clone %q after %d migrations, want at most one", url, n)
		}
		return
	}
	fmt.Printf("\n%d %s\n", migrated.Load(), url)
	io.Copy(io.Discard, os.Stdin)
}

type helper struct {
	cmd      *exec.Cmd
	migrated int
	url      string
}

func startHelper(t *testing.T, key string) helper {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHelper$")
	cmd.Env = append(os.Environ(), helperKey+"="+key)
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	h := helper{cmd: cmd}
	t.Cleanup(func() { h.kill() })
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if n, _ := fmt.Sscanf(lines.Text(), "%d %s", &h.migrated, &h.url); n == 2 {
			return h
		}
	}
	t.Fatal("the helper made no clone")
	return h
}

func (h helper) kill() {
	h.cmd.Process.Kill() // fails only if it has ended
	h.cmd.Wait()
}

// counting returns a migration that counts how often it runs.
func counting(n *atomic.Int32) Migrate {
	return func(ctx context.Context, url string) error {
		n.Add(1)
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			return err
		}
		defer conn.Close(ctx)
		_, err = conn.Exec(ctx, `create table t as select 42 as v`)
		return err
	}
}

func connect(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func query[T any](t testing.TB, url, sql string, args ...any) T {
	t.Helper()
	var v T
	if err := connect(t, url).QueryRow(t.Context(), sql, args...).Scan(&v); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return v
}

// theRun returns the run of this process.
func theRun(t testing.TB) *run {
	t.Helper()
	r, err := current()
	if err != nil {
		giveUp(t, err)
	}
	return r
}

// otherRun is a second run within this process.
func otherRun(t *testing.T) *run {
	t.Helper()
	r, err := openRun(t.Context(), theRun(t).admin)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.conn.Close(context.Background()) })
	return r
}

// uniqueKey is used by no run but this one; its template goes with the test.
func uniqueKey(t testing.TB) string {
	t.Helper()
	r, key := theRun(t), t.Name()+rand.Text()
	t.Cleanup(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if err := r.dropTemplate(context.Background(), templateName(key)); err != nil {
			t.Error(err)
		}
	})
	return key
}

func (r *run) has(t testing.TB, database string) bool {
	t.Helper()
	return query[bool](t, r.admin, `select exists (select from pg_database where datname = $1)`, database)
}

func nameOf(t testing.TB, url string) string {
	t.Helper()
	c, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	return c.Database
}

func TestNew(t *testing.T) {
	t.Parallel()
	key := uniqueKey(t)
	var migrated atomic.Int32
	var names sync.Map
	t.Run("clones", func(t *testing.T) {
		for range 4 {
			t.Run("clone", func(t *testing.T) {
				t.Parallel()
				url := New(t, counting(&migrated), key)
				if _, dup := names.LoadOrStore(nameOf(t, url), true); dup {
					t.Errorf("%s was given twice", url)
				}
				// Each sees what the migration made and nothing of the others.
				if _, err := connect(t, url).Exec(t.Context(), `update t set v = v + 1`); err != nil {
					t.Fatal(err)
				}
				if got := query[int](t, url, `select v from t`); got != 43 {
					t.Errorf("v = %d, want 43", got)
				}
			})
		}
	})
	if got := migrated.Load(); got != 1 {
		t.Errorf("migrated %d times, want once", got)
	}
	for name := range names.Range {
		if theRun(t).has(t, name.(string)) {
			t.Errorf("%s was not dropped", name)
		}
	}
	if got := query[int](t, New(t, nil, ""), `select count(*)::int from pg_tables where schemaname = 'public'`); got != 0 {
		t.Errorf("the empty database has %d tables", got)
	}
}

func TestProcesses(t *testing.T) {
	t.Parallel()
	key := uniqueKey(t)
	r := theRun(t)
	var helpers [2]helper
	var wg sync.WaitGroup
	for i := range helpers {
		wg.Go(func() { helpers[i] = startHelper(t, key) })
	}
	wg.Wait()
	a, b := helpers[0], helpers[1]
	if a.url == "" || b.url == "" {
		t.FailNow()
	}
	if got := a.migrated + b.migrated; got != 1 {
		t.Errorf("two processes migrated %d times, want once", got)
	}
	a.kill()
	// The server ends the session of the dead run in its own time.
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for r.has(t, nameOf(t, a.url)) {
		if err := r.sweep(ctx, time.Now()); err != nil {
			t.Fatalf("the clone of the killed run was not swept: %v", err)
		}
	}
	if !r.has(t, nameOf(t, b.url)) {
		t.Error("the clone of a living run was swept")
	}
}

func TestTemplateAge(t *testing.T) {
	t.Parallel()
	key := t.Name() + rand.Text()
	name := templateName(key)
	user, sweeper := otherRun(t), otherRun(t)
	var migrated atomic.Int32
	if _, err := user.template(t.Context(), counting(&migrated), key); err != nil {
		t.Fatal(err)
	}
	// Sweeping as if much time had passed would hit the templates of others.
	if err := user.touch(t.Context(), name, time.Now().Add(-unusedFor-time.Minute)); err != nil {
		t.Fatal(err)
	}
	sweep := func() {
		t.Helper()
		// Another run may be at it, and then sweep leaves it to that one.
		if _, err := sweeper.conn.Exec(t.Context(), `select pg_advisory_lock($1, 0)`, sweepLock); err != nil {
			t.Fatal(err)
		}
		if err := sweeper.sweep(t.Context(), time.Now()); err != nil {
			t.Fatal(err)
		}
		if _, err := sweeper.conn.Exec(t.Context(), `select pg_advisory_unlock($1, 0)`, sweepLock); err != nil {
			t.Fatal(err)
		}
	}
	sweep()
	if !sweeper.has(t, name) {
		t.Fatal("a template in use was dropped")
	}
	if _, err := user.conn.Exec(t.Context(), `select pg_advisory_unlock_shared($1, $2)`, templateLock, lockNumber(name)); err != nil {
		t.Fatal(err)
	}
	sweep()
	if sweeper.has(t, name) {
		t.Fatal("an old template was kept")
	}
}

func TestMigrateFails(t *testing.T) {
	t.Parallel()
	key := uniqueKey(t)
	r := theRun(t)
	bad := errors.New("bad migration")
	_, err := r.template(t.Context(), func(context.Context, string) error { return bad }, key)
	if !errors.Is(err, bad) {
		t.Errorf("template = %v, want the migration's error", err)
	}
	// The half-made template counts for nothing, and a left connection is cut.
	var leak *pgx.Conn
	if _, err := r.template(t.Context(), func(ctx context.Context, url string) error {
		leak, err = pgx.Connect(ctx, url)
		return err
	}, key); err != nil {
		t.Fatal(err)
	}
	defer leak.Close(context.Background())
	New(t, func(context.Context, string) error { return errors.New("migrated again") }, key)
}

// BenchmarkNew measures a clone and its removal, and what either way of copying
// costs.
func BenchmarkNew(b *testing.B) {
	r := theRun(b)
	var n atomic.Int32
	template, err := r.template(b.Context(), counting(&n), uniqueKey(b))
	if err != nil {
		b.Fatal(err)
	}
	for _, how := range []string{"file_copy", "wal_log"} {
		b.Run(how, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := r.exec(b.Context(), "create database bench_"+how+" template "+template+" strategy "+how); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				if err := r.drop(b.Context(), "bench_"+how); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
		})
	}
	b.Run("drop", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			b.StopTimer()
			name, err := r.clone(b.Context(), template)
			if err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
			if err := r.drop(b.Context(), name); err != nil {
				b.Fatal(err)
			}
		}
	})
}
