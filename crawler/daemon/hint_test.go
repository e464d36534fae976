package daemon_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/adaptive"
	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/daemon"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/store"
)

// datedWeb has pages on two hosts that change at fixed times of their own, about every two days. The
// sitemap of the one dates each change rightly, that of the other says that
// everything has just changed.
type datedWeb struct {
	*web
	pages map[string]int // number of the page
}

// edition is how often page n has changed up to a time, and when last.
func edition(n int, at time.Time) (int, time.Time) {
	last, k := epoch.Add(-48*time.Hour), 0
	for {
		next := last.Add(time.Duration(20+(n*37+k*53)%61) * time.Hour)
		if next.After(at) {
			return k, last
		}
		last, k = next, k+1
	}
}

func (w *datedWeb) Fetch(_ context.Context, j daemon.Job) daemon.Attempt {
	at := w.clock.Now()
	w.mu.Lock()
	w.seen[j.URL] = append(w.seen[j.URL], at)
	w.mu.Unlock()
	k, _ := edition(w.pages[j.URL], at)
	return content(fmt.Sprintf("<html><body><p>The ferry timetable of line %d, in its edition number %d, holds until further notice.</p></body></html>", w.pages[j.URL], k), at)
}

// TestHints reads sitemaps every three hours beside the schedule. Pages of the host that tells the truth are
// fetched within hours of their changes; the other host's dates soon move nothing.
func TestHints(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	d := newDriver(epoch)
	d.until = epoch.Add(24 * 24 * time.Hour)
	w := &datedWeb{web: newWeb(d.clock), pages: map[string]int{}}
	var urls []string
	for n := range 16 {
		url := fmt.Sprintf("http://%s.test/p%d", []string{"true", "false"}[n%2], n)
		urls, w.pages[url] = append(urls, url), n
	}
	watches := applyAuto(t, db, epoch, urls, daemon.Auto{Limits: adaptive.Limits{Min: time.Hour, Max: 10 * 24 * time.Hour}, Budget: 0.5})
	half := epoch.Add(12 * 24 * time.Hour)
	moved := map[string]int{}
	finish(t, d.run(t, "a", func(rest func(time.Time)) *daemon.Daemon {
		dm := daemon.New(db, w, intake.New(canonical.New(canonical.Options{})), d.clock,
			daemon.Options{AtRest: rest, Lookahead: 10 * time.Minute, Flush: 10 * time.Minute, Lease: 240 * time.Hour})
		dm.SetWatches(watches)
		for at := epoch.Add(3 * time.Hour); at.Before(d.until); at = at.Add(3 * time.Hour) {
			d.at = append(d.at, moment{at, func() {
				for k, host := range []string{"true", "false"} {
					var claims []store.Claimed
					for i := k; i < len(urls); i += 2 {
						_, last := edition(i, at)
						if host == "false" {
							last = at
						}
						claims = append(claims, store.Claimed{URL: urls[i], At: last})
					}
					n, err := dm.TakeHints(t.Context(), watches[0].ID, "sitemap", claims)
					if err != nil {
						t.Error(err)
					}
					if at.After(half) {
						moved[host] += n
					}
				}
			}})
		}
		return dm
	}))
	stale := map[string]time.Duration{}
	for url, n := range w.pages {
		visits := visitsOf(t, db, url)
		for at := half; at.Before(d.until); at = at.Add(time.Hour) {
			seen := 0
			for _, v := range visits {
				if !v.After(at) {
					seen, _ = edition(n, v)
				}
			}
			if k, _ := edition(n, at); k != seen {
				stale[[]string{"true", "false"}[n%2]] += time.Hour
			}
		}
	}
	whole := 8 * d.until.Sub(half).Hours()
	t.Logf("stale: %.3f of the time where hints are true, %.3f where they are false; fetches moved %v", stale["true"].Hours()/whole, stale["false"].Hours()/whole, moved)
	if stale["true"].Hours() > 0.25*whole || stale["true"] > stale["false"]/2 {
		t.Errorf("pages are stale for %s where hints are true, and %s where they are false", stale["true"], stale["false"])
	}
	if moved["true"] < 20 || moved["false"] > 5 {
		t.Errorf("after learning, true hints moved %d fetches and false ones %d", moved["true"], moved["false"])
	}
	var right, wrong adaptive.Signals
	for host, s := range map[string]*adaptive.Signals{"true.test": &right, "false.test": &wrong} {
		var state []byte
		if err := db.Pool().QueryRow(t.Context(), `select g.signals from core.host_signal g join core.host h using (bucket, host_id) where h.name = $1`, host).Scan(&state); err != nil {
			t.Fatal(err)
		}
		if err := s.UnmarshalBinary(state); err != nil {
			t.Fatal(err)
		}
	}
	if right.Precision() < 0.9 || right.Ratio(true) < 5 || wrong.Ratio(true) > 1.5 {
		t.Errorf("precision %.2f and ratio %.1f of true hints, ratio %.1f of false ones", right.Precision(), right.Ratio(true), wrong.Ratio(true))
	}
}
