package canonical

import (
	"regexp"
	"strings"
	"time"
)

// The kinds of trap.
const (
	TrapSession  = "session"  // the URL names a visitor's session: every visit gives a new one
	TrapRepeat   = "repeat"   // path parts or parameters repeat: usually a relative link gone wrong
	TrapCalendar = "calendar" // a page of a calendar that has no end
	TrapDeep     = "deep"     // more than 20 path segments
	TrapQuery    = "query"    // a query of more than 1,024 bytes
)

const (
	maxSegments   = 20
	maxQuery      = 1024
	maxRepeats    = 3  // direct repetitions of a block of path segments, or of one parameter
	calendarPast  = 10 // years back that a calendar may reach
	calendarAhead = 2  // years ahead that a calendar may reach
	dateAhead     = 10 // years ahead that any other dated URL may reach
	maxDates      = 3  // parameters that hold whole dates
	maxDateParts  = 4  // parameters named as parts of a date
)

// Trap reports whether a canonical URL belongs to a space without end, which must not enter the
// set of pages (SCIENCE T16), and which kind it is. Now is the time against which calendar dates
// are held. The first rule that fits gives the kind:
//
//   - deep: more than 20 non-empty path segments;
//   - query: more than 1,024 bytes of query;
//   - session: a parameter, or a path parameter behind a semicolon, that is always a session id
//     (jsessionid, phpsessid, aspsessionid*, cftoken, oscsid, zenid, phpsessionid) and has a
//     value; or one often used for it (sid, s, sess, session, sessid, sessionid, session_id,
//     session-id, cfid) whose value looks random: 16 or more hexadecimal digits, or 20 or more
//     letters and digits of both sorts; or a path segment of the form (S(24 letters or digits)),
//     as ASP.NET writes it;
//   - repeat: a block of path segments, not all of them numbers, three times in direct succession
//     (/x/x/x, /a/b/a/b/a/b); or one and the same name=value parameter three times;
//   - calendar: three or more parameters whose values are whole dates; or four or more parameters
//     named as parts of a date (year, month, week, day, hour, date); or a date that lies more than
//     10 years back or 2 years ahead and belongs to a calendar; or on any URL a date more than 10
//     years ahead.
//
// A date is at least a year and a month: 2024-07, 2024-07-31 or 20240731 as a whole path segment
// or parameter value, or the segments 2024/07 or 2024/07/31; behind a calendar word a parameter
// year=2024 will do. It belongs to a calendar when a calendar word stands before it in the path and
// nothing behind it, or when it is a parameter and any path segment or parameter name has such a
// word. Calendar words are calendar, cal, kalender, calendrier, calendario, agenda, event, events,
// eventdate, termine, veranstaltungen, schedule, month, week and day, alone or between hyphens or
// underscores. So dated articles (/2024/07/01/slug, /events/1998/12/old-concert) are no traps.
func Trap(url string, now time.Time) (kind string, ok bool) {
	rest, _, _ := cutScheme(url)
	_, rest, _ = strings.Cut(rest, "/")
	path, query, _ := strings.Cut(rest, "?")
	if len(query) > maxQuery {
		return TrapQuery, true
	}
	segments := make([]string, 0, maxSegments+1)
	for s := range strings.SplitSeq(path, "/") {
		if s == "" {
			continue
		}
		if len(segments) == maxSegments {
			return TrapDeep, true
		}
		segments = append(segments, s)
	}
	params := parameters(query)
	switch {
	case hasSession(segments, params):
		return TrapSession, true
	case repeats(segments) || repeatedParameter(params):
		return TrapRepeat, true
	case endlessCalendar(segments, params, now):
		return TrapCalendar, true
	}
	return "", false
}

// parameter is one name=value of a query; the name in lower case.
type parameter struct{ name, value string }

func parameters(query string) []parameter {
	if query == "" {
		return nil
	}
	var list []parameter
	for s := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(s, "=")
		list = append(list, parameter{lowerASCII(name), value})
	}
	return list
}

func hasSession(segments []string, params []parameter) bool {
	for _, p := range params {
		if isSession(p.name, p.value) {
			return true
		}
	}
	for _, s := range segments {
		if strings.HasPrefix(s, "(") && aspSession.MatchString(s) {
			return true
		}
		_, matrix, _ := strings.Cut(s, ";")
		for matrix != "" {
			var one string
			one, matrix, _ = strings.Cut(matrix, ";")
			name, value, _ := strings.Cut(one, "=")
			if isSession(lowerASCII(name), value) {
				return true
			}
		}
	}
	return false
}

// aspSession is the cookieless session of ASP.NET, perhaps among other such marks: (X(1)S(..)).
var aspSession = regexp.MustCompile(`^\((?:[A-Z]\([^()]*\))*S\([a-zA-Z0-9]{24}\)(?:[A-Z]\([^()]*\))*\)$`)

func isSession(name, value string) bool {
	switch name {
	case "jsessionid", "phpsessid", "phpsessionid", "cftoken", "oscsid", "zenid":
		return value != ""
	case "sid", "s", "sess", "session", "sessid", "sessionid", "session_id", "session-id", "cfid":
		return looksRandom(value)
	}
	return strings.HasPrefix(name, "aspsessionid") && value != ""
}

// looksRandom reports whether a value has the form of a generated key.
func looksRandom(s string) bool {
	if len(s) < 16 {
		return false
	}
	hex, letters, digits := true, false, false
	for i := range len(s) {
		switch c := s[i]; {
		case isDigit(c):
			digits = true
		case isLetter(c):
			letters = true
			hex = hex && c|0x20 <= 'f'
		default:
			return false
		}
	}
	return hex || len(s) >= 20 && letters && digits
}

// repeats looks for a block of n segments that stands three times in direct succession, that is,
// for 2n segments in a row that each equal the one n places on.
func repeats(segments []string) bool {
	for n := 1; n*maxRepeats <= len(segments); n++ {
		run, words := 0, false
		for i := 0; i+n < len(segments); i++ {
			if segments[i] != segments[i+n] {
				run, words = 0, false
				continue
			}
			run++
			words = words || !allDigits(segments[i])
			if run >= n*(maxRepeats-1) && words {
				return true
			}
		}
	}
	return false
}

func repeatedParameter(params []parameter) bool {
	if len(params) < maxRepeats {
		return false
	}
	count := make(map[parameter]int, len(params))
	for _, p := range params {
		if p.value == "" {
			continue
		}
		if count[p]++; count[p] == maxRepeats {
			return true
		}
	}
	return false
}

func allDigits(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}
