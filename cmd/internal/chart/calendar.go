package chart

import (
	"slices"
	"strconv"
	"time"
)

// DayState is what became of a page on a day.
type DayState uint8

const (
	NotWatched DayState = iota // blank
	Same                       // fetched and the same as before: hollow
	Changed                    // coloured by how much
	Failed                     // no fetch succeeded: hatched
)

// Day is a day of a page, in UTC.
type Day struct {
	Date  time.Time
	State DayState
	Dice  float64 // of the day's largest change, if it changed
	Href  string  // the day's versions, a path on the own host; may be empty
}

// Calendar draws when a page changed and how much: weeks as columns, days as
// rows, a strip of weeks a year if there is more than one.
type Calendar struct {
	Page  string
	Days  []Day // in any order; of two for one date the later counts
	Total int   // days that there are, where Days has the last of them only; 0: all are given
}

// Geometry in px.
const (
	daySize    = 12.0
	dayPitch   = 14.0
	stripWeeks = 54
)

// SVG draws the figure.
func (f Calendar) SVG(opt Options) []byte {
	c, desc := f.render(opt)
	return c.finish(opt, calendarTitle, desc)
}

const calendarTitle = "On which days did the page change, and how much?"

// strip is some weeks in a row.
type strip struct {
	monday time.Time // of its first week
	year   int       // only days of that year; 0: all
	weeks  int
	days   []Day
}

func (f Calendar) render(opt Options) (*canvas, string) {
	days, counts := f.days()
	opt.Height = 0
	desc := plural(counts[Changed], "day", "days") + " with a change, " + strconv.Itoa(counts[Same]) + " without, " + strconv.Itoa(counts[Failed]) + " failed."
	if f.Total > len(f.Days) {
		desc += " The last " + number(float64(len(f.Days))) + " of " + plural(f.Total, "day", "days") + "."
	}
	c := newCanvas(opt, 2*edge+36+stripWeeks*dayPitch, 220)
	sub := f.Page
	note := ""
	if len(days) > 0 {
		if sub != "" {
			sub += ": "
		}
		sub += desc
	}
	if len(days) == 1 {
		note = "Only one day so far."
	}
	top := c.head(calendarTitle, sub, note)
	if len(days) == 0 {
		c.h = max(c.h, top+90)
		c.blank(top, "No day yet: each day on which the page is fetched will be a square here, coloured by how much it changed.")
		return c, "No days yet."
	}
	top = f.legend(c, top)
	strips := split(days, max(8, int((c.w-2*edge-36)/dayPitch)))
	const stripHeight = 7*dayPitch + 34
	c.h = top + float64(len(strips))*stripHeight + 14
	for i, s := range strips {
		s.draw(c, top+float64(i)*stripHeight+30)
	}
	return c, desc
}

// days are the watched days by date, each once, and how many there are of each state.
func (f Calendar) days() ([]Day, [4]int) {
	var out []Day
	for _, d := range f.Days {
		d.Date = d.Date.UTC().Truncate(24 * time.Hour)
		if d.State > NotWatched && d.State <= Failed && d.Date.Year() >= 1 && d.Date.Year() < 10000 {
			out = append(out, d)
		}
	}
	slices.SortStableFunc(out, func(a, b Day) int { return a.Date.Compare(b.Date) })
	slices.Reverse(out) // so that the later of two is the first met
	out = slices.CompactFunc(out, func(a, b Day) bool { return a.Date.Equal(b.Date) })
	slices.Reverse(out)
	var counts [4]int
	for _, d := range out {
		counts[d.State]++
	}
	return out, counts
}

func monday(t time.Time) time.Time { return t.AddDate(0, 0, -(int(t.Weekday())+6)%7) }

// weeksTo counts the weeks from the one of monday a to the one that holds b.
func weeksTo(a, b time.Time) int { return int((b.Unix()-a.Unix())/(7*86400)) + 1 }

// split lays days out in strips of at most width weeks: one if they fit, else by
// years, which are cut where they are too long. Years without days are left out.
func split(days []Day, width int) []strip {
	first, last := days[0].Date, days[len(days)-1].Date
	if n := weeksTo(monday(first), last); n <= width {
		return []strip{{monday: monday(first), weeks: n, days: days}}
	}
	var out []strip
	for _, d := range days {
		if n := len(out); n > 0 && out[n-1].year == d.Date.Year() && weeksTo(out[n-1].monday, d.Date) <= width {
			out[n-1].days = append(out[n-1].days, d)
			out[n-1].weeks = weeksTo(out[n-1].monday, d.Date)
			continue
		}
		from := time.Date(d.Date.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
		for weeksTo(monday(from), d.Date) > width {
			from = from.AddDate(0, 0, 7*width)
		}
		out = append(out, strip{monday: monday(from), year: d.Date.Year(), weeks: weeksTo(monday(from), d.Date), days: []Day{d}})
	}
	return out[max(0, len(out)-60):] // six decades and no more: the latest
}

func (s strip) draw(c *canvas, y float64) {
	x := edge + 36
	for row, name := range [7]string{0: "Mon", 2: "Wed", 4: "Fri"} {
		c.text(x-6, y+float64(row)*dayPitch+10, sizeSmall, end, "muted", name)
	}
	reach := 0.0
	for w := range s.weeks {
		t := s.monday.AddDate(0, 0, 7*w+6) // the week in which a month begins
		if w > 0 && t.Day() > 7 {
			continue
		}
		if w == 0 {
			t = s.days[0].Date
			if s.year != 0 && t.Month() == 1 || monday(t).After(s.monday) {
				t = s.monday.AddDate(0, 0, 6)
			}
		}
		name := t.Format("Jan")
		if w == 0 || t.Month() == 1 {
			name = t.Format("Jan 2006")
		}
		at := x + float64(w)*dayPitch
		if at >= reach && at+textWidth(name, sizeSmall, false) <= c.w-4 {
			c.text(at, y-7, sizeSmall, start, "muted", name)
			reach = at + textWidth(name, sizeSmall, false) + 6
		}
	}
	for _, d := range s.days {
		week := weeksTo(s.monday, d.Date) - 1
		row := (int(d.Date.Weekday()) + 6) % 7
		d.draw(c, x+float64(week)*dayPitch, y+float64(row)*dayPitch)
	}
}

func (d Day) draw(c *canvas, x, y float64) {
	date := d.Date.Format("2006-01-02")
	linked := c.link(d.Href)
	switch d.State {
	case Changed:
		words := date + ": changed"
		if finite(d.Dice) {
			words += ", Dice " + share(d.Dice)
		}
		c.el("rect", words, "x", x, "y", y, "width", daySize, "height", daySize, "class", step(1-d.Dice), "data-date", date, "data-dice", dataHours(d.Dice))
	case Same:
		c.el("rect", date+": fetched, the same", "x", x+1, "y", y+1, "width", daySize-2, "height", daySize-2, "class", "f-ground s-axis", "stroke-width", "1", "data-date", date)
	case Failed:
		c.el("rect", date+": no fetch succeeded", "x", x, "y", y, "width", daySize, "height", daySize, "fill", "url(#"+c.id+"-hatch)", "class", "s-axis", "stroke-width", ".6", "data-date", date)
	}
	if linked {
		c.close("a")
	}
}

// legend says what the squares mean, and returns where it ends.
func (f Calendar) legend(c *canvas, y float64) float64 {
	y += 24
	x := edge
	word := func(s string) {
		c.text(x, y-4, sizeLabel, start, "muted", s)
		x += textWidth(s, sizeLabel, false) + 6
	}
	little, all := "changed a little", "all of it"
	if c.w < 340 {
		little, all = "little", "all"
	}
	word(little)
	for i := range ramp {
		c.el("rect", "", "x", x, "y", y-14, "width", daySize, "height", daySize, "class", step((float64(i)+.5)/ramp))
		x += dayPitch
	}
	x += 4
	word(all)
	x += 14
	rest := []Key{{Color: "axis", Hollow: true, Label: "fetched, the same"}, {Hatch: true, Label: "failed"}}
	width := 0.0
	for _, k := range rest {
		width += 40 + textWidth(k.Label, sizeLabel, false)
	}
	if x+width > c.w-edge {
		return c.keys(y-2, rest)
	}
	for _, k := range rest {
		if k.Hatch {
			c.el("rect", "", "x", x, "y", y-14, "width", daySize, "height", daySize, "fill", "url(#"+c.id+"-hatch)", "class", "s-axis", "stroke-width", ".6")
		} else {
			c.el("rect", "", "x", x+1, "y", y-13, "width", daySize-2, "height", daySize-2, "fill", "none", "class", "s-axis")
		}
		x += daySize + 6
		word(k.Label)
		x += 14
	}
	return y
}
