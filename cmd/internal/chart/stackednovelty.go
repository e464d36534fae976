package chart

import "time"

// StackedNovelty draws the pages with a word over the snapshots of a series,
// summed up from the first: old pages in which the word is new, new pages judged
// novel, and new pages of which that is uncertain (paper T Figure 11; SCIENCE
// T11).
type StackedNovelty struct {
	Query     string
	Series    string
	Snapshots []NoveltySnapshot // ascending by time
	ByShare   bool              // as shares of the sum instead of counts
	// Between gives the lists of the pages of several snapshots that are drawn as one: of
	// all kinds, and of each, as those of a snapshot; nil: none.
	Between func(first, last time.Time) (all, newWord, novel, uncertain string)
	Total   int  // how many snapshots there are, where some are merged; 0: all are given
	Closed  bool // merged over gaps, which are not drawn
}

// NoveltySnapshot counts the pages that are new with a snapshot; they are summed
// up by the figure.
type NoveltySnapshot struct {
	At        time.Time
	From      time.Time // of the first of several that are drawn as one; zero: it is one
	NewWord   float64   // old pages in which the word newly appeared
	Novel     float64   // newly crawled, judged novel
	Uncertain float64   // newly crawled, uncertain
	Coverage  float64   // share of the pages that this snapshot reached, 0 to 1; NaN: not known
	Missing   bool      // not crawled: the numbers mean nothing and a gap is drawn
	Href      string    // list of its pages, a path on the own host; may be empty
	// NewWordHref, NovelHref and UncertainHref list those of each kind; may be empty.
	NewWordHref, NovelHref, UncertainHref string
}

// SVG draws the figure.
func (f StackedNovelty) SVG(opt Options) []byte { return f.chart().SVG(opt) }

func (f StackedNovelty) chart() Chart {
	f = f.Merged(maxStretches)
	q := clean(f.Query)
	ch := Chart{
		Title:    "Where does “" + q + "” newly appear?",
		Subtitle: f.subtitle(),
		Empty:    "No page with “" + q + "” in any snapshot of this series. Snapshots to come are searched too.",
		X:        Axis{Kind: Time, Label: "snapshot, UTC", Tight: true},
		Y:        Axis{Label: "pages, summed up from the first snapshot", Zero: true},
	}
	if q == "" {
		ch.Title = "Which pages are new?"
	}
	if f.ByShare {
		ch.Y = Axis{Label: "share of the pages summed up from the first snapshot", Kind: Share}
	}
	n := len(f.Snapshots)
	area := Areas{X: make([]float64, n), Layers: []Layer{
		{Name: "old page, new word", Color: "newword", Values: make([]float64, n)},
		{Name: "new page", Color: "novel", Values: make([]float64, n)},
		{Name: "uncertain", Color: "uncertain", Values: make([]float64, n)},
	}}
	if f.ByShare {
		area.Print = percent
	}
	band := Band{Label: "coverage"}
	var sums [3]float64
	known, pages := 0, 0.0
	for i, s := range f.Snapshots {
		area.X[i] = Seconds(s.At)
		counts := [3]float64{s.NewWord, s.Novel, s.Uncertain}
		for k := range sums {
			if !s.Missing && finite(counts[k]) {
				sums[k] += max(0, counts[k])
			}
		}
		total := sums[0] + sums[1] + sums[2]
		for k := range sums {
			v := sums[k]
			if f.ByShare {
				v /= total // no page yet: NaN, a gap
			}
			if s.Missing {
				v = nan
			}
			area.Layers[k].Values[i] = v
		}
		if !s.Missing && finite(area.X[i]) {
			known++
			pages = total
		}
		name := moment(s.At)
		if !s.From.IsZero() {
			name = "up to " + name + ", from " + moment(s.From)
		}
		area.Names = append(area.Names, name)
		area.Hrefs = append(area.Hrefs, s.Href)
		for k, href := range []string{s.NewWordHref, s.NovelHref, s.UncertainHref} {
			area.Layers[k].Hrefs = append(area.Layers[k].Hrefs, href)
		}
	}
	marks := []Mark{area}
	marks = append(marks, f.gaps()...)
	if edges, shares := f.coverage(); len(shares) > 0 {
		band.Edges, band.Shares = edges, shares
		marks = append(marks, band)
	}
	if known == 1 {
		ch.Note = "Only one snapshot so far: what is new shows from the second on."
	}
	if pages > 0 {
		ch.Panels = []Panel{{Marks: marks}}
	}
	over := plural(known, "snapshot", "snapshots")
	if f.Total > len(f.Snapshots) {
		over = plural(f.Total, "snapshot", "snapshots") + " in " + plural(known, "stretch", "stretches")
	}
	ch.Desc = ch.Title + " Stacked areas over " + over + ", " + number(pages) + " pages in the end."
	return ch
}

// gaps are the stretches between crawled snapshots that hold missing ones.
func (f StackedNovelty) gaps() []Mark {
	var out []Mark
	for i := 0; i < len(f.Snapshots); i++ {
		if !f.Snapshots[i].Missing {
			continue
		}
		j := i
		for j+1 < len(f.Snapshots) && f.Snapshots[j+1].Missing {
			j++
		}
		from, to := max(0, i-1), min(len(f.Snapshots)-1, j+1)
		out = append(out, Gap{From: Seconds(f.Snapshots[from].At), To: Seconds(f.Snapshots[to].At), Words: "not crawled"})
		i = j
	}
	return out
}

// coverage cuts the time into a stretch for each snapshot, half way to its
// neighbours.
func (f StackedNovelty) coverage() (edges, shares []float64) {
	some := false
	var xs []float64
	for _, s := range f.Snapshots {
		x := Seconds(s.At)
		if !finite(x) {
			continue
		}
		v := s.Coverage
		if s.Missing {
			v = nan
		}
		some = some || finite(v) && v > 0
		xs, shares = append(xs, x), append(shares, v)
	}
	if !some || len(xs) < 2 {
		return nil, nil
	}
	edges = append(edges, xs[0])
	for i := 1; i < len(xs); i++ {
		edges = append(edges, (xs[i-1]+xs[i])/2)
	}
	return append(edges, xs[len(xs)-1]), shares
}
