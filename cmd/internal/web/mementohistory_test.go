package web_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/crawler/warc"
)

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
