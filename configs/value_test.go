package configs

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParseDuration(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want time.Duration
		back string
	}{
		{"0", 0, "0s"},
		{"0s", 0, "0s"},
		{"90s", 90 * time.Second, "1m30s"},
		{"10m", 10 * time.Minute, "10m"},
		{"1h30m", 90 * time.Minute, "1h30m"},
		{"1.5h", 90 * time.Minute, "1h30m"},
		{"3d", 72 * time.Hour, "3d"},
		{"2w", 14 * day, "14d"},
		{"400d", 400 * day, "400d"},
		{"3y", 3 * 365 * day, "3y"},
		{"250ms", 250 * time.Millisecond, "0.25s"},
		{"0.000000001s", 1, "0.000000001s"},
		{"1d0.5s", day + 500*time.Millisecond, "1d0.5s"},
	}
	for _, tt := range tests {
		got, err := ParseDuration(tt.text)
		if err != nil || got.Std() != tt.want || got.String() != tt.back {
			t.Errorf("ParseDuration(%q) = %v as %q, %v, want %v as %q", tt.text, got.Std(), got, err, tt.want, tt.back)
		}
	}
	for _, text := range []string{"", " ", "s", "5", "-5s", "+5s", "5 s", "5s ", "1m1h", "1m1m", "1..5s", "1e3s", ".s", "5S", "1/2s", "0x5s", "300y", "99999999999999999999999s"} {
		if got, err := ParseDuration(text); err == nil {
			t.Errorf("ParseDuration(%q) = %v, want an error", text, got)
		}
	}
}

func TestParseSize(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want int64
		back string
	}{
		{"0", 0, "0"},
		{"4096", 4096, "4KiB"},
		{"4096B", 4096, "4KiB"},
		{"10MiB", 10 << 20, "10MiB"},
		{"5MB", 5_000_000, "5MB"},
		{"1.5GiB", 3 << 29, "1536MiB"},
		{"3kB", 3000, "3kB"},
		{"3KB", 3000, "3kB"},
		{"7TB", 7e12, "7TB"},
		{"12345", 12345, "12345"},
	}
	for _, tt := range tests {
		got, err := ParseSize(tt.text)
		if err != nil || got.Bytes() != tt.want || got.String() != tt.back {
			t.Errorf("ParseSize(%q) = %d as %q, %v, want %d as %q", tt.text, got.Bytes(), got, err, tt.want, tt.back)
		}
	}
	for _, text := range []string{"", "MiB", "-1", "10 MiB", "10mib", "10MiBs", "1MiB1KiB1MiB", "99999999TiB"} {
		if got, err := ParseSize(text); err == nil {
			t.Errorf("ParseSize(%q) = %d, want an error", text, got)
		}
	}
}

func TestParseRate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{"500/h": 500, "1/s": 3600, "24/d": 1, "168/w": 1, "2/m": 120, "0/h": 0} {
		got, err := ParseRate(text)
		if err != nil || got.PerHour() != want || got.String() != text {
			t.Errorf("ParseRate(%q) = %v an hour as %q, %v, want %v", text, got.PerHour(), got, err, want)
		}
	}
	for _, text := range []string{"", "500", "/h", "500/", "5.5/h", "-1/h", "500/y", "500/ms", "500/h/h"} {
		if got, err := ParseRate(text); err == nil {
			t.Errorf("ParseRate(%q) = %v, want an error", text, got)
		}
	}
	if got := (Rate{}).PerHour(); got != 0 {
		t.Errorf("zero Rate: %v an hour", got)
	}
}

// TestWrittenFormsReadBack holds for every value that the written form gives the value again.
func TestWrittenFormsReadBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(0, math.MaxInt64).Draw(t, "n")
		if rapid.Bool().Draw(t, "round") { // most written values are round
			unit := rapid.SampledFrom([]int64{int64(time.Second), int64(time.Minute), int64(time.Hour), int64(day), int64(year), 1 << 20, 1e6, 1 << 40}).Draw(t, "unit")
			n = unit * (n % 290)
		}
		if d, err := ParseDuration(Duration(n).String()); err != nil || d != Duration(n) {
			t.Errorf("duration %d is written %s and reads back as %d, %v", n, Duration(n), d, err)
		}
		if s, err := ParseSize(Size(n).String()); err != nil || s != Size(n) {
			t.Errorf("size %d is written %s and reads back as %d, %v", n, Size(n), s, err)
		}
		var k Keep
		if err := k.UnmarshalText([]byte(Keep(n).String())); err != nil || k != Keep(n) {
			t.Errorf("keep %d is written %s and reads back as %d, %v", n, Keep(n), k, err)
		}
	})
}

func TestKeepForever(t *testing.T) {
	t.Parallel()
	if Forever.String() != "forever" || Forever.Std() <= 200*year {
		t.Errorf("Forever = %s, %v", Forever, Forever.Std())
	}
}

func TestRule(t *testing.T) {
	t.Parallel()
	var css, expr Rule
	if err := css.UnmarshalText([]byte("div.ad, nav > a[href^='/x']")); err != nil {
		t.Fatal(err)
	}
	if err := expr.UnmarshalText([]byte(`/a/b \d+/`)); err != nil {
		t.Fatal(err)
	}
	if css.Selector() != string(css) || css.Pattern() != "" || css.Pattern().Regexp() != nil {
		t.Errorf("%q: selector %q, pattern %q", css, css.Selector(), css.Pattern())
	}
	if expr.Selector() != "" || !expr.Pattern().Regexp().MatchString("a/b 17") {
		t.Errorf("%q: selector %q, pattern %q", expr, expr.Selector(), expr.Pattern())
	}
}

func TestNetwork(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"10.0.0.0/8": "10.0.0.0/8", "127.0.0.1": "127.0.0.1/32", "::1": "::1/128", "fc00::/7": "fc00::/7"} {
		var n Network
		if err := n.UnmarshalText([]byte(text)); err != nil || n.String() != want {
			t.Errorf("Network(%q) = %s, %v, want %s", text, n, err, want)
		}
	}
	for _, text := range []string{"", "10.0.0.0/33", "fe80::1%eth0", "localhost", "10.0.0.1/8"} {
		if err := new(Network).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("Network(%q) is allowed", text)
		}
	}
}

func TestLanguageAndHost(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"en": true, "pt-BR": true, "zh-Hant-TW": true, "gsw": true, "EN": false, "e": false, "english": false, "en-": false, "en_US": false} {
		if got := new(Language).UnmarshalText([]byte(text)) == nil; got != want {
			t.Errorf("Language(%q) allowed = %v, want %v", text, got, want)
		}
	}
	for text, want := range map[string]bool{"jp": true, "www.example.org": true, "bücher.example": true, "10.0.0.1": true, "::1": true, "": false, "Example.org": false, "a..b": false, ".jp": false, "a.example:80": false, "*.jp": false} {
		if got := new(Host).UnmarshalText([]byte(text)) == nil; got != want {
			t.Errorf("Host(%q) allowed = %v, want %v", text, got, want)
		}
	}
}

// TestDistance holds the fast distance against its recursive definition.
func TestDistance(t *testing.T) {
	t.Parallel()
	var slow func(a, b string) int
	slow = func(a, b string) int {
		if a == "" || b == "" {
			return len(a) + len(b)
		}
		least := min(slow(a[1:], b), slow(a, b[1:])) + 1
		replaced := slow(a[1:], b[1:])
		if a[0] != b[0] {
			replaced++
		}
		least = min(least, replaced)
		if len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] {
			least = min(least, slow(a[2:], b[2:])+1)
		}
		return least
	}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching("[a-c]{0,6}")
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		if got, want := distance(a, b), slow(a, b); got != want {
			t.Errorf("distance(%q, %q) = %d, want %d", a, b, got, want)
		}
	})
}
