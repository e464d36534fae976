package chart

// Bins is a histogram: counts between edges.
type Bins struct {
	Edges  []float64 // ascending, one more than Counts
	Counts []float64
}

func (b Bins) total() float64 {
	sum := 0.0
	for _, n := range b.Counts {
		if finite(n) {
			sum += n
		}
	}
	return sum
}

// StayingPower draws how the words of a page are distributed by their staying
// power: many pass at once and many stay (paper A Figure 6; SCIENCE A23).
type StayingPower struct {
	Page     string
	Bins     Bins // edges from 0 to 1
	Fleeting int  // words with a staying power below .2
	Lasting  int  // words with one above .8
}

// SVG draws the figure.
func (f StayingPower) SVG(opt Options) []byte { return f.chart().SVG(opt) }

func (f StayingPower) chart() Chart {
	total := f.Bins.total()
	ch := Chart{
		Title:    "Do the words of the page stay or pass?",
		Subtitle: f.Page,
		Empty:    "Staying power needs at least two versions of the page. The histogram will count its words from passing (0) to staying (1).",
		X:        Axis{Label: "staying power (0 = in one version, 1 = in all)", Kind: Share},
		Y:        Axis{Label: "words", Zero: true},
		Panels: []Panel{{Marks: []Mark{Bars{Edges: f.Bins.Edges, Counts: f.Bins.Counts, Hover: func(a, b, n float64) string {
			return share(a) + " to " + share(b) + ": " + number(n) + " words"
		}}}}},
	}
	if total > 0 && f.Fleeting+f.Lasting > 0 {
		ch.Title = percent(float64(f.Lasting)/total) + " of the words stay, " + percent(float64(f.Fleeting)/total) + " pass"
		if ch.Subtitle != "" {
			ch.Subtitle += ": "
		}
		ch.Subtitle += number(total) + " words; stay: above .8, pass: below .2"
	}
	if total == 0 {
		ch.Panels = nil
	}
	ch.Desc = ch.Title + ". Histogram of staying power."
	return ch
}
