package chart

import "time"

// UpToDate draws how well a page keeps up with its topic: the score S of each
// period as bars, and the up-to-date-ness D, in which older periods count less,
// as a line above them (SCIENCE J3, J4).
type UpToDate struct {
	Page    string
	Periods []PeriodScore // ascending
}

// PeriodScore is a page's score in a period.
type PeriodScore struct {
	From, To time.Time
	S        float64 // NaN: the page was not fetched
	D        float64
}

// SVG draws the figure.
func (f UpToDate) SVG(opt Options) []byte { return f.chart().SVG(opt) }

func (f UpToDate) chart() Chart {
	ch := Chart{
		Title:    "Does the page keep up with its topic?",
		Subtitle: f.Page,
		Empty:    "No period of this topic has ended yet. Each will be a bar: how much the page had to say that was new.",
		X:        Axis{Kind: Time, Label: "period, UTC", Tight: true},
	}
	line := Line{Bold: true, Hover: func(q Point) string { return "D " + number(q.Y) }}
	var marks, gaps []Mark
	n := 0
	for _, p := range f.Periods {
		from, to := Seconds(p.From), Seconds(p.To)
		if !finite(from) || !finite(to) || to <= from {
			continue
		}
		words := moment(p.From) + " to " + moment(p.To)
		marks = append(marks, Bars{
			Edges: []float64{from, to}, Counts: []float64{p.S}, Color: "axis",
			Hover: func(_, _, s float64) string { return words + ": S " + number(s) },
		})
		line.Points = append(line.Points, Point{(from + to) / 2, p.D})
		if finite(p.S) || finite(p.D) {
			n++
		}
		if !finite(p.S) && !finite(p.D) {
			gaps = append(gaps, Gap{From: from, To: to, Words: "no data"})
		}
	}
	if n == 1 {
		ch.Note = "Only one period so far: too few to see whether it keeps up."
	}
	if n > 0 {
		ch.Panels = []Panel{
			{Y: &Axis{Label: "up-to-date-ness D", Zero: true}, Weight: 2, Marks: append(gaps[:len(gaps):len(gaps)], line)},
			{Y: &Axis{Label: "score S of the period", Zero: true}, Weight: 1.3, Marks: append(gaps[:len(gaps):len(gaps)], marks...)},
		}
	}
	ch.Desc = ch.Title + " Line of D and bars of S over " + plural(n, "period", "periods") + "."
	return ch
}
