package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/store"
	"github.com/strandlinehq/strandline/store/localpg"
	"github.com/strandlinehq/strandline/store/pgtest"
)

// recordPages keeps a data set small.
const recordPages = 12

// With -record NAME, TestRecordRelease writes the data set of a release.
var record = flag.String("record", "", "write testdata/released/NAME.sql.gz: the schema of this version with data in it")

// TestUpgrade brings the database of every released version, with data in it, to
// this version's schema: nothing is lost, all payloads read back to their hashes,
// and the worked questions of analysts have answers.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/released/*.sql.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no released schema: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			url := pgtest.New(t, nil, "")
			restore(t, url, file)
			before := rowCounts(t, url)
			if before["core.version"] == 0 || before["core.topic_sentence"] == 0 || before["core.snapshot_page"] == 0 {
				t.Fatalf("the data set lacks something: %v", before)
			}
			if _, err := store.Migrate(t.Context(), url); err != nil {
				t.Fatal(err)
			}
			after := rowCounts(t, url)
			for table, n := range before {
				if after[table] < n {
					t.Errorf("%s had %d rows and has %d", table, n, after[table])
				}
			}
			db, err := store.Open(t.Context(), url, store.Options{MaxConns: 4})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(db.Close)
			faults, err := db.CheckSchema(t.Context())
			if err != nil || len(faults) > 0 {
				t.Errorf("schema: %v, %v", faults, err)
			}
			read, bad, err := db.CheckContents(t.Context(), store.SHA256{}, 0)
			if err != nil || read == 0 || len(bad) > 0 {
				t.Errorf("contents: %d read, faults %v, %v", read, bad, err)
			}
			if lost, err := db.BodilessVersions(t.Context(), 5); err != nil || len(lost) > 0 {
				t.Errorf("versions without a body: %v, %v", lost, err)
			}
			if drift, err := db.HealthDrift(t.Context(), 5); err != nil || len(drift) > 0 {
				t.Errorf("schedule_health: %v, %v", drift, err)
			}
			askAll(t, db)
		})
	}
}

// TestRecordRelease writes the data set of this version, which restores to the same
// rows. It is kept when asked to.
func TestRecordRelease(t *testing.T) {
	t.Parallel()
	db := questioned(t, recordPages)
	dump := filepath.Join(t.TempDir(), "dump.sql")
	in, err := localpg.Find("")
	if err != nil {
		t.Fatal(err)
	}
	env, err := libpqEnv(db.Pool().Config().ConnString())
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), in.Path("pg_dump"), "--no-owner", "--no-acl", "--rows-per-insert=100", "-f", dump)
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("pg_dump: %v\n%s", err, out)
	}
	text, err := os.ReadFile(dump)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "release.sql.gz")
	if *record != "" {
		file = filepath.Join("testdata", "released", *record+".sql.gz")
	}
	if err := os.WriteFile(file, packed.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	url := pgtest.New(t, nil, "")
	restore(t, url, file)
	if diff := cmp.Diff(rowCounts(t, db.Pool().Config().ConnString()), rowCounts(t, url)); diff != "" {
		t.Errorf("rows before and after the dump:\n%s", diff)
	}
}

// restore runs the statements of a dump. Lines for psql alone are left out.
func restore(t *testing.T, url, file string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	dump, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for line := range strings.Lines(string(dump)) {
		if !strings.HasPrefix(line, `\`) {
			text.WriteString(line)
		}
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	if _, err := conn.PgConn().Exec(t.Context(), text.String()).ReadAll(); err != nil {
		t.Fatalf("restore %s: %v", file, err)
	}
}

// rowCounts counts the rows of every table but those of partitions, which their
// table has.
func rowCounts(t *testing.T, url string) map[string]int64 {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	rows, err := conn.Query(t.Context(), `
		select c.oid::regclass::text from pg_class c where c.relnamespace = 'core'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int64{}
	for _, table := range tables {
		var n int64
		if err := conn.QueryRow(t.Context(), `select count(*) from `+table).Scan(&n); err != nil {
			t.Fatal(err)
		}
		counts[table] = n
	}
	return counts
}
