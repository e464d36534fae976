package chart

import (
	"strconv"
	"time"
)

// SnapshotSizes draws how many pages the snapshots of a series crawled, in the
// three classes: old and crawled before, other old ones, unidentified (paper T
// Tables 1 and 2; SCIENCE T6).
type SnapshotSizes struct {
	Series    string
	Snapshots []SnapshotSize // ascending by time
	Total     int            // snapshots that there are, if those given are the last of more
}

// SnapshotSize counts the pages of a snapshot.
type SnapshotSize struct {
	At                      time.Time
	L2, Other, Unidentified float64
	Missing                 bool // failed, running or not computed: a gap is drawn
}

// SVG draws the figure.
func (f SnapshotSizes) SVG(opt Options) []byte { return f.chart().SVG(opt) }

func (f SnapshotSizes) chart() Chart {
	ch := Chart{
		Title:    "How many pages did the snapshots find?",
		Subtitle: f.Series,
		Empty:    "No snapshot of this series has been computed yet.",
		X:        Axis{Kind: Time, Label: "snapshot, UTC", Tight: true},
		Y:        Axis{Label: "pages", Zero: true},
	}
	n := len(f.Snapshots)
	if f.Total > n {
		ch.Subtitle += "; the last " + strconv.Itoa(n) + " of " + plural(f.Total, "snapshot", "snapshots")
	}
	area := Areas{X: make([]float64, n), Layers: []Layer{
		{Name: "crawled before", Color: "novel", Values: make([]float64, n)},
		{Name: "other old pages", Color: "newword", Values: make([]float64, n)},
		{Name: "unidentified", Color: "uncertain", Values: make([]float64, n)},
	}}
	var gaps []Mark
	known, last := 0, 0.0
	for i, s := range f.Snapshots {
		area.X[i] = Seconds(s.At)
		area.Names = append(area.Names, moment(s.At))
		for k, v := range [...]float64{s.L2, s.Other, s.Unidentified} {
			if s.Missing {
				v = nan
			}
			area.Layers[k].Values[i] = v
		}
		if s.Missing {
			from, to := max(0, i-1), min(n-1, i+1)
			gaps = append(gaps, Gap{From: Seconds(f.Snapshots[from].At), To: Seconds(f.Snapshots[to].At), Words: "not computed"})
		} else if finite(area.X[i]) {
			known, last = known+1, s.L2+s.Other+s.Unidentified
		}
	}
	if known == 1 {
		ch.Note = "Only one snapshot so far: which of its pages are new shows from the second on."
	}
	if known > 0 {
		ch.Panels = []Panel{{Marks: append([]Mark{area}, gaps...)}}
	}
	ch.Desc = ch.Title + " Stacked areas over " + plural(known, "snapshot", "snapshots") + ", " + number(last) + " pages in the last."
	return ch
}
