package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/crawler/archive"
	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/crawler/simweb"
	"github.com/strandlinehq/strandline/crawler/warc"
	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/monitor/series"
	"github.com/strandlinehq/strandline/store"
	"github.com/strandlinehq/strandline/summarize"
)

// TestWorkedQuestions runs the queries of docs/sql on pages of the simulated web
// that went through import, series, measures, watches and a topic. Each has to give
// a row; to psql it is one statement.
func TestWorkedQuestions(t *testing.T) {
	t.Parallel()
	askAll(t, questioned(t, questionPages))
}

// askAll asks the questions of docs/sql.
func askAll(t *testing.T, db *store.DB) {
	t.Helper()
	files, err := filepath.Glob("../../docs/sql/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("no questions: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		query := strings.TrimSpace(string(text))
		if !strings.HasPrefix(query, "-- ") || !strings.HasSuffix(query, ";") || strings.Contains(query, "core.") {
			t.Errorf("%s: want a question, one statement that ends in a semicolon, and views of api_v1 only", file)
		}
		n, err := asReader(t, db, query)
		if err != nil {
			t.Errorf("%s: %v", file, err)
		} else if n == 0 {
			t.Errorf("%s: no row", file)
		}
	}
}

// asReader counts the rows of a query that is asked with the rights of analysts,
// read-only, and in UTC. Roles belong to the whole server, which other tests use, so a role of
// no other test is made and taken back.
func asReader(t *testing.T, db *store.DB, query string) (n int, err error) {
	t.Helper()
	tx, err := db.Pool().Begin(t.Context())
	if err != nil {
		return 0, err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	for _, sql := range []string{
		`create role strandline_test_questions`, `grant usage on schema api_v1 to strandline_test_questions`,
		`grant select on all tables in schema api_v1 to strandline_test_questions`, `grant execute on all functions in schema api_v1 to strandline_test_questions`,
		`set local role strandline_test_questions`, `set local timezone = 'UTC'`, `set transaction_read_only = on`,
	} {
		if _, err := tx.Exec(t.Context(), sql); err != nil {
			return 0, fmt.Errorf("%s: %w", sql, err)
		}
	}
	rows, err := tx.Query(t.Context(), query)
	if err != nil {
		return 0, err
	}
	for rows.Next() {
		n++
	}
	return n, rows.Err()
}

// questionPages is how many pages the questions are asked of, each hour of
// questionDays days.
const (
	questionPages = 30
	questionDays  = 2
)

// questioned fills a database with what the questions are about.
func questioned(t *testing.T, pages int) *store.DB {
	t.Helper()
	ctx := t.Context()
	file := filepath.Join(t.TempDir(), "web.warc")
	a := &app{stdout: io.Discard, stderr: io.Discard, log: slog.New(slog.DiscardHandler)}
	if err := (&sampleArchiveCmd{Out: file, Pages: pages, Days: questionDays, Seed: 1}).Run(ctx, a); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(ctx, newDatabase(t), store.Options{MaxConns: 6})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	web, err := db.EnsureSeries(ctx, "web", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.SetGap(ctx, web.ID, 20*time.Minute); err != nil {
		t.Fatal(err)
	}
	reader := intake.New(canonical.New(canonical.Options{}))
	if _, err := archive.Import(ctx, db, reader, []string{file, growingHost(t)}, archive.ImportOptions{Series: web.ID}); err != nil {
		t.Fatal(err)
	}
	if _, err := series.Update(ctx, db, web.ID, series.Defaults()); err != nil {
		t.Fatal(err)
	}
	var urls []string
	var first time.Time
	rows, err := db.Pool().Query(ctx, `select url, first_seen from api_v1.page where last_version is not null order by url`)
	if err != nil {
		t.Fatal(err)
	}
	var url string
	var at time.Time
	if _, err := pgx.ForEachRow(rows, []any{&url, &at}, func() error {
		if urls = append(urls, url); first.IsZero() || at.Before(first) {
			first = at
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	end := first.Truncate(24*time.Hour).AddDate(0, 0, questionDays)
	due := func(string, time.Time) (time.Time, time.Time, error) { return end, end, nil }
	if _, err := db.SetWatches(ctx, end, []store.WatchSpec{
		{Name: "government", Category: "Government", Config: []byte("{}"), Timing: "hourly", Every: time.Hour, Pages: urls, First: due},
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := monitor.New(db, monitor.Options{}).Drain(ctx); err != nil {
		t.Fatal(err)
	}
	topicOf(ctx, t, db, urls, first, end)
	withinHour(ctx, t, db, urls[0], end)
	messages(ctx, t, db, end)
	if err := db.Analyze(ctx); err != nil {
		t.Fatal(err)
	}
	return db
}

// withinHour gives a page a round of snapshots and a mask.
func withinHour(ctx context.Context, t *testing.T, db *store.DB, url string, at time.Time) {
	t.Helper()
	page, err := db.PageByURL(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	var results []store.BurstResult
	for i := range 3 {
		results = append(results, store.BurstResult{
			Page: page.ID, Round: 0, Snapshot: i + 1, StartedAt: at, Offset: time.Minute << i, Delay: time.Minute << i, FirstVersion: 1, Version: 2, Changed: i > 0,
		})
	}
	err = db.Update(ctx, func(tx *store.Tx) error {
		if err := tx.PutBurstResults(ctx, results); err != nil {
			return err
		}
		return tx.PutMasks(ctx, []store.Mask{{
			Page: page.ID, Watch: 1, Mask: []byte{}, Pairs: 4, LearnedAt: at, Active: true,
			Rules: []store.MaskRule{{Rule: "p.count:tokens", Kind: "tokens", Pairs: 4, Confidence: 0.8, Counts: true}},
		}})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// messages puts two into the outbox, of which one is delivered and one fails.
func messages(ctx context.Context, t *testing.T, db *store.DB, at time.Time) {
	t.Helper()
	for i, failure := range []string{"", "it answered 500"} {
		id := fmt.Sprintf("msg_%d", i)
		if err := db.Enqueue(ctx, at, store.Outgoing{ID: id, Kind: "change", Source: "watch government", Title: "a page changed", Payload: []byte("{}"), Targets: []string{"hook"}}); err != nil {
			t.Fatal(err)
		}
		n, err := db.ClaimOutbox(ctx, "hook", at, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if err := db.SettleOutbox(ctx, n, at.Add(time.Second), store.Settled{Error: failure, Again: at.Add(time.Hour)}); err != nil {
			t.Fatal(err)
		}
	}
}

// growingHost writes an archive of a host that the simulated web lacks: its index
// links to articles of which one more is there every six hours, and to a page that
// is gone. The hours are those of the simulated web, so that snapshots have both.
func growingHost(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "growing.warc")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	out, err := warc.NewWriter(f, warc.WriterOptions{Reproducible: true, Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	world, err := simweb.New(time.Now, simweb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	put := func(path, status string, at time.Time, page string) {
		t.Helper()
		if _, err := out.Response("http://growing.test/"+path, at, fmt.Appendf(nil, "HTTP/1.1 %s\r\nContent-Type: text/html\r\n\r\n", status), []byte(page), nil); err != nil {
			t.Fatal(err)
		}
	}
	for hour := range 24 * questionDays {
		at := world.Options().Epoch.Add(time.Duration(hour) * time.Hour)
		index := "<h1>Harbour news</h1><a href='/gone'>Old fares</a>"
		for n := range hour/6 + 1 {
			index += fmt.Sprintf("<p><a href='/article%d'>Report %d of the harbour</a></p>", n, n)
			put(fmt.Sprintf("article%d", n), "200 OK", at, fmt.Sprintf("<h1>Report %d</h1><p>The harbour took in %d ships.</p><a href='/'>All</a>", n, 10+n))
		}
		put("", "200 OK", at, index)
		put("gone", "404 Not Found", at, "<p>There is no such page.</p>")
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

// topicOf forms a topic of the pages, with a period each twelve hours.
func topicOf(ctx context.Context, t *testing.T, db *store.DB, urls []string, from, to time.Time) {
	t.Helper()
	const period = 12 * time.Hour
	next := func(at time.Time) time.Time { return at.Truncate(period).Add(period) }
	topic, err := db.EnsureTopic(ctx, from, store.Topic{Name: "town", Query: "news of the town", Language: "en", Provider: "seeds", Rank: "novel"})
	if err != nil {
		t.Fatal(err)
	}
	set := summarize.Settings{Provider: summarize.Seeds(urls), Next: next}
	runner := summarize.New(db, summarize.Options{Now: func() time.Time { return to }, Patience: -1, Retry: time.Nanosecond})
	if topic, err = runner.Form(ctx, topic, set); err != nil {
		t.Fatal(err)
	}
	for at := from.Truncate(period); at.Before(to); at = next(at) {
		if _, err := runner.Period(ctx, topic, set, at, next(at), false); err != nil {
			t.Fatal(err)
		}
	}
}
