package mask

import (
	"strings"
	"time"
)

// scanClock recognises what is a time by itself: 9:05, 09:05:33.123, 2026-11-02,
// 2.11.2026, 11/02/2026, and a date with T and a clock time.
func scanClock(text string, i int) (end int, ok bool) {
	if !digit(text[i]) || i > 0 && (digit(text[i-1]) || text[i-1] == ':') {
		return 0, false
	}
	if n := shape(text[i:], "dd:dd", "d:dd"); n > 0 {
		i += n
		if m := shape(text[i:], ":dd"); m > 0 {
			i += m
			if i+1 < len(text) && (text[i] == '.' || text[i] == ',') && digit(text[i+1]) {
				i = digitsFrom(text, i+1)
			}
		}
		return i, ends(text, i)
	}
	n := shape(text[i:], "dddd-dd-dd", "dddd/dd/dd", "dd.dd.dddd", "d.dd.dddd", "dd.d.dddd", "d.d.dddd",
		"dd/dd/dddd", "d/dd/dddd", "dd/d/dddd", "d/d/dddd", "dd-dd-dddd")
	if n == 0 {
		return 0, false
	}
	i += n
	if i+1 < len(text) && text[i] == 'T' {
		if e, ok := scanClock(text, i+1); ok {
			i = e
		}
	}
	if i < len(text) && text[i] == 'Z' {
		i++
	}
	return i, ends(text, i)
}

// ends reports that no digit or letter follows at i, except the Z of UTC.
func ends(text string, i int) bool {
	return i >= len(text) || text[i] == 'Z' || !digit(text[i]) && text[i] != ':' && (text[i]|0x20 < 'a' || text[i]|0x20 > 'z')
}

func digitsFrom(text string, i int) int {
	for i < len(text) && digit(text[i]) {
		i++
	}
	return i
}

// shape returns the length of the first shape that s starts with: d is a digit.
func shape(s string, shapes ...string) int {
next:
	for _, p := range shapes {
		if len(s) < len(p) {
			continue
		}
		for k := range len(p) {
			if p[k] == 'd' && !digit(s[k]) || p[k] != 'd' && p[k] != s[k] {
				continue next
			}
		}
		return len(p)
	}
	return 0
}

// maxRun bounds the tokens of one time, so that a page of weekdays costs linear time.
const maxRun = 24

// joinInstants joins the parts of a time into one token: "Mon, 02 Nov 2026
// 10:00:01 GMT" is one instant, since a part that differs within a pair and one
// that will only differ tomorrow are the same noise. A name of a month counts
// only beside a number.
func joinInstants(text string, in []token) []token {
	var seeds []int
	for i, t := range in {
		if t.class == instant {
			seeds = append(seeds, i)
		} else if t.class == word && isMonth(text[t.start:t.end]) && (besideDay(text, in, i, -1) || besideDay(text, in, i, 1)) {
			in[i].class = instant
			seeds = append(seeds, i)
		}
	}
	if len(seeds) == 0 {
		return in
	}
	out := make([]token, 0, len(in))
	for i := 0; i < len(in); {
		from, to := i, i // the tokens of a run, if it becomes one
		strong, month := false, false
		for k := i; k < len(in) && k < i+maxRun; {
			t := in[k]
			s := text[t.start:t.end]
			switch {
			case t.class == instant:
				strong = true
				month = month || isMonth(s)
			case t.class == number && (month || besideMonth(text, in, k)):
			case t.class == word && (weekday(s) || to > from && unit(s)):
			case t.class == word && to > from && (s == "at" || s == "um"):
				k = connectors(text, in, k+1)
				continue
			default:
				k = i + maxRun
				continue
			}
			to = k + 1
			k = connectors(text, in, to)
		}
		if !strong {
			out = append(out, in[i])
			i++
			continue
		}
		out = append(out, token{instant, in[from].start, in[to-1].end})
		i = to
	}
	return out
}

// joints are the characters that may stand between the parts of a time.
const joints = " ,.-/"

// connectors returns the index after at most two tokens at k that may stand
// between the parts of a time.
func connectors(text string, in []token, k int) int {
	for n := 0; n < 2 && k < len(in); n++ {
		if s := text[in[k].start:in[k].end]; in[k].class != literal || !strings.Contains(joints, s) {
			break
		}
		k++
	}
	return k
}

// besideDay reports whether a number of a day or year stands on that side of token i.
func besideDay(text string, in []token, i, side int) bool {
	k := beside(text, in, i, side)
	return k >= 0 && in[k].class == number && in[k].end-in[k].start <= 4
}

func besideMonth(text string, in []token, i int) bool {
	for _, side := range [...]int{-1, 1} {
		if k := beside(text, in, i, side); k >= 0 && in[k].class == instant && isMonth(text[in[k].start:in[k].end]) {
			return true
		}
	}
	return false
}

// beside returns the token next to i, up to two connectors away, or -1.
func beside(text string, in []token, i, side int) int {
	for n, k := 0, i+side; n < 3 && k >= 0 && k < len(in); n, k = n+1, k+side {
		if in[k].class != literal {
			return k
		}
		if !strings.Contains(joints, text[in[k].start:in[k].end]) {
			return -1
		}
	}
	return -1
}

// isMonth knows the names of months in English, German, French, Spanish and
// Italian by their beginnings of three letters, if they are no longer than names are.
func isMonth(s string) bool {
	if len(s) < 3 || len(s) > 11 {
		return false
	}
	s = strings.ToLower(s)
	for _, name := range [...]string{
		"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december", "sept",
		"januar", "februar", "märz", "mai", "juni", "juli", "oktober", "dezember",
		"janvier", "février", "mars", "avril", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre",
		"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre",
		"gennaio", "febbraio", "aprile", "maggio", "giugno", "luglio", "settembre", "ottobre", "dicembre",
	} {
		if s == name || len(s) == 3 && strings.HasPrefix(name, s) {
			return true
		}
	}
	return false
}

// weekday knows the days of the week in English and German, short ones in English.
func weekday(s string) bool {
	s = strings.ToLower(s)
	switch s {
	case "mon", "tue", "tues", "wed", "thu", "thurs", "fri", "sat", "sun", "mittwoch":
		return true
	}
	return strings.HasSuffix(s, "day") && len(s) >= 6 && len(s) <= 9 || strings.HasSuffix(s, "tag") && len(s) >= 7 && len(s) <= 10
}

// unit knows what follows a clock time or the number of a day.
func unit(s string) bool {
	switch strings.ToLower(s) {
	case "am", "pm", "gmt", "utc", "cet", "cest", "est", "edt", "cst", "cdt", "mst", "mdt", "pst", "pdt", "bst", "jst", "uhr", "th", "st", "nd", "rd":
		return true
	}
	return false
}

// shows reports whether a text of class instant holds a clock time that is the
// given one, in a zone that is a multiple of half an hour from UTC: to 5 seconds
// if it has seconds, else to the minute before or after.
func shows(text string, now time.Time) bool {
	const half = 1800
	for i := range len(text) {
		if i > 0 && (digit(text[i-1]) || text[i-1] == ':') {
			continue
		}
		n := shape(text[i:], "dd:dd", "d:dd")
		if n == 0 {
			continue
		}
		two := func(k int) int { return int(text[k]-'0')*10 + int(text[k+1]-'0') }
		second, slack := two(i+n-2)*60, 60
		at := now.Minute() * 60
		if shape(text[i+n:], ":dd") > 0 {
			second, slack = second+two(i+n+1), 5
			at += now.Second()
		}
		d := ((second-at)%half + half) % half
		return min(d, half-d) <= slack
	}
	return false
}
