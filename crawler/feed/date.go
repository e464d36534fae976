package feed

import (
	"strconv"
	"strings"
	"time"
)

// parseTime reads the dates of feeds: those of mail (RFC 822 and its successors), which RSS uses,
// and those of RFC 3339, which the others use, with the liberties that are taken with both. It
// returns the zero time for what it cannot read.
//
//	Mon, 01 Jul 2024 10:30:00 +0200      1 July 2024 10:30 CEST      Mon Jul  1 10:30:00 2024
//	2024-07-01T10:30:00+02:00            2024-07-01 10:30            2024-07
//
// The day of the week is not looked at. Two digits are a year from 1970 to 2069. A time without a
// zone, or with one that is not in zones, is taken as UTC.
func parseTime(s string) time.Time {
	s = strings.TrimSpace(s)
	if len(s) > 64 {
		return time.Time{}
	}
	if len(s) >= 7 && s[4] == '-' {
		return parseISO(s)
	}
	return parseMail(s)
}

func parseISO(s string) time.Time {
	s = strings.ToUpper(strings.Replace(s, " UTC", "Z", 1))
	for _, layout := range []string{
		time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02", "2006-01",
		"2006-01-02T15:04:05Z0700", "2006-01-02T15:04Z0700",
		"2006-01-02 15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 Z07:00", "2006-01-02 15:04:05Z0700",
		"2006-01-02 15:04:05 Z0700", "2006-01-02 15:04",
	} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}

// parseMail takes a date apart into words and knows each by its form, as their order differs.
func parseMail(s string) time.Time {
	var (
		year, day            = -1, -1
		month                time.Month
		hour, minute, second int
		offset               time.Duration
	)
	var words []string
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return r <= ' ' || r == ',' }) {
		if strings.Count(w, "-") == 2 { // 01-Jul-24, as RFC 850 has it
			words = append(words, strings.FieldsFunc(w, func(r rune) bool { return r == '-' })...)
		} else {
			words = append(words, w)
		}
	}
	for _, w := range words {
		switch m := monthOf(w); {
		case m != 0 && month == 0:
			month = m
		case strings.Contains(w, ":") && w[0] != '+' && w[0] != '-':
			var ok bool
			if hour, minute, second, ok = clock(w); !ok {
				return time.Time{}
			}
		case w[0] == '+' || w[0] == '-':
			offset = zoneOffset(w)
		case digits(w) && day < 0 && len(w) <= 2:
			day, _ = strconv.Atoi(w)
		case digits(w) && year < 0 && (len(w) == 4 || len(w) == 2):
			year, _ = strconv.Atoi(w)
			if len(w) == 2 {
				year += 1900
				if year < 1970 {
					year += 100
				}
			}
		default:
			if h, ok := zones[strings.ToUpper(w)]; ok {
				offset = time.Duration(h * float64(time.Hour))
			}
		}
	}
	if year < 0 || month == 0 || day < 1 {
		return time.Time{}
	}
	t := time.Date(year, month, day, hour, minute, second, 0, time.UTC)
	if t.Day() != day && hour < 24 {
		return time.Time{} // the month has no such day
	}
	return t.Add(-offset)
}

// monthOf knows a month by its first three letters, in English.
func monthOf(w string) time.Month {
	if len(w) < 3 {
		return 0
	}
	i := strings.Index("janfebmaraprmayjunjulaugsepoctnovdec", strings.ToLower(w[:3]))
	if i < 0 || i%3 != 0 {
		return 0
	}
	return time.Month(i/3 + 1)
}

// clock reads 10:30 or 10:30:15; fractions of a second are dropped.
func clock(w string) (hour, minute, second int, ok bool) {
	w, _, _ = strings.Cut(w, ".")
	parts := strings.Split(w, ":")
	if len(parts) < 2 || len(parts) > 3 {
		return 0, 0, 0, false
	}
	var n [3]int
	for i, p := range parts {
		if !digits(p) || len(p) > 2 {
			return 0, 0, 0, false
		}
		n[i], _ = strconv.Atoi(p)
	}
	return n[0], n[1], n[2], n[0] <= 24 && n[1] < 60 && n[2] <= 60
}

// zoneOffset reads +0200 or +02:00, and gives 0 for what is neither.
func zoneOffset(w string) time.Duration {
	d := strings.Replace(w[1:], ":", "", 1)
	if len(d) != 4 || !digits(d) {
		return 0
	}
	n, _ := strconv.Atoi(d)
	offset := time.Duration(n/100)*time.Hour + time.Duration(n%100)*time.Minute
	if w[0] == '-' {
		return -offset
	}
	return offset
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// zones are the names of RFC 822 and those of the time zones that feeds are seen to use, in hours
// east of Greenwich. Where a name has several meanings, the more common one in feeds is taken.
var zones = map[string]float64{
	"GMT": 0, "UT": 0, "UTC": 0, "Z": 0, "WET": 0,
	"EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
	"AKST": -9, "AKDT": -8, "HST": -10, "AST": -4, "ADT": -3, "NST": -3.5, "NDT": -2.5, "BRT": -3, "ART": -3,
	"BST": 1, "WEST": 1, "CET": 1, "MEZ": 1, "CEST": 2, "MESZ": 2, "EET": 2, "EEST": 3, "MSK": 3, "TRT": 3, "SAST": 2,
	"IST": 5.5, "PKT": 5, "SGT": 8, "HKT": 8, "JST": 9, "KST": 9, "AWST": 8, "ACST": 9.5, "AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13,
}
