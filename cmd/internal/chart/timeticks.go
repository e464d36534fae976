package chart

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Seconds is the value of a time on a Time axis; a gap for the zero time.
func Seconds(t time.Time) float64 {
	if t.IsZero() {
		return math.NaN()
	}
	return float64(t.Unix()) + float64(t.Nanosecond())/1e9
}

func sortTicks(ticks []Tick) {
	slices.SortFunc(ticks, func(a, b Tick) int { return cmp.Compare(a.At, b.At) })
}

// The seconds of the years 1 to 9999, which are all that is drawn of time.
const (
	firstSecond = -62135596800
	lastSecond  = 253402300799
)

// timeStep is a distance between ticks: some seconds, days, months or years.
type timeStep struct{ seconds, days, months, years int }

func (s timeStep) length() float64 {
	return float64(s.seconds) + 86400*(float64(s.days)+30.44*float64(s.months)+365.25*float64(s.years))
}

var timeSteps = [...]timeStep{
	{seconds: 1},
	{seconds: 5},
	{seconds: 15},
	{seconds: 30},
	{seconds: 60},
	{seconds: 120},
	{seconds: 300},
	{seconds: 600},
	{seconds: 900},
	{seconds: 1800},
	{seconds: 3600},
	{seconds: 2 * 3600},
	{seconds: 3 * 3600},
	{seconds: 6 * 3600},
	{seconds: 12 * 3600},
	{days: 1},
	{days: 2},
	{days: 7},
	{days: 14},
	{months: 1},
	{months: 2},
	{months: 3},
	{months: 6},
	{years: 1},
	{years: 2},
	{years: 5},
	{years: 10},
	{years: 20},
	{years: 50},
	{years: 100},
	{years: 200},
	{years: 500},
	{years: 1000},
}

// timeTicks marks about n round moments from lo to hi, in UTC. The first tick of
// a day, or of a year, says which.
func timeTicks(lo, hi float64, n int) []Tick {
	lo, hi = max(lo, firstSecond), min(hi, lastSecond)
	if !(lo < hi) {
		return nil
	}
	step := timeSteps[len(timeSteps)-1]
	for _, s := range timeSteps {
		if s.length() >= (hi-lo)/float64(n)*.999 {
			step = s
			break
		}
	}
	from := time.Unix(int64(math.Floor(lo)), 0).UTC()
	var out []Tick
	var last time.Time
	for t := step.floor(from); len(out) < 100; t = step.next(t) {
		v := float64(t.Unix())
		if v > hi {
			break
		}
		if v < lo {
			continue
		}
		out = append(out, Tick{v, step.print(t, last)})
		last = t
	}
	return out
}

// floor is the last round moment not after t.
func (s timeStep) floor(t time.Time) time.Time {
	y, m, d := t.Date()
	switch {
	case s.seconds > 0:
		unix := t.Unix()
		rest := unix % int64(s.seconds)
		if rest < 0 {
			rest += int64(s.seconds)
		}
		return time.Unix(unix-rest, 0).UTC()
	case s.days >= 7: // weeks begin on Monday
		return time.Date(y, m, d-(int(t.Weekday())+6)%7, 0, 0, 0, 0, time.UTC)
	case s.days > 0:
		return time.Date(y, m, 1+(d-1)/s.days*s.days, 0, 0, 0, 0, time.UTC)
	case s.months > 0:
		return time.Date(y, 1+(m-1)/time.Month(s.months)*time.Month(s.months), 1, 0, 0, 0, 0, time.UTC)
	}
	return time.Date(y/s.years*s.years, 1, 1, 0, 0, 0, 0, time.UTC)
}

func (s timeStep) next(t time.Time) time.Time {
	if s.seconds > 0 {
		return t.Add(time.Duration(s.seconds) * time.Second)
	}
	next := t.AddDate(s.years, s.months, s.days)
	if s.days == 2 && (next.Month() != t.Month() || next.Day() >= 31) { // every other day starts anew with a month
		next = time.Date(t.Year(), t.Month()+1, 1, 0, 0, 0, 0, time.UTC)
	}
	return next
}

func (s timeStep) print(t, last time.Time) string {
	newYear := last.IsZero() || last.Year() != t.Year()
	newDay := newYear || last.YearDay() != t.YearDay()
	clock := "15:04"
	if s.seconds > 0 && s.seconds < 60 {
		clock = "15:04:05"
	}
	midnight := t.Hour() == 0 && t.Minute() == 0 && t.Second() == 0
	switch {
	case s.years > 0:
		return t.Format("2006")
	case s.months > 0 && newYear && t.Month() == 1:
		return t.Format("2006")
	case s.months > 0 && newYear:
		return t.Format("Jan 2006")
	case s.months > 0:
		return t.Format("Jan")
	case s.days > 0 && newYear:
		return t.Format("2 Jan 2006")
	case s.days > 0, midnight && !last.IsZero():
		return t.Format("2 Jan")
	case newDay && midnight:
		return t.Format("2 Jan 2006")
	case newDay:
		return t.Format("2 Jan " + clock)
	}
	return t.Format(clock)
}
