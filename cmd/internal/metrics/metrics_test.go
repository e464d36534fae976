package metrics

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/strandlinehq/strandline/crawler/daemon"
	"github.com/strandlinehq/strandline/store"
)

type fakeDB struct {
	err           error
	status, sizes int // how often each was asked
}

func (f *fakeDB) Ping(context.Context) error { return f.err }

func (f *fakeDB) Status(context.Context) (store.Status, error) {
	f.status++
	return store.Status{
		Schedule: []store.ScheduleHealth{{Kind: "watch", Name: "a", Pages: 10, Due: 3, Late: 2}, {Kind: "watch", Name: "b", Pages: 5, Failing: 1}},
		Stages:   []store.StageLag{{Stage: "change", Queued: 7, OldestAt: time.Now().Add(-time.Minute)}},
	}, f.err
}

func (f *fakeDB) StorageBytes(context.Context) (map[string]int64, error) {
	f.sizes++
	return map[string]int64{"bodies": 100, "indexes": 20}, f.err
}

func (f *fakeDB) OutboxStates(context.Context) ([]store.OutboxState, error) {
	return []store.OutboxState{
		{Target: "a", Waiting: 2, Dead: 1, Oldest: time.Now().Add(-time.Hour)}, {Target: "b", Waiting: 1, Oldest: time.Now().Add(-2 * time.Hour)}, {Target: "c", Dead: 4},
	}, f.err
}

func newFull(t *testing.T, db Database) *Metrics {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), "postgres://nobody@127.0.0.1:1/none") // connects when it is used
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return New(Options{
		Pool:    pool,
		Version: "1.2.3", Revision: "abc", Database: db,
		Health: func() daemon.Health { return daemon.Health{Running: true, Hosts: 4, Queued: 9, Turned: time.Now()} },
		Disk:   func() Disk { return Disk{Free: 10, Size: 100, Least: 20, Paused: true, Known: true} },
	})
}

// TestNames holds the metrics to the conventions of Prometheus, and their labels to
// those whose values do not grow with what is watched.
func TestNames(t *testing.T) {
	t.Parallel()
	m := newFull(t, &fakeDB{})
	problems, err := testutil.GatherAndLint(m.Gatherer())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	families, err := m.Gatherer().Gather()
	if err != nil {
		t.Fatal(err)
	}
	allowed := []string{"outcome", "kind", "state", "stage", "version", "revision", "goversion"}
	for _, f := range families {
		if !strings.HasPrefix(f.GetName(), "strandline_") {
			continue // of the Go runtime and the process
		}
		for _, metric := range f.GetMetric() {
			for _, l := range metric.GetLabel() {
				if !slices.Contains(allowed, l.GetName()) {
					t.Errorf("%s has the label %s", f.GetName(), l.GetName())
				}
			}
		}
	}
}

func TestObserve(t *testing.T) {
	t.Parallel()
	m := New(Options{})
	m.Observe(daemon.Observation{Outcome: store.Changed, Bytes: 100, Timed: true, Lag: 3 * time.Second})
	m.Observe(daemon.Observation{Outcome: store.Changed, Bytes: 50})
	m.Observe(daemon.Observation{Outcome: store.Failed, Timed: true, Lag: time.Hour})
	m.Report(daemon.Event{Kind: daemon.Failing})
	m.Report(daemon.Event{Kind: daemon.GoneAway})
	m.Report(daemon.Event{Kind: daemon.Failing})
	m.Reloaded(time.Unix(1000, 0), true)
	m.Reloaded(time.Unix(2000, 0), false)
	want := `
# HELP strandline_fetched_bytes_total Bytes of payload that were fetched and stored.
# TYPE strandline_fetched_bytes_total counter
strandline_fetched_bytes_total 150
# HELP strandline_config_last_reload_successful Whether the configuration was taken when it was last read.
# TYPE strandline_config_last_reload_successful gauge
strandline_config_last_reload_successful 0
# HELP strandline_config_last_reload_success_timestamp_seconds When a configuration was last taken, in Unix time.
# TYPE strandline_config_last_reload_success_timestamp_seconds gauge
strandline_config_last_reload_success_timestamp_seconds 1000
`
	if err := testutil.GatherAndCompare(m.Gatherer(), strings.NewReader(want), "strandline_fetched_bytes_total",
		"strandline_config_last_reload_successful", "strandline_config_last_reload_success_timestamp_seconds"); err != nil {
		t.Error(err)
	}
	text := scrape(t, m)
	for _, line := range []string{
		`strandline_fetches_total{outcome="changed"} 2`, `strandline_fetches_total{outcome="error"} 1`, `strandline_fetches_total{outcome="new"} 0`,
		`strandline_page_events_total{kind="failing"} 2`, `strandline_page_events_total{kind="gone"} 1`, `strandline_page_events_total{kind="set_aside"} 0`,
		`strandline_fetch_lag_seconds_count 2`, `strandline_fetch_lag_seconds_bucket{le="5"} 1`, `strandline_fetch_lag_seconds_sum 3603`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no line %s", line)
		}
	}
}

// TestDatabase asks a database that answers, that is not to be asked at every scrape,
// and that goes away.
func TestDatabase(t *testing.T) {
	t.Parallel()
	db := &fakeDB{}
	m := newFull(t, db)
	text := scrape(t, m)
	for _, line := range []string{
		"strandline_database_up 1", `strandline_schedule_pages{kind="watch",state="watched"} 15`, `strandline_schedule_pages{kind="watch",state="late"} 2`,
		`strandline_stage_queued_versions{stage="change"} 7`, `strandline_storage_bytes{kind="bodies"} 100`, "strandline_crawling_paused 1", "strandline_host_queues 4",
		`strandline_outbox_messages{state="waiting"} 3`, `strandline_outbox_messages{state="dead"} 5`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no line %s", line)
		}
	}
	if !regexp.MustCompile(`(?m)^strandline_outbox_oldest_seconds 7[12]\d\d`).MatchString(text) {
		t.Errorf("the oldest message is not two hours old:\n%s", text)
	}
	scrape(t, m)
	if diff := cmp.Diff([]int{1, 1}, []int{db.status, db.sizes}); diff != "" {
		t.Errorf("asked at two scrapes (-want +got):\n%s", diff)
	}
	db.err = errors.New("away")
	text = scrape(t, m)
	if !strings.Contains(text, "strandline_database_up 0\n") || strings.Contains(text, "strandline_storage_bytes{") {
		t.Errorf("a database that is away:\n%s", text)
	}
}

// TestDashboardAndAlerts holds that every metric they name exists.
func TestDashboardAndAlerts(t *testing.T) {
	t.Parallel()
	families, err := newFull(t, &fakeDB{}).Gatherer().Gather()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, f := range families {
		known[f.GetName()] = true
	}
	for _, file := range []string{"../../../configs/prometheus/strandline.rules.yml", "../../../configs/grafana/strandline.json"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		named := regexp.MustCompile(`\b(strandline|process|go)_[a-z_]+`).FindAllString(string(text), -1)
		if len(named) < 10 {
			t.Errorf("%s names %d metrics", file, len(named))
		}
		for _, name := range named {
			if !known[name] && !known[strings.TrimSuffix(name, "_bucket")] {
				t.Errorf("%s names %s, which is not there", file, name)
			}
		}
		if strings.HasSuffix(file, ".json") && !json.Valid(text) {
			t.Errorf("%s is not JSON", file)
		}
	}
}

func scrape(t *testing.T, m *Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	if w.Code != 200 {
		t.Fatalf("status %d", w.Code)
	}
	text, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
