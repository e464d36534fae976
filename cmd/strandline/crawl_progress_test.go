package main

import (
	"bytes"
	"io"
	"log/slog"
	"regexp"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/store"
)

// TestCrawlProgress: who waits for a crawl hears how far it is, that it waits, and at the
// end why hosts were left.
func TestCrawlProgress(t *testing.T) {
	t.Parallel()
	db := emptyDatabase(t)
	o := &opened{DB: db}
	now := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	row, err := db.EnsureSeries(t.Context(), "web", nil)
	if err != nil {
		t.Fatal(err)
	}
	var seen []store.Sighting
	for _, host := range []string{"a", "b", "c"} {
		seen = append(seen, store.Sighting{URL: "http://" + host + ".test/", At: now})
	}
	pages, err := db.ResolvePages(t.Context(), seen)
	if err != nil {
		t.Fatal(err)
	}
	begin := store.Begin{Series: row.ID, At: now}
	for _, p := range pages {
		begin.Seeds = append(begin.Seeds, store.Find{Page: p})
	}
	id, err := db.BeginSnapshot(t.Context(), begin)
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	p := newCrawlProgress(&app{stdout: io.Discard, stderr: &stderr, log: slog.New(slog.DiscardHandler)}, "web")
	if err := p.look(t.Context(), o, id); err != nil || stderr.Len() > 0 {
		t.Errorf("at once: %q, %v", stderr.String(), err)
	}
	p.every = 0
	if err := p.look(t.Context(), o, id); err != nil {
		t.Fatal(err)
	}
	if want := regexp.MustCompile(`^series web: 0 pages of 0 URLs tried on 3 hosts, depth 0, 0\.0 pages/s; no host may be asked just now .*\n$`); !want.MatchString(stderr.String()) {
		t.Errorf("it says %q", stderr.String())
	}
	stderr.Reset()
	hosts, err := db.FrontierHosts(t.Context(), id, everyBucket())
	if err != nil {
		t.Fatal(err)
	}
	for i, reason := range []string{"unreachable", "unreachable", "pages"} {
		if err := db.CloseHost(t.Context(), id, hosts[i].ID, reason); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.look(t.Context(), o, id); err != nil {
		t.Fatal(err)
	}
	if want := regexp.MustCompile(`, 3 hosts left`); !want.MatchString(stderr.String()) {
		t.Errorf("it says %q", stderr.String())
	}
	left, err := db.HostsLeft(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := leftInWords(left), "3 hosts left early: 1 had their share of pages, 2 did not answer"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := leftInWords(nil); got != "" {
		t.Errorf("no host was left: %q", got)
	}
}
