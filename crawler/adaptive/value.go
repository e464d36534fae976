package adaptive

import (
	"fmt"
	"math"
	"time"
)

// Page is what the schedule has to know of a page.
type Page struct {
	Importance float64 // m, what one hour of freshness is worth, on any scale common to all pages
	Rate       float64 // d, changes an hour
}

// Check returns an error unless importance and rate are finite and not negative.
// Functions of this package take other values for 0.
func (p Page) Check() error {
	for _, v := range [...]struct {
		name  string
		value float64
	}{{"importance", p.Importance}, {"rate", p.Rate}} {
		if !(v.value >= 0 && v.value <= math.MaxFloat64) {
			return fmt.Errorf("%s %v is not a finite number from 0", v.name, v.value)
		}
	}
	return nil
}

func (p Page) clean() Page { return Page{positive(p.Importance), positive(p.Rate)} }

// peak is m/d, which the value nears with growing age: above that threshold the
// page is never worth a fetch. It is 0 for pages that are never worth one.
func (p Page) peak() float64 {
	if p.Rate == 0 || p.Importance == 0 {
		return 0
	}
	return min(p.Importance/p.Rate, math.MaxFloat64)
}

// Value is m U(age), what fetching the page is worth at that age of its last
// fetch. It grows with age.
func (p Page) Value(age time.Duration) float64 {
	p = p.clean()
	return p.peak() * gain(p.Rate*max(0, hours(age)))
}

// Interval is the age at which the value reaches threshold, held within lim: the
// time from one fetch to the next. A page that never gets there has lim.Max.
func (p Page) Interval(threshold float64, lim Limits) time.Duration {
	return lim.clamp(p.clean().wait(threshold))
}

// wait is the interval in hours without limits.
func (p Page) wait(threshold float64) float64 {
	peak := p.peak()
	if peak == 0 {
		return math.Inf(1)
	}
	return gainInverse(threshold/peak) / p.Rate
}

// Limits bound intervals.
type Limits struct {
	Min time.Duration // zero: 10 minutes
	Max time.Duration // zero: 30 days; no page waits longer, whatever it is worth
}

func (l Limits) withDefaults() Limits {
	if l.Min <= 0 {
		l.Min = 10 * time.Minute
	}
	if l.Max <= 0 {
		l.Max = 30 * 24 * time.Hour
	}
	l.Max = max(l.Min, l.Max)
	return l
}

func (l Limits) clamp(h float64) time.Duration {
	l = l.withDefaults()
	switch {
	case h <= hours(l.Min):
		return l.Min
	case h < hours(l.Max):
		return time.Duration(h * float64(time.Hour))
	}
	return l.Max
}

func hours(d time.Duration) float64 { return d.Hours() }

// positive returns v if it is a positive finite number, else 0.
func positive(v float64) float64 {
	if v > 0 && v <= math.MaxFloat64 {
		return v
	}
	return 0
}
