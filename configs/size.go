package configs

import (
	"strconv"
	"strings"
	"time"
)

// sizeScale lists the units of a Size; a number without a unit counts bytes.
func sizeScale() []unit {
	return []unit{
		{"TiB", 1 << 40},
		{"TB", 1e12},
		{"GiB", 1 << 30},
		{"GB", 1e9},
		{"MiB", 1 << 20},
		{"MB", 1e6},
		{"KiB", 1 << 10},
		{"kB", 1e3},
		{"KB", 1e3},
		{"B", 1},
		{"", 1},
	}
}

// Size is a number of bytes, written as 10MiB (1,024 to the step), 5MB (1,000 to the step) or a plain number.
type Size int64

// ParseSize reads the written form of a Size.
func ParseSize(text string) (Size, error) {
	var s Size
	err := s.UnmarshalText([]byte(text))
	return s, err
}

// UnmarshalText reads the written form.
func (s *Size) UnmarshalText(text []byte) error {
	n, ok := parseQuantity(string(text), sizeScale())
	if !ok {
		return &fault{"is not a size", "a number of bytes such as 10MiB, 5MB or 4096"}
	}
	*s = Size(n)
	return nil
}

// Bytes gives the size in bytes.
func (s Size) Bytes() int64 { return int64(s) }

// String gives the shortest written form that reads back to the same size, one with a unit where two are as short.
func (s Size) String() string {
	best := strconv.FormatInt(int64(s), 10)
	for _, u := range sizeScale() {
		if s == 0 || u.name == "KB" || int64(s)%u.size != 0 {
			continue
		}
		if short := strconv.FormatInt(int64(s)/u.size, 10) + u.name; u.size > 1 && len(short) <= len(best) {
			best = short
		}
	}
	return best
}

// MarshalText gives the same form as String.
func (s Size) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Rate is a number of fetches in a span of time, written as 500/h; the spans are s, m, h, d and w.
type Rate struct {
	Count int64
	Per   time.Duration
}

// ParseRate reads the written form of a Rate.
func ParseRate(text string) (Rate, error) {
	var r Rate
	err := r.UnmarshalText([]byte(text))
	return r, err
}

// UnmarshalText reads the written form.
func (r *Rate) UnmarshalText(text []byte) error {
	wrong := &fault{"is not a rate", "a whole number over s, m, h, d or w, such as 500/h"}
	count, span, ok := strings.Cut(string(text), "/")
	if !ok {
		return wrong
	}
	n, err := strconv.ParseInt(count, 10, 64)
	per := unitSize(span, durationScale())
	if err != nil || n < 0 || per == 0 || span == "ms" || span == "y" {
		return wrong
	}
	*r = Rate{Count: n, Per: time.Duration(per)}
	return nil
}

// PerHour gives the rate in fetches an hour, 0 for the zero Rate.
func (r Rate) PerHour() float64 {
	if r.Per == 0 {
		return 0
	}
	return float64(r.Count) * float64(time.Hour) / float64(r.Per)
}

// String gives the written form, empty for the zero Rate.
func (r Rate) String() string {
	for _, u := range durationScale() {
		if int64(r.Per) == u.size {
			return strconv.FormatInt(r.Count, 10) + "/" + u.name
		}
	}
	return ""
}

// MarshalText gives the same form as String.
func (r Rate) MarshalText() ([]byte, error) { return []byte(r.String()), nil }
