package archive_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/crawler/archive"
	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/fetch"
	"github.com/strandlinehq/strandline/crawler/gate"
	"github.com/strandlinehq/strandline/crawler/warc/cdxj"
	"github.com/strandlinehq/strandline/store"
)

// otherArchive answers for raw captures under /web/TIMEid_/URL, and counts what
// it is asked.
type otherArchive struct {
	answer func(w http.ResponseWriter, stamp, url string)

	mu    sync.Mutex
	asked map[string]int
}

func (o *otherArchive) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rest, ok := strings.CutPrefix(r.URL.RequestURI(), "/web/")
	stamp, url, found := strings.Cut(rest, "id_/")
	if !ok || !found {
		http.NotFound(w, r) // robots.txt
		return
	}
	o.mu.Lock()
	o.asked[stamp+" "+url]++
	o.mu.Unlock()
	o.answer(w, stamp, url)
}

// remote starts an archive and gives what asks it.
func remote(t *testing.T, answer func(w http.ResponseWriter, stamp, url string)) (*archive.Remote, *otherArchive) {
	t.Helper()
	other := &otherArchive{answer: answer, asked: map[string]int{}}
	server := httptest.NewServer(other)
	t.Cleanup(server.Close)
	clk := clock.NewScaled(time.Now(), 1e6)
	fetcher, err := fetch.New(fetch.Options{
		UserAgent: "test/1.0", Gate: gate.New(gate.Options{Connections: 1, Delay: -1}),
		AllowNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		Clock:         clk,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(fetcher.Close)
	return &archive.Remote{
		Template: server.URL + "/web/{timestamp}id_/{url}",
		Get: func(ctx context.Context, address string) fetch.Result {
			return fetcher.Fetch(ctx, fetch.Request{URL: address})
		},
		Dir: t.TempDir(), Clock: clk,
	}, other
}

// TestIndexOfAnotherArchive imports a database of ours through its index and raw
// captures into a second one: they hold the same histories afterwards.
func TestIndexOfAnotherArchive(t *testing.T) {
	t.Parallel()
	from, into := open(t), open(t)
	one, two := text("one word"), text("two words")
	load(t, from, archive.ImportOptions{}, keep(t, "a.warc.gz", members(page(a, "01", one), page(a, "02", one), page(a, "03", two),
		page(a, "04", one), page(b+"?q=1&r=/x//y", "05", two))))

	payloads := map[string][]byte{}
	if err := from.EachCapture(t.Context(), store.Selection{}, func(c store.CaptureRow) error {
		body, err := from.Payload(t.Context(), c)
		payloads[c.At.Format(cdxj.TimeLayout)+" "+c.URL] = body
		return err
	}); err != nil {
		t.Fatal(err)
	}
	r, other := remote(t, func(w http.ResponseWriter, stamp, url string) {
		body, ok := payloads[stamp+" "+url]
		if !ok {
			http.Error(w, "no such capture", http.StatusNotFound)
			return
		}
		at, _ := time.Parse(cdxj.TimeLayout, stamp)
		w.Header().Set("Memento-Datetime", at.Format(http.TimeFormat))
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("X-Archive-Orig-Content-Type", "text/html")
		_, _ = w.Write(body)
	})
	report, err := archive.Export(t.Context(), from, io.Discard, archive.ExportOptions{Filename: "x.warc.gz", Index: true})
	if err != nil {
		t.Fatal(err)
	}
	var index bytes.Buffer
	for _, e := range report.Index {
		line, err := e.AppendTo(nil)
		if err != nil {
			t.Fatal(err)
		}
		index.Write(line)
	}
	entries, bad, err := archive.ReadIndex(&index)
	if err != nil || len(bad) > 0 {
		t.Fatal(err, bad)
	}
	got, err := r.ImportIndex(t.Context(), into, reader(), entries, archive.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(seen(t, from), seen(t, into)); diff != "" {
		t.Errorf("histories differ (-there +here):\n%s", diff)
	}
	if got.Fetched != 3 || got.Repeats != 2 || got.Differs != 0 {
		t.Errorf("fetched %d, repeats %d, differ %d; want 3, 2, 0", got.Fetched, got.Repeats, got.Differs)
	}

	// A second time nothing is asked for.
	clear(other.asked)
	again, err := r.ImportIndex(t.Context(), into, reader(), entries, archive.ImportOptions{})
	if err != nil || again.Known != len(entries) || len(other.asked) > 0 {
		t.Errorf("again: %+v, %v, asked %v", again, err, other.asked)
	}
}

// TestIndexOfAnUnwillingArchive meets all that an archive can answer but the
// capture.
func TestIndexOfAnUnwillingArchive(t *testing.T) {
	t.Parallel()
	db := open(t)
	busy := 0
	r, _ := remote(t, func(w http.ResponseWriter, stamp, url string) {
		switch stamp[12:] {
		case "01": // busy, then willing
			if busy++; busy < 3 {
				w.Header().Set("Retry-After", "30")
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
			fmt.Fprint(w, "<p>one word")
		case "02":
			w.Header().Set("Memento-Datetime", "Tue, 01 Dec 2015 00:00:00 GMT")
			fmt.Fprint(w, "<p>of another time")
		case "03":
			http.Error(w, "lost", http.StatusInternalServerError)
		default:
			fmt.Fprint(w, "<p>two words")
		}
	})
	var why []string
	r.Failed = func(e cdxj.Entry, reason string) { why = append(why, e.Time.Format("05")+" "+reason) }
	line := func(second, rest string) string {
		return fmt.Sprintf(`test,a)/page 201601010000%s {"url": "%s", "mime": "text/html"%s}`+"\n", second, a, rest)
	}
	entries, bad, err := archive.ReadIndex(strings.NewReader("!OpenWayback-CDXJ 1.0\n" +
		line("06", `, "status": "200"`) + line("01", `, "status": "200"`) + line("02", `, "status": "200"`) + line("03", `, "status": "200"`) +
		line("04", `, "status": "302"`) + line("05", `, "status": "404"`) + "nonsense\n" + `test,a)/ 20160101000000 {"mime": "text/html"}` + "\n"))
	if err != nil || len(bad) != 2 || len(entries) != 6 {
		t.Fatalf("%d entries, bad lines %v, %v", len(entries), bad, err)
	}
	got, err := r.ImportIndex(t.Context(), db, reader(), entries, archive.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got.Import = archive.Report{}
	want := archive.RemoteReport{Entries: 6, Fetched: 2, Errors: 1, Redirects: 1, Others: 1, Failed: 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	if len(why) != 1 || !strings.HasPrefix(why[0], "03 ") || !strings.Contains(why[0], "500") {
		t.Errorf("failures: %q", why)
	}
	want2 := []string{
		"00 http://a.test/page 200 new v1: one word", "00 http://a.test/page 404 error",
		"00 http://a.test/page 200 changed v2: two words",
	}
	if diff := cmp.Diff(want2, seen(t, db)); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
}

// TestIndexOfAnArchiveThatIsAway stops early, keeps what came, and says how to go on.
func TestIndexOfAnArchiveThatIsAway(t *testing.T) {
	t.Parallel()
	db := open(t)
	r, other := remote(t, func(w http.ResponseWriter, stamp, _ string) {
		if stamp[10:] == "0000" {
			fmt.Fprint(w, "<p>one word")
			return
		}
		w.WriteHeader(http.StatusBadGateway)
	})
	var index strings.Builder
	for i := range 200 {
		fmt.Fprintf(&index, `test,a)/page 2016010100%02d%02d {"url": "%s", "status": 200}`+"\n", i/60, i%60, a)
	}
	entries, _, err := archive.ReadIndex(strings.NewReader(index.String()))
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.ImportIndex(t.Context(), db, reader(), entries, archive.ImportOptions{})
	if err == nil || !strings.Contains(err.Error(), "run the import again") {
		t.Errorf("error %v", err)
	}
	if got.Fetched != 1 || got.Failed != 20 || len(other.asked) > 21 || len(seen(t, db)) != 1 {
		t.Errorf("%+v, asked %d, stored %q", got, len(other.asked), seen(t, db))
	}
}

func TestReadIndexRefuses(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{
		"empty": "", "html": "<html>\n<p>no index\n", "gzip cut short": "\x1f\x8b\x08",
		"long line": strings.Repeat("x", cdxj.MaxLine+1), "headers only": "!x\n",
	} {
		if _, _, err := archive.ReadIndex(strings.NewReader(file)); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	for _, template := range []string{"", "https://a.test/{url}", "ftp://a.test/{timestamp}/{url}", "{timestamp}{url}"} {
		if archive.CheckTemplate(template) == nil {
			t.Errorf("template %q taken", template)
		}
	}
	if err := archive.CheckTemplate("https://a.test/web/{timestamp}id_/{url}"); err != nil {
		t.Error(err)
	}
}
