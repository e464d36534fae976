package gate

import (
	"cmp"
	"slices"
	"time"
)

// State is what is known of a host, for status pages.
type State struct {
	Host     string
	Running  int           // requests
	Waiting  int           // callers of Acquire
	ReadyAt  time.Time     // see Gate.Ready
	Why      Why           // what it waits for until then
	Delay    time.Duration // between its requests, with what robots.txt asks for
	Failures int           // in a row
	Broken   bool          // the circuit is open, or a probe is running
	Doubled  int           // how often the back-off was doubled and not taken back
	Reason   string        // what last went wrong while it is failing or backed off; empty else
}

// State returns the state of a host. Of a host that is not known it is that of any other.
func (g *Gate) State(name string, now time.Time) State {
	g.mu.Lock()
	defer g.mu.Unlock()
	if h := g.hosts[name]; h != nil {
		return h.state(&g.opt, name, now)
	}
	return State{Host: name, ReadyAt: now, Delay: g.opt.Delay}
}

// States returns the states of all known hosts, by name.
func (g *Gate) States(now time.Time) []State {
	g.mu.Lock()
	all := make([]State, 0, len(g.hosts))
	for name, h := range g.hosts {
		all = append(all, h.state(&g.opt, name, now))
	}
	g.mu.Unlock()
	slices.SortFunc(all, func(a, b State) int { return cmp.Compare(a.Host, b.Host) })
	return all
}

// Known returns how many hosts are remembered.
func (g *Gate) Known() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.hosts)
}

func (h *host) state(o *Options, name string, now time.Time) State {
	at, why := h.ready(o, now)
	s := State{
		Host: name, Running: h.running, Waiting: h.waiters, ReadyAt: at, Why: why,
		Delay: h.gap(o), Failures: h.failures, Broken: h.broken, Doubled: h.level,
	}
	if h.failures > 0 || h.level > 0 {
		s.Reason = h.reason
	}
	return s
}
