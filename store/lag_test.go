package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"
	"pgregory.net/rapid"

	"github.com/strandlinehq/strandline/store"
)

func addLags(ctx context.Context, db *store.DB, lags ...store.Lag) error {
	_, err := db.WriteWith(ctx, nil, func(ctx context.Context, tx *store.Tx, _ []store.Stored) error { return tx.AddLags(ctx, lags) })
	return err
}

// setClock has schedule_health take a time for now.
func setClock(ctx context.Context, db *store.DB, now time.Time) error {
	_, err := db.Pool().Exec(ctx, `update core.daemon set speed = 0, stopped_at = null, seen_at = $1, real_at = now()`, now)
	return err
}

// wantNoDrift holds schedule_health against the view that adds everything up.
func wantNoDrift(t interface {
	Helper()
	Fatalf(string, ...any)
}, ctx context.Context, db *store.DB, when string,
) {
	t.Helper()
	drift, err := db.HealthDrift(ctx, 5)
	if err != nil || len(drift) > 0 {
		t.Fatalf("%s: %q, %v", when, drift, err)
	}
}

// TestLagDays counts at random, forgets, and turns the clock on and back: what is kept
// of a day is always what its counts add up to.
func TestLagDays(t *testing.T) {
	t.Parallel()
	db := open(t)
	applied := apply(t, db, epoch, watching("x", time.Minute, pageA), watching("y", time.Minute, pageB), watching("z", time.Minute, pageC))
	if _, err := db.RegisterDaemon(t.Context(), "h", 1, epoch, epoch.Add(time.Hour), 1); err != nil {
		t.Fatal(err)
	}
	kinds := []store.Kind{store.KindSchedule, store.KindBurst, store.KindPair}
	seen := 0
	rapid.Check(t, func(rt *rapid.T) {
		if _, err := db.Pool().Exec(t.Context(), `truncate core.schedule_lag, core.schedule_lag_day`); err != nil {
			rt.Fatal(err)
		}
		now := epoch
		for range rapid.IntRange(1, 4).Draw(rt, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(-200, 2000).Draw(rt, "minutes")) * time.Minute)
			var lags []store.Lag
			for range rapid.IntRange(0, 30).Draw(rt, "fetches") {
				lags = append(lags, store.Lag{
					Watch: rapid.SampledFrom(applied.Watches).Draw(rt, "watch").ID, Kind: rapid.SampledFrom(kinds).Draw(rt, "kind"),
					Started: now.Add(-time.Duration(rapid.IntRange(0, 100).Draw(rt, "ago")) * time.Minute),
					Lag:     time.Duration(rapid.IntRange(0, 5000).Draw(rt, "lag")) * time.Second,
				})
			}
			if err := addLags(t.Context(), db, lags...); err != nil {
				rt.Fatal(err)
			}
			if rapid.IntRange(0, 5).Draw(rt, "drop") == 0 {
				if err := db.DropLags(t.Context(), now.Add(-time.Duration(rapid.IntRange(0, 60).Draw(rt, "kept"))*time.Hour)); err != nil {
					rt.Fatal(err)
				}
			}
			for _, off := range []time.Duration{0, time.Duration(rapid.IntRange(1, 26*60).Draw(rt, "later")) * time.Minute, -time.Duration(rapid.IntRange(1, 50*60).Draw(rt, "earlier")) * time.Minute} {
				if err := setClock(t.Context(), db, now.Add(off)); err != nil {
					rt.Fatal(err)
				}
				wantNoDrift(rt, t.Context(), db, fmt.Sprint("at ", now.Add(off)))
			}
		}
		health, err := db.ScheduleHealth(t.Context())
		if err != nil {
			rt.Fatal(err)
		}
		for _, h := range health {
			if h.LagP99 > 0 {
				seen++
			}
		}
	})
	if seen == 0 {
		t.Error("no watch ever had a lag")
	}
}

// TestLagDaysTogether has writers count for the same watches at the same time, in
// different bins and hours, so that they meet in the days alone.
func TestLagDaysTogether(t *testing.T) {
	t.Parallel()
	db := open(t)
	applied := apply(t, db, epoch, watching("x", time.Minute, pageA), watching("y", time.Minute, pageB))
	if _, err := db.RegisterDaemon(t.Context(), "h", 1, epoch, epoch.Add(time.Hour), 1); err != nil {
		t.Fatal(err)
	}
	const writers, rounds = 4, 12
	var group errgroup.Group
	for w := range writers {
		group.Go(func() error {
			for i := range rounds {
				var lags []store.Lag
				for j := range applied.Watches {
					watch := applied.Watches[(w+j)%len(applied.Watches)].ID
					lags = append(lags, store.Lag{Watch: watch, Started: epoch.Add(-time.Duration(i) * time.Hour), Lag: time.Second << w})
				}
				if err := addLags(t.Context(), db, lags...); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if err := setClock(t.Context(), db, epoch.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	wantNoDrift(t, t.Context(), db, "in the end")
	got := map[string][2]time.Duration{}
	health, err := db.ScheduleHealth(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range health {
		got[h.Name] = [2]time.Duration{h.LagP50, h.LagP99}
	}
	// A quarter each of 1, 2, 4 and 8 s, which are ends of bins.
	want := map[string][2]time.Duration{"x": {2 * time.Second, 8 * time.Second}, "y": {2 * time.Second, 8 * time.Second}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lags (-want +got):\n%s", diff)
	}
}

// TestHealthDrift tells of a day that somebody changed.
func TestHealthDrift(t *testing.T) {
	t.Parallel()
	db := open(t)
	applied := apply(t, db, epoch, watching("x", time.Minute, pageA))
	if err := addLags(t.Context(), db, store.Lag{Watch: applied.Watches[0].ID, Started: time.Now(), Lag: time.Minute}); err != nil {
		t.Fatal(err)
	}
	wantNoDrift(t, t.Context(), db, "as counted")
	for _, sql := range []string{`update core.schedule_lag_day set p99 = '{3}'`, `delete from core.schedule_lag_day`} {
		if _, err := db.Pool().Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
		if drift, err := db.HealthDrift(t.Context(), 5); err != nil || len(drift) != 1 {
			t.Errorf("after %s: %q, %v", sql, drift, err)
		}
	}
}

// BenchmarkAddLags counts a batch of fetches of as many watches, each with a day of counts.
func BenchmarkAddLags(b *testing.B) {
	db := open(b)
	if _, err := db.Pool().Exec(b.Context(), `insert into core.schedule_lag (watch_id, kind, hour, bin, fetches)
		select w, 'watch', $1::timestamptz - make_interval(hours => h), (w * 7 + h * 3) % 9, 1 from generate_series(1, 10000) w, generate_series(1, 47) h`, epoch); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	n := int32(0)
	for b.Loop() {
		lags := make([]store.Lag, 192)
		for i := range lags {
			n++
			lags[i] = store.Lag{Watch: n%10000 + 1, Started: epoch, Lag: time.Second}
		}
		if err := addLags(b.Context(), db, lags...); err != nil {
			b.Fatal(err)
		}
	}
}
