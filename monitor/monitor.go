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
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/strandlinehq/strandline/monitor/copies"
	"github.com/strandlinehq/strandline/store"
)

// batchVersions is how many versions a stage takes at a time: their records are
// in memory together.
const batchVersions = 24

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
	bags    *bagCache
	bodies  copies.Cache // for the search of copies
}

// New returns a Monitor on a store.
func New(db *store.DB, opt Options) *Monitor {
	if opt.Workers == 0 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	return &Monitor{db: db, workers: opt.Workers, log: opt.Logger, bags: &bagCache{limit: bagCacheBytes}}
}

// idle is how long Run waits when the queues are empty, in real time: versions
// arrive whenever a fetch ends, whatever the daemon's clock says.
const idle = 300 * time.Millisecond

// Run works off the queues until ctx is done, and returns nil then. When the
// database is away it waits, with growing pauses, and goes on.
//
// The language model of all pages and the measures that views show are kept on the side, at
// a slower pace.
func (m *Monitor) Run(ctx context.Context) error {
	var side sync.WaitGroup
	defer side.Wait()
	side.Go(func() { m.followCollection(ctx) })
	side.Go(func() { m.followShown(ctx) })
	pause := idle
	for {
		n, err := m.DrainVersions(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			pause = min(2*pause, 30*time.Second)
			m.log.Warn("measuring waits", "error", err, "pause", pause)
		case n > 0:
			pause = idle
			continue
		default:
			pause = idle
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
	}
}

// Drain works off the queues of all stages until they are empty, and then brings
// the language model of all pages and the measures that views show up to date. It returns how many versions it looked
// at. Several Drains may run at once.
//
// A version that cannot be measured, because its record is damaged, is set aside
// with a log line and stays queued under another stage name; the others go on.
func (m *Monitor) Drain(ctx context.Context) (int, error) {
	n, err := m.DrainVersions(ctx)
	if err != nil {
		return n, err
	}
	if err := m.Collect(ctx); err != nil {
		return n, fmt.Errorf("monitor: %w", err)
	}
	if _, err := m.Show(ctx); err != nil {
		return n, fmt.Errorf("monitor: %w", err)
	}
	return n, nil
}

// DrainVersions works off the queues as Drain does, and leaves the language model and the
// measures for the views as they are.
func (m *Monitor) DrainVersions(ctx context.Context) (int, error) {
	var total atomic.Int64
	g, both := errgroup.WithContext(ctx)
	for range m.workers {
		g.Go(func() error {
			for {
				n, err := m.take(both)
				if err != nil || n == 0 {
					return err
				}
				total.Add(int64(n))
			}
		})
	}
	g.Go(func() error { return m.measureSnapshots(both) })
	err := g.Wait()
	if err == nil {
		_, err = m.drainTexts(ctx)
	}
	if err == nil {
		err = m.findCopies(ctx) // after the changes, which queue versions for it
	}
	if err == nil {
		err = m.flagChanges(ctx)
	}
	if err != nil {
		err = fmt.Errorf("monitor: %w", err)
	}
	return int(total.Load()), err
}

// take works off one batch. If that fails for the fault of a version, the
// versions are taken one at a time, and the faulty one is set aside.
func (m *Monitor) take(ctx context.Context) (int, error) {
	n, err := m.db.TakeTodo(ctx, store.StageChange, batchVersions, func(tx *store.Tx, todo []store.Todo) error {
		return m.measure(ctx, tx, todo)
	})
	if err == nil || !errors.Is(err, errUnmeasurable) {
		return n, err
	}
	var faulty store.Todo
	for n = 0; n < batchVersions; n++ {
		one, err := m.db.TakeTodo(ctx, store.StageChange, 1, func(tx *store.Tx, todo []store.Todo) error {
			faulty = todo[0]
			return m.measure(ctx, tx, todo)
		})
		if errors.Is(err, errUnmeasurable) {
			m.log.Error("version set aside", "stage", store.StageChange, "page", faulty.Page, "version", faulty.Version, "error", err)
			if err := m.db.SetAside(ctx, store.StageChange, faulty); err != nil {
				return n, err
			}
			continue
		}
		if err != nil || one == 0 {
			return n, err
		}
	}
	return n, nil
}

// measure takes all measures of new versions and indexes their texts. All of that shares
// the contents that were read and the words that their lines were split into.
func (m *Monitor) measure(ctx context.Context, tx *store.Tx, todo []store.Todo) error {
	pages := make([]store.PageID, len(todo))
	for i, d := range todo {
		pages[i] = d.Page
	}
	rules, err := rulesOf(ctx, tx, pages, map[string]ruling{})
	if err != nil {
		return err
	}
	r := newReader(tx, rules)
	if err := measureChanges(ctx, tx, todo, r); err != nil {
		return err
	}
	if err := analyse(ctx, tx, todo, r); err != nil {
		return err
	}
	texts, err := tx.TakeWith(ctx, store.StageSearch, todo)
	if err != nil {
		return err
	}
	if err := index(ctx, tx, texts, r); err != nil {
		return err
	}
	return tx.PutSummaries(ctx, todo)
}

// errUnmeasurable marks the fault of a version, as opposed to the database's.
var errUnmeasurable = errors.New("version cannot be measured")
