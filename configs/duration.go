package configs

import (
	"math"
	"strconv"
	"strings"
	"time"
)

const (
	day  = 24 * time.Hour
	year = 365 * day // a length of time, not a calendar year
)

// durationScale lists the units of a Duration. "m" is a minute; months are not a length of time.
func durationScale() []unit {
	return []unit{
		{"ms", int64(time.Millisecond)},
		{"s", int64(time.Second)},
		{"m", int64(time.Minute)},
		{"h", int64(time.Hour)},
		{"d", int64(day)},
		{"w", int64(7 * day)},
		{"y", int64(year)},
	}
}

const durationAllowed = "a length of time such as 90s, 10m, 1h30m, 3d, 2w or 3y"

// Duration is a length of time, never negative, written as 90s, 10m, 1h30m, 3d, 2w or 3y (a year is 365 days).
type Duration time.Duration

// ParseDuration reads the written form of a Duration. A plain 0 needs no unit.
func ParseDuration(text string) (Duration, error) {
	var d Duration
	err := d.UnmarshalText([]byte(text))
	return d, err
}

// UnmarshalText reads the written form.
func (d *Duration) UnmarshalText(text []byte) error {
	if string(text) == "0" {
		*d = 0
		return nil
	}
	n, ok := parseQuantity(string(text), durationScale())
	if !ok {
		return &fault{"is not a length of time", durationAllowed}
	}
	*d = Duration(n)
	return nil
}

// Std gives the duration as the standard library has it.
func (d Duration) Std() time.Duration { return time.Duration(d) }

// String gives a written form that reads back to the same duration.
func (d Duration) String() string {
	rest := time.Duration(d)
	if rest > 0 && rest%year == 0 {
		return strconv.FormatInt(int64(rest/year), 10) + "y"
	}
	var b strings.Builder
	for _, u := range []unit{{"d", int64(day)}, {"h", int64(time.Hour)}, {"m", int64(time.Minute)}} {
		if n := int64(rest) / u.size; n > 0 {
			b.WriteString(strconv.FormatInt(n, 10) + u.name)
			rest -= time.Duration(n * u.size)
		}
	}
	if rest > 0 || b.Len() == 0 {
		// Below a minute a decimal fraction is exact to the nanosecond and needs no further unit.
		whole := strconv.FormatInt(int64(rest/time.Second), 10)
		if part := rest % time.Second; part > 0 {
			nanos := strconv.FormatInt(int64(time.Second+part), 10)[1:]
			whole += "." + strings.TrimRight(nanos, "0")
		}
		b.WriteString(whole + "s")
	}
	return b.String()
}

// MarshalText gives the same form as String.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// Keep says how long something is kept: a Duration, or [Forever], written "forever".
type Keep time.Duration

// Forever keeps without end.
const Forever Keep = math.MaxInt64

// UnmarshalText reads a duration or "forever".
func (k *Keep) UnmarshalText(text []byte) error {
	if string(text) == "forever" {
		*k = Forever
		return nil
	}
	var d Duration
	if err := d.UnmarshalText(text); err != nil {
		return &fault{"is not a length of time", durationAllowed + ", or forever"}
	}
	*k = Keep(d)
	return nil
}

// Std gives the length of time kept; the largest duration there is for Forever.
func (k Keep) Std() time.Duration { return time.Duration(k) }

// String gives a written form that reads back to the same value.
func (k Keep) String() string {
	if k == Forever {
		return "forever"
	}
	return Duration(k).String()
}

// MarshalText gives the same form as String.
func (k Keep) MarshalText() ([]byte, error) { return []byte(k.String()), nil }
