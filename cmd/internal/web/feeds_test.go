package web_test

import (
	"encoding/xml"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/cmd/internal/atom"
)

// document is what the tests read of a feed.
type document struct {
	ID    string `xml:"id"`
	Links []struct {
		Rel  string `xml:"rel,attr"`
		Href string `xml:"href,attr"`
	} `xml:"link"`
	Entries []struct {
		ID      string `xml:"id"`
		Updated string `xml:"updated"`
		Content string `xml:"content"`
		Links   []struct {
			Rel  string `xml:"rel,attr"`
			Href string `xml:"href,attr"`
		} `xml:"link"`
	} `xml:"entry"`
}

// feedsAreValid reads the feeds to their ends: valid, each change once and in
// order, the sentences in them as text, and 304 for who has them.
func feedsAreValid(t *testing.T, fx fixture) {
	s := newServer(t, fx.DB, nil)
	for _, start := range []string{"/feeds/all.atom", "/feeds/watch/all.atom", "/feeds/all.atom?significance=0.01"} {
		seen, last, pages := map[string]bool{}, "9999", 0
		for address := start; address != ""; pages++ {
			r := get(t, s, address)
			body := bodyOf(t, r)
			if r.StatusCode != http.StatusOK || r.Header.Get("Content-Type") != atom.ContentType {
				t.Fatalf("GET %s: %d %s %.300s", address, r.StatusCode, r.Header.Get("Content-Type"), body)
			}
			if err := atom.Check([]byte(body)); err != nil {
				t.Fatalf("GET %s: %v", address, err)
			}
			if again := get(t, s, address, "If-None-Match", r.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
				t.Errorf("GET %s with its tag: %d", address, again.StatusCode)
			}
			var d document
			if err := xml.Unmarshal([]byte(body), &d); err != nil {
				t.Fatal(err)
			}
			for _, e := range d.Entries {
				if seen[e.ID] {
					t.Errorf("%s: %s twice", start, e.ID)
				}
				if e.Updated > last {
					t.Errorf("%s: %s after %s", start, e.Updated, last)
				}
				seen[e.ID], last = true, e.Updated
				if pages == 0 {
					for _, f := range active(t, strings.ReplaceAll(e.Content, `href="http://localhost/`, `href="/`)) {
						t.Errorf("%s: %s", start, f)
					}
					for _, l := range e.Links {
						if l.Rel != "alternate" {
							continue
						}
						if r := get(t, s, strings.TrimPrefix(l.Href, "http://localhost")); r.StatusCode != http.StatusOK {
							t.Errorf("link %s: %d", l.Href, r.StatusCode)
						}
					}
				}
			}
			address = ""
			for _, l := range d.Links {
				if l.Rel == "next" {
					address = strings.TrimPrefix(l.Href, "http://localhost")
				}
			}
		}
		if pages < 2 || len(seen) < 60 {
			t.Errorf("%s: %d changes on %d pages", start, len(seen), pages)
		}
	}
	if diff := cmp.Diff(bodyOf(t, get(t, s, "/feeds/all.atom")), bodyOf(t, get(t, newServer(t, fx.DB, nil), "/feeds/all.atom"))); diff != "" {
		t.Errorf("another server gives another feed:\n%s", diff)
	}
	for address, want := range map[string]int{
		"/feeds/watch/none.atom": 404, "/feeds/watch/all": 404, "/feeds/all.atom?after=x": 400, "/feeds/all.atom?after=1_2_99999999999": 400,
		"/feeds/all.atom?significance=2": 400, "/feeds/all.atom?significance=NaN": 400,
	} {
		if r := get(t, s, address); r.StatusCode != want || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/plain") {
			t.Errorf("GET %s: %d %s, want %d as text", address, r.StatusCode, r.Header.Get("Content-Type"), want)
		}
	}
}
