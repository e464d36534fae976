// Package birth estimates when a page appeared, as an interval with a probability
// (SCIENCE T17, 3.2): for a page that was found between snapshots, how sure it is
// that it is new, and how new.
//
// A page exists when it was first seen, and at its Last-Modified; those bound its
// birth B from above. What bounds it from below are the links to it: each appeared
// in a known interval (Without, With], and not before the page. A [Model] says how
// long after a page links to it appear, so that for each link, X being its birth,
//
//	P(X <= b+x | B=b) = G(x) = w + (1-w) (1 - exp(-x/d))   for x >= 0
//
// with w the share of links that are made together with the page, and d the mean
// delay of the others. A link can only be known if it appeared until the last fetch
// of its source, so its likelihood is
//
//	(G(With-b) - G(Without-b)) / G(Until-b)
//
// A date that the page gives is right with probability r, give or take a Laplace
// error, and else says nothing. Last-Modified is when the page appeared with
// probability m, and else tells of a later change, and so no more than a bound. With a prior that grows as the web does, the product
// is the posterior of B: [Model.Posterior]. [Fit] estimates w and d from the pages
// themselves; no truth is needed.
//
// The prior of a page may be given a share of pages that appeared after some time,
// where that is known of pages like it (Evidence.New).
//
// Left out: pages without any link and date, of which only the prior speaks, and
// which link and date a page has, which is for the caller to say.
package birth

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Link is what is known of a link to the page.
type Link struct {
	Without time.Time // last fetch of its source without it; zero if there was none
	With    time.Time // first fetch of its source with it
	Until   time.Time // last fetch of its source at all; zero stands for a source that is watched for ever
}

// Evidence is what is known of a page.
type Evidence struct {
	Seen     time.Time // when it was first fetched
	Modified time.Time // valid Last-Modified of its first fetch (novelty.LastModified); zero if none
	Dated    time.Time // the date that it gives itself; zero if none
	Links    []Link
	// Since and New, unless New is 0, say what is known of pages like it: they
	// appeared after Since with a probability of New.
	Since time.Time
	New   float64
}

// Model is how pages, links to them and their dates appear.
type Model struct {
	Immediate float64       // w: share of links that are made together with the page; 0 to 1
	Delay     time.Duration // d: mean delay of the others
	Growth    time.Duration // in which the births of pages in a unit of time grow e-fold
	Trust     float64       // r: share of dates of pages that are right; 0 to below 1
	Error     time.Duration // mean error of those
	Span      time.Duration // over which wrong dates are spread
	// Unmodified is the share of pages whose Last-Modified is when they appeared; 0
	// to below 1. The others change at rates of all orders of magnitude.
	Unmodified float64
}

// Default is the model before anything is known: half of the links come with the
// page, the others in a month; dates are right as often as published extractors
// are (SCIENCE 2.10).
func Default() Model {
	const day = 24 * time.Hour
	return Model{Immediate: 0.5, Delay: 30 * day, Growth: 730 * day, Trust: 0.85, Error: day / 2, Span: 3650 * day, Unmodified: 0.1}
}

// Check says what is wrong with a model.
func (m Model) Check() error {
	switch {
	case !(m.Immediate >= 0 && m.Immediate <= 1):
		return fmt.Errorf("share of immediate links is %v: must be from 0 to 1", m.Immediate)
	case !(m.Trust >= 0 && m.Trust < 1):
		return fmt.Errorf("share of right dates is %v: must be from 0 to below 1", m.Trust)
	case !(m.Unmodified >= 0 && m.Unmodified < 1):
		return fmt.Errorf("share of unmodified pages is %v: must be from 0 to below 1", m.Unmodified)
	case m.Delay <= 0 || m.Growth <= 0 || m.Error <= 0 || m.Span <= 0:
		return fmt.Errorf("delay %v, growth %v, error %v and span %v must be positive", m.Delay, m.Growth, m.Error, m.Span)
	}
	return nil
}

// maxLinks is how many links are looked at: those that appeared first tell most.
const maxLinks = 32

// known is the evidence in hours up to the latest time at which the page can have
// been born, which is 0. Times are NaN where there are none.
type known struct {
	latest time.Time
	links  []interval
	dated  float64
	seen   float64
	made   float64 // Last-Modified; NaN where it tells no more than a bound
	since  float64
	factor [2]float64 // of the prior before and after since
}

type interval struct{ without, with, until float64 }

func prepare(e Evidence, g rates) (known, error) {
	k := known{latest: e.Seen, dated: math.NaN()}
	if e.Seen.IsZero() {
		return k, fmt.Errorf("the page was never seen")
	}
	links := slices.Clone(e.Links)
	slices.SortFunc(links, func(a, b Link) int { return a.With.Compare(b.With) })
	links = links[:min(len(links), maxLinks)]
	if !e.Modified.IsZero() && e.Modified.Before(k.latest) {
		k.latest = e.Modified
	}
	for _, l := range links {
		if l.With.IsZero() || !l.Without.Before(l.With) || !l.Until.IsZero() && l.Until.Before(l.With) {
			return k, fmt.Errorf("a link was last absent at %v, first present at %v, its source last fetched at %v", l.Without, l.With, l.Until)
		}
		if l.With.Before(k.latest) {
			k.latest = l.With
		}
	}
	for _, l := range links {
		k.links = append(k.links, interval{k.hours(l.Without), k.hours(l.With), k.hours(l.Until)})
	}
	k.dated, k.seen, k.made, k.since, k.factor = k.hours(e.Dated), k.hours(e.Seen), math.NaN(), math.NaN(), [2]float64{1, 1}
	if !e.Modified.IsZero() && g.unmodified > 0 {
		k.made = k.hours(e.Modified)
	}
	if e.New != 0 {
		if !(e.New > 0 && e.New < 1) || !e.Since.Before(e.Seen) || e.Since.IsZero() {
			return k, fmt.Errorf("born after %v with a probability of %v, and seen at %v", e.Since, e.New, e.Seen)
		}
		k.since = k.hours(e.Since)
		// Of the growing prior that ends when the page was seen, this much lies behind.
		behind := -math.Expm1(-g.growth * e.Seen.Sub(e.Since).Hours())
		k.factor = [2]float64{(1 - e.New) / (1 - behind), e.New / behind}
	}
	return k, nil
}

func (k known) hours(t time.Time) float64 {
	if t.IsZero() {
		return math.NaN()
	}
	return t.Sub(k.latest).Hours()
}

// rates are a model's parameters for times in hours.
type rates struct{ immediate, perHour, growth, trust, error, span, unmodified float64 }

func (m Model) rates() rates {
	return rates{m.Immediate, 1 / m.Delay.Hours(), 1 / m.Growth.Hours(), m.Trust, m.Error.Hours(), m.Span.Hours(), m.Unmodified}
}

// appeared is G: the probability that a link has appeared x hours after its page.
func (r rates) appeared(x float64) float64 {
	if x < 0 {
		return 0
	}
	return r.immediate - (1-r.immediate)*math.Expm1(-x*r.perHour)
}

// clockError is how far Last-Modified may be from the moment at which a page
// appeared, in hours.
const clockError = 0.05

// modifiedRange is ln(ten years / clockError): with rates of change spread evenly
// over their logarithm, Last-Modified lies x hours before a fetch with a density of
// 1 / (modifiedRange x), whenever the page appeared.
const modifiedRange = 14.4

// density is the posterior of a birth at hour b, but for a constant factor.
func (r rates) density(k known, b float64) float64 {
	p := math.Exp(r.growth * b)
	if b > k.since {
		p *= k.factor[1]
	} else {
		p *= k.factor[0]
	}
	for _, l := range k.links {
		x := r.appeared(l.with - b)
		switch {
		case math.IsNaN(l.without):
		case l.without >= b: // exact where the two are close
			x = (1 - r.immediate) * math.Exp(-(l.without-b)*r.perHour) * -math.Expm1(-(l.with-l.without)*r.perHour)
		}
		if !math.IsNaN(l.until) {
			x /= r.appeared(l.until - b)
		}
		p *= x
	}
	if k.made >= b {
		p *= r.unmodified/clockError*math.Exp((b-k.made)/clockError) + (1-r.unmodified)/(modifiedRange*max(k.seen-k.made, clockError))
	}
	if !math.IsNaN(k.dated) {
		p *= r.trust/(2*r.error)*math.Exp(-math.Abs(k.dated-b)/r.error) + (1-r.trust)/r.span
	}
	return p
}
