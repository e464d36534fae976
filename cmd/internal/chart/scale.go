package chart

import (
	"math"
	"slices"
)

// Kind says how values lie on an axis.
type Kind uint8

const (
	Linear   Kind = iota
	Log           // decades; values of zero and less are gaps
	Time          // seconds since 1970, in UTC; see Seconds
	Hours         // lengths of time in hours, with days and weeks as ticks
	LogHours      // lengths of time in hours on a logarithmic axis
	Share         // from 0 to 1, printed as .5
	Hidden        // linear and not drawn
)

func (k Kind) log() bool { return k == Log || k == LogHours }

// limit is the largest value that is drawn; larger ones are drawn there. Values
// of less than 1/limit are 0.
const limit = 1e300

// scale maps the values from lo to hi to the pixels from a to b.
type scale struct {
	kind   Kind
	lo, hi float64
	a, b   float64
}

// at is where v lies, in px; NaN if it has no place.
func (s scale) at(v float64) float64 {
	lo, hi := s.lo, s.hi
	if s.kind.log() {
		if v <= 0 {
			return math.NaN()
		}
		v, lo, hi = math.Log10(v), math.Log10(lo), math.Log10(hi)
	}
	if !finite(v) {
		return math.NaN()
	}
	v = max(-limit, min(limit, v))
	return s.a + (s.b-s.a)*((v-lo)/(hi-lo))
}

// inside says whether v is within the axis.
func (s scale) inside(v float64) bool { return v >= s.lo && v <= s.hi }

// clamp is at for values that may lie outside; they come to the nearer end.
func (s scale) clamp(v float64) float64 { return s.at(max(s.lo, min(s.hi, v))) }

// extent is the smallest and the largest of the values seen.
type extent struct {
	lo, hi float64
	n      int
}

func (e *extent) add(v float64) {
	if !finite(v) {
		return
	}
	v = max(-limit, min(limit, v))
	if math.Abs(v) < 1/limit {
		v = 0
	}
	if e.n == 0 || v < e.lo {
		e.lo = v
	}
	if e.n == 0 || v > e.hi {
		e.hi = v
	}
	e.n++
}

// Axis describes one direction of a chart.
type Axis struct {
	Label    string // what is measured, with its unit
	Kind     Kind
	Min, Max float64 // the ends; both 0: from the data
	Zero     bool    // the axis includes 0, as counts must
	Ticks    []Tick  // instead of computed ones
	Tight    bool    // ends with the data instead of with a round number
}

// Tick is a marked value of an axis. Without a label it is a mark only.
type Tick struct {
	At    float64
	Label string
}

// fitted is the scale of an axis for data, without its place in pixels.
func (a Axis) fitted(e extent, length float64, perTick float64) (scale, []Tick) {
	s := scale{kind: a.Kind, lo: a.Min, hi: a.Max}
	if a.Min == a.Max || !finite(a.Min) || !finite(a.Max) {
		s.lo, s.hi = e.lo, e.hi
		if a.Zero {
			s.lo, s.hi = min(s.lo, 0), max(s.hi, 0)
		}
		if a.Kind == Share && s.lo >= 0 && s.hi <= 1 {
			s.lo, s.hi = 0, 1
		}
	}
	s.lo, s.hi = max(-limit, min(s.lo, s.hi)), min(limit, max(s.lo, s.hi))
	if a.Kind == Time {
		s.lo, s.hi = max(s.lo, firstSecond), min(s.hi, lastSecond)
		s.lo, s.hi = min(s.lo, lastSecond), max(s.hi, firstSecond)
	}
	n := max(2, int(length/perTick))
	if a.Kind.log() {
		s.lo, s.hi = logDomain(s.lo, s.hi)
	} else if s.hi-s.lo <= 2e-12*max(math.Abs(s.lo), math.Abs(s.hi)) {
		s.lo, s.hi = around(a.Kind, s.lo, a.Zero)
	}
	var ticks []Tick
	switch a.Kind {
	case Linear, Share, Hidden:
		step := niceStep(s.lo, s.hi, n)
		if a.Min == a.Max && !a.Tight {
			s.lo, s.hi = roundDomain(s.lo, s.hi, step)
		}
		ticks = linearTicks(s.lo, s.hi, step, a.Kind == Share)
	case Log:
		if a.Min == a.Max && !a.Tight {
			s.lo, s.hi = max(math.Pow(10, math.Floor(math.Log10(s.lo)+1e-9)), 1e-300), min(math.Pow(10, math.Ceil(math.Log10(s.hi)-1e-9)), limit)
		}
		ticks = logTicks(s.lo, s.hi, n)
	case Time:
		ticks = timeTicks(s.lo, s.hi, n)
	case Hours:
		ticks = hourTicks(s.lo, s.hi, n)
	case LogHours:
		if a.Min == a.Max && !a.Tight { // room for dots at the ends
			s.lo, s.hi = s.lo*.85, s.hi*1.15
		}
		ticks = logHourTicks(s.lo, s.hi, n)
	}
	slack := (s.hi - s.lo) * 1e-6
	ticks = slices.DeleteFunc(ticks, func(t Tick) bool { return t.At < s.lo-slack || t.At > s.hi+slack })
	if a.Ticks != nil {
		ticks = a.Ticks
	}
	if a.Kind == Hidden {
		ticks = nil
	}
	return s, ticks
}

// tickRoom is the least distance of ticks on an x axis, in px: what their labels
// commonly need.
func tickRoom(k Kind) float64 {
	switch k {
	case Share:
		return 46
	case Hours, LogHours:
		return 64
	}
	return 84
}

// logDomain makes ends that a logarithm can take and that differ.
func logDomain(lo, hi float64) (float64, float64) {
	if !(hi > 0) {
		lo, hi = 1, 10
	}
	if !(lo > 0) {
		lo = hi / 1e3
	}
	if hi/lo < 2 {
		lo, hi = max(lo/2, 1e-300), min(hi*2, limit)
	}
	return lo, hi
}

// around gives room about a single value.
func around(kind Kind, v float64, zero bool) (float64, float64) {
	switch {
	case kind == Time:
		return v - 12*3600, v + 12*3600
	case kind == Hours && v >= 0 && v < 10:
		return max(0, v-1), v + 1
	case v == 0:
		return 0, 1
	case zero:
		return min(v, 0), max(v, 0)
	}
	d := max(math.Abs(v)*.1, 1e-6*math.Abs(v))
	return v - d, v + d
}
