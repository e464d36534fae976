package canonical

import (
	"strings"
	"time"
)

// endlessCalendar holds the calendar rules of Trap.
func endlessCalendar(segments []string, params []parameter, now time.Time) bool {
	limit := func(year, past, ahead int) bool {
		return year > now.Year()+ahead || year < now.Year()-past
	}
	word := false
	for i, s := range segments {
		if year, n := pathDate(segments[i:]); n > 0 {
			past := forever
			ahead := dateAhead
			if word && i+n == len(segments) {
				past, ahead = calendarPast, calendarAhead
			}
			if limit(year, past, ahead) {
				return true
			}
		}
		word = word || hasCalendarWord(s)
	}

	dates, parts := 0, 0
	for _, p := range params {
		word = word || hasCalendarWord(p.name)
		if isDatePart(p.name) && p.value != "" {
			parts++
		}
		if _, whole, _ := date(p.value); whole {
			dates++
		}
	}
	if dates >= maxDates || parts >= maxDateParts {
		return true
	}
	for _, p := range params {
		year, _, ok := date(p.value)
		if !ok && p.name == "year" && len(p.value) == 4 && allDigits(p.value) {
			year, ok = number(p.value), word
		}
		if !ok {
			continue
		}
		if limit(year, forever, dateAhead) || word && limit(year, calendarPast, calendarAhead) {
			return true
		}
	}
	return false
}

// forever is more years than a date of four digits can lie back.
const forever = 10_000

// pathDate reads a date at the start of segments; n is how many segments it fills, or 0.
func pathDate(segments []string) (year, n int) {
	s := segments[0]
	if year, _, ok := date(s); ok {
		return year, 1
	}
	if len(segments) < 2 || len(s) != 4 || !allDigits(s) || s[0] == '0' || !isMonth(segments[1]) {
		return 0, 0
	}
	if len(segments) > 2 && isDay(segments[2]) {
		return number(s), 3
	}
	return number(s), 2
}

// date reads the forms 2024-07, 2024-07-31 and 20240731. Whole is true when the day is there.
func date(s string) (year int, whole, ok bool) {
	if len(s) < 7 || !allDigits(s[:4]) || s[0] == '0' {
		return 0, false, false
	}
	year = number(s[:4])
	switch {
	case len(s) == 7 && s[4] == '-':
		return year, false, isMonth(s[5:])
	case len(s) == 10 && s[4] == '-' && s[7] == '-':
		ok = isMonth(s[5:7]) && isDay(s[8:])
		return year, ok, ok
	case len(s) == 8 && allDigits(s):
		// Other numbers have eight digits too; only those of our times are taken for dates.
		ok = isMonth(s[4:6]) && isDay(s[6:]) && year >= 1900 && year < 2200
		return year, ok, ok
	}
	return 0, false, false
}

func isMonth(s string) bool {
	return (len(s) == 1 || len(s) == 2) && allDigits(s) && 1 <= number(s) && number(s) <= 12
}

func isDay(s string) bool {
	return (len(s) == 1 || len(s) == 2) && allDigits(s) && 1 <= number(s) && number(s) <= 31
}

// number reads a few digits.
func number(digits string) int {
	n := 0
	for i := range len(digits) {
		n = n*10 + int(digits[i]-'0')
	}
	return n
}

func isDatePart(name string) bool {
	switch name {
	case "year", "month", "week", "day", "hour", "date":
		return true
	}
	return false
}

// hasCalendarWord reports whether a path segment or a parameter's name, or a part of it between
// hyphens or underscores, is a word for a calendar.
func hasCalendarWord(s string) bool {
	isCut := func(r rune) bool { return r == '-' || r == '_' }
	for part := range strings.FieldsFuncSeq(s, isCut) {
		switch lowerASCII(part) {
		case "calendar", "cal", "kalender", "calendrier", "calendario", "agenda", "events", "event", "eventdate",
			"termine", "veranstaltungen", "schedule", "month", "week", "day":
			return true
		}
	}
	return false
}
