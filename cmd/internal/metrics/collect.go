package metrics

import (
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/strandlinehq/strandline/crawler/daemon"
)

// collector asks somebody when it is scraped.
type collector struct {
	descs   []*prometheus.Desc
	collect func(chan<- prometheus.Metric)
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(out chan<- prometheus.Metric) { c.collect(out) }

// desc describes a metric of the collector.
func (c *collector) desc(name, help string, labels ...string) *prometheus.Desc {
	d := prometheus.NewDesc("strandline_"+name, help, labels, nil)
	c.descs = append(c.descs, d)
	return d
}

func gauge(out chan<- prometheus.Metric, d *prometheus.Desc, v float64, labels ...string) {
	out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
}

func counter(out chan<- prometheus.Metric, d *prometheus.Desc, v float64, labels ...string) {
	out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, v, labels...)
}

func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

func newDaemonCollector(health func() daemon.Health) *collector {
	c := &collector{}
	var (
		ready    = c.desc("ready", "Whether the daemon runs and its database answers; whether the disk lets it crawl is told by strandline_crawling_paused.")
		hosts    = c.desc("host_queues", "Hosts with pages in memory that wait, or that are being fetched from.")
		queued   = c.desc("queued_pages", "Pages in memory that wait for their time or their host.")
		fetching = c.desc("fetching_pages", "Pages that are being fetched.")
		unstored = c.desc("unstored_fetches", "Finished fetches that are not stored yet.")
		behind   = c.desc("behind_seconds", "For how long a page has been ready to be fetched, or pages to be claimed.")
		buckets  = c.desc("leased_buckets", "Buckets of hosts that this daemon has leased.")
		daemons  = c.desc("daemons", "Daemons that share the work.")
		missed   = c.desc("missed_slots_total", "Slots of watches in which no fetch started.")
		aside    = c.desc("pages_set_aside_total", "Pages set aside for a fault of their own.")
		turned   = c.desc("scheduler_turn_timestamp_seconds", "When the scheduler's loop last turned, in Unix time.")
	)
	c.collect = func(out chan<- prometheus.Metric) {
		h := health()
		gauge(out, ready, one(h.Ready()))
		gauge(out, hosts, float64(h.Hosts))
		gauge(out, queued, float64(h.Queued))
		gauge(out, fetching, float64(h.Fetching))
		gauge(out, unstored, float64(h.Unstored))
		gauge(out, behind, h.Behind.Seconds())
		gauge(out, buckets, float64(h.Buckets))
		gauge(out, daemons, float64(h.Daemons))
		counter(out, missed, float64(h.Missed))
		counter(out, aside, float64(h.SetAside))
		if !h.Turned.IsZero() {
			gauge(out, turned, float64(h.Turned.UnixMilli())/1e3)
		}
	}
	return c
}

func newPoolCollector(pool *pgxpool.Pool) *collector {
	c := &collector{}
	var (
		conns   = c.desc("pool_connections", "Connections to the database, by state.", "state")
		limit   = c.desc("pool_max_connections", "The most connections that are opened.")
		waits   = c.desc("pool_waits_total", "Statements that had to wait for a connection.")
		waited  = c.desc("pool_wait_seconds_total", "Time that statements have waited for connections.")
		dropped = c.desc("pool_canceled_waits_total", "Statements that gave up waiting for a connection.")
	)
	c.collect = func(out chan<- prometheus.Metric) {
		s := pool.Stat()
		gauge(out, conns, float64(s.AcquiredConns()), "used")
		gauge(out, conns, float64(s.IdleConns()), "idle")
		gauge(out, conns, float64(s.ConstructingConns()), "opening")
		gauge(out, limit, float64(s.MaxConns()))
		counter(out, waits, float64(s.EmptyAcquireCount()))
		counter(out, waited, s.EmptyAcquireWaitTime().Seconds())
		counter(out, dropped, float64(s.CanceledAcquireCount()))
	}
	return c
}

func newDiskCollector(disk func() Disk) *collector {
	c := &collector{}
	var (
		free   = c.desc("disk_free_bytes", "Bytes free on the file system of the state directory.")
		size   = c.desc("disk_size_bytes", "Size of the file system of the state directory.")
		least  = c.desc("disk_min_free_bytes", "Bytes that must be free for pages to be fetched.")
		paused = c.desc("crawling_paused", "Whether no page is fetched because the disk is nearly full.")
	)
	c.collect = func(out chan<- prometheus.Metric) {
		d := disk()
		gauge(out, paused, one(d.Paused))
		if d.Known {
			gauge(out, free, float64(d.Free))
			gauge(out, size, float64(d.Size))
			gauge(out, least, float64(d.Least))
		}
	}
	return c
}
