package web_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// searchesAnswer leafs through results and asks for what is none.
func searchesAnswer(t *testing.T, fx fixture) {
	s := newServer(t, fx.DB, nil)
	next := regexp.MustCompile(`<a rel="next" href="([^"]+)"`)
	row := regexp.MustCompile(`<a href="(/pages/\d+)/versions/\d+" data-row>`)
	for _, first := range []string{"/search?q=the", "/search?q=the&sort=rank", "/search?q=hour+OR+the&series=hourly+web&sort=novelty", "/search?q=hour+OR+the&series=hourly+web&sort=rank"} {
		seen := map[string]bool{}
		pages := 0
		for address := first; address != "" && pages < 10; pages++ {
			body := bodyOf(t, get(t, s, address))
			for _, m := range row.FindAllStringSubmatch(body, -1) {
				if seen[m[1]] && !strings.Contains(first, "series") { // there a page may be new once and have the words newly later
					t.Errorf("%s: %s is listed twice", first, m[1])
				}
				seen[m[1]] = true
			}
			address = ""
			if m := next.FindStringSubmatch(body); m != nil {
				address = html.UnescapeString(m[1])
			}
		}
		if len(seen) < 10 {
			t.Errorf("%s: %d pages on %d, want more", first, len(seen), pages)
		}
	}
	for _, test := range []struct {
		address string
		status  int
		words   string
	}{
		{"/search", 200, "All words must be there"},
		{"/search?q=%22open", 400, "a quotation mark is not closed"},
		{"/search?q=-a", 400, "at least one word has to be looked for"},
		{"/search?q=" + strings.Repeat("x", 2000), 400, "longer than 1000 characters"},
		{"/search?q=nowhereatall", 200, "No version of any page"},
		{"/search?q=a&series=other", 404, "no series of this name"},
		{"/search?q=a&from=2026-02-30", 400, "Dates are written as"},
		{"/search?q=a&sort=size", 400, "sorted by"},
		{"/search?q=a&after=1", 400, "place to go on from"},
		{"/search?q=a&series=hourly+web&snapshot=-1", 400, "snapshot is a number"},
		{"/search?q=a&series=hourly+web&kind=odd", 400, "kinds of pages"},
		{"/search?q=a&series=hourly+web&after=1_2", 400, "place to go on from"},
		{"/search?q=a&from=2026-03-02&to=2026-03-01", 400, "behind the last one"},
		{"/search?q=a&since=yesterday", 400, "Dates are written as"},
		{"/search?q=hour&since=2026-01-01", 200, "data-row"},
		{"/search?q=tide&series=hourly+web&novel=1.5", 400, "from 0 to 1"},
		{"/search?q=tide&series=hourly+web&novel=0", 200, `name="novel" value="0"`},
		{"/search.svg?q=a", 400, "belongs to a series"},
		{"/search.csv?q=%22a&series=hourly+web", 400, "not closed"},
	} {
		r := get(t, s, test.address)
		if body := bodyOf(t, r); r.StatusCode != test.status || !strings.Contains(body, test.words) {
			t.Errorf("GET %.60s: %d %.3000q, want %d with %q", test.address, r.StatusCode, body, test.status, test.words)
		}
	}
	r := get(t, s, "/search.csv?q=the&series=hourly+web")
	if rows := strings.Count(bodyOf(t, r), "\n"); r.StatusCode != http.StatusOK || rows != fixtureHours+1 {
		t.Errorf("CSV: %d with %d rows, want %d", r.StatusCode, rows, fixtureHours+1)
	}
	// From 0 on each page that is not known to be old is novel, none is uncertain; from 1 on
	// hardly one.
	for novel, uncertain := range map[string]bool{"0": false, "1": true} {
		some := false
		for _, row := range csvOf(t, s, "/search.csv?q=tide&series=hourly+web&novel="+novel)[1:] {
			some = some || row[4] != "0" && row[4] != ""
		}
		if some != uncertain {
			t.Errorf("novel=%s: uncertain pages: %v, want %v", novel, some, uncertain)
		}
	}
}
