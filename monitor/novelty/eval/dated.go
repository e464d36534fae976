package eval

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Month is a month of the calendar, comparable: year * 12 + month - 1.
type Month int

// MonthOf gives the month of a time in UTC.
func MonthOf(t time.Time) Month {
	t = t.UTC()
	return Month(t.Year()*12 + int(t.Month()) - 1)
}

// NewMonth gives a month, from 1 to 12, of a year.
func NewMonth(year, month int) Month { return Month(year*12 + month - 1) }

// ParseMonth reads YYYY-MM.
func ParseMonth(s string) (Month, error) {
	t, err := time.Parse("2006-01", s)
	if err != nil {
		return 0, fmt.Errorf("%q is no month: write YYYY-MM", s)
	}
	return MonthOf(t), nil
}

// Year is the year of the month.
func (m Month) Year() int { return int(m) / 12 }

// String gives YYYY-MM.
func (m Month) String() string { return fmt.Sprintf("%04d-%02d", int(m)/12, int(m)%12+1) }

// Dater finds months in URLs (SCIENCE T8).
type Dater struct {
	First, Last int // years that count; zero is 1993 and 2010, those of the paper
}

// Of gives the month that a URL names: the leftmost YYYYMM, YYYY/MM or YYYY-MM in
// its path or query that touches no other digits except the two of a day right
// behind, the year being one that counts and the month 01 to 12.
func (d Dater) Of(address string) (Month, bool) {
	first, last := d.First, d.Last
	if first == 0 {
		first = 1993
	}
	if last == 0 {
		last = 2010
	}
	s := pathAndQuery(address)
	for i := 0; i < len(s); i++ {
		if !digit(s, i) || digit(s, i-1) {
			continue
		}
		year, month, ok := yearMonth(s[i:])
		if ok && year >= first && year <= last && month >= 1 && month <= 12 {
			return NewMonth(year, month), true
		}
	}
	return 0, false
}

// yearMonth reads one of the patterns at the beginning of s.
func yearMonth(s string) (year, month int, ok bool) {
	run := 0
	for digit(s, run) {
		run++
	}
	var behind string // what follows the month
	switch {
	case run == 6, run == 8: // YYYYMM, YYYYMMDD
		month, behind = two(s[4:]), s[6:]
	case run == 4 && len(s) >= 7 && (s[4] == '/' || s[4] == '-') && digit(s, 5) && digit(s, 6):
		month, behind = two(s[5:]), s[7:]
	default:
		return 0, 0, false
	}
	if digit(behind, 0) && (!digit(behind, 1) || digit(behind, 2) || two(behind) < 1 || two(behind) > 31) {
		return 0, 0, false
	}
	return two(s)*100 + two(s[2:]), month, true
}

func digit(s string, i int) bool { return i >= 0 && i < len(s) && s[i] >= '0' && s[i] <= '9' }

func two(s string) int { return int(s[0]-'0')*10 + int(s[1]-'0') }

// pathAndQuery cuts scheme, host and fragment off, and resolves escapes, whose
// digits are none of the URL's.
func pathAndQuery(address string) string {
	address, _, _ = strings.Cut(address, "#")
	if i := strings.Index(address, "://"); i >= 0 && strings.IndexAny(address, "/?") == i+1 {
		address = address[i+len("://"):]
	}
	i := strings.IndexAny(address, "/?")
	if i < 0 {
		return ""
	}
	address = address[i:]
	if !strings.Contains(address, "%") {
		return address
	}
	var out strings.Builder
	for i := 0; i < len(address); i++ {
		if c, ok := escape(address[i:]); ok {
			out.WriteByte(c)
			i += 2
		} else {
			out.WriteByte(address[i])
		}
	}
	return out.String()
}

// escape reads %XX at the beginning of s.
func escape(s string) (byte, bool) {
	if len(s) < 3 || s[0] != '%' {
		return 0, false
	}
	c, err := strconv.ParseUint(s[1:3], 16, 8)
	return byte(c), err == nil
}

// Age is how a dated page stands to a snapshot.
type Age uint8

// The ages of dated pages: those that are New or Future count as novel.
const (
	Old    Age = iota // before the month of t_{k-1}
	New               // from there to the month of t_k, both included
	Future            // after it
)

// AgeOf compares a page's month with those of t_{k-1} and t_k.
func AgeOf(month, previous, current Month) Age {
	switch {
	case month < previous:
		return Old
	case month <= current:
		return New
	}
	return Future
}

// Dated counts dated pages by age (the paper's Table 3).
type Dated struct{ Old, New, Future uint64 }

// Add counts a page.
func (d *Dated) Add(a Age) {
	switch a {
	case Old:
		d.Old++
	case New:
		d.New++
	case Future:
		d.Future++
	}
}

// Total is the number of dated pages.
func (d Dated) Total() uint64 { return d.Old + d.New + d.Future }

// Baseline is the precision of judging all pages novel: (New + Future) / Total. ok
// is false without pages.
func (d Dated) Baseline() (precision float64, ok bool) { return ratio(d.New+d.Future, d.Total()) }
