package pagedate

import (
	"strings"
	"time"

	"github.com/strandlinehq/strandline/crawler/extract"
)

// Confidences of dates in markup. Where several time elements differ they may be
// those of teasers; the first is still the page's more often than not.
const (
	markupDate   = 0.95
	oneTimeMark  = 0.7
	someTimeMark = 0.3
	mostMarks    = 3 // more different days than that are a list
)

// stated are the dates of meta elements, JSON-LD and time elements. Of several that
// say when the page was published, the earliest counts: JSON-LD also describes
// what is embedded. Of several modifications the latest does.
func stated(p *extract.Page) Dates {
	var out Dates
	var marks []Date
	for _, s := range p.Dates {
		d, ok := readStated(s.Value)
		if !ok {
			continue
		}
		switch s.Kind {
		case extract.Published:
			d.Kind, d.Source, d.Confidence = Published, Markup, markupDate
			out = keep(out, d, d.Start.Before)
		case extract.Modified:
			d.Kind, d.Source, d.Confidence = Modified, Markup, markupDate
			out = keep(out, d, d.Start.After)
		case extract.Mentioned:
			marks = distinct(marks, d)
		}
	}
	if len(marks) > 0 && len(marks) <= mostMarks {
		d := marks[0]
		d.Kind, d.Source, d.Confidence = Published, TimeMark, oneTimeMark
		if len(marks) > 1 {
			d.Confidence = someTimeMark
		}
		out = append(out, d)
	}
	return out
}

// keep replaces the date of d's kind where d is better, or adds d.
func keep(out Dates, d Date, better func(time.Time) bool) Dates {
	for i := range out {
		if out[i].Kind == d.Kind {
			if better(out[i].Start) {
				out[i] = d
			}
			return out
		}
	}
	return append(out, d)
}

// distinct adds a date whose span is not there yet.
func distinct(all []Date, d Date) []Date {
	for _, o := range all {
		if o.Start.Equal(d.Start) && o.Precision == d.Precision {
			return all
		}
	}
	return append(all, d)
}

// readStated reads a date as markup states it: ISO 8601 and what resembles it, with
// any time behind it; eight digits; a date of HTTP; else as people write dates.
func readStated(s string) (Date, bool) {
	s = strings.TrimSpace(s)
	switch run := digits(s); {
	case run == 8 && (len(s) == 8 || s[8] == 'T' || s[8] == ' '):
		return plausible(number(s[:4]), number(s[4:6]), number(s[6:8]))
	case run == 4 && len(s) == 4:
		return plausible(number(s), 0, 0)
	case run == 4 && len(s) >= 7 && s[4] == '-' && digits(s[5:]) == 2:
		year, month := number(s[:4]), number(s[5:7])
		switch {
		case len(s) == 7:
			return plausible(year, month, 0)
		case len(s) >= 10 && s[7] == '-' && digits(s[8:]) == 2:
			return plausible(year, month, max(number(s[8:10]), -1))
		}
		return Date{}, false
	}
	var found []spelled
	found = spellings(found, s, "")
	if len(found) == 0 {
		return Date{}, false
	}
	return found[0].date, true
}
