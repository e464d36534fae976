package pagedate

import (
	"cmp"
	"slices"
	"time"

	"github.com/strandlinehq/strandline/crawler/extract"
)

// Kind tells what a date says of its page.
type Kind uint8

// The kinds.
const (
	Published Kind = 1 + iota
	Modified
)

// String is the kind in words.
func (k Kind) String() string {
	switch k {
	case Published:
		return "published"
	case Modified:
		return "modified"
	}
	return "unknown"
}

// Precision is the length of the span that a date names.
type Precision uint8

// The precisions, from the least.
const (
	Year Precision = 1 + iota
	Month
	Day
)

// String is the precision in words.
func (p Precision) String() string {
	switch p {
	case Year:
		return "year"
	case Month:
		return "month"
	case Day:
		return "day"
	}
	return "unknown"
}

// Source tells where on a page a date stands.
type Source uint8

// The sources.
const (
	URL      Source = 1 + iota // in its address
	Markup                     // meta elements and JSON-LD
	TimeMark                   // time elements
	Text                       // visible text
)

// String is the source in words.
func (s Source) String() string {
	switch s {
	case URL:
		return "url"
	case Markup:
		return "markup"
	case TimeMark:
		return "time element"
	case Text:
		return "text"
	}
	return "unknown"
}

// Date is a date that a page gives itself. Pages mostly write the day of their own
// place and no zone; it is taken as written, as a day of UTC.
type Date struct {
	Start      time.Time // the span's first moment, UTC
	Precision  Precision
	Kind       Kind
	Source     Source
	Confidence float64 // above 0, below 1
}

// End is the first moment after the span.
func (d Date) End() time.Time {
	switch d.Precision {
	case Day:
		return d.Start.AddDate(0, 0, 1)
	case Month:
		return d.Start.AddDate(0, 1, 0)
	}
	return d.Start.AddDate(1, 0, 0)
}

// String is the date as far as it is known: 2024, 2024-05 or 2024-05-12.
func (d Date) String() string {
	return d.Start.Format([...]string{"", "2006", "2006-01", "2006-01-02"}[d.Precision])
}

// Sure is the confidence from which a date is used as a fact.
const Sure = 0.7

// firstYear is the first one that counts (SCIENCE T8).
const firstYear = 1993

// Dates are the dates of a page, the surest of each kind first.
type Dates []Date

// Of finds the dates of a page at an address, as it was fetched. What lies more
// than a day after the fetch, or before 1993, is no date of the page.
func Of(url string, p *extract.Page, fetched time.Time) Dates {
	var out Dates
	if d, ok := inURL(url); ok {
		out = append(out, d)
	}
	out = append(out, stated(p)...)
	out = append(out, visible(p)...)
	limit := fetched.AddDate(0, 0, 1)
	out = slices.DeleteFunc(out, func(d Date) bool { return d.Start.Year() < firstYear || d.Start.After(limit) })
	return merge(out)
}

// Published is when the page says, or its address, that it appeared.
func (ds Dates) Published() (Date, bool) { return ds.first(Published) }

// Modified is when the page says that it was last modified.
func (ds Dates) Modified() (Date, bool) { return ds.first(Modified) }

func (ds Dates) first(k Kind) (Date, bool) {
	for _, d := range ds {
		if d.Kind == k {
			return d, true
		}
	}
	return Date{}, false
}

// OldBefore is the moment before which, by its own sure dates, the page existed: the
// end of the earliest of them, since what was modified on a day existed then. It is
// false where nothing is sure.
func (ds Dates) OldBefore() (time.Time, bool) {
	var out time.Time
	for _, d := range ds {
		if d.Confidence >= Sure && (out.IsZero() || d.End().Before(out)) {
			out = d.End()
		}
	}
	return out, !out.IsZero()
}

// merge puts dates of one kind that agree together, and the surest first. Of two
// that agree, which means that one span lies in the other, the finer is kept; with
// confidences a and b of different sources it has
//
//	1 - (1-a)(1-b)
func merge(all Dates) Dates {
	slices.SortStableFunc(all, func(a, b Date) int {
		return cmp.Or(-cmp.Compare(a.Precision, b.Precision), -cmp.Compare(a.Confidence, b.Confidence), a.Start.Compare(b.Start), cmp.Compare(a.Source, b.Source))
	})
	type sources map[Source]float64
	var out Dates
	var heard []sources
	for _, d := range all {
		at := slices.IndexFunc(out, func(o Date) bool {
			return o.Kind == d.Kind && !o.Start.Before(d.Start) && !o.End().After(d.End())
		})
		if at < 0 {
			out, heard = append(out, d), append(heard, sources{d.Source: d.Confidence})
			continue
		}
		heard[at][d.Source] = max(heard[at][d.Source], d.Confidence)
	}
	for i := range out {
		doubt := 1.0
		for s := URL; s <= Text; s++ {
			doubt *= 1 - heard[i][s]
		}
		out[i].Confidence = 1 - doubt
	}
	// Of two that are as sure, a page was published at the earlier and modified at
	// the later.
	slices.SortStableFunc(out, func(a, b Date) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), -cmp.Compare(a.Confidence, b.Confidence), order(a.Kind)*a.Start.Compare(b.Start))
	})
	return out
}

func order(k Kind) int {
	if k == Modified {
		return -1
	}
	return 1
}

// span is the date of year, month and day; month and day may be 0 for unknown. It is
// false where there is no such day.
func span(year, month, day int) (Date, bool) {
	d := Date{Precision: Day}
	switch {
	case year < 1000 || year > 9999 || month < 0 || month > 12 || day < 0 || day > 31 || month == 0 && day > 0:
		return d, false
	case month == 0:
		d.Precision, month, day = Year, 1, 1
	case day == 0:
		d.Precision, day = Month, 1
	}
	d.Start = time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	return d, d.Start.Day() == day
}
