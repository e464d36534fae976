// Package monitor measures how pages change. Its runners take new versions out
// of the store's queue, read the extracted records, and write the measures back;
// the measures themselves are small packages of plain functions (monitor/dice,
// monitor/text).
//
// A Monitor works the same behind a live crawl and over ten years of imported
// archive: it knows nothing of where a version came from. Each batch is one
// transaction, so a stage can be stopped at any point and repeated without harm.
package monitor

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/strandlinehq/strandline/store"
)

// batchVersions is how many versions a stage takes at a time: their records are
// in memory together.
const batchVersions = 64

// Options for New. The zero value is good.
type Options struct {
	// Workers measure side by side; zero means one a core.
	Workers int
	// Logger receives what an operator wants to know; nil means silence.
	Logger *slog.Logger
}

// Monitor runs the stages. It is safe for concurrent use.
type Monitor struct {
	db      *store.DB
	workers int
	log     *slog.Logger
}

// New returns a Monitor on a store.
func New(db *store.DB, opt Options) *Monitor {
	if opt.Workers == 0 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	return &Monitor{db: db, workers: opt.Workers, log: opt.Logger}
}

// Drain works off the queues of all stages until they are empty and returns how
// many versions it looked at. Several Drains may run at once.
func (m *Monitor) Drain(ctx context.Context) (int, error) {
	var total atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for range m.workers {
		g.Go(func() error {
			for {
				n, err := m.db.TakeTodo(ctx, store.StageChange, batchVersions, func(tx *store.Tx, todo []store.Todo) error {
					return measureChanges(ctx, tx, todo)
				})
				if err != nil || n == 0 {
					return err
				}
				total.Add(int64(n))
			}
		})
	}
	err := g.Wait()
	if err != nil {
		err = fmt.Errorf("monitor: %w", err)
	}
	return int(total.Load()), err
}
