package web_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/crawler/archive"
	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/crawler/warc"
	"github.com/strandlinehq/strandline/crawler/warc/cdxj"
	"github.com/strandlinehq/strandline/internal/need"
	"github.com/strandlinehq/strandline/monitor/series"
)

// told is a capture as a WARC file tells it.
type told struct {
	url     string // canonical
	at      time.Time
	status  int
	digest  string
	payload []byte
}

// capturesOf reads the captures of a WARC file, without the database: the oracle of
// what the archive protocols have to answer. They come in order of key and time.
func capturesOf(t *testing.T, file string) []told {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := warc.NewReader(f, warc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	form := canonical.New(canonical.Options{})
	payloads := map[string][]byte{}
	var out []told
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if rec.Type != warc.TypeResponse && rec.Type != warc.TypeRevisit {
			continue
		}
		block, whole, err := rec.AppendBlock(nil, 64<<20)
		if err != nil || !whole {
			t.Fatalf("%s: %v", rec.TargetURI, err)
		}
		m, err := warc.ParseHTTP(block)
		if err != nil {
			t.Fatalf("%s: %v", rec.TargetURI, err)
		}
		u, err := form.URL("", rec.TargetURI)
		if err != nil {
			t.Fatalf("%s: %v", rec.TargetURI, err)
		}
		c := told{url: u, at: rec.Date.UTC(), status: m.Status, digest: rec.Header.Get("WARC-Payload-Digest"), payload: m.Payload}
		if rec.Type == warc.TypeRevisit {
			c.payload = payloads[c.digest]
		}
		payloads[c.digest] = c.payload
		if !slices.ContainsFunc(out, func(o told) bool {
			return o.url == c.url && o.at.Equal(c.at) && o.status == c.status && o.digest == c.digest
		}) {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b told) int {
		return cmp.Or(strings.Compare(cdxj.SURT(a.url), cdxj.SURT(b.url)), a.at.Compare(b.at))
	})
	return out
}

// imported returns a server on a database that holds a file, as a series named site
// with a snapshot a day.
func imported(t *testing.T, file string) http.Handler {
	t.Helper()
	db := open(t)
	site, err := db.EnsureSeries(t.Context(), "site", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.SetGap(t.Context(), site.ID, 24*time.Hour); err != nil {
		t.Fatal(err)
	}
	if _, err := archive.Import(t.Context(), db, intake.New(canonical.New(canonical.Options{})), []string{file}, archive.ImportOptions{Series: site.ID}); err != nil {
		t.Fatal(err)
	}
	if _, err := series.Update(t.Context(), db, site.ID, series.Defaults()); err != nil {
		t.Fatal(err)
	}
	return newServer(t, db, nil)
}

// TestRealHistories holds the Memento and CDX answers on real pages against the WARC
// files that they came in, and weighs the pages of a series.
func TestRealHistories(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		every int // one page of so many is asked for
	}{{"terms-demo", 1}, {"site-flink", 40}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := need.Corpus(t, tt.name)[0]
			captures := capturesOf(t, file)
			s := imported(t, file)
			pages := map[string][]told{}
			for _, c := range captures {
				pages[c.url] = append(pages[c.url], c)
			}
			n := 0
			for u, list := range pages {
				if n++; n%tt.every == 0 {
					mementosAre(t, s, u, list)
				}
			}
			cdxIs(t, s, captures)
			if tt.name == "site-flink" {
				siteIsLight(t, s)
			}
		})
	}
}

// mementosAre wants the TimeGate, the TimeMaps and the captures of a page to tell its
// history (RFC 7089).
func mementosAre(t *testing.T, s http.Handler, page string, history []told) {
	t.Helper()
	var times []time.Time // seconds
	first := map[time.Time]told{}
	for _, c := range history {
		second := c.at.Truncate(time.Second)
		if _, ok := first[second]; !ok {
			first[second], times = c, append(times, second)
		}
	}
	begin, end := times[0], times[len(times)-1]

	// TimeMaps (section 5) list each memento once, in both forms.
	r := get(t, s, "/timemap/link/"+page)
	links := parseLinks(t, bodyOf(t, r))
	if r.StatusCode != http.StatusOK || r.Header.Get("Content-Type") != "application/link-format" || len(withRel(links, "original")) != 1 || withRel(links, "original")[0].uri != page ||
		len(withRel(links, "timegate")) != 1 {
		t.Fatalf("TimeMap of %s: %d %v", page, r.StatusCode, r.Header)
	}
	self := withRel(links, "self")
	if len(self) != 1 || self[0].params["type"] != "application/link-format" || self[0].params["from"] != begin.Format(http.TimeFormat) || self[0].params["until"] != end.Format(http.TimeFormat) {
		t.Errorf("TimeMap of %s: self %v", page, self)
	}
	wantMemento(t, "TimeMap of "+page, links, "first", begin)
	wantMemento(t, "TimeMap of "+page, links, "last", end)
	var got []string
	for _, l := range withRel(links, "memento") {
		got = append(got, l.params["datetime"])
	}
	var want []string
	for _, at := range times {
		want = append(want, at.Format(http.TimeFormat))
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("TimeMap of %s (-want +got):\n%s", page, diff)
	}
	var j struct {
		Original string `json:"original_uri"`
		Mementos struct {
			First, Last struct{ Datetime time.Time }
			List        []struct {
				Datetime time.Time
				URI      string
			}
		}
	}
	if err := json.Unmarshal([]byte(bodyOf(t, get(t, s, "/timemap/json/"+page))), &j); err != nil {
		t.Fatal(err)
	}
	var listed []time.Time
	for _, m := range j.Mementos.List {
		listed = append(listed, m.Datetime)
	}
	if diff := gocmp.Diff(times, listed); diff != "" || j.Original != page || !j.Mementos.First.Datetime.Equal(begin) || !j.Mementos.Last.Datetime.Equal(end) {
		t.Errorf("TimeMap of %s as JSON (-want +got):\n%s", page, diff)
	}

	// Each memento is what was captured, with its datetime and its links (section 4).
	for i, l := range withRel(links, "memento") {
		if i%max(1, len(times)/8) != 0 {
			continue
		}
		u, err := url.Parse(l.uri)
		if err != nil {
			t.Fatal(err)
		}
		c := first[times[i]]
		m := get(t, s, u.RequestURI())
		if body := bodyOf(t, m); m.StatusCode != c.status || body != string(c.payload) || m.Header.Get("Memento-Datetime") != times[i].Format(http.TimeFormat) {
			t.Errorf("memento %s: %d, %d bytes, want %d bytes; %s", l.uri, m.StatusCode, len(body), len(c.payload), m.Header.Get("Memento-Datetime"))
		}
		neighbours(t, l.uri, m, page, times, i)
	}

	// The TimeGate leads to the nearest one, of two as near to the older.
	var ask []time.Time
	for i, at := range times {
		if i%max(1, len(times)/8) == 0 {
			ask = append(ask, at, at.Add(time.Second), at.Add(-time.Second))
			if i > 0 {
				half := at.Sub(times[i-1]) / 2
				ask = append(ask, times[i-1].Add(half), times[i-1].Add(half+time.Second))
			}
		}
	}
	for _, at := range append(ask, begin.AddDate(-20, 0, 0), end.AddDate(20, 0, 0)) {
		at = at.Truncate(time.Second)
		nearest := 0
		for i := range times {
			if at.Sub(times[i]).Abs() < at.Sub(times[nearest]).Abs() {
				nearest = i
			}
		}
		gateLeads(t, s, page, at.Format(http.TimeFormat), times, nearest)
	}
	gateLeads(t, s, page, "", times, len(times)-1) // without a date the newest (4.1.1)
}

// gateLeads wants the TimeGate to lead to a memento, by GET and by HEAD.
func gateLeads(t *testing.T, s http.Handler, page, date string, times []time.Time, i int) {
	t.Helper()
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		req := httptest.NewRequest(method, "http://localhost/timegate/"+page, http.NoBody)
		if date != "" {
			req.Header.Set("Accept-Datetime", date)
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, req)
		h := w.Header()
		want := "http://localhost/web/" + times[i].Format("20060102150405") + "id_/" + page
		if w.Code != http.StatusFound || h.Get("Location") != want || h.Get("Vary") != "accept-datetime" || h.Get("Memento-Datetime") != "" || w.Body.Len() > 0 {
			t.Errorf("%s TimeGate of %s at %q: %d %v, want %s", method, page, date, w.Code, h, want)
			continue
		}
		neighbours(t, "TimeGate at "+date, w.Result(), page, times, i)
	}
}

// neighbours checks the Link field of an answer about the i-th memento.
func neighbours(t *testing.T, what string, r *http.Response, page string, times []time.Time, i int) {
	t.Helper()
	if n := len(r.Header.Values("Link")); n != 1 {
		t.Fatalf("%s: %d Link fields", what, n)
	}
	links := parseLinks(t, r.Header.Get("Link"))
	original, gate := withRel(links, "original"), withRel(links, "timegate")
	if len(original) != 1 || original[0].uri != page || len(gate) != 1 || gate[0].uri != "http://localhost/timegate/"+page {
		t.Errorf("%s: original %v, timegate %v", what, original, gate)
	}
	maps := withRel(links, "timemap")
	if len(maps) != 2 || maps[0].params["type"] != "application/link-format" || maps[0].params["from"] != times[0].Format(http.TimeFormat) ||
		maps[0].params["until"] != times[len(times)-1].Format(http.TimeFormat) || maps[1].params["type"] != "application/json" {
		t.Errorf("%s: timemaps %v", what, maps)
	}
	wantMemento(t, what, links, "first", times[0])
	wantMemento(t, what, links, "last", times[len(times)-1])
	if i > 0 {
		wantMemento(t, what, links, "prev", times[i-1])
	} else if len(withRel(links, "prev")) != 0 {
		t.Errorf("%s: something is before the first", what)
	}
	if i < len(times)-1 {
		wantMemento(t, what, links, "next", times[i+1])
	} else if len(withRel(links, "next")) != 0 {
		t.Errorf("%s: something is behind the last", what)
	}
}

// cdxIs wants the CDX server to tell the captures, whatever is asked for.
func cdxIs(t *testing.T, s http.Handler, captures []told) {
	t.Helper()
	line := func(c told) string {
		return fmt.Sprintf("%s %s %s %d %s", cdxj.SURT(c.url), c.at.Format("20060102150405"), c.url, c.status, c.digest)
	}
	var hosts []string
	byHost := map[string]string{} // a host of its own for each registrable domain of two labels
	for _, c := range captures {
		u, err := url.Parse(c.url)
		if err != nil {
			t.Fatal(err)
		}
		if byHost[u.Hostname()] == "" {
			byHost[u.Hostname()] = c.url
			hosts = append(hosts, u.Hostname())
		}
	}
	middle := captures[len(captures)/2]
	day := func(c told) string { return c.at.Format("20060102") }
	bare := func(u string) string {
		_, rest, _ := strings.Cut(u, "://")
		return strings.TrimPrefix(rest, "www.")
	}
	hostOf := func(u string) string { h, _, _ := strings.Cut(bare(u), "/"); return h }
	type question struct {
		parameters string
		fits       func(told) bool
		digests    bool
	}
	same := func(c told) bool { return cdxj.SURT(c.url) == cdxj.SURT(middle.url) }
	questions := []question{
		{"url=" + url.QueryEscape(middle.url), same, false},
		{"url=" + url.QueryEscape(middle.url) + "&collapse=digest", same, true},
		{"url=" + url.QueryEscape(middle.url) + "&from=" + day(middle), func(c told) bool { return same(c) && day(c) >= day(middle) }, false},
		{"url=" + url.QueryEscape(middle.url) + "&to=" + day(middle), func(c told) bool { return same(c) && day(c) <= day(middle) }, false},
		{
			"url=" + url.QueryEscape(middle.url) + "&from=" + middle.at.Format("20060102150405") + "&to=" + middle.at.Format("20060102150405"),
			func(c told) bool { return same(c) && c.at.Truncate(time.Second).Equal(middle.at.Truncate(time.Second)) }, false,
		},
		{"url=" + url.QueryEscape(middle.url) + "&matchType=prefix", func(c told) bool { return strings.HasPrefix(bare(c.url), bare(middle.url)) }, false},
	}
	for _, h := range hosts {
		host := strings.TrimPrefix(h, "www.")
		questions = append(questions,
			question{"url=" + h + "&matchType=host", func(c told) bool { return hostOf(c.url) == host }, false},
			question{"url=" + h + "&matchType=host&collapse=digest", func(c told) bool { return hostOf(c.url) == host }, true},
			question{"url=" + h + "&matchType=domain", func(c told) bool { return hostOf(c.url) == host || strings.HasSuffix(hostOf(c.url), "."+host) }, false})
	}
	for _, q := range questions {
		var want []string
		key, seen := "", ""
		for _, c := range captures {
			if !q.fits(c) {
				continue
			}
			k := cdxj.SURT(c.url)
			if q.digests && k == key && c.digest == seen {
				continue
			}
			key, seen = k, c.digest
			want = append(want, line(c))
		}
		if len(want) == 0 {
			t.Fatalf("nothing answers %s", q.parameters)
		}
		for _, limit := range []int{10000, max(2, len(want)/3)} {
			for _, byLink := range []bool{true, false} {
				got := cdxLines(t, s, q.parameters, limit, byLink)
				slices.Sort(got) // captures of one key and second have no order of their own
				slices.Sort(want)
				if diff := gocmp.Diff(want, got); diff != "" {
					t.Errorf("/cdx?%s&limit=%d (-want +got):\n%.2000s", q.parameters, limit, diff)
				}
			}
		}
	}
}

// cdxLines reads an answer to its end, by the Link field or by the resume keys that
// stand in it, and wants its lines to be in order.
func cdxLines(t *testing.T, s http.Handler, parameters string, limit int, byLink bool) (out []string) {
	t.Helper()
	address := fmt.Sprintf("/cdx?%s&limit=%d", parameters, limit)
	if !byLink {
		address += "&showResumeKey=true"
	}
	before := ""
	for ask := address; ask != ""; {
		r := get(t, s, ask)
		body := bodyOf(t, r)
		if r.StatusCode != http.StatusOK {
			t.Fatalf("GET %s: %d %s", ask, r.StatusCode, body)
		}
		body, key, more := strings.Cut(body, "\n\n")
		ask = ""
		if more {
			ask = address + "&resumeKey=" + url.QueryEscape(strings.TrimSpace(key))
		}
		if byLink {
			if m := regexp.MustCompile(`^<http://localhost([^>]*)>; rel="next"$`).FindStringSubmatch(r.Header.Get("Link")); m != nil {
				ask = m[1]
			}
		}
		for one := range strings.Lines(body) {
			head, block, ok := strings.Cut(strings.TrimSpace(one), "{")
			var e struct{ URL, Status, Digest string }
			if err := json.Unmarshal([]byte("{"+block), &e); err != nil || !ok {
				t.Fatalf("no line of an index: %q", one)
			}
			if head < before {
				t.Errorf("%s: %q behind %q", parameters, head, before)
			}
			before = head
			out = append(out, head+e.URL+" "+e.Status+" "+e.Digest)
		}
	}
	return out
}

// TestLongTimeMap leafs through the TimeMaps of a page with more mementos than one
// of them lists.
func TestLongTimeMap(t *testing.T) {
	t.Parallel()
	const captures = 4100
	const page = "http://long.test/"
	start := noon.AddDate(-1, 0, 0)
	file := filepath.Join(t.TempDir(), "long.warc")
	var b bytes.Buffer
	out, err := warc.NewWriter(&b, warc.WriterOptions{Reproducible: true, Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range captures {
		// Every tenth shares its second with the one before.
		at := start.Add(time.Duration(i) * time.Hour)
		if i%10 == 9 {
			at = start.Add(time.Duration(i-1)*time.Hour + time.Millisecond)
		}
		if _, err := out.Response(page, at, []byte("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"), []byte("<p>Always the same."), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	s := imported(t, file)
	var want []time.Time
	for i := range captures {
		if i%10 != 9 {
			want = append(want, start.Add(time.Duration(i)*time.Hour).Truncate(time.Second))
		}
	}
	// A list of captures that is read in parts goes on behind those that fell together.
	for _, collapse := range []string{"digest", "timestamp:8"} {
		if diff := gocmp.Diff(cdxLines(t, s, "url="+page+"&collapse="+collapse, 10000, true), cdxLines(t, s, "url="+page+"&collapse="+collapse, 10, true)); diff != "" {
			t.Errorf("collapsed by %s, at once and in parts: %s", collapse, diff)
		}
	}
	for _, form := range []string{"link", "json"} {
		var got []time.Time
		pages := 0
		for address := "/timemap/" + form + "/" + page; address != ""; pages++ {
			body := bodyOf(t, get(t, s, address))
			address = ""
			if form == "json" {
				var j struct {
					Mementos struct {
						List []struct{ Datetime time.Time }
					}
					Next *struct {
						From time.Time
						URI  string
					}
				}
				if err := json.Unmarshal([]byte(body), &j); err != nil {
					t.Fatal(err)
				}
				for _, m := range j.Mementos.List {
					got = append(got, m.Datetime)
				}
				if j.Next != nil {
					address = strings.TrimPrefix(j.Next.URI, "http://localhost")
				}
				continue
			}
			links := parseLinks(t, body)
			for _, l := range withRel(links, "memento") {
				at, err := time.Parse(http.TimeFormat, l.params["datetime"])
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, at.UTC())
			}
			for _, l := range withRel(links, "timemap") {
				if from, err := time.Parse(http.TimeFormat, l.params["from"]); err != nil || !from.After(got[len(got)-1]) || l.params["until"] != want[len(want)-1].Format(http.TimeFormat) {
					t.Errorf("the next TimeMap is from %s until %s", l.params["from"], l.params["until"])
				}
				address = strings.TrimPrefix(l.uri, "http://localhost")
			}
			if first := withRel(links, "first"); (pages == 0) != (len(first) == 1) {
				t.Errorf("TimeMap %d has first %v", pages, first)
			}
			if last := withRel(links, "last"); (address == "") != (len(last) == 1) {
				t.Errorf("TimeMap %d has last %v", pages, last)
			}
		}
		if diff := gocmp.Diff(want, got); diff != "" || pages < 2 {
			t.Errorf("%s: %d TimeMaps (-want +got):\n%s", form, pages, diff)
		}
	}
}
