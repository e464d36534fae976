package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// tester is what the checks need of *testing.T and *rapid.T.
type tester interface {
	Helper()
	Errorf(string, ...any)
	Error(...any)
	Fatalf(string, ...any)
}

// wellFormed reads the picture as XML and holds it against what every picture
// promises: an image with a title and a description, ids with the prefix, nothing
// that runs and nothing from elsewhere.
func wellFormed(t tester, svg []byte, id string) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(svg))
	seen := map[string]int{}
	ids := map[string]bool{}
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("not well formed: %v", err)
		}
		el, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		name := el.Name.Local
		seen[name]++
		if !slices.Contains([]string{"svg", "title", "desc", "style", "defs", "pattern", "g", "a", "rect", "line", "path", "circle", "text"}, name) {
			t.Errorf("element %s", name)
		}
		for _, a := range el.Attr {
			v := a.Value
			switch n := a.Name.Local; {
			case n == "id":
				if !strings.HasPrefix(v, id) || ids[v] {
					t.Errorf("id %q without the prefix %q or twice", v, id)
				}
				ids[v] = true
			case n == "href":
				if !strings.HasPrefix(v, "/") || strings.HasPrefix(v, "//") {
					t.Errorf("href %q leaves the host", v)
				}
			case strings.HasPrefix(n, "on"), n == "style":
				t.Errorf("attribute %s", n)
			case strings.Contains(v, "url(") && v != "url(#"+id+"-hatch)":
				t.Errorf("%s = %q refers elsewhere", n, v)
			case strings.Contains(v, "NaN") || strings.Contains(v, "Inf"):
				if slices.Contains([]string{"x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "d", "width", "height", "viewBox", "fill-opacity"}, n) {
					t.Errorf("%s = %q", n, v)
				}
			}
		}
	}
	if seen["svg"] != 1 || seen["title"] == 0 || seen["desc"] != 1 {
		t.Errorf("elements: %v", seen)
	}
	if bytes.Contains(svg, []byte("url(#")) && !ids[id+"-hatch"] {
		t.Error("hatched by a pattern that is not there")
	}
}

// canvasOf draws f and keeps the canvas.
func canvasOf(t *testing.T, f Figure, opt Options) *canvas {
	t.Helper()
	switch f := f.(type) {
	case Chart:
		return f.render(opt)
	case interface{ chart() Chart }:
		return f.chart().render(opt)
	case interface{ render(Options) *canvas }:
		return f.render(opt)
	case interface{ drawing() beside }:
		return f.drawing().render(opt)
	case interface {
		render(Options) (*canvas, string)
	}:
		c, _ := f.render(opt)
		return c
	}
	t.Fatalf("no way to draw %T", f)
	return nil
}

// tidy fails if two texts overlap or one is cut off.
func tidy(t tester, c *canvas) {
	t.Helper()
	for i, a := range c.labels {
		if a.x < 0 || a.y < 0 || a.right() > c.w || a.bottom() > c.h {
			t.Errorf("%q at %v leaves the picture of %v by %v", a.text, a.box, c.w, c.h)
		}
		for _, b := range c.labels[:i] {
			if a.overlaps(b.box) {
				t.Errorf("%q at %v overlaps %q at %v", a.text, a.box, b.text, b.box)
			}
		}
	}
}

func TestSamples(t *testing.T) {
	t.Parallel()
	for name, f := range samples() {
		for _, opt := range []Options{{}, {ID: "c7-", Inline: true, Bare: true, Width: 360}, {Width: 1180, Height: 700, Theme: Dark}, {Width: 480, ID: "7"}, {Width: 1, Height: 1}} {
			if _, ok := f.(Sparkline); ok && opt.Width == 1 {
				continue
			}
			t.Run(name, func(t *testing.T) {
				svg := f.SVG(opt)
				id := identifier(opt.ID)
				wellFormed(t, svg, id)
				tidy(t, canvasOf(t, f, opt))
				if got := bytes.HasPrefix(svg, []byte("<?xml")); got == opt.Inline {
					t.Errorf("XML declaration: %v", got)
				}
				if got := bytes.Contains(svg, []byte("<style>")); got == opt.Bare {
					t.Errorf("style: %v", got)
				}
			})
		}
	}
}

// TestHostile looks for what a page might smuggle in.
func TestHostile(t *testing.T) {
	t.Parallel()
	r := novelty2(hostile).Snapshots
	figures := []Figure{
		ChangeScatter{Page: hostile, Changes: []IntervalChange{{Hours: 2, Dice: .5, Words: hostile}}},
		ChangeCurve{Page: hostile, Mean: []Point{{0, 1}, {1, .5}}, Shape: hostile},
		ChangeCurves{Title: hostile, Subtitle: hostile, Pages: []ChangeCurve{{Page: hostile, Mean: []Point{{0, 1}, {1, .5}}, Knot: &Point{.5, .7}}}},
		TermLifespans{Page: hostile, Versions: []time.Time{hours(0), hours(1)}, Terms: []TermRow{{Term: hostile, Spans: [][2]int{{0, 2}}, Lasting: 1, Passing: 1}, {Term: "\x00\u202e", Spans: [][2]int{{-5, 99}}, Lasting: 2}}},
		StayingPower{Page: hostile, Bins: Bins{[]float64{0, .5, 1}, []float64{1, 2}}},
		BlockMap{Page: hostile, Blocks: []Block{{Words: hostile, Path: hostile, Hours: 2, Children: []Block{{Words: hostile, Hours: math.NaN()}}}}},
		PageHistograms{Subtitle: hostile, Dice: Bins{[]float64{0, 1}, []float64{1}}},
		Convergence{Subtitle: hostile, Panels: []ConvergencePanel{{Name: hostile, Runs: []ConvergenceRun{{L1: []float64{2, 1}}}}}},
		Distribution{Title: hostile, Subtitle: hostile, Panels: []DistributionPanel{{Name: hostile, Runs: []DistributionRun{{Counts: [NoveltyBins]float64{1, 2}}}}}},
		PrecisionRecall{Subtitle: hostile, Panels: []AccuracyPanel{{Name: hostile, Runs: []AccuracyRun{{Threshold: []float64{0, 1}, Precision: []float64{.5}, Recall: []float64{1, 0, 3}}}}}},
		StackedNovelty{Query: hostile, Series: hostile, Snapshots: r},
		SnapshotSizes{Series: hostile, Snapshots: []SnapshotSize{{At: hours(0), L2: 1}, {At: hours(1), L2: math.NaN()}, {At: hours(2), Missing: true}}},
		TermPeriods{Topic: hostile, Periods: []Span{{hours(0), hours(4)}}, Terms: []TermShare{{Term: hostile, Trend: hostile, Shares: []float64{.5}, Bursts: [][2]int{{-3, 9}}}}},
		UpToDate{Page: hostile, Periods: []PeriodScore{{hours(0), hours(4), 1, 2}}},
		Calendar{Page: hostile, Days: []Day{{Date: hours(0), State: Changed, Dice: .5, Href: `/"><script>`}, {Date: hours(30), State: Failed, Href: "data:text/html,x"}}},
		Sparkline{Name: hostile, Values: []SparkValue{{.5, true}}},
	}
	for _, f := range figures {
		for _, w := range []float64{0, 300} {
			svg := f.SVG(Options{ID: hostile, Width: w})
			wellFormed(t, svg, identifier(hostile))
			tidy(t, canvasOf(t, f, Options{Width: w}))
			for _, bad := range []string{"<script", "javascript:", "elsewhere.example", "data:text", "\u202e", "\x1b"} {
				if bytes.Contains(svg, []byte(`href="`+bad)) || bytes.Contains(svg, []byte(bad)) && bad != "javascript:" {
					t.Errorf("%T: %q came through", f, bad)
				}
			}
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("title", "word", 760.0)
	f.Add(hostile, hostile, 300.0)
	f.Add("\xff\xfe", "\u0301\u0301", 0.0)
	f.Fuzz(func(t *testing.T, title, word string, width float64) {
		at := time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)
		for _, fig := range []Figure{
			TermLifespans{Page: title, Versions: []time.Time{at, at.Add(time.Hour)}, Terms: []TermRow{{Term: word, Spans: [][2]int{{0, 2}}, Lasting: 1}, {Term: title, Spans: [][2]int{{1, 2}}, Passing: 1}}},
			Chart{
				Title: title, Subtitle: word, Note: word, X: Axis{Label: word}, Y: Axis{Label: title}, Keys: []Key{{Color: "ink", Label: word}, {Color: "ink", Label: title}},
				Panels: []Panel{{Title: word, Marks: []Mark{Line{Points: []Point{{0, 1}, {1, 2}}, Label: word}, Knot{At: Point{.5, 1.5}, Words: title}, Rule{Y: 1, Words: word}}}},
			},
		} {
			opt := Options{Width: width, ID: word}
			wellFormed(t, fig.SVG(opt), identifier(word))
			tidy(t, canvasOf(t, fig, opt))
		}
	})
}
