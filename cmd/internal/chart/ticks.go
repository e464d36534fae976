package chart

import (
	"math"
	"strconv"
)

// niceStep is 1, 2 or 5 times a power of ten, so that lo to hi has about n steps.
func niceStep(lo, hi float64, n int) float64 {
	rough := (hi - lo) / float64(n)
	if !(rough > 0) || !finite(rough) {
		return 1
	}
	p := math.Pow(10, math.Floor(math.Log10(rough)))
	if p == 0 || !finite(p) {
		return rough
	}
	for _, f := range []float64{1, 2, 5, 10} {
		if f*p >= rough*.999 {
			return f * p
		}
	}
	return 10 * p
}

// roundDomain widens lo and hi to multiples of step.
func roundDomain(lo, hi, step float64) (float64, float64) {
	a, b := math.Floor(lo/step+1e-9)*step, math.Ceil(hi/step-1e-9)*step
	if !finite(a) || !finite(b) || a >= b {
		return lo, hi
	}
	return max(a, -limit), min(b, limit)
}

func linearTicks(lo, hi, step float64, short bool) []Tick {
	var out []Tick
	first, last := math.Ceil(lo/step-1e-9), math.Floor(hi/step+1e-9)
	for i := first; i <= last && len(out) < 50; i++ {
		v := i * step
		if short {
			out = append(out, Tick{v, shareDigits(v, max(0, -int(math.Floor(math.Log10(step)+1e-9))))})
		} else {
			out = append(out, Tick{v, withStep(v, step)})
		}
		if i+1 == i { // beyond whole numbers: one tick says all
			break
		}
	}
	return out
}

var superscripts = map[rune]rune{'-': '⁻', '0': '⁰', '1': '¹', '2': '²', '3': '³', '4': '⁴', '5': '⁵', '6': '⁶', '7': '⁷', '8': '⁸', '9': '⁹'}

func power(e int) string {
	if e >= -3 && e <= 6 {
		return grouped(trimZeros(strconv.FormatFloat(math.Pow(10, float64(e)), 'f', max(0, -e), 64)))
	}
	return exponent(e)
}

// exponent writes a power of ten with its exponent.
func exponent(e int) string {
	out := []rune("10")
	for _, r := range strconv.Itoa(e) {
		out = append(out, superscripts[r])
	}
	return string(out)
}

// logTicks marks decades, every k-th if there are many, and 2 and 5 between them
// if there are few.
func logTicks(lo, hi float64, n int) []Tick {
	a, b := int(math.Floor(math.Log10(lo)+1e-9)), int(math.Ceil(math.Log10(hi)-1e-9))
	every := max(1, (b-a+n-1)/n)
	var out []Tick
	for e := a; e <= b; e++ {
		if e%every != 0 {
			continue
		}
		p := math.Pow(10, float64(e))
		label := power
		if a < -3 && e < 0 { // one form for all small ones of an axis
			label = exponent
		}
		for _, f := range []float64{1, 2, 5} {
			v := f * p
			if v < lo*.999999 || v > hi*1.000001 || f != 1 && b-a > 2 {
				continue
			}
			s := label(e)
			if f != 1 {
				s = number(v)
			}
			out = append(out, Tick{v, s})
		}
	}
	return out
}

// Lengths of time that people count in, in hours.
const (
	minute = 1.0 / 60
	day    = 24.0
	week   = 168.0
	year   = 8766.0
)

// hourTicks marks hours, days, weeks or years, whichever gives about n.
func hourTicks(lo, hi float64, n int) []Tick {
	steps := [...]float64{
		minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute, 1, 2, 3, 6, 12,
		day, 2 * day, week, 2 * week, 4 * week, 8 * week, 13 * week, 26 * week, 52 * week,
	}
	rough := (hi - lo) / float64(n)
	step := 0.0
	for _, s := range steps {
		if s >= rough*.999 {
			step = s
			break
		}
	}
	switch {
	case rough < minute/2:
		step = niceStep(lo*3600, hi*3600, n) / 3600
	case step == 0:
		step = niceStep(lo/year, hi/year, n) * year
	}
	var out []Tick
	for i := math.Ceil(lo/step - 1e-9); i*step <= hi*(1+1e-12) && len(out) < 60; i++ {
		v := i * step
		s := ""
		switch {
		case v == 0:
			s = "0"
		case step < minute/2:
			s = number(v*3600) + " s"
		case step < .99:
			s = number(math.Round(v*60)) + " min"
		case step < day && hi-lo > 2*day && math.Mod(v, day) != 0: // a mark between the days
		case step < day && math.Mod(v, day) != 0:
			s = number(math.Round(v)) + " h"
		case step < week:
			s = number(math.Round(v/day)) + " d"
		case step < year:
			s = number(math.Round(v/week)) + " wk"
		default:
			s = number(math.Round(v/year)) + " y"
		}
		out = append(out, Tick{v, s})
	}
	return out
}

// logHourTicks marks the lengths that have names.
func logHourTicks(lo, hi float64, n int) []Tick {
	named := [...]Tick{
		{1.0 / 3600, "1 s"},
		{10.0 / 3600, "10 s"},
		{minute, "1 min"},
		{10 * minute, "10 min"},
		{1, "1 h"},
		{6, "6 h"},
		{day, "1 d"},
		{week, "1 wk"},
		{4 * week, "4 wk"},
		{26 * week, "26 wk"},
		{year, "1 y"},
		{10 * year, "10 y"},
		{100 * year, "100 y"},
	}
	extra := [...]Tick{{2 * minute, "2 min"}, {5 * minute, "5 min"}, {20 * minute, "20 min"}, {30 * minute, "30 min"}, {2, "2 h"}, {3, "3 h"}, {12, "12 h"}, {2 * day, "2 d"}, {3 * day, "3 d"}, {2 * week, "2 wk"}, {3 * week, "3 wk"}, {8 * week, "8 wk"}, {13 * week, "13 wk"}, {2 * year, "2 y"}, {5 * year, "5 y"}}
	var out []Tick
	for _, t := range named {
		if t.At >= lo*.999 && t.At <= hi*1.001 {
			out = append(out, t)
		}
	}
	if len(out) < 3 {
		for _, t := range extra {
			if t.At >= lo*.999 && t.At <= hi*1.001 {
				out = append(out, t)
			}
		}
		sortTicks(out)
	}
	if len(out) < 2 || lo < 1e-6 || hi > 200*year {
		return logTicks(lo, hi, n)
	}
	return out
}
