package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/strandlinehq/strandline/cmd/internal/control"
	"github.com/strandlinehq/strandline/crawler/warc"
	"github.com/strandlinehq/strandline/internal/testdb"
)

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"strandline": main}) }

// programPath is the program, for tests that kill it: the test binary under that name, as for scripts. Linking
// one for each such test took longer than some of them.
func programPath(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("strandline")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestScripts runs the transcripts of testdata: command lines with what they must
// print and the status that they must end with. Each has two files, pages.warc.gz
// and bad.warc.gz, and $QUESTION, one of docs/sql; one that names $DATABASE has a migrated database of its own.
func TestScripts(t *testing.T) {
	t.Parallel()
	scripts, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range scripts {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			database := ""
			if strings.Contains(string(text), "$DATABASE") {
				database = newDatabase(t)
			}
			testscript.Run(t, testscript.Params{
				Files: []string{file}, RequireExplicitExec: true, RequireUniqueNames: true,
				Setup: func(env *testscript.Env) error {
					env.Setenv("DATABASE", database)
					question, err := os.ReadFile("../../docs/sql/01-changed-most.sql")
					if err != nil {
						return err
					}
					env.Setenv("QUESTION", string(question))
					if err := enterable(env.WorkDir); err != nil {
						return err
					}
					return writePages(env.WorkDir)
				},
				Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": status, "setschema": setSchema, "ready": ready, "tells": tells},
			})
		})
	}
}

// status N COMMAND... wants a command to end with that very status.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command...")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	ts.Logf("[status %s]", got)
	if got != args[0] {
		ts.Fatalf("status %s, want %s", got, args[0])
	}
}

// tells FILE wants the last command to have told the very size of a file that it wrote.
func tells(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: tells file")
	}
	want := fmt.Sprintf(", %d bytes\n", len(ts.ReadFile(args[0])))
	if told := ts.ReadFile("stderr"); !strings.HasPrefix(told, args[0]+": ") || !strings.HasSuffix(told, want) {
		ts.Fatalf("%q was told of %s, want it to end in %q", told, args[0], want)
	}
}

// ready DIR waits until the daemon on a state directory is ready.
func ready(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: ready directory")
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); <-tick.C {
		var state struct {
			Ready bool `json:"ready"`
		}
		text, err := control.Dial(args[0]).State(context.Background())
		if err == nil && json.Unmarshal(text, &state) == nil && state.Ready {
			return
		}
	}
	ts.Fatalf("the daemon on %s is not ready", args[0])
}

// setSchema newer|older makes the database $DATABASE look migrated by another version.
func setSchema(ts *testscript.TestScript, neg bool, args []string) {
	queries := map[string]string{
		"newer": `insert into strandline_migration (version_id, is_applied) values (99999, true)`,
		"older": `delete from strandline_migration where version_id in (99999, (select max(version_id) from strandline_migration where version_id < 99999))`,
	}
	if neg || len(args) != 1 || queries[args[0]] == "" {
		ts.Fatalf("usage: setschema newer|older")
	}
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, ts.Getenv("DATABASE"))
	ts.Check(err)
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, queries[args[0]])
	ts.Check(err)
}

func newDatabase(t testing.TB) string {
	t.Helper()
	return testdb.URL(t)
}

// enterable lets the account of a private PostgreSQL, which is another one when
// the tests run as root, pass through the folders above its own.
func enterable(dir string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	for ; dir != filepath.Dir(os.TempDir()) && dir != "/"; dir = filepath.Dir(dir) {
		stat, err := os.Stat(dir)
		if err != nil {
			return err
		}
		if dir == filepath.Clean(os.TempDir()) {
			return nil
		}
		if err := os.Chmod(dir, stat.Mode().Perm()|0o011); err != nil {
			return err
		}
	}
	return nil
}

// versions are the texts of https://a.test/page, an hour apart.
var versions = []string{
	"<h1>Ferry times</h1><p>The ferry leaves at nine.</p><p>Tickets are sold on board.</p><a href='/fares'>Fares</a><a href='/old'>Old</a>",
	"<h1>Ferry times</h1><p>The ferry leaves at ten.</p><p>Tickets are sold on board.</p><a href='/fares'>Fares</a><a href='/new'>New</a>",
	"<h1>Ferry times</h1><p>Tickets are sold on board.</p><p>The ferry leaves at ten.</p><p>No service on Sunday.</p><a href='/fares'>Fares</a>",
}

// writeCounter writes a page that counts its visitors, twelve hours of it, in which a
// sentence of it changes once.
func writeCounter(dir string, at time.Time) error {
	f, err := os.Create(filepath.Join(dir, "counter.warc.gz"))
	if err != nil {
		return err
	}
	w, err := warc.NewWriter(f, warc.WriterOptions{Reproducible: true})
	if err != nil {
		return err
	}
	head := []byte("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n")
	for i := range 12 {
		news := "The bridge is closed."
		if i >= 6 {
			news = "The bridge has a new rail."
		}
		body := fmt.Appendf(nil, "<!doctype html><body><nav>Home</nav><p>The harbour opens at nine and closes at five, but on Sundays.<p>%s"+
			"<div class=foot>You are visitor %d of this page.</div>\n", news, i)
		if _, err := w.Response("http://count.test/", at.Add(time.Duration(i)*time.Hour), head, body, nil); err != nil {
			return err
		}
	}
	return f.Close()
}

// writePages writes pages.warc.gz, and bad.warc.gz, the same with a damaged end.
func writePages(dir string) error {
	name := filepath.Join(dir, "pages.warc.gz")
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w, err := warc.NewWriter(f, warc.WriterOptions{Reproducible: true})
	if err != nil {
		return err
	}
	at := time.Date(2024, 5, 1, 9, 0, 0, 0, time.UTC)
	head := []byte("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n")
	for i, v := range versions {
		body := fmt.Appendf(nil, "<!doctype html><html lang=en><head><title>Ferry</title></head><body>%s</body></html>\n", v)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("v%d.html", i+1)), body, 0o644); err != nil {
			return err
		}
		if _, err := w.Response("https://a.test/page", at.Add(time.Duration(i)*time.Hour), head, body, nil); err != nil {
			return err
		}
	}
	gone := []byte("HTTP/1.1 404 Not Found\r\n\r\n")
	if _, err := w.Response("https://b.test/", at, gone, []byte("not here"), nil); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := writeCounter(dir, at); err != nil {
		return err
	}
	whole, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "bad.warc.gz"), whole[:len(whole)-40], 0o644)
}
