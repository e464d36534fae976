package snapshot

import (
	"regexp"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/strandlinehq/strandline/crawler/canonical"
)

// Scope bounds a crawl. A limit of 0 does not bound.
type Scope struct {
	Sites    []string // registrable domains, or whole endings such as jp
	Hosts    []string // single hosts, in addition; with both empty, the sites of the seeds
	Paths    []string // beginnings of paths; empty for all
	Exclude  []string // parts of path and query; a * stands for any run of letters
	MaxDepth int      // links from a seed
	// MaxPages and MaxPagesPerHost count pages that gave content.
	MaxPages, MaxPagesPerHost int
}

// within is a compiled Scope.
type within struct {
	names   map[string]bool // sites and endings
	hosts   map[string]bool
	paths   []string
	exclude *regexp.Regexp // nil: nothing
}

// compile prepares a scope; the seeds, canonical URLs, name its sites where it does
// not do so itself.
func (s *Scope) compile(seeds []string) within {
	w := within{names: map[string]bool{}, hosts: map[string]bool{}, paths: s.Paths}
	for _, n := range s.Sites {
		w.names[strings.ToLower(strings.Trim(n, "."))] = true
	}
	for _, h := range s.Hosts {
		w.hosts[strings.ToLower(h)] = true
	}
	if len(s.Sites) == 0 && len(s.Hosts) == 0 {
		for _, u := range seeds {
			if f, err := canonical.FactsOf(u); err == nil {
				w.names[f.Site] = true
			}
		}
	}
	var parts []string
	for _, e := range s.Exclude {
		parts = append(parts, strings.ReplaceAll(regexp.QuoteMeta(e), `\*`, `.*`))
	}
	if len(parts) > 0 {
		w.exclude = regexp.MustCompile(strings.Join(parts, "|")) // quoted, so it compiles
	}
	return w
}

// Holds returns what reports whether a canonical URL belongs to the scope, whatever
// its depth; the seeds name its sites where the scope does not.
func (s *Scope) Holds(seeds []string) func(url string) bool {
	w := s.compile(seeds)
	return w.has
}

// has reports whether a canonical URL belongs to the scope.
func (w *within) has(url string) bool {
	_, rest, ok := strings.Cut(url, "://")
	if !ok {
		return false
	}
	host, path, ok := strings.Cut(rest, "/")
	if !ok {
		return false
	}
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		host = host[:i]
	}
	if !w.hasHost(host) {
		return false
	}
	path = rest[len(rest)-len(path)-1:]
	if len(w.paths) > 0 {
		begins := false
		for _, p := range w.paths {
			begins = begins || strings.HasPrefix(path, p)
		}
		if !begins {
			return false
		}
	}
	return w.exclude == nil || !w.exclude.MatchString(path)
}

// hasHost reports whether the host itself, or an ending of its name, is named. An
// ending begins behind a point, so notexample.jp is no part of example.jp.
func (w *within) hasHost(host string) bool {
	if w.hosts[host] {
		return true
	}
	for name := host; ; {
		if w.names[name] {
			return true
		}
		_, rest, ok := strings.Cut(name, ".")
		if !ok {
			return false
		}
		name = rest
	}
}

// turn is the priority of a URL within its level, above -1 and up to 0: a hash of
// the URL alone (SCIENCE C7). Ids rise with the time at which pages were first heard
// of, so in their order a crawl that ends at a limit would leave out what is new. It
// is the same in every snapshot, so that a series under a limit sees the same pages
// again. Priorities above 0 are those of the order by novelty.
func turn(url string) float32 {
	return -float32(xxh3.HashString("turn "+url)>>40) / (1 << 24)
}
