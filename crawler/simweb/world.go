package simweb

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// World is a simulated web. Its methods may be called from any number of goroutines.
type World struct {
	opts         Options
	now          func() time.Time
	seed         uint64
	languages    []language
	englishTopic [len(topicNames)]int // where topicNames[i] stands in the English words
	names        struct{ who, where, firm pattern }
	hosts        []*host
	newsHosts    []int // indexes of the news hosts in English
	byName       map[string]*host
	fixed        map[string]int // fixed paths to indexes
	style        []byte

	// events holds the events that were worked out last, each at its number modulo the length. It is a matter of
	// speed only: what is not there is worked out again.
	events [512]atomic.Pointer[event]

	stats stats
	gzips sync.Pool // of *gzip.Writer
}

// New lays out a world that lives by the clock now, which may run at any speed.
func New(now func() time.Time, o Options) (*World, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	w := &World{opts: o, now: now, seed: mix(o.Seed, forHost)}
	if w.languages, err = buildLexicon(); err != nil {
		return nil, err
	}
	for i, name := range topicNames {
		for j, t := range w.languages[0].languageWords.topics {
			if t.name == name {
				w.englishTopic[i] = j
			}
		}
	}
	if err := w.compileNames(); err != nil {
		return nil, fmt.Errorf("simweb: names: %w", err)
	}
	w.fixed = make(map[string]int, len(fixedPaths))
	for idx, path := range fixedPaths {
		w.fixed[path] = idx
	}
	w.byName = make(map[string]*host, o.Hosts)
	for i := range o.Hosts {
		h := w.newHost(i)
		w.hosts = append(w.hosts, h)
		w.byName[h.Name] = h
		if h.Kind == News && h.Language == "en" {
			w.newsHosts = append(w.newsHosts, i)
		}
	}
	w.style = styleSheet(w.seed)
	w.stats.reset(w)
	return w, nil
}

// compileNames prepares what events are named after: in every language the same names.
func (w *World) compileNames() error {
	g, err := newGrammar(nil, w.languages[0].lists)
	if err != nil {
		return err
	}
	p, err := g.compileAll([]string{
		"{person}", "{place}",
		"[Halvorsen|Tessaly|Corvane|Ostrand|Brightwater|Keldon|Marrable|Sunderby|Vantage|Wexford] [Marine|Works|Group|Systems|Partners|Trading]",
	})
	if err != nil {
		return err
	}
	w.names.who, w.names.where, w.names.firm = p[0], p[1], p[2]
	return nil
}

// Options are the options of the world with the defaults filled in.
func (w *World) Options() Options { return w.opts }

// Hosts lists the hosts in the order of their numbers.
func (w *World) Hosts() []Host {
	out := make([]Host, len(w.hosts))
	for i, h := range w.hosts {
		out[i] = h.Host
	}
	return out
}

// Homes lists the URLs of the home pages. From them links lead to every page that exists and is not
// hidden behind a redirect that nobody follows.
func (w *World) Homes() []string {
	out := make([]string, len(w.hosts))
	for i, h := range w.hosts {
		out[i] = h.Home
	}
	return out
}

// offset and time turn times into distances from the epoch and back.
func (w *World) offset(t time.Time) time.Duration { return t.Sub(w.opts.Epoch) }

func (w *World) time(d time.Duration) time.Time {
	if d == forever {
		return time.Time{}
	}
	return w.opts.Epoch.Add(d)
}

// drawSize draws the size of a page: log-normal around the median of the options.
func (w *World) drawSize(d *dice) int {
	size := float64(w.opts.Size) * math.Exp(0.5*d.normal())
	return int(min(max(size, float64(w.opts.Size)/4), float64(w.opts.Size)*6))
}
