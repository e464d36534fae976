package chart

// NoveltyBins is the number of bins of a novelty distribution: = 0, (0, .1],
// (.1, .2] ... (.9, 1.0] (SCIENCE T5).
const NoveltyBins = 11

// Distribution draws how pages are distributed by novelty, with the cumulative
// share as a line (paper T Figures 2-4 and 8-10; SCIENCE T5).
type Distribution struct {
	Title    string // empty: the question that the figure answers
	Subtitle string
	Panels   []DistributionPanel // such as one a snapshot
}

// DistributionPanel holds the distributions with several deltas.
type DistributionPanel struct {
	Name string
	Runs []DistributionRun
}

// DistributionRun counts pages in the bins.
type DistributionRun struct {
	Delta  float64
	Counts [NoveltyBins]float64
}

// SVG draws the figure.
func (f Distribution) SVG(opt Options) []byte { return f.chart().SVG(opt) }

func (f Distribution) chart() Chart {
	ch := Chart{
		Title:    f.Title,
		Subtitle: f.Subtitle,
		Empty:    "No page has a novelty yet. It needs two snapshots of a series.",
		X:        Axis{Label: "novelty of the page", Min: -1, Max: 10},
		Y:        Axis{Label: "share of the pages; line: cumulative", Kind: Share},
	}
	if ch.Title == "" {
		ch.Title = "How novel are the pages that could be new?"
	}
	// The bin = 0 stands at -1 to 0, the others behind it on a scale of tenths.
	edges := make([]float64, NoveltyBins+1)
	for i := range edges {
		edges[i] = float64(i - 1)
	}
	ch.X.Ticks = []Tick{{-.5, "= 0"}, {0, ""}, {2, ".2"}, {4, ".4"}, {6, ".6"}, {8, ".8"}, {10, "1"}}
	var deltas []float64
	for _, panel := range f.Panels {
		for _, r := range panel.Runs {
			deltas = appendDelta(deltas, r.Delta)
		}
	}
	colors := [...]string{"accent", "newword", "uncertain"}
	pages := 0.0
	for _, panel := range f.Panels {
		p := Panel{Title: panel.Name}
		var lines []Mark
		for _, r := range panel.Runs {
			total := Bins{Counts: r.Counts[:]}.total()
			if total <= 0 {
				continue
			}
			pages += total
			part := partOf(deltas, r.Delta)
			shares := make([]float64, NoveltyBins)
			cumulative := Line{Dash: dashOf(deltas, r.Delta), Color: "ink", Name: "cumulative, δ = " + share(r.Delta)}
			sum := 0.0
			for i, n := range r.Counts {
				shares[i] = n / total
				if finite(n) {
					sum += n
				}
				cumulative.Points = append(cumulative.Points, Point{edges[i+1], sum / total})
			}
			name := "δ = " + share(r.Delta)
			p.Marks = append(p.Marks, Bars{
				Edges: edges, Counts: shares, Part: part, Of: max(1, len(deltas)), Color: colors[part%len(colors)],
				Hover: func(a, _, n float64) string { return name + ", novelty " + binName(int(a)+1) + ": " + percent(n) },
			})
			cumulative.Hover = func(q Point) string {
				return name + ", novelty at most " + share(max(0, q.X)/10) + ": " + percent(q.Y)
			}
			lines = append(lines, cumulative)
		}
		p.Marks = append(p.Marks, lines...)
		ch.Panels = append(ch.Panels, p)
	}
	if len(deltas) > 1 {
		for i, d := range deltas {
			ch.Keys = append(ch.Keys, Key{Color: colors[i%len(colors)], Label: "δ = " + share(d)},
				Key{Color: "ink", Line: true, Dash: dashOf(deltas, d), Label: "cumulative"})
		}
	}
	if pages == 1 {
		ch.Note = "Only one page: too few for a distribution."
	}
	ch.Desc = ch.Title + " Histogram of " + number(pages) + " pages in bins of a tenth, with the cumulative share."
	return ch
}

func partOf(deltas []float64, d float64) int {
	for i, have := range deltas {
		if have == d {
			return i
		}
	}
	return 0
}

// binName prints the i-th bin as the paper does.
func binName(i int) string {
	if i <= 0 {
		return "= 0"
	}
	return "(" + share(float64(i-1)/10) + ", " + share(float64(i)/10) + "]"
}
