package series_test

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/strandlinehq/strandline/monitor/series"
	"github.com/strandlinehq/strandline/store"
)

// tellComputed calls f with the number of each snapshot that a computation says it has done.
type tellComputed func(number int64)

func (f tellComputed) Enabled(context.Context, slog.Level) bool { return true }
func (f tellComputed) WithAttrs([]slog.Attr) slog.Handler       { return f }
func (f tellComputed) WithGroup(string) slog.Handler            { return f }

func (f tellComputed) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "snapshot computed" {
		r.Attrs(func(a slog.Attr) bool {
			if a.Key == "snapshot" {
				f(a.Value.Int64())
			}
			return true
		})
	}
	return nil
}

// TestComputedOnce: of several programs that find the same snapshots not computed each is
// computed by one; a computation that is stopped in the middle keeps what it has, and the
// next one does the rest.
func TestComputedOnce(t *testing.T) {
	t.Parallel()
	db := open(t)
	id := newSeries(t, db, "web")
	r := rand.New(rand.NewPCG(3, 1))
	var all []sight
	for _, s := range web(r, 5, 30) {
		all = append(all, s...)
	}
	load(t, db, id, all, 16)

	var mu sync.Mutex
	times := map[int64]int{}
	update := func(ctx context.Context, then func()) ([]store.SeriesSnapshot, error) {
		opt := series.Defaults()
		opt.Logger = slog.New(tellComputed(func(number int64) {
			mu.Lock()
			times[number]++
			mu.Unlock()
			then()
		}))
		return series.Update(ctx, db, id, opt)
	}
	ctx, stop := context.WithCancel(t.Context())
	if _, err := update(ctx, stop); !errors.Is(err, context.Canceled) {
		t.Fatalf("stopped in the middle: %v", err)
	}
	if diff := cmp.Diff(map[int64]int{1: 1}, times); diff != "" {
		t.Fatalf("computed before the stop (-want +got):\n%s", diff)
	}
	g, ctx := errgroup.WithContext(t.Context())
	for range 3 {
		g.Go(func() error {
			got, err := update(ctx, func() {})
			for _, s := range got {
				if s.ComputedAt.IsZero() {
					t.Errorf("snapshot %d is not computed when it is said to be", s.Number)
				}
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[int64]int{1: 1, 2: 1, 3: 1, 4: 1, 5: 1}, times); diff != "" {
		t.Errorf("how often each was computed (-want +got):\n%s", diff)
	}
}
