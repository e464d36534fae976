package intake_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/fetch"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/internal/testdb"
	"github.com/strandlinehq/strandline/store"
)

func openStore(t *testing.T) *store.DB {
	t.Helper()
	return testdb.Open(t)
}

func packed(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestRebuildReadsAsTheFirstTime stores fetches of which each needs another fact
// beside the payload to be read right, spoils what was read, and wants the same.
func TestRebuildReadsAsTheFirstTime(t *testing.T) {
	t.Parallel()
	db := openStore(t)
	reader := intake.New(canonical.New(canonical.Options{}))
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	html := `<html lang="de"><title>Die Strandlinie</title><body><p>Was die Flut am Ufer liegen läßt, ist jeden Tag etwas anderes.</p><a href="next">weiter</a></body></html>`
	latin := strings.ReplaceAll(html, "ä", "\xe4")
	latin = strings.ReplaceAll(latin, "ß", "\xdf")
	results := map[string]*fetch.Result{
		"http://a.test/plain":      {ContentType: "text/html; charset=utf-8", Body: []byte(html)},
		"http://a.test/latin":      {ContentType: "text/html; charset=iso-8859-1", Body: []byte(latin)},
		"http://a.test/coded":      {ContentType: "text/html; charset=utf-8", Body: packed(t, html), Coding: "gzip"},
		"http://a.test/text":       {ContentType: "text/plain", Body: []byte(html)},
		"http://a.test/untyped":    {Body: []byte(html)},
		"http://a.test/truncated":  {ContentType: "text/html", Body: []byte(html[:120]), Truncated: true},
		"http://a.test/redirected": {ContentType: "text/html", Body: []byte(html), FinalURL: "http://b.test/deep/er/", Redirects: []fetch.Hop{{URL: "http://a.test/redirected", Status: 302, To: "http://b.test/deep/er/"}}},
	}
	var caps []*store.Capture
	for url, r := range results {
		r.Kind, r.Status, r.StartedAt, r.FinishedAt = fetch.Content, 200, at, at
		r.Head = fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\n\r\n", r.ContentType)
		if r.FinalURL == "" {
			r.FinalURL = url
		}
		caps = append(caps, reader.Capture(url, store.KindManual, r))
	}
	if _, err := db.Write(t.Context(), caps); err != nil {
		t.Fatal(err)
	}
	want := rowsOf(t, db)
	for _, fact := range []string{"b.test/deep/er/next", "truncated", "windows-1252"} {
		if !strings.Contains(strings.Join(want, "\n"), fact) {
			t.Fatalf("the rows do not show %s", fact)
		}
	}
	if _, err := db.Pool().Exec(t.Context(), `
		update core.version set title = 'x', language = 'xx', words = 0, words_hash = gen_random_uuid(), text_hash = gen_random_uuid(), links_hash = null, charset = null;
		update core.page_state set title = 'x', language = 'xx', text_hash = gen_random_uuid();
		update core.record set data = 'x'; delete from core.link_set`); err != nil {
		t.Fatal(err)
	}
	report, err := intake.Rebuild(t.Context(), db, reader, store.RebuildOptions{})
	if err != nil || report.Versions != len(results) || report.Changed != len(results) || report.Repaired == 0 || report.Lost > 0 {
		t.Errorf("report %+v, %v", report, err)
	}
	if diff := cmp.Diff(want, rowsOf(t, db)); diff != "" {
		t.Errorf("rows (-before +after):\n%s", diff)
	}
	// By the rules of now, nothing is left to be read.
	if report, err := intake.Rebuild(t.Context(), db, reader, store.RebuildOptions{Rules: intake.Rules}); err != nil || report.Changed+report.Records > 0 {
		t.Errorf("second report %+v, %v", report, err)
	}
}

func rowsOf(t *testing.T, db *store.DB) []string {
	t.Helper()
	rows, err := db.Pool().Query(t.Context(), `
		select 'version ' || v::text from core.version v union all select 'state ' || s::text from core.page_state s
		union all select 'record ' || r::text from core.record r union all select 'links ' || l::text from core.link_set l
		union all select 'page ' || p::text from core.page p order by 1`)
	if err != nil {
		t.Fatal(err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return out
}
