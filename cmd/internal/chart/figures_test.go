package chart

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestLifePart: an hour and less is the dark end, five weeks and more the light one,
// by the logarithm.
func TestLifePart(t *testing.T) {
	t.Parallel()
	for hours, want := range map[float64]float64{0: 1, 1: 1, 840: 0, 1e9: 0, math.Sqrt(840): .5} {
		if got := lifePart(hours); math.Abs(got-want) > 1e-9 {
			t.Errorf("lifePart(%v) = %v, want %v", hours, got, want)
		}
	}
}

// TestCalendarPlaces: Monday is the top row, and a year begins a new strip when
// there are more weeks than fit.
func TestCalendarPlaces(t *testing.T) {
	t.Parallel()
	f := Calendar{Days: []Day{
		{Date: time.Date(2024, 1, 1, 23, 0, 0, 0, time.UTC), State: Changed, Dice: .5}, // a Monday
		{Date: time.Date(2024, 1, 7, 1, 0, 0, 0, time.UTC), State: Same},
		{Date: time.Date(2024, 1, 8, 1, 0, 0, 0, time.UTC), State: Same},
	}}
	svg := f.SVG(Options{Theme: Light})
	y := map[string]float64{}
	x := map[string]float64{}
	for _, line := range bytes.Split(svg, []byte("\n")) {
		var a, b, w, h float64
		at := bytes.Index(line, []byte(`data-date="`))
		if n, _ := fmt.Sscanf(string(line), `<rect x="%g" y="%g" width="%g" height="%g"`, &a, &b, &w, &h); n == 4 && at > 0 {
			date := string(line[at+11 : at+21])
			x[date], y[date] = a+w/2, b+h/2 // centres
		}
	}
	if y["2024-01-07"]-y["2024-01-01"] != 6*dayPitch || x["2024-01-07"] != x["2024-01-01"] {
		t.Errorf("Sunday is not under Monday: %v %v", x, y)
	}
	if y["2024-01-08"] != y["2024-01-01"] || x["2024-01-08"]-x["2024-01-01"] != dayPitch {
		t.Errorf("the next Monday is not beside the first: %v %v", x, y)
	}
	f.Days = append(f.Days, Day{Date: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), State: Failed})
	days, counts := f.days()
	if diff := cmp.Diff([4]int{0, 2, 1, 1}, counts); diff != "" {
		t.Errorf("states (-want +got):\n%s", diff)
	}
	var years []int
	for _, s := range split(days, 54) {
		years = append(years, s.year)
	}
	if diff := cmp.Diff([]int{2024, 2026}, years); diff != "" {
		t.Errorf("strips (-want +got):\n%s", diff)
	}
}

// TestStackedSums: counts are summed up from the first snapshot; one that was not
// crawled is a gap and adds nothing.
func TestStackedSums(t *testing.T) {
	t.Parallel()
	f := StackedNovelty{Snapshots: []NoveltySnapshot{
		{At: hours(0), NewWord: 1, Novel: 2, Uncertain: 3},
		{At: hours(1), NewWord: 100, Novel: 100, Missing: true},
		{At: hours(2), NewWord: 1, Novel: math.NaN(), Uncertain: -5},
	}}
	area := f.chart().Panels[0].Marks[0].(Areas)
	var got []string
	for _, l := range area.Layers {
		got = append(got, fmt.Sprint(l.Values))
	}
	if diff := cmp.Diff([]string{"[1 NaN 2]", "[2 NaN 2]", "[3 NaN 3]"}, got); diff != "" {
		t.Errorf("sums (-want +got):\n%s", diff)
	}
	gap := f.chart().Panels[0].Marks[1].(Gap)
	if gap.From != Seconds(hours(0)) || gap.To != Seconds(hours(2)) {
		t.Errorf("gap from %v to %v", gap.From, gap.To)
	}
	f.ByShare = true
	area = f.chart().Panels[0].Marks[0].(Areas)
	if got := area.sum(2); math.Abs(got-1) > 1e-12 {
		t.Errorf("the shares sum to %v", got)
	}
}

// TestStackedLinks: each kind at a snapshot leads to its own pages; where it has none,
// and where nothing was crawled, there is no link.
func TestStackedLinks(t *testing.T) {
	t.Parallel()
	f := StackedNovelty{Query: "tide", Snapshots: []NoveltySnapshot{
		{At: hours(0), NewWord: 1, Novel: 2, Href: "/s?1", NewWordHref: "/s?1w", NovelHref: "/s?1n", UncertainHref: "/s?1u"},
		{At: hours(1), Missing: true, Novel: 3, Href: "/s?2", NovelHref: "/s?2n"},
		{At: hours(2), Novel: 2, Href: "/s?3", NewWordHref: "/s?3w", NovelHref: "//evil.test/", UncertainHref: "/s?3u"},
	}}
	svg := string(f.SVG(Options{}))
	for href, want := range map[string]bool{"/s?1": true, "/s?1w": true, "/s?1n": true, "/s?1u": false, "/s?2": false, "/s?2n": false, "/s?3w": true, "/s?3u": false, "//evil.test/": false} {
		if got := strings.Contains(svg, `href="`+href+`"`); got != want {
			t.Errorf("link to %s: %v, want %v", href, got, want)
		}
	}
}

// TestMergedNovelty: of hundreds of snapshots neighbours are drawn as one, with the sums
// and the gaps that they had, and the picture stays as wide and light as others.
func TestMergedNovelty(t *testing.T) {
	t.Parallel()
	var f StackedNovelty
	f.Query, f.Series = "tide", "harbours"
	f.Between = func(first, last time.Time) (string, string, string, string) {
		base := "/search?q=tide&series=harbours&from=" + first.Format(time.DateOnly) + "&to=" + last.Format(time.DateOnly)
		return base, base + "&kind=new+word", base + "&kind=novel", base + "&kind=uncertain"
	}
	sums := map[time.Time][3]float64{} // after each snapshot
	var sum [3]float64
	for i := range 300 {
		s := NoveltySnapshot{At: hours(24 * float64(i)), NewWord: float64(i % 3), Novel: float64(i % 7), Uncertain: 1, Coverage: .9, Missing: i >= 100 && i < 110, Href: "/one", NovelHref: "/one"}
		if !s.Missing {
			for k, v := range []float64{s.NewWord, s.Novel, s.Uncertain} {
				sum[k] += v
			}
		}
		sums[s.At] = sum
		f.Snapshots = append(f.Snapshots, s)
	}
	for _, most := range []int{120, 40, 3} {
		g := f.Merged(most)
		if n := len(g.Snapshots); n > max(most, 3) && !g.Closed || n > most || n < most/3 || g.Total != 300 {
			t.Errorf("%d of %d snapshots, want some of at most %d of 300", n, g.Total, most)
		}
		area := g.chart().Panels[0].Marks[0].(Areas)
		for i, s := range g.Snapshots {
			if s.Missing {
				continue
			}
			for k, l := range area.Layers {
				if l.Values[i] != sums[s.At][k] {
					t.Fatalf("up to %v: %v of kind %d, want %v", s.At, l.Values[i], k, sums[s.At][k])
				}
			}
		}
		if last := g.Snapshots[len(g.Snapshots)-1]; last.At != hours(24*299) {
			t.Errorf("it ends at %v", last.At)
		}
		if most < 40 {
			continue
		}
		var gaps []Gap
		for _, m := range g.chart().Panels[0].Marks {
			if gap, ok := m.(Gap); ok {
				gaps = append(gaps, gap)
			}
		}
		if len(gaps) != 1 || gaps[0].From != Seconds(hours(24*99)) || gaps[0].To != Seconds(hours(24*110)) {
			t.Errorf("gaps %v, want one from the last snapshot before it to the first behind it", gaps)
		}
	}
	holes := f
	holes.Snapshots = slices.Clone(f.Snapshots)
	for i := range holes.Snapshots {
		holes.Snapshots[i].Missing = i%2 == 1
	}
	if g := holes.Merged(50); !g.Closed || len(g.Snapshots) > 50 || !strings.Contains(g.subtitle(), "gaps between them left out") {
		t.Errorf("%d stretches of a series with a gap behind each snapshot", len(g.Snapshots))
	}
	for _, share := range []bool{false, true} {
		f.ByShare = share
		svg := f.SVG(Options{})
		wellFormed(t, svg, "chart")
		tidy(t, canvasOf(t, f, Options{}))
		if len(svg) > 250_000 || !bytes.Contains(svg, []byte(`width="760"`)) {
			t.Errorf("%d bytes", len(svg))
		}
		for _, words := range []string{"harbours: 300 snapshots, neighbours drawn as one in ", "from=2024-01-", "&amp;kind=novel", "up to 2024-"} {
			if !bytes.Contains(svg, []byte(words)) {
				t.Errorf("it does not say %q", words)
			}
		}
	}
	if small := novelty(false); len(small.Merged(maxStretches).Snapshots) != len(small.Snapshots) {
		t.Error("a few snapshots are merged")
	}
}

// TestDistributionBins: the names of the bins are those of the paper.
func TestDistributionBins(t *testing.T) {
	t.Parallel()
	if got, want := binName(0)+" "+binName(1)+" "+binName(10), "= 0 (0, .1] (.9, 1]"; got != want {
		t.Errorf("bins %q, want %q", got, want)
	}
}

// TestMarkedThreshold: every panel has the line, in its place, and a figure without
// one is as it was.
func TestMarkedThreshold(t *testing.T) {
	t.Parallel()
	f := precisionRecall()
	plain := f.chart()
	at := .5
	f.Marked = &at
	marked := f.chart()
	for i, p := range marked.Panels {
		if len(p.Marks) != len(plain.Panels[i].Marks)+1 {
			t.Fatalf("panel %d has %d marks, without the threshold %d", i, len(p.Marks), len(plain.Panels[i].Marks))
		}
		line, ok := p.Marks[len(p.Marks)-1].(Line)
		if diff := cmp.Diff([]Point{{.5, 0}, {.5, 1}}, line.Points); !ok || diff != "" {
			t.Errorf("panel %d (-want +got):\n%s", i, diff)
		}
	}
	if svg := f.SVG(Options{}); !bytes.Contains(svg, []byte("threshold .5")) {
		t.Error("the key does not name the threshold")
	}
}

// TestTermPeriods: bars go by share on one scale, periods without data have none, and a
// burst lies under the periods that it covers.
func TestTermPeriods(t *testing.T) {
	t.Parallel()
	f := TermPeriods{Periods: []Span{{hours(0), hours(10)}, {hours(10), hours(20)}, {hours(20), hours(30)}}, Terms: []TermShare{
		{Term: "ebb", Shares: []float64{.5, math.NaN(), .25}, Bursts: [][2]int{{1, 3}, {2, 1}}},
		{Term: "flow", Shares: []float64{0, .125}},
	}}
	svg := string(f.SVG(Options{}))
	paths := regexp.MustCompile(`<path d="([^"]*)" class="f-accent" data-term="(\w+)"`).FindAllStringSubmatch(svg, -1)
	if len(paths) != 2 {
		t.Fatalf("%d rows have bars, want 2", len(paths))
	}
	bar := regexp.MustCompile(`M([\d.]+) ([\d.]+)V([\d.]+)H([\d.]+)V`)
	var heights []float64
	for _, p := range paths {
		for _, m := range bar.FindAllStringSubmatch(p[1], -1) {
			foot, _ := strconv.ParseFloat(m[2], 64)
			head, _ := strconv.ParseFloat(m[3], 64)
			heights = append(heights, math.Round(foot-head))
		}
	}
	if want := []float64{termBar, termBar / 2, termBar / 4}; !slices.Equal(heights, want) {
		t.Errorf("bars of %v px, want %v", heights, want)
	}
	bursts := regexp.MustCompile(`<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)" height="3" class="f-second" data-burst="ebb">`).FindAllStringSubmatch(svg, -1)
	if len(bursts) != 1 {
		t.Fatalf("%d bursts, want 1", len(bursts))
	}
	x, _ := strconv.ParseFloat(bursts[0][1], 64)
	w, _ := strconv.ParseFloat(bursts[0][2], 64)
	last := bar.FindAllStringSubmatch(paths[0][1], -1)[1]
	if to, _ := strconv.ParseFloat(last[4], 64); math.Abs(x+w-to) > 1 {
		t.Errorf("the burst ends at %v, its last bar at %v", x+w, to)
	}
	if from, _ := strconv.ParseFloat(last[1], 64); math.Abs(x+w/2-from) > 1 {
		t.Errorf("the burst of two periods has its middle at %v, the second begins at %v", x+w/2, from)
	}
	for _, words := range []string{"full height is 50 %", "1 term is in a burst", "ebb: burst from 2024-01-01 10:00 UTC to 2024-01-02 06:00 UTC", "ebb: in 2 periods, most in that from 2024-01-01 00:00 UTC with 50 %"} {
		if !strings.Contains(svg, words) {
			t.Errorf("it does not say %q", words)
		}
	}
}
