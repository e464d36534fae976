package chart

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// plain is a chart of one line.
func plain(kind Kind, points ...Point) Chart {
	return Chart{Title: "plain", X: Axis{Kind: kind, Label: "x"}, Y: Axis{Label: "y"}, Empty: "nothing here", Panels: []Panel{{Marks: []Mark{
		Line{Points: points, Label: "end", Hover: func(Point) string { return "" }}, Dots{Dots: []Dot{{Point: Point{math.NaN(), 1}}}},
	}}}}
}

func TestEmpty(t *testing.T) {
	t.Parallel()
	inf, nan := math.Inf(1), math.NaN()
	for _, tt := range []struct {
		figure Figure
		want   string
	}{
		{ChangeScatter{}, "No change of this page"},
		{ChangeScatter{Changes: []IntervalChange{{Hours: nan, Dice: 1}, {Hours: 0, Dice: 1}, {Hours: 1, Dice: inf}}}, "No change of this page"},
		{ChangeCurve{}, "at least two versions"},
		{ChangeCurves{}, "at least two versions"},
		{PageHistograms{}, "No page has changed twice"},
		{Survival{}, "No page was seen for long enough"},
		{TermLifespans{}, "No words yet"},
		{TermLifespans{Terms: []TermRow{{Term: "x", Spans: [][2]int{{0, 3}}}}}, "No words yet"},
		{StayingPower{}, "at least two versions"},
		{BlockMap{}, "No blocks yet"},
		{Convergence{}, "not been computed"},
		{Distribution{}, "No page has a novelty"},
		{PrecisionRecall{}, "No page of a known age"},
		{StackedNovelty{Query: "pfas"}, "No page with “pfas”"},
		{StackedNovelty{Snapshots: []NoveltySnapshot{{At: hours(1), Missing: true, Novel: 4}}}, "No page with"},
		{SnapshotSizes{}, "No snapshot of this series"},
		{SnapshotSizes{Snapshots: []SnapshotSize{{At: hours(1), Missing: true, L2: 4}}}, "No snapshot of this series"},
		{UpToDate{}, "No period"},
		{TermPeriods{}, "No term over two periods"},
		{TermPeriods{Periods: []Span{{hours(2), hours(1)}}, Terms: []TermShare{{Term: "x", Shares: []float64{.5}}}}, "No term over two periods"},
		{TermPeriods{Periods: []Span{{hours(0), hours(1)}}, Terms: []TermShare{{Term: "x", Shares: []float64{nan, 3}}}}, "No term over two periods"},
		{Calendar{}, "No day yet"},
		{Calendar{Days: []Day{{Date: hours(0)}}}, "No day yet"},
		{Sparkline{}, "No changes yet"},
		{Chart{}, "There are no data yet"},
		{plain(Linear), "nothing here"},
		{plain(Linear, Point{nan, 1}, Point{1, inf}), "nothing here"},
	} {
		svg := tt.figure.SVG(Options{})
		wellFormed(t, svg, "chart")
		c := canvasOf(t, tt.figure, Options{})
		tidy(t, c)
		if _, spark := tt.figure.(Sparkline); spark {
			if !bytes.Contains(svg, []byte(tt.want)) {
				t.Errorf("%T does not say %q", tt.figure, tt.want)
			}
			continue
		}
		var shown []string
		for _, l := range c.labels {
			shown = append(shown, l.text)
		}
		if got := strings.Join(shown, " "); !strings.Contains(got, tt.want) {
			t.Errorf("%T shows %q, not %q", tt.figure, got, tt.want)
		}
	}
}

func TestSinglePoint(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		figure Figure
		want   string
	}{
		{ChangeScatter{Changes: []IntervalChange{{Hours: 3, Dice: .4}}}, "Only one change"},
		{ChangeCurve{Mean: []Point{{2, .5}}}, "Only one point"},
		{TermLifespans{Versions: []time.Time{hours(0)}, Terms: []TermRow{{Term: "x", Spans: [][2]int{{0, 1}}}}}, "Only one version"},
		{Convergence{Panels: []ConvergencePanel{{Runs: []ConvergenceRun{{L1: []float64{3, 0}}}}}}, "Only one iteration"},
		{Distribution{Panels: []DistributionPanel{{Runs: []DistributionRun{{Counts: [NoveltyBins]float64{1}}}}}}, "Only one page"},
		{PrecisionRecall{Panels: []AccuracyPanel{{Runs: []AccuracyRun{{Threshold: []float64{0}, Precision: []float64{1}, Recall: []float64{1}}}}}}, "Only one threshold"},
		{StackedNovelty{Snapshots: []NoveltySnapshot{{At: hours(0), Novel: 3, Coverage: 1}}}, "Only one snapshot"},
		{SnapshotSizes{Snapshots: []SnapshotSize{{At: hours(0), Unidentified: 3}}}, "Only one snapshot"},
		{UpToDate{Periods: []PeriodScore{{hours(0), hours(9), 3, 3}}}, "Only one period"},
		{Calendar{Days: []Day{{Date: hours(0), State: Same}}}, "Only one day"},
	} {
		wellFormed(t, tt.figure.SVG(Options{}), "chart")
		c := canvasOf(t, tt.figure, Options{})
		tidy(t, c)
		found := false
		for _, l := range c.labels {
			found = found || strings.Contains(l.text, tt.want)
		}
		if !found {
			t.Errorf("%T does not say %q", tt.figure, tt.want)
		}
	}
}

// TestRanges draws values that spoil scales: all must give ticks and no NaN.
func TestRanges(t *testing.T) {
	t.Parallel()
	inf, tiny := math.Inf(1), math.SmallestNonzeroFloat64
	for _, kind := range []Kind{Linear, Log, Time, Hours, LogHours, Share} {
		for name, ys := range map[string][]float64{
			"zero": {0}, "one": {1}, "equal": {3, 3, 3}, "equal and negative": {-3, -3}, "huge": {-1.7e308, 1.7e308}, "large": {1e300, 2e300}, "tiny": {tiny, 2 * tiny},
			"near": {1, math.Nextafter(1, 2)}, "small": {1e-12, 3e-12}, "wide": {1e-300, 1e300}, "large and near": {1e15, 1e15 + 1}, "times": {1.7e9, 1.8e9},
			"with infinities": {1, inf, 2, -inf, 3}, "far times": {-1e12, 1e13}, "below": {-5, -1}, "tenths": {.1, .2, .3},
		} {
			for _, points := range [][]Point{points(ys, false), points(ys, true)} {
				ch := plain(kind, points...)
				ch.Y.Kind = kind
				wellFormed(t, ch.SVG(Options{}), "chart")
				tidy(t, canvasOf(t, ch, Options{}))
			}
			var e extent
			for _, y := range ys {
				e.add(y)
			}
			s, ticks := Axis{Kind: kind}.fitted(e, 300, 60)
			if !(s.lo < s.hi) {
				t.Errorf("%v %s: scale from %v to %v", kind, name, s.lo, s.hi)
			}
			if len(ticks) > 100 {
				t.Errorf("%v %s: %d ticks", kind, name, len(ticks))
			}
			if kind == Linear && name != "huge" && name != "large" && name != "wide" && (len(ticks) < 2 || len(ticks) > 13) {
				t.Errorf("%s: ticks %v", name, ticks)
			}
		}
	}
}

// points lays values along x, or along y too.
func points(ys []float64, along bool) []Point {
	var out []Point
	for i, y := range ys {
		x := float64(i)
		if along {
			x = y
		}
		out = append(out, Point{x, y})
	}
	return out
}

// TestMarks draws any values with all marks at once: no panic, no NaN, no words on
// words.
func TestMarks(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		value := rapid.OneOf(rapid.Float64(), rapid.Float64Range(-2, 2), rapid.SampledFrom([]float64{0, 1, math.NaN(), math.Inf(1), math.Inf(-1)}))
		values := rapid.SliceOfN(value, 0, 8)
		kind := func(name string) Kind { return Kind(rapid.IntRange(0, int(Hidden)).Draw(r, name)) }
		xs, ys, zs := values.Draw(r, "xs"), values.Draw(r, "ys"), values.Draw(r, "zs")
		var line []Point
		var rows []Row
		for i := range min(len(xs), len(ys)) {
			line = append(line, Point{xs[i], ys[i]})
			rows = append(rows, Row{Name: "row", Spans: [][2]float64{{xs[i], ys[i]}}, Left: xs[i], Right: ys[i]})
		}
		from, to := value.Draw(r, "from"), value.Draw(r, "to")
		marks := []Mark{
			Line{Points: line, Label: "a line", Hover: func(Point) string { return "" }},
			Areas{X: xs, Layers: []Layer{{"one", "novel", ys, []string{"/one"}}, {"two", "newword", zs, nil}}, Hrefs: []string{"/x"}},
			Bars{Edges: xs, Counts: ys[:min(len(ys), max(0, len(xs)-1))]},
			Band{Edges: xs, Shares: ys[:min(len(ys), max(0, len(xs)-1))], Label: "band"},
			Gap{From: from, To: to, Words: "not crawled"},
			Knot{At: Point{from, to}, Words: "settles"},
			Rule{Y: to, Words: "rule"},
			Segment{From: Point{from, to}, To: Point{to, from}},
			Rows{Rows: rows},
		}
		panels := []Panel{{Title: "all", Marks: marks}, {Title: "some", Marks: marks[:rapid.IntRange(0, len(marks)).Draw(r, "n")]}}
		if rapid.Bool().Draw(r, "own") {
			panels[1].Y = &Axis{Kind: kind("own kind"), Zero: true}
		}
		ch := Chart{Title: "any", X: Axis{Kind: kind("x kind"), Label: "x"}, Y: Axis{Kind: kind("y kind"), Label: "y", Tight: rapid.Bool().Draw(r, "tight")}, Panels: panels}
		wellFormed(r, ch.SVG(Options{}), "chart")
		tidy(r, ch.render(Options{}))
	})
}

// TestMany holds pictures of much data to a size that a page can carry.
func TestMany(t *testing.T) {
	t.Parallel()
	line := make([]Point, 100_000)
	spark := Sparkline{}
	deep := Block{Words: "deep"}
	days := Calendar{}
	for i := range line {
		line[i] = Point{float64(i), math.Sin(float64(i) / 50)}
		spark.Values = append(spark.Values, SparkValue{line[i].Y, false})
		if i < 5000 {
			deep = Block{Words: "deep", Children: []Block{deep, {Words: "leaf", Hours: 3}}}
		}
		days.Days = append(days.Days, Day{Date: hours(float64(i) * 24), State: Same})
	}
	for name, f := range map[string]Figure{
		"line": plain(Linear, line...), "spark": spark, "blocks": BlockMap{Blocks: []Block{deep}}, "terms": terms(testRand(), 9000, 300),
		"scatter": samples()["changescatter_100k"],
	} {
		svg := f.SVG(Options{})
		wellFormed(t, svg, "chart")
		if len(svg) > 800_000 {
			t.Errorf("%s: %d bytes", name, len(svg))
		}
		tidy(t, canvasOf(t, f, Options{}))
	}
	wellFormed(t, days.SVG(Options{}), "chart")
}
