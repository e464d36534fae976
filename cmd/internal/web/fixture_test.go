package web_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

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

// The fixture: pages of the simulated web and pages that attack, captured every
// hour up to half an hour before noon.
const (
	fixturePages = 60 // more than a table has rows
	fixtureHours = 12
	// All captures are of a series too, a snapshot an hour.
	fixtureSeries = "hourly web"
	// In the hours from this on an old page and some new ones have the word tide.
	tideHour = 6
)

// attacks are pages built to run, load or spoof something where they are shown.
// Each %d is the hour, so that every version differs.
var attacks = []struct{ url, contentType, page string }{
	{"http://evil.test/script", "text/html", `<meta name="date" content="2020-01-02"><title>"><script>window.pwned=1</script> %d</title><p>Read <b>this</b> &lt;script&gt;window.pwned=1&lt;/script&gt; and "quotes' &amp; more, hour %d.</p>`},
	{"http://evil.test/<svg onload=window.pwned=1>?q=\"'><img src=x onerror=window.pwned=1>", "text/html", `<title>Address %d</title><p class="x' onclick='window.pwned=1">Nothing to see at hour %d of this long day.</p>`},
	{"http://evil.test/svg", "text/html", `<title>&lt;/title&gt;&lt;svg onload=window.pwned=1&gt;%d</title><svg onload="window.pwned=1"><script>window.pwned=1</script><text>drawn %d</text></svg><div id="&quot; onmouseover=window.pwned=1 x=&quot;">Text of the hour %[2]d stands here and is read.</div>`},
	{"http://evil.test/data", "text/html", `<title>data %d</title><p>Click <a href="data:text/html,<script>window.pwned=1</script>">here %d</a>, <a href="javascript:window.pwned=1">or here</a>, <a href="http://other.test/?a=1&b=<script>">or there %[2]d</a>.</p>`},
	{"http://evil.test/charset", "text/html; charset=utf-7", "<title>+ADw-script+AD4-window.pwned=1 %d</title><p>+ADw-img src=x onerror=window.pwned=1+AD4- at %d o'clock. \u202etxet desrever\u202c \u2066\ufeffend.</p>"},
	{"http://evil.test/lead-byte", "text/html; charset=shift_jis", "<title>\x81</title><p title=\"\x81\" onmouseover=window.pwned=1 x=\"\">Half a letter %d \x81<script>window.pwned=1</script> ends at hour %d.</p>"},
	{"http://evil.test/escape", "text/html; charset=iso-2022-jp", "<title>\x1b$B\x1b(B<script>\x1b(Jwindow.pwned=1</script> %d</title><p>\x1b$B!!\x1b(B</p><p>Escapes of hour %d <img src=x onerror=\x1b(Jwindow.pwned=1>.</p>"},
	{"http://evil.test/template", "text/html", `<title>{{.}} {{template "x"}} %d</title><p>{{printf "%%s" .}} ${window.pwned=1} at hour %d of the test.</p>`},
}

// fixture is a database with pages in it.
type fixture struct {
	*store.DB
	urls []string // of the attacks, canonical
}

// fill imports the pages and measures them.
func fill(t testing.TB, db *store.DB) fixture {
	t.Helper()
	var now time.Time
	world, err := simweb.New(func() time.Time { return now }, simweb.Options{Seed: 3, Size: 2 << 10, Volatile: true, Epoch: noon.Add(-fixtureHours*time.Hour - 30*time.Minute)})
	if err != nil {
		t.Fatal(err)
	}
	start := world.Options().Epoch
	var urls []string
	onHost := map[string]int{}
	for p := range world.Pages(start, start) {
		if p.Kind != simweb.Redirect && !p.Private && onHost[p.Host] < 12 && len(urls) < fixturePages {
			onHost[p.Host]++
			urls = append(urls, p.URL)
		}
	}
	file := filepath.Join(t.TempDir(), "fixture.warc")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	out, err := warc.NewWriter(f, warc.WriterOptions{Reproducible: true, Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	put := func(url string, at time.Time, contentType string, page []byte) {
		t.Helper()
		if _, err := out.Response(url, at, fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nX-Note: <script>window.pwned=1</script>\r\n\r\n", contentType), page, nil); err != nil {
			t.Fatal(err)
		}
	}
	client := &http.Client{Transport: world.Transport()}
	for hour := range fixtureHours {
		now = start.Add(time.Duration(hour) * time.Hour)
		for _, url := range urls {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			res, err := client.Do(req)
			if err != nil {
				continue // the simulated web fails now and then
			}
			body, err := io.ReadAll(res.Body)
			res.Body.Close()
			if err == nil && res.StatusCode == http.StatusOK {
				put(url, now, res.Header.Get("Content-Type"), body)
			}
		}
		for i, a := range attacks {
			page := fmt.Appendf(nil, a.page, hour, hour)
			if i == len(attacks)-1 && hour >= tideHour {
				page = append(page, "<p>The tide of the harbour is high.</p>"...)
			}
			put(a.url, now, a.contentType, page)
		}
		for n := tideHour; n <= hour; n++ {
			put(fmt.Sprintf("http://harbour.test/tide/%d", n), now, "text/html", fmt.Appendf(nil, "<title>Tide %d</title><p>The tide of hour %d came with much water.</p>", n, n))
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	reader := intake.New(canonical.New(canonical.Options{}))
	web, err := db.EnsureSeries(t.Context(), fixtureSeries, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.SetGap(t.Context(), web.ID, 30*time.Minute); err != nil {
		t.Fatal(err)
	}
	if _, err := archive.Import(t.Context(), db, reader, []string{file}, archive.ImportOptions{Series: web.ID}); err != nil {
		t.Fatal(err)
	}
	if _, err := series.Update(t.Context(), db, web.ID, series.Defaults()); err != nil {
		t.Fatal(err)
	}
	if _, err := monitor.New(db, monitor.Options{}).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	fillTopic(t, db)
	fx := fixture{DB: db}
	for _, a := range attacks {
		url, err := reader.Canonical(a.url)
		if err != nil {
			t.Fatal(err)
		}
		fx.urls = append(fx.urls, url)
	}
	due := func(_ string, at time.Time) (time.Time, time.Time, error) {
		return at.Add(10 * time.Minute), at.Add(10 * time.Minute), nil
	}
	if _, err := db.SetWatches(t.Context(), noon, []store.WatchSpec{
		{Name: "all", Category: "News", Config: []byte("{}"), Timing: "t", Every: time.Hour, Pages: slices.Concat(urls, fx.urls), First: due},
	}); err != nil {
		t.Fatal(err)
	}
	fillLoad(t, fx, urls[1])
	return fx
}

// failingHours is for how long a page of the fixture has failed.
const failingHours = 4

// fillLoad makes it look as if all captures had been asked for by the watch, and a page
// had failed since some hours.
func fillLoad(t testing.TB, fx fixture, failing string) {
	t.Helper()
	var lags []store.Lag
	var watch int32
	if err := fx.Pool().QueryRow(t.Context(), `select watch_id from core.watch where name = 'all'`).Scan(&watch); err != nil {
		t.Fatal(err)
	}
	for hour := range fixtureHours {
		for n := range 40 + 7*(hour%5) {
			lags = append(lags, store.Lag{Watch: watch, Kind: store.KindSchedule, Started: noon.Add(time.Duration(hour-fixtureHours)*time.Hour + time.Duration(n)*time.Second), Lag: time.Second})
		}
	}
	if err := fx.Update(t.Context(), func(tx *store.Tx) error { return tx.AddLags(t.Context(), lags) }); err != nil {
		t.Fatal(err)
	}
	page, since := fx.page(t, failing), noon.Add(-failingHours*time.Hour)
	if _, err := fx.Pool().Exec(t.Context(), `update core.page_schedule set failing_since = $2 where page_id = $1`, page, since); err != nil {
		t.Fatal(err)
	}
	if _, err := fx.Pool().Exec(t.Context(), `update core.fetch set kind = 'schedule', due_at = started_at where page_id = $1 and started_at >= $2`, page, since.Add(-2*time.Hour)); err != nil {
		t.Fatal(err)
	}
}

// page returns the number of a page.
func (f fixture) page(t testing.TB, url string) store.PageID {
	t.Helper()
	p, err := f.PageByURL(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	return p.ID
}

// fixtureTopic is a topic with a period an hour, a page that waits for a decision and
// one that left.
const fixtureTopic = "the hours"

func fillTopic(t testing.TB, db *store.DB) {
	t.Helper()
	row, err := db.EnsureTopic(t.Context(), noon, store.Topic{Name: fixtureTopic, Query: "hour OR long", Language: "en", Provider: "archive", Rank: "novel"})
	if err != nil {
		t.Fatal(err)
	}
	run := summarize.New(db, summarize.Options{Now: func() time.Time { return noon }, Patience: -1})
	set := summarize.Settings{Provider: summarize.Archive{DB: db}, Top: 5, Parents: 50, Add: 5, Review: true}
	if row, err = run.Form(t.Context(), row, set); err != nil || row.FormedAt.IsZero() {
		t.Fatalf("topic is not formed: %v, %s", err, row.Note)
	}
	pages, err := db.TopicPages(t.Context(), row.ID)
	if err != nil || len(pages) < 3 {
		t.Fatalf("topic has %d pages: %v", len(pages), err)
	}
	if err := db.LeaveTopic(t.Context(), row.ID, noon.Add(-3*time.Hour), map[store.PageID]string{pages[0].Page: "it was <b>dull</b>"}); err != nil {
		t.Fatal(err)
	}
	for at := noon.Add(-5 * time.Hour); at.Before(noon.Add(-time.Hour)); at = at.Add(time.Hour) {
		if _, err := run.Period(t.Context(), row, set, at, at.Add(time.Hour), true); err != nil {
			t.Fatal(err)
		}
	}
	// As if two terms had burst one period before the last.
	if _, err := db.Pool().Exec(t.Context(), `update core.topic_term set burst_since = $3 where topic_id = $1 and period_start = $2 and rank in (2, 5)`,
		row.ID, noon.Add(-2*time.Hour), noon.Add(-3*time.Hour)); err != nil {
		t.Fatal(err)
	}
	ids, err := db.ResolvePages(t.Context(), []store.Sighting{{URL: "http://evil.test/proposed", At: noon}})
	if err != nil {
		t.Fatal(err)
	}
	waiting := store.TopicPage{Page: ids["http://evil.test/proposed"], AddedBy: store.AddedByGrowth, Reason: "3 of 4 <i>pages</i> link to it", ProposedAt: noon.Add(-time.Hour)}
	if n, err := db.AddTopicPages(t.Context(), row.ID, []store.TopicPage{waiting}); err != nil || n != 1 {
		t.Fatalf("%d pages proposed: %v", n, err)
	}
}
