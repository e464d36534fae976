package metrics

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/strandlinehq/strandline/store"
)

// Database is what is asked for queues and sizes; store.DB is one.
type Database interface {
	Ping(ctx context.Context) error
	Status(ctx context.Context) (store.Status, error)
	StorageBytes(ctx context.Context) (map[string]int64, error)
	OutboxStates(ctx context.Context) ([]store.OutboxState, error)
}

// For how long what the database said is told again, however often it is scraped,
// and how long it has for an answer.
const (
	statusFor  = 10 * time.Second
	storageFor = 5 * time.Minute
	askFor     = 5 * time.Second
)

// kept is the answer to a question that is dear.
type kept[T any] struct {
	value T
	known bool
	at    time.Time
}

// get asks again where the answer is older than life. An answer that could not be
// had leaves none.
func (k *kept[T]) get(now time.Time, life time.Duration, ask func() (T, error)) (T, bool) {
	if k.at.IsZero() || now.Sub(k.at) >= life {
		v, err := ask()
		k.value, k.known, k.at = v, err == nil, now
		if err != nil {
			k.at = time.Time{}
		}
	}
	return k.value, k.known
}

// scheduleStates are what pages of schedules are counted by.
func scheduleStates(h *store.ScheduleHealth) map[string]int {
	return map[string]int{"watched": h.Pages, "due": h.Due, "late": h.Late, "failing": h.Failing, "set_aside": h.SetAside}
}

func newDatabaseCollector(db Database, now func() time.Time) *collector {
	c := &collector{}
	var (
		up      = c.desc("database_up", "Whether the database answers.")
		pages   = c.desc("schedule_pages", "Pages by kind of schedule and state.", "kind", "state")
		queued  = c.desc("stage_queued_versions", "Versions that wait for a stage of the analysis.", "stage")
		lag     = c.desc("stage_lag_seconds", "How long the oldest version has waited for a stage of the analysis.", "stage")
		storage = c.desc("storage_bytes", "Bytes of the database, by kind: stored content, rows of all other tables, indexes.", "kind")

		messages = c.desc("outbox_messages", "Messages to all targets that are not delivered, by state: waiting for an attempt, or dead, which is given up.", "state")
		oldest   = c.desc("outbox_oldest_seconds", "How long the oldest message that is not given up has waited to be delivered.")

		mu     sync.Mutex // one scrape asks at a time
		status kept[store.Status]
		outbox kept[[]store.OutboxState]
		sizes  kept[map[string]int64]
	)
	c.collect = func(out chan<- prometheus.Metric) {
		mu.Lock()
		defer mu.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), askFor)
		defer cancel()
		if err := db.Ping(ctx); err != nil {
			gauge(out, up, 0)
			return
		}
		gauge(out, up, 1)
		at := now()
		if s, ok := status.get(at, statusFor, func() (store.Status, error) { return db.Status(ctx) }); ok {
			sums := map[[2]string]int{}
			for i := range s.Schedule {
				for state, n := range scheduleStates(&s.Schedule[i]) {
					sums[[2]string{s.Schedule[i].Kind, state}] += n
				}
			}
			for key, n := range sums {
				gauge(out, pages, float64(n), key[0], key[1])
			}
			for _, l := range s.Stages {
				gauge(out, queued, float64(l.Queued), l.Stage)
				gauge(out, lag, max(0, at.Sub(l.OldestAt).Seconds()), l.Stage)
			}
		}
		if states, ok := outbox.get(at, statusFor, func() ([]store.OutboxState, error) { return db.OutboxStates(ctx) }); ok {
			waiting, dead, longest := 0, 0, time.Duration(0)
			for _, s := range states {
				waiting, dead = waiting+s.Waiting, dead+s.Dead
				if !s.Oldest.IsZero() {
					longest = max(longest, at.Sub(s.Oldest))
				}
			}
			gauge(out, messages, float64(waiting), "waiting")
			gauge(out, messages, float64(dead), "dead")
			gauge(out, oldest, longest.Seconds())
		}
		if m, ok := sizes.get(at, storageFor, func() (map[string]int64, error) { return db.StorageBytes(ctx) }); ok {
			for kind, n := range m {
				gauge(out, storage, float64(n), kind)
			}
		}
	}
	return c
}
