package classes

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/strandlinehq/strandline/monitor/curve"
	"github.com/strandlinehq/strandline/monitor/dice"
)

var near = cmpopts.EquateApprox(0, 1e-12)

func TestMeasure(t *testing.T) {
	t.Parallel()
	events := []dice.Event{
		{Elapsed: 3 * time.Hour, Dice: .5, Censored: true},
		{Elapsed: time.Hour, Dice: 1},
		{Elapsed: 2 * time.Hour, Dice: .75},
	}
	var visits []Visit
	for i := range 8 {
		visits = append(visits, Visit{After: time.Hour, Changed: i == 2 || i == 3 || i == 5})
	}
	visits = append(visits, Visit{After: 0, Changed: true}) // the same moment
	got := Measure(Labels{TLD: "gov"}, events, visits)
	want := Page{
		Labels: Labels{TLD: "gov"}, Changes: 3, Hours: 2, Dice: .75, Visits: 8,
		Regular: -math.Log(5.5 / 8.5), Likely: -math.Log(5. / 8),
	}
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Page{}, Measure(Labels{}, nil, nil)); diff != "" {
		t.Errorf("of nothing (-want +got):\n%s", diff)
	}
}

func TestLikelyRate(t *testing.T) {
	t.Parallel()
	hour := func(h float64, changed bool) Visit {
		return Visit{After: time.Duration(h * float64(time.Hour)), Changed: changed}
	}
	tests := []struct {
		name   string
		visits []Visit
		want   float64
	}{
		{"no visit", nil, 0},
		{"never", []Visit{hour(1, false)}, 0},
		{"always", []Visit{hour(1, true), hour(2, true)}, math.Inf(1)},
		{"half", []Visit{hour(2, true), hour(2, false)}, math.Ln2 / 2},
		{"short and long", []Visit{hour(1, true), hour(3, false)}, math.Log(4. / 3)}, // 1/(e^r-1) = 3
	}
	for _, tt := range tests {
		if got := LikelyRate(tt.visits); got != tt.want && math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// No other rate makes the visits likelier.
func TestLikelyRateIsLikeliest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		visits := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Visit {
			return Visit{time.Duration(rapid.Int64Range(1, 1e6).Draw(t, "s")) * time.Second, rapid.Bool().Draw(t, "changed")}
		}), 1, 30).Draw(rt, "visits")
		likelihood := func(r float64) (l float64) {
			for _, v := range visits {
				if v.Changed {
					l += math.Log(-math.Expm1(-r * v.After.Hours()))
				} else {
					l -= r * v.After.Hours()
				}
			}
			return l
		}
		r := LikelyRate(visits)
		if r == 0 || math.IsInf(r, 1) {
			return
		}
		for _, f := range []float64{.5, .9, .999, 1.001, 1.1, 2} {
			if likelihood(r*f) > likelihood(r) {
				rt.Fatalf("%v is likelier than %v", r*f, r)
			}
		}
	})
}

func TestLabels(t *testing.T) {
	t.Parallel()
	depths := map[string]string{
		"https://a.example/": "0", "https://a.example/a": "1", "https://a.example/a/": "1", "https://a.example/a/b?x": "2",
		"https://a.example/1/2/3/4/5": "5+", "https://a.example/1/2/3/4/5/6": "5+",
	}
	for url, want := range depths {
		l, err := LabelsOf(url)
		if err != nil {
			t.Fatal(err)
		}
		if got := l.Of(Depth); got != want {
			t.Errorf("depth of %s is %q, want %q", url, got, want)
		}
	}
	l, err := LabelsOf("https://www.bbc.co.uk/news")
	if err != nil {
		t.Fatal(err)
	}
	l.Category, l.Genre = "News", "portal"
	var got []string
	for _, k := range Kinds() {
		got = append(got, l.Of(k))
	}
	if diff := cmp.Diff([]string{"uk", "bbc.co.uk", "1", "", "News", "portal"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for n, want := range map[int]string{-1: "", 0: "", 1: "", 2: "2", 3: "3-6", 6: "3-6", 7: "7-38", 38: "7-38", 39: "39+", 5000: "39+"} {
		if got := (Labels{Visitors: n}).Of(Visitors); got != want {
			t.Errorf("%d visitors are in %q, want %q", n, got, want)
		}
	}
	if _, err := LabelsOf("::"); err == nil {
		t.Error("no error for what is no URL")
	}
}

func TestSummarise(t *testing.T) {
	t.Parallel()
	page := func(depth, changes int, hours, coefficient, rate, likely float64) Page {
		return Page{Labels: Labels{Depth: depth}, Changes: changes, Hours: hours, Dice: coefficient, Visits: 10, Regular: rate, Likely: likely}
	}
	pages := []Page{
		page(9, 1, 100, .5, .01, .01), page(0, 4, 10, .9, .1, .1), page(0, 0, 0, 0, .005, 0), page(0, 9, 1, .6, .5, math.Inf(1)), page(0, 2, 40, .75, .05, .05),
		{Labels: Labels{Depth: 3}},
	}
	for i, shape := range []curve.Shape{curve.Sloped, curve.Knotted, curve.Flat, curve.Knotted} {
		pages[i].Shape, pages[i].KnotHours, pages[i].KnotDice = shape, float64(10*i), float64(i)/4
	}
	want := []Class{
		{
			Kind: Depth, Name: "0", Pages: 4, Unchanged: 1, HoursMean: 17, HoursMedian: 10, DiceMean: .75, DiceMedian: .75,
			Rated: 4, RegularMean: .655 / 4, RegularMedian: .075, Unbounded: 1, LikelyMean: .05, LikelyMedian: .05,
			Flat: 1, Knotted: 2, KnotHoursMean: 20, KnotHoursMedian: 20, KnotDiceMean: .5, KnotDiceMedian: .5,
		},
		{Kind: Depth, Name: "3", Pages: 1, Unchanged: 1},
		{
			Kind: Depth, Name: "5+", Pages: 1, HoursMean: 100, HoursMedian: 100, DiceMean: .5, DiceMedian: .5,
			Rated: 1, RegularMean: .01, RegularMedian: .01, LikelyMean: .01, LikelyMedian: .01,
			Sloped: 1,
		},
	}
	if diff := cmp.Diff(want, Summarise(pages, Depth), near); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := Summarise(pages, Category); len(got) > 0 {
		t.Errorf("pages without category: %+v", got)
	}
	if got := Total(pages); got.Pages != 6 || got.Unchanged != 2 || got.HoursMean != 151./4 {
		t.Errorf("all pages: %+v", got)
	}
	rand.Shuffle(len(pages), func(i, j int) { pages[i], pages[j] = pages[j], pages[i] })
	if diff := cmp.Diff(want, Summarise(pages, Depth), near); diff != "" {
		t.Errorf("in another order (-want +got):\n%s", diff)
	}
}

func TestSummariseOrder(t *testing.T) {
	t.Parallel()
	var pages []Page
	for _, tld := range []string{"net", "com", "org", "com", "", "org", "com"} {
		pages = append(pages, Page{Labels: Labels{TLD: tld, Visitors: 40 - len(pages)*7}})
	}
	var got []string
	for _, k := range []Kind{TLD, Visitors} {
		for _, c := range Summarise(pages, k) {
			got = append(got, c.Name)
		}
	}
	if diff := cmp.Diff([]string{"com", "org", "net", "3-6", "7-38", "39+"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Bins hold their lower edge, the last one both.
func TestHistogram(t *testing.T) {
	t.Parallel()
	got := NewHistogram([]float64{-1, 0, .5, 1, 1.5, 3, 4, 4.5}, []float64{0, 1, 2, 4})
	want := Histogram{Edges: []float64{0, 1, 2, 4}, Counts: []int{2, 2, 2}, Below: 1, Above: 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, edges := range [][]float64{nil, {1}} {
		if h := NewHistogram([]float64{1, 2}, edges); len(h.Counts) != 0 {
			t.Errorf("edges %v: %+v", edges, h)
		}
	}
	for _, edges := range [][]float64{HourEdges(), DiceEdges()} {
		if !slices.IsSorted(edges) {
			t.Errorf("%v", edges)
		}
	}
	pages := []Page{{Changes: 1, Hours: 24, Dice: 1}, {Changes: 1, Hours: 23, Dice: .76}, {}}
	hours, coefficients := HistogramOf(pages, Hours), HistogramOf(pages, Dice)
	if hours.Counts[5] != 1 || hours.Counts[6] != 1 || coefficients.Counts[19] != 1 || coefficients.Counts[15] != 1 {
		t.Errorf("hours %+v\nDice %+v", hours, coefficients)
	}
}

// The shares that the paper prints follow from its totals, but for a 19.3 that is 19.4.
func TestPrinted(t *testing.T) {
	t.Parallel()
	p := Printed()
	percent := func(n, of int) float64 { return math.Round(1000*float64(n)/float64(of)) / 10 }
	got := []float64{percent(p.Unchanged, p.Unchanged+p.Changed), percent(p.Knotted, p.Flat+p.Sloped+p.Knotted)}
	for _, s := range p.Subhour {
		got = append(got, percent(s.Any, p.SubhourPages), percent(s.All, p.SubhourPages))
	}
	want := []float64{34.5, 69.3, 11.5, 6.5, 19.4, 9, 22.8, 11.3, 23.9, 11.8, 65.7, 41.6}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
