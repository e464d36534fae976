package pagedate

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/strandlinehq/strandline/crawler/extract"
)

// Confidences of dates in the visible text.
const (
	cuedDay      = 0.85
	cuedMonth    = 0.75
	oneDateline  = 0.7
	someDateline = 0.6
)

// Bounds of what is read of a page.
const (
	headLines  = 400 // dates stand above a text
	tailLines  = 60  // or below it
	cueReach   = 48  // bytes before a date in which its cue stands
	besideDate = 40  // characters that a dateline has beside its date
	apart      = 300 // letters between datelines that do not stand in one list
)

// visible are the dates that the text gives the page: those behind a cue, such as
// "Published on", and its dateline, which is a line of little but a date. Of several
// with a cue the first counts.
func visible(p *extract.Page) Dates {
	language := p.Detected
	var out Dates
	var lines []dateline
	passed := 0 // letters
	var cued [Modified + 1]bool
	before := ""
	var found []spelled
	for i := range p.Lines {
		if i >= headLines && i < len(p.Lines)-tailLines {
			continue
		}
		s := p.LineText(i)
		passed += letters(s)
		if !strings.ContainsFunc(s, func(r rune) bool { return digit(r) >= 0 }) || rights(s) {
			before = s
			continue
		}
		found = spellings(found[:0], s, language)
		for j, f := range found {
			from := 0
			if j > 0 {
				from = found[j-1].end
			}
			kind := cueIn(tail(s[from:f.start], cueReach))
			if kind == 0 && j == 0 && utf8.RuneCountInString(before) <= besideDate && letters(s[:f.start]) == 0 {
				kind = cueIn(before)
			}
			switch d := f.date; {
			case kind != 0 && !cued[kind]:
				cued[kind] = true
				d.Kind, d.Source, d.Confidence = kind, Text, cuedMonth
				if d.Precision == Day {
					d.Confidence = cuedDay
				}
				out = append(out, d)
			case kind == 0 && len(found) == 1 && d.Precision == Day && letters(s[:f.start])+letters(s[f.end:]) <= besideDate:
				lines = append(lines, dateline{d, passed})
			}
		}
		before = s
		if len(found) > 0 {
			before = ""
		}
	}
	if d, ok := ownDateline(lines); ok && !cued[Published] {
		out = append(out, d)
	}
	return out
}

// dateline is a line of little but a date.
type dateline struct {
	Date
	at int // letters of the page up to its end
}

// ownDateline is the dateline of a page: the only one, or the first if a text
// follows it and all others stand together in one list, as at the side of a blog.
// Where several have texts the page is a list itself.
func ownDateline(lines []dateline) (Date, bool) {
	if len(lines) == 0 {
		return Date{}, false
	}
	d, groups, alike := lines[0].Date, 1, true
	d.Kind, d.Source, d.Confidence = Published, Text, oneDateline
	for i, l := range lines[1:] {
		alike = alike && l.Start.Equal(d.Start)
		if l.at-lines[i].at >= apart {
			groups++
		} else if groups == 1 && !l.Start.Equal(d.Start) {
			return Date{}, false
		}
	}
	switch {
	case alike:
		return d, true
	case groups == 2:
		d.Confidence = someDateline
		return d, true
	}
	return Date{}, false
}

// rights reports whether a line tells whose the page is: its year says little.
func rights(s string) bool {
	return strings.Contains(s, "©") || strings.Contains(strings.ToLower(s), "copyright") || strings.Contains(s, "(c)")
}

// cueIn is the kind of the last cue in a text, 0 without any. Of two that end at one
// place the longer counts, so that "last updated" is one.
func cueIn(s string) Kind {
	s = strings.ToLower(s)
	var kind Kind
	last := -1
	for _, k := range [...]Kind{Published, Modified} {
		for _, cue := range cues(k) {
			if !strings.Contains(s, cue) {
				continue // much cheaper than LastIndex
			}
			if at := strings.LastIndex(s, cue); at+len(cue) > last && wordStarts(s, at) {
				kind, last = k, at+len(cue)
			}
		}
	}
	return kind
}

// wordStarts reports whether a word starts at a place: "unpublished" says something
// else than "published". Scripts without spaces have no such limit.
func wordStarts(s string, at int) bool {
	r, _ := utf8.DecodeLastRuneInString(s[:at])
	return at == 0 || alone(first(s[at:])) || !unicode.IsLetter(r)
}

// letters counts letters.
func letters(s string) int {
	n := 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

// tail is the end of s, of at most n bytes, at the start of a character.
func tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[len(s)-n]) {
		n--
	}
	return s[len(s)-n:]
}
