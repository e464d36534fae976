package archive_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/strandlinehq/strandline/crawler/archive"
	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/crawler/warc"
	"github.com/strandlinehq/strandline/internal/need"
	"github.com/strandlinehq/strandline/internal/testdb"
	"github.com/strandlinehq/strandline/store"
)

// open gives a store on a fresh, migrated database.
func open(t testing.TB) *store.DB {
	t.Helper()
	return testdb.Open(t)
}

func reader() *intake.Reader { return intake.New(canonical.New(canonical.Options{})) }

// imported is what an import gave.
type imported struct {
	archive.Report
	messages []string // kind: message, of each damage in the order met
}

func (i imported) damage() string { return strings.Join(i.messages, "\n") }

// load imports files and fails the test on an error.
func load(t testing.TB, db *store.DB, opt archive.ImportOptions, files ...string) imported {
	t.Helper()
	var out imported
	opt.Damaged = func(_ string, d *warc.Damage) {
		out.messages = append(out.messages, string(d.Kind)+": "+d.Msg)
	}
	var err error
	if out.Report, err = archive.Import(t.Context(), db, reader(), files, opt); err != nil {
		t.Fatalf("import %v: %v", files, err)
	}
	return out
}

// keep writes a file of the test.
func keep(t testing.TB, name string, data string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// corpus gives the files of real page histories that are named, or all.
func corpus(t testing.TB, names ...string) []string {
	t.Helper()
	return need.Corpus(t, names...)
}

// rows gives the rows of a query as text, one string each.
func rows(t testing.TB, db *store.DB, query string, args ...any) []string {
	t.Helper()
	r, err := db.Pool().Query(t.Context(), `select row_to_json(q)::text from (`+query+`) q`, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var out []string
	for r.Next() {
		var s string
		if err := r.Scan(&s); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	if err := r.Err(); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return out
}
