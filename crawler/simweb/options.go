package simweb

import (
	"fmt"
	"time"
)

// Options describe a world. The zero value is a good small one; two worlds with equal Options are equal
// byte for byte.
type Options struct {
	// Seed chooses among the worlds of the same shape.
	Seed uint64
	// Hosts is the number of hosts; zero means 24.
	Hosts int
	// PagesPerHost is about how many pages a host has at the epoch, articles of the past included. Zero
	// means 120; the smallest is 40.
	PagesPerHost int
	// Epoch is the time around which the world is laid out; zero means 2025-07-01T00:00:00Z. The world
	// exists before it and goes on without end after it.
	Epoch time.Time
	// Size is the median size of a page in bytes before compression and outside lists; zero means 16 KiB.
	Size int
	// Rates is the mix of change rates; all zero means 40, 14, 20, 14, 6, 6.
	Rates Rates
	// Span is the time after the epoch in which standing pages are born and die; zero means 120 days.
	Span time.Duration
	// Births is the share of the standing pages that is born within Span; zero means 0.12, negative none.
	Births float64
	// Deaths is the share of pages that die, standing ones within Span, articles 10 to 90 days after
	// their birth; zero means 0.10, negative none.
	Deaths float64
	// ArticlesPerDay is the number of articles a news host publishes a day; zero means 6. Other kinds of host
	// publish a fixed fraction of it.
	ArticlesPerDay float64
	// EventEvery is the mean time between planted events; zero means 18 hours.
	EventEvery time.Duration
	// Volatile puts an advertisement and a visit counter on every page, both new on every request.
	Volatile bool
	// FailShare is the share of page requests that fail in one of the ways of [Fault]; zero means none.
	FailShare float64
	// Latency delays every answer, in real time.
	Latency time.Duration
	// Drip is the real time that a slow answer takes; zero means two seconds.
	Drip time.Duration
	// PlainRobots gives every host a robots.txt that allows everything, for measurements.
	PlainRobots bool
	// EnglishOnly leaves out the German, French and Japanese hosts.
	EnglishOnly bool
	// OwnDomains gives each host a registrable domain of its own (news-03-sim.test in place of
	// news-03.sim.test), for code that counts sites.
	OwnDomains bool
	// LogPerURL is how many request times the statistics keep for each URL; zero means none, only counts.
	LogPerURL int
}

// Rates weighs the change rates of standing pages against each other. Only the proportions count.
type Rates struct {
	Static, Weekly, Daily, Hourly, Minutes, Request float64
}

func (r Rates) weights() [6]float64 {
	return [6]float64{r.Static, r.Weekly, r.Daily, r.Hourly, r.Minutes, r.Request}
}

// withDefaults fills in what was left zero and says what is impossible.
func (o Options) withDefaults() (Options, error) {
	orElse(&o.Hosts, 24)
	orElse(&o.PagesPerHost, 120)
	orElse(&o.Size, 16<<10)
	orElse(&o.Span, 120*24*time.Hour)
	orElse(&o.Births, 0.12)
	orElse(&o.Deaths, 0.10)
	orElse(&o.ArticlesPerDay, 6)
	orElse(&o.EventEvery, 18*time.Hour)
	orElse(&o.Drip, 2*time.Second)
	if o.Epoch.IsZero() {
		o.Epoch = time.Date(2025, 7, 1, 0, 0, 0, 0, time.UTC)
	}
	o.Epoch = o.Epoch.UTC().Truncate(time.Second)
	if o.Rates == (Rates{}) {
		o.Rates = Rates{Static: 40, Weekly: 14, Daily: 20, Hourly: 14, Minutes: 6, Request: 6}
	}
	total := 0.0
	for _, x := range o.Rates.weights() {
		if !(x >= 0) {
			return o, fmt.Errorf("simweb: rates %v: a weight is not a number of at least 0", o.Rates)
		}
		total += x
	}
	switch {
	case !(total > 0):
		return o, fmt.Errorf("simweb: rates %v: all weights are 0", o.Rates)
	case o.Hosts < 1 || o.Hosts > 10_000:
		return o, fmt.Errorf("simweb: %d hosts: want 1 to 10000", o.Hosts)
	case o.PagesPerHost < 40 || o.PagesPerHost > 1_000_000:
		return o, fmt.Errorf("simweb: %d pages a host: want 40 to 1000000", o.PagesPerHost)
	case o.Size < 2<<10 || o.Size > 4<<20:
		return o, fmt.Errorf("simweb: size of %d bytes: want 2 KiB to 4 MiB", o.Size)
	case o.Span < 24*time.Hour:
		return o, fmt.Errorf("simweb: span of %s: want at least a day", o.Span)
	case !(o.ArticlesPerDay > 0 && o.ArticlesPerDay <= 1000):
		return o, fmt.Errorf("simweb: %v articles a day: want more than 0, at most 1000", o.ArticlesPerDay)
	case o.EventEvery < time.Minute:
		return o, fmt.Errorf("simweb: an event every %s: want at least a minute", o.EventEvery)
	case !(o.FailShare >= 0 && o.FailShare <= 1) || !(o.Births <= 1) || !(o.Deaths <= 1):
		return o, fmt.Errorf("simweb: a share is over 1 or not a number")
	}
	return o, nil
}

func orElse[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
