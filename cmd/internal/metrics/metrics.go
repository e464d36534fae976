// Package metrics tells Prometheus how the daemon does. The main type is
// [Metrics], made by [New] from [Options]: it counts what the daemon reports by
// [Metrics.Observe] and [Metrics.Report], and asks the daemon, the database and the machine for the rest
// when it is scraped.
//
// Names are in base units with the prefix strandline_. No label holds a URL, a host
// or the name of a watch, so that the number of time series does not grow with what
// is watched. What is asked of the database is kept for some seconds, sizes for
// minutes, and a database that does not answer leaves its metrics out and
// strandline_database_up at 0; the scrape itself never fails for it.
//
// Left out: alert rules and the dashboard (configs/prometheus, configs/grafana).
package metrics

import (
	"net/http"
	"runtime"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/strandlinehq/strandline/crawler/daemon"
	"github.com/strandlinehq/strandline/store"
)

// Options for New.
type Options struct {
	Version, Revision string
	// Health tells of the daemon; nil leaves its metrics out.
	Health func() daemon.Health
	// Database is asked for queues and sizes; nil leaves them out.
	Database Database
	// Pool is that of the program's connections; nil leaves it out.
	Pool *pgxpool.Pool
	// Disk tells of the file system of the state directory; nil leaves it out.
	Disk func() Disk
}

// Disk is a file system, in bytes.
type Disk struct {
	Free, Size, Least uint64 // Least is what must be free for pages to be fetched
	Paused            bool   // no page is fetched for want of space
	Known             bool   // it could be measured
}

// Metrics is a registry of its own. Its methods may be used concurrently.
type Metrics struct {
	registry *prometheus.Registry
	lag      prometheus.Histogram
	fetches  *prometheus.CounterVec
	events   *prometheus.CounterVec
	bytes    prometheus.Counter
	reloadOK prometheus.Gauge
	reloadAt prometheus.Gauge
}

// outcomes of attempts; each has its time series from the start, so that a rate sees
// the first one.
func outcomes() []store.Outcome {
	return []store.Outcome{store.New, store.Changed, store.Same, store.NotModified, store.Failed, store.Gone, store.Denied, store.Skipped}
}

// New returns metrics in which nothing has been counted yet.
func New(opt Options) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		lag: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "strandline_fetch_lag_seconds", Help: "How late fetches of watched pages started.",
			Buckets: []float64{1, 2, 5, 15, 30, 60, 120, 300, 900, 3600, 4 * 3600, 24 * 3600},
		}),
		fetches: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "strandline_fetches_total", Help: "Attempts of watched pages that were stored, by outcome.",
		}, []string{"outcome"}),
		events: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "strandline_page_events_total", Help: "Watched pages that began to fail, recovered, were found gone or were set aside: what is told once.",
		}, []string{"kind"}),
		bytes: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "strandline_fetched_bytes_total", Help: "Bytes of payload that were fetched and stored.",
		}),
		reloadOK: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "strandline_config_last_reload_successful", Help: "Whether the configuration was taken when it was last read.",
		}),
		reloadAt: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "strandline_config_last_reload_success_timestamp_seconds", Help: "When a configuration was last taken, in Unix time.",
		}),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "strandline_build_info", Help: "Always 1; the labels say which program this is.",
		ConstLabels: prometheus.Labels{"version": opt.Version, "revision": opt.Revision, "goversion": runtime.Version()},
	})
	build.Set(1)
	for _, o := range outcomes() {
		m.fetches.WithLabelValues(string(o))
	}
	for _, k := range []daemon.EventKind{daemon.Failing, daemon.Recovered, daemon.GoneAway, daemon.SetAside} {
		m.events.WithLabelValues(string(k))
	}
	m.registry.MustRegister(build, m.lag, m.fetches, m.events, m.bytes, m.reloadOK, m.reloadAt,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if opt.Health != nil {
		m.registry.MustRegister(newDaemonCollector(opt.Health))
	}
	if opt.Database != nil {
		m.registry.MustRegister(newDatabaseCollector(opt.Database, time.Now))
	}
	if opt.Pool != nil {
		m.registry.MustRegister(newPoolCollector(opt.Pool))
	}
	if opt.Disk != nil {
		m.registry.MustRegister(newDiskCollector(opt.Disk))
	}
	return m
}

// Observe counts a stored attempt.
func (m *Metrics) Observe(o daemon.Observation) {
	m.fetches.WithLabelValues(string(o.Outcome)).Inc()
	m.bytes.Add(float64(o.Bytes))
	if o.Timed {
		m.lag.Observe(max(0, o.Lag.Seconds()))
	}
}

// Report counts what an operator is told once.
func (m *Metrics) Report(e daemon.Event) { m.events.WithLabelValues(string(e.Kind)).Inc() }

// Reloaded notes that a configuration was read at a time, and whether it was taken.
func (m *Metrics) Reloaded(at time.Time, taken bool) {
	if !taken {
		m.reloadOK.Set(0)
		return
	}
	m.reloadOK.Set(1)
	m.reloadAt.Set(float64(at.UnixMilli()) / 1e3)
}

// Gatherer gives the metrics to those who read them here.
func (m *Metrics) Gatherer() prometheus.Gatherer { return m.registry }

// ServeHTTP answers a scrape.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: 4}).ServeHTTP(w, r)
}
