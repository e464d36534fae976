// Package window computes novelty without snapshots, for pages that a daemon finds
// between them (SCIENCE T17): pages are fetched each at its own time, and what is
// new is asked for a [Window] of time.
//
// Each [Link] has a birth interval: it appeared after the last fetch of its source
// without it, and not after the first fetch with it. [Births] finds the intervals
// from the fetches of a page. In a window (a, b] a page of W was fetched, a page of U
// was neither fetched nor linked to until a, and the novelty of a link is
//
//	n(q,p) = 1     the link is known to be born after a: its source was fetched without it
//	               since the window's tolerance before a, if q is old, and after a, if q is in U
//	n(q,p) = N(q)  q in U
//	n(q,p) = 0     otherwise: q is old, and the link may be older than a
//
// from which N(p) follows as in package novelty. Here it is a matter of the link
// whether its source counts as L2, not of the page: a page of U that was fetched
// twice in the window vouches for the links that the second fetch has in addition.
//
// Where all fetches of a snapshot happen at one moment, a and b being the moments of
// two of them, this is the measure of snapshots exactly; the tests hold that.
//
// Left out: the distribution of a page's time of birth, which is monitor/novelty/birth.
package window

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/strandlinehq/strandline/monitor/novelty"
)

// Window is a span of time (After, Until].
type Window struct {
	After time.Time // a, which stands for t_{k-1}
	Until time.Time // b, which stands for t_k
	// Tolerance is how long before After a source may have been fetched without a
	// link for the link to count as born after it: the duration of the snapshot
	// that ended at After. 0 asks for a fetch at After itself or later.
	Tolerance time.Duration
}

// has reports whether t is in the window.
func (w Window) has(t time.Time) bool { return t.After(w.After) && !t.After(w.Until) }

// since is the earliest fetch without a link that vouches for the link's birth
// after After.
func (w Window) since() time.Time { return w.After.Add(-w.Tolerance) }

// Page is what is known of a page.
type Page struct {
	Seen     time.Time // when it was first fetched or linked to; zero if never
	Fetched  bool      // fetched in the window
	Before   bool      // fetched in the tolerance before the window, its end included
	Modified time.Time // valid Last-Modified (novelty.LastModified) of its last fetch in the window; zero if none
	Dated    time.Time // the date that the page gives itself; zero if none
}

// Link is a link with the interval (Without, With] in which it appeared.
type Link struct {
	Source, Target uint32
	Without        time.Time // last fetch of the source before With; zero if With is its first fetch
	With           time.Time // first fetch of the source with the link
	// Last is the last fetch of the source with the link, of those until the end of
	// the window: links that it no longer has in the window make nothing old by rule 3.
	Last time.Time
}

// Classify gives the classes of pages in a window (SCIENCE T2): as for a snapshot
// that fetched what was fetched in the window, with t_{k-1} = After. Rule 1 always
// holds, since what was seen before is on record. The links are read once.
func Classify(ctx context.Context, w Window, pages []Page, links iter.Seq[Link], rules novelty.Rules) ([]novelty.Class, error) {
	flags := make([]novelty.Flag, len(pages))
	for i, p := range pages {
		f := &flags[i]
		if p.Fetched {
			*f |= novelty.Crawled
		}
		if !p.Seen.IsZero() && !p.Seen.After(w.After) {
			*f |= novelty.Known
		}
		if p.Before {
			*f |= novelty.Previous
		}
		if !p.Modified.IsZero() && p.Modified.Before(w.After) {
			*f |= novelty.Modified
		}
		if !p.Dated.IsZero() && p.Dated.Before(w.After) {
			*f |= novelty.Dated
		}
	}
	return novelty.Classify(ctx, flags, inWindow{w, links}, rules|novelty.RuleKnown, 1)
}

// inWindow is the links that a fetch in the window has.
type inWindow struct {
	window Window
	links  iter.Seq[Link]
}

func (in inWindow) Parts() int { return 1 }

func (in inWindow) Part(_ int, yield func(uint32, []uint32) error) error {
	target := make([]uint32, 1)
	for l := range in.links {
		if last := l.last(); last.After(in.window.After) && !l.With.After(in.window.Until) {
			target[0] = l.Target
			if err := yield(l.Source, target); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l Link) last() time.Time {
	if l.Last.Before(l.With) {
		return l.With
	}
	return l.Last
}

// Build lays out the links into U of a window, whose scores are then
// novelty.Score's. Pages are numbered as in classes. The links are read twice or
// more, and have to be the same each time.
func Build(ctx context.Context, w Window, classes []novelty.Class, links iter.Seq[Link], opt novelty.BuildOptions) (*novelty.Graph, error) {
	// Page n+q stands for page q where a link of q is known to be born in the
	// window; page q itself then only passes on the score it has.
	n := len(classes)
	doubled := make([]novelty.Class, 2*n)
	for i, c := range classes {
		doubled[i] = c
		if c == novelty.L2 {
			doubled[i] = novelty.Old
		}
		if c.Crawled() {
			doubled[n+i] = novelty.L2
		}
	}
	return novelty.Build(ctx, doubled, vouched{w, classes, links, opt.DropSelfLinks}, opt)
}

// vouched is the links in the window, those that are known to be born in it coming
// from the second number of their source.
type vouched struct {
	window   Window
	classes  []novelty.Class
	links    iter.Seq[Link]
	dropSelf bool
}

func (v vouched) Parts() int { return 1 }

func (v vouched) Part(_ int, yield func(uint32, []uint32) error) error {
	n := uint32(len(v.classes))
	target := make([]uint32, 1)
	for l := range v.links {
		if l.Source >= n || l.Target >= n {
			return &novelty.UnknownPageError{Source: l.Source, Target: l.Target, Pages: int(n)}
		}
		if !v.window.has(l.With) || v.dropSelf && l.Source == l.Target {
			continue // with a target in U no link is older
		}
		source, since := l.Source, v.window.since()
		if v.classes[source] == novelty.Unidentified {
			since = v.window.After
		}
		if !l.Without.IsZero() && !l.Without.Before(since) {
			source += n
		}
		target[0] = l.Target
		if err := yield(source, target); err != nil {
			return err
		}
	}
	return nil
}

// Fetch is one successful fetch of a page with the pages that it links to.
type Fetch struct {
	At      time.Time
	Targets []uint32
}

// Births finds the birth intervals of the links of a page from all its fetches, in
// order of time. A link that goes and comes back is one link, born when first seen.
// Links are given in the order in which they were first seen.
func Births(source uint32, fetches []Fetch) []Link {
	var out []Link
	index := map[uint32]int{}
	var before time.Time
	for _, f := range fetches {
		targets := slices.Clone(f.Targets)
		slices.Sort(targets)
		for _, p := range slices.Compact(targets) {
			i, ok := index[p]
			if !ok {
				i = len(out)
				index[p] = i
				out = append(out, Link{Source: source, Target: p, Without: before, With: f.At})
			}
			out[i].Last = f.At
		}
		before = f.At
	}
	return out
}
