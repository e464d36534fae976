package pagedate

import "strings"

// Confidences of dates in addresses. A year alone may be a version, a title or what
// the page is about.
const (
	urlDay   = 0.9
	urlMonth = 0.85
	urlYear  = 0.4
)

// inURL finds the leftmost date in the path or query of an address:
//
//	/2024/05/12/  2024-05-12  2024_05_12  20240512    a day
//	/2024/05/     2024-05     202405                  a month (SCIENCE T8)
//	/2024/                                            a year
//
// Digits that touch others, such as those of a number of an article, are no date.
func inURL(url string) (Date, bool) {
	_, rest, _ := strings.Cut(url, "://")
	slash := strings.IndexAny(rest, "/?")
	if slash < 0 {
		return Date{}, false
	}
	s := rest[slash:]
	var year Date
	for i := 0; i < len(s); {
		run := digits(s[i:])
		if run == 0 {
			i++
			continue
		}
		if d, ok := urlDate(s[i:], run); ok {
			d.Kind, d.Source = Published, URL
			switch d.Precision {
			case Day:
				d.Confidence = urlDay
				return d, true
			case Month:
				d.Confidence = urlMonth
				return d, true
			}
			if year.Precision == 0 && i > 0 && s[i-1] == '/' && (len(s) == i+run || s[i+run] == '/') {
				d.Confidence = urlYear
				year = d
			}
		}
		i += run
	}
	return year, year.Precision != 0
}

// urlDate reads the date at the start of s, which begins with run digits.
func urlDate(s string, run int) (Date, bool) {
	switch {
	case run == 8 || run == 6:
		day := 0
		if run == 8 {
			if day = number(s[6:8]); day == 0 {
				return Date{}, false
			}
		}
		return plausible(number(s[:4]), number(s[4:6]), day)
	case run != 4:
		return Date{}, false
	}
	year := number(s[:4])
	month, sep, rest := part(s[4:], 0)
	if month == 0 {
		return plausible(year, 0, 0)
	}
	day, _, _ := part(rest, sep)
	if d, ok := plausible(year, month, day); ok && day > 0 {
		return d, ok
	}
	if d, ok := plausible(year, month, 0); ok {
		return d, ok
	}
	return plausible(year, 0, 0)
}

// part reads a separator and two digits that no third follows. The separator is sep
// unless that is 0.
func part(s string, sep byte) (value int, with byte, rest string) {
	if len(s) < 3 || strings.IndexByte("/-_", s[0]) < 0 || sep != 0 && s[0] != sep || digits(s[1:]) != 2 {
		return 0, 0, s
	}
	return number(s[1:3]), s[0], s[3:]
}

// plausible is span for dates from 1993 on; the fetch bounds them above. A number such
// as 190212 is no month of 1902.
func plausible(year, month, day int) (Date, bool) {
	if year < firstYear || year > 2999 {
		return Date{}, false
	}
	if month == 0 && day > 0 {
		return Date{}, false
	}
	return span(year, month, day)
}

// digits counts the ASCII digits at the start of s.
func digits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}

// number is the value of at most nine digits.
func number(s string) int {
	n := 0
	for i := range min(len(s), 9) {
		n = 10*n + int(s[i]-'0')
	}
	return n
}
