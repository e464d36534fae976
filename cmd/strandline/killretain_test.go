package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/store"
)

// TestKilledRetention kills retention at several moments, each run going on where the
// one before was killed. In the end as much has gone as in a run that nobody disturbed,
// and whatever is kept reads back.
func TestKilledRetention(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program := programPath(t)
	var archive bytes.Buffer
	sample := sampleArchiveCmd{Out: "-", Pages: 30, Days: 2, Seed: 1}
	if err := sample.write(t.Context(), &archive); err != nil {
		t.Fatal(err)
	}
	file, config := filepath.Join(dir, "sample.warc.gz"), filepath.Join(dir, "thin.yaml")
	if err := os.WriteFile(file, archive.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte("retention: {fetches: 1d, versions: {all: 1h, daily: 1d, monthly: 1d}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(url string, args ...string) *exec.Cmd {
		return exec.CommandContext(t.Context(), program, append([]string{"--config", config, "--database", url}, args...)...)
	}
	undisturbed, disturbed := newDatabase(t), newDatabase(t)
	for _, url := range []string{undisturbed, disturbed} {
		if out, err := run(url, "import", file).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	if out, err := run(undisturbed, "db", "retain").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := left(t, undisturbed)

	conn, err := pgx.Connect(t.Context(), disturbed)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	killed := 0
	for _, moment := range []string{
		"select exists (select from core.retention_run)",
		"select exists (select from core.version where thinned_at is not null)",
		"select count(*) > 300 from core.version where thinned_at is not null",
		"select exists (select from core.loose_blob where kind = 1) and not exists (select from core.loose_blob where kind = 0)",
		"select count(*) < 900 from core.body",
		"select count(*) < 600 from core.record",
	} {
		cmd := run(disturbed, "db", "retain")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait(); close(ended) }()
		for reached := false; !reached && len(ended) == 0; {
			if err := conn.QueryRow(t.Context(), moment).Scan(&reached); err != nil {
				t.Fatal(err)
			}
		}
		_ = cmd.Process.Kill() // it may have ended by itself
		if err := <-ended; err != nil {
			if !cmd.ProcessState.Sys().(syscall.WaitStatus).Signaled() {
				t.Fatalf("at %q retention failed by itself: %v", moment, err)
			}
			killed++
		}
		readAll(t, disturbed) // at each of these moments nothing is lost that is kept
	}
	if killed < 3 {
		t.Errorf("only %d runs were killed", killed)
	}
	if out, err := run(disturbed, "db", "retain").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	readAll(t, disturbed)
	if diff := cmp.Diff(want, left(t, disturbed)); diff != "" {
		t.Errorf("rows (-undisturbed +killed):\n%s", diff)
	}
}

// left dumps what retention has left.
func left(t *testing.T, url string) map[string][]string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	out := map[string][]string{}
	for name, query := range map[string]string{
		"version": `select url || ' ' || version || ' ' || sha256 || ' ' || (thinned_at is not null) from api_v1.version`,
		"fetch":   `select url || ' ' || started_at || ' ' || outcome from api_v1.fetch_log`,
		"change":  `select url || ' ' || version || ' ' || dice from api_v1.change`,
		"passage": `select from_version || ' ' || part || ' ' || words::text from core.passage`,
	} {
		rows, err := conn.Query(t.Context(), `select q.x from (`+query+`) q(x) order by 1`)
		if err != nil {
			t.Fatal(err)
		}
		if out[name], err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// readAll reads every version that is kept.
func readAll(t *testing.T, url string) {
	t.Helper()
	db, err := store.Open(t.Context(), url, store.Options{MaxConns: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	pages, err := db.ListPages(t.Context(), store.PageFilter{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		versions, err := db.History(t.Context(), p.Page)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range versions {
			_, body := db.Body(t.Context(), v)
			_, record := db.Record(t.Context(), v)
			if thinned := !v.ThinnedAt.IsZero(); thinned != errors.Is(body, store.ErrThinned) || !thinned && (body != nil || record != nil) {
				t.Fatal(fmt.Errorf("version %d of %s, thinned %t: %w", v.Number, p.URL, thinned, errors.Join(body, record)))
			}
		}
	}
}
