package chart

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// px prints a coordinate to a hundredth of a pixel, without needless digits.
func px(v float64) string {
	v = math.Round(v*100) / 100
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return "0"
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// raw prints a value for a data attribute, with all its digits.
func raw(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// share prints a number from 0 to 1 as papers do: 0, .62, 1.
func share(v float64) string { return shareDigits(v, 2) }

func shareDigits(v float64, digits int) string {
	s := strconv.FormatFloat(v, 'f', digits, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	switch {
	case s == "-0":
		return "0"
	case strings.HasPrefix(s, "0."):
		return s[1:]
	case strings.HasPrefix(s, "-0."):
		return "−" + s[2:]
	}
	return s
}

// percent prints a share as a percentage.
func percent(v float64) string { return number(v*100) + " %" }

// number prints v with about three digits, thousands set apart: 0.012, 4.5,
// 12,300, 1.2e9.
func number(v float64) string {
	a := math.Abs(v)
	switch {
	case !finite(v):
		return "?"
	case v == 0:
		return "0"
	case a >= 1e9 || a < 1e-4:
		return strconv.FormatFloat(v, 'g', 3, 64)
	case a >= 100 || v == math.Trunc(v):
		return grouped(strconv.FormatFloat(v, 'f', 0, 64))
	}
	digits := max(0, 2-int(math.Floor(math.Log10(a))))
	return trimZeros(strconv.FormatFloat(v, 'f', digits, 64))
}

// withStep prints v with the decimals that a scale in steps of step needs.
func withStep(v, step float64) string {
	a := max(math.Abs(v), step)
	if v == 0 {
		return "0"
	}
	if a >= 1e9 || a < 1e-4 {
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	digits := min(15, max(0, -int(math.Floor(math.Log10(step)+1e-9))))
	return grouped(strconv.FormatFloat(v, 'f', digits, 64))
}

func trimZeros(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}

// grouped sets commas between the thousands of a printed number.
func grouped(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "−", s[1:]
	}
	whole, rest, _ := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if rest != "" {
		whole += "." + rest
	}
	return sign + whole
}

// span prints a length of time given in hours in its natural unit: 20 min, 9 h,
// 2.1 d, 5 wk, 3 y.
func span(hours float64) string {
	a := math.Abs(hours)
	switch {
	case !finite(hours):
		return "?"
	case a == 0:
		return "0"
	case a < 1.0/60:
		return twoDigits(hours*3600) + " s"
	case a < 1:
		return twoDigits(hours*60) + " min"
	case a < 48:
		return twoDigits(hours) + " h"
	case a < 24*28:
		return twoDigits(hours/24) + " d"
	case a < 24*365:
		return twoDigits(hours/168) + " wk"
	}
	return twoDigits(hours/(24*365.25)) + " y"
}

func twoDigits(v float64) string {
	if math.Abs(v) >= 10 {
		return grouped(strconv.FormatFloat(v, 'f', 0, 64))
	}
	return trimZeros(strconv.FormatFloat(v, 'f', 1, 64))
}

// moment prints a time to the minute, in UTC.
func moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") + " UTC" }

// plural prints a count with its noun.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(strconv.Itoa(n)) + " " + many
}

// ShareText prints a number from 0 to 1 as the figures do: 0, .62, 1.
func ShareText(v float64) string { return share(v) }

// SpanText prints a time in hours as the figures do, such as "1.3 h" and "2.1 d".
func SpanText(hours float64) string { return span(hours) }

// NumberText prints v as the figures do: about three digits, thousands set apart.
func NumberText(v float64) string { return number(v) }
