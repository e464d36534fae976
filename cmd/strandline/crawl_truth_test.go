package main

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/fetch"
	"github.com/strandlinehq/strandline/crawler/gate"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/crawler/simweb"
	"github.com/strandlinehq/strandline/crawler/snapshot"
	"github.com/strandlinehq/strandline/monitor/series"
	"github.com/strandlinehq/strandline/store"
)

// partly serves a simulated web of which some hosts do not answer.
type partly struct {
	http.RoundTripper
	away func(host string) bool
}

func (p partly) RoundTrip(r *http.Request) (*http.Response, error) {
	if p.away(r.URL.Hostname()) {
		return nil, errors.New("the host does not answer")
	}
	return p.RoundTripper.RoundTrip(r)
}

// TestNoveltyAgainstTruth crawls a simulated web with births and deaths six times,
// each time without another 30 % of its hosts, and holds the pages judged novel
// against those that were born since the snapshot before. Last-Modified and dates
// stay unused, as the paper evaluates them (SCIENCE T7, T9).
func TestNoveltyAgainstTruth(t *testing.T) {
	t.Parallel()
	clk := clock.NewManual(time.Date(2025, 7, 1, 0, 0, 0, 0, time.UTC))
	world, err := simweb.New(clk.Now, simweb.Options{
		Seed: 5, Hosts: 20, PagesPerHost: 60, Size: 2 << 10, Births: 0.4, PlainRobots: true, EnglishOnly: true, ArticlesPerDay: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), newDatabase(t), store.Options{MaxConns: 6})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	var round atomic.Uint64
	web := partly{world.Transport(), func(host string) bool {
		// A hash of host and round, so that each round misses others.
		h := uint64(14695981039346656037) + 977*round.Load()
		for _, c := range []byte(host) {
			h = (h ^ uint64(c)) * 1099511628211
		}
		h ^= h >> 29
		return (h*0x9e3779b97f4a7c15)>>32%10 < 3
	}}
	s := snapshot.Series{Name: "s", Seeds: world.Homes(), Scope: snapshot.Scope{Sites: []string{"test"}}, Config: []byte("{}")}
	var judgedNew, truly int
	judged, right := map[float64]int{}, map[float64]int{}
	thresholds := []float64{0.01, 0.1, 0.3, 0.5, 0.7}
	var before time.Time
	for k := range 6 {
		round.Store(uint64(k))
		at := clk.Now()
		crawlOnce(t, db, clk, web, s)
		row, err := db.SeriesByName(t.Context(), "s")
		if err != nil {
			t.Fatal(err)
		}
		all, err := series.Update(t.Context(), db, row.ID, series.Defaults())
		if err != nil {
			t.Fatal(err)
		}
		last := all[len(all)-1]
		if last.L2+last.OldOther+last.Unidentified != last.Pages {
			t.Errorf("snapshot %d: %d + %d + %d pages, want %d", last.Number, last.L2, last.OldOther, last.Unidentified, last.Pages)
		}
		if k > 0 {
			born := map[string]time.Time{}
			for p := range world.Pages(before.AddDate(-30, 0, 0), at.Add(time.Hour)) {
				born[p.URL] = p.Born
			}
			rows, err := db.Pool().Query(t.Context(), `
				select p.url, v.novelty from core.snapshot_novelty v join core.page p using (page_id, bucket)
				where v.snapshot_id = $1 and v.class = 'U'`, last.ID)
			if err != nil {
				t.Fatal(err)
			}
			for rows.Next() {
				var url string
				var novelty float64
				if err := rows.Scan(&url, &novelty); err != nil {
					t.Fatal(err)
				}
				isNew := born[url].After(before)
				judgedNew++
				if isNew {
					truly++
				}
				for _, threshold := range thresholds {
					if novelty >= threshold {
						judged[threshold]++
						if isNew {
							right[threshold]++
						}
					}
				}
			}
			if rows.Err() != nil {
				t.Fatal(rows.Err())
			}
		}
		before = at
		clk.Advance(14 * 24 * time.Hour)
	}
	baseline := float64(truly) / float64(judgedNew)
	t.Logf("baseline: %d of %d pages first seen are new, precision %.3f", truly, judgedNew, baseline)
	for _, threshold := range thresholds {
		precision, recall := float64(right[threshold])/float64(max(judged[threshold], 1)), float64(right[threshold])/float64(truly)
		t.Logf("threshold %.2f: %d judged, precision %.3f, recall %.3f", threshold, judged[threshold], precision, recall)
		if judged[threshold] > 0 && precision < baseline+0.1 {
			t.Errorf("threshold %.2f: precision %.3f, want at least %.3f", threshold, precision, baseline+0.1)
		}
	}
	if judgedNew < 100 || judged[0.1] < 30 {
		t.Errorf("%d pages, %d of them judged novel: too few to say anything", judgedNew, judged[0.1])
	}
}

// crawlOnce takes a snapshot.
func crawlOnce(t *testing.T, db *store.DB, clk clock.Clock, web http.RoundTripper, s snapshot.Series) {
	t.Helper()
	g := gate.New(gate.Options{Delay: -1, BreakFor: time.Nanosecond, MaxBackoff: time.Nanosecond, Backoff: time.Nanosecond})
	f, err := fetch.New(fetch.Options{UserAgent: "strandline-test/1.0", Gate: g, Clock: clk, Transport: web})
	if err != nil {
		t.Fatal(err)
	}
	keeper, err := snapshot.NewKeeper(t.Context(), db, clk)
	if err != nil {
		t.Fatal(err)
	}
	crawler := snapshot.New(db, f, g, intake.New(canonical.New(canonical.Options{})), clk, keeper, snapshot.Options{
		Workers: 16, Poll: 20 * time.Millisecond, Flush: 50 * time.Millisecond, GiveUp: 1, Retry: time.Nanosecond,
	})
	if err := crawler.Only(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	id, err := crawler.Start(t.Context(), s.Name)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	done := make(chan error, 1)
	go func() { done <- crawler.Run(ctx) }()
	err = (&crawlCmd{Series: s.Name}).wait(ctx, &opened{DB: db}, id)
	stop()
	if err := errors.Join(err, <-done); err != nil {
		t.Fatal(err)
	}
}
