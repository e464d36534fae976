package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
)

// TestKilledImport kills the program at several moments of an import, each
// import going on where the one before was killed. The last one is left alone,
// and the rows are those of an import that nobody disturbed.
func TestKilledImport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program := programPath(t)
	var archive bytes.Buffer
	sample := sampleArchiveCmd{Out: "-", Pages: 40, Days: 1, Seed: 1}
	if err := sample.write(t.Context(), &archive); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "sample.warc.gz")
	if err := os.WriteFile(file, archive.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	undisturbed, disturbed := newDatabase(t), newDatabase(t)
	run := func(url string) *exec.Cmd {
		return exec.CommandContext(t.Context(), program, "--database", url, "import", file)
	}
	if out, err := run(undisturbed).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := tables(t, undisturbed)
	fetches := len(want["fetch_log"])

	conn, err := pgx.Connect(t.Context(), disturbed)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	killed := 0
	for _, moment := range []string{
		"select count(*) >= 1 from pg_stat_activity where datname = current_database() and application_name = 'strandline'", // before anything is stored
		"select count(*) >= 1 from core.page",
		"select count(*) >= 1 from core.fetch",
		fmt.Sprintf("select count(*) >= %d from core.fetch", fetches/3),
		fmt.Sprintf("select count(*) >= %d from core.fetch", fetches*2/3),
		fmt.Sprintf("select count(*) >= %d from core.fetch", fetches),
		"select count(*) >= 64 from core.change",
	} {
		cmd := run(disturbed)
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
				t.Fatalf("at %q the import failed by itself: %v", moment, err)
			}
			killed++
		}
	}
	if killed < 4 {
		t.Errorf("only %d imports were killed", killed)
	}
	if out, err := run(disturbed).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if diff := cmp.Diff(want, tables(t, disturbed)); diff != "" {
		t.Errorf("rows (-undisturbed +killed):\n%s", diff)
	}
}

// tables dumps what an import and its measures have written, without the ids and
// times that differ from one import to the next.
func tables(t *testing.T, url string) map[string][]string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	out := map[string][]string{}
	for name, query := range map[string]string{
		"page":      `select url, host, first_seen, last_fetched, last_version, title from api_v1.page`,
		"version":   `select url, version, first_seen, last_seen, fetches, status, bytes, words, sentences, title, sha256 from api_v1.version`,
		"fetch_log": `select url, started_at, outcome, status, error, bytes, version from api_v1.fetch_log`,
		"change":    `select url, version, changed_at, hours, dice, words_added, words_removed, sentences_added, sentences_removed from api_v1.change`,
		"body":      `select encode(sha256, 'hex') sha256, raw_size from core.body`,
		"record":    `select encode(sha256, 'hex') sha256, raw_size from core.record`,
		"links":     `select links, count(*) from core.link_set group by 1`,
		"todo":      `select stage, count(*) from core.monitor_todo group by 1`,
	} {
		rows, err := conn.Query(t.Context(), `select row_to_json(q)::text j from (`+query+`) q order by j`)
		if err != nil {
			t.Fatal(err)
		}
		if out[name], err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
			t.Fatal(err)
		}
	}
	return out
}
