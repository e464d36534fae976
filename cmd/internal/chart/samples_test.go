package chart

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

var monday2024 = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

func hours(n float64) time.Time {
	return monday2024.Add(time.Duration(n * float64(time.Hour)))
}

// hostile is what a page may be called.
const hostile = "</text><script>alert('x')</script>\" onload=\"x\" &amp; ]]> \x00\x1b\xff\u202e\ufffe 東京の天気 \u05e9\u05dc\u05d5\u05dd 😀😀 Pneumonoultramicroscopicsilicovolcanoconiosis_without_any_space_in_it_at_all"

// samples are figures of every kind by the name of their golden file.
func samples() map[string]Figure {
	r := rand.New(rand.NewPCG(1, 2))
	out := map[string]Figure{}

	scatter := ChangeScatter{Page: "Harbour times, coast.example/tides"}
	for i := range 240 {
		h := math.Exp(r.NormFloat64()*1.4 + 1.2)
		scatter.Changes = append(scatter.Changes, IntervalChange{Hours: h, Dice: max(0, min(1, .97-.06*math.Log1p(h)-.05*math.Abs(r.NormFloat64()))), Censored: i == 0})
	}
	out["changescatter"] = scatter
	crowd := ChangeScatter{Page: "All pages of the coast"}
	for range 100_000 {
		h := math.Exp(r.NormFloat64()*2 + 1.2)
		crowd.Changes = append(crowd.Changes, IntervalChange{Hours: h, Dice: max(0, min(1, .9-.08*math.Log1p(h)+.08*r.NormFloat64()))})
	}
	out["changescatter_100k"] = crowd

	gaps := Bins{Edges: []float64{0}}
	for i := range 20 {
		gaps.Edges = append(gaps.Edges, float64(i+1)*42)
		gaps.Counts = append(gaps.Counts, math.Round(9000*math.Exp(-float64(i)/4)+200*r.Float64()))
	}
	dices := Bins{Edges: []float64{0}}
	for i := range 20 {
		dices.Edges = append(dices.Edges, float64(i+1)/20)
		dices.Counts = append(dices.Counts, math.Round(6000*math.Exp(float64(i-19)/4)))
	}
	out["pagehistograms"] = PageHistograms{Subtitle: "35,997 pages that changed, 5 weeks of hourly fetches", Gap: gaps, Dice: dices}

	out["survival"] = Survival{
		Subtitle: "412 pages", Mean: []Point{{2, .99}, {24, .96}, {168, .9}, {336, .87}}, Median: []Point{{2, 1}, {24, 1}, {168, .98}, {336, .97}},
		Them: []Point{{2, .993}, {24, .974}, {168, .917}, {336, .879}, {672, .864}, {840, .843}},
	}

	curve := ChangeCurve{Page: "The Evening Paper, paper.example/"}
	value := func(t float64) float64 {
		if t < 9 {
			return 1 - .38*t/9
		}
		return .62 - .0006*(t-9)
	}
	for range 5 {
		var line []Point
		for t := range 121 {
			v := value(float64(t)) + .02*r.NormFloat64()
			if t == 0 {
				v = 1
			}
			line = append(line, Point{float64(t), min(1, v)})
		}
		curve.Starts = append(curve.Starts, line)
	}
	for t := range 121 {
		v := 0.0
		for _, s := range curve.Starts {
			v += s[t].Y / 5
		}
		if t > 60 && t < 70 {
			v = math.NaN()
		}
		curve.Mean = append(curve.Mean, Point{float64(t), v})
	}
	curve.Fit = []Fitted{{Point{0, 1}, Point{9, .62}}, {Point{9, .62}, Point{120, .5534}}}
	curve.Knot = &Point{9, .62}
	out["changecurve"] = curve

	var over ChangeCurves
	for i, name := range []string{"paper.example", "coast.example/tides", "water.example/a/rather/long/address/of/levels", "museum.example", "shop.example", "union.example", "ferry.example"} {
		knot := Point{float64(4 + 9*i), .5 + .06*float64(i)}
		page := ChangeCurve{Page: name, Knot: &knot}
		for t := range 121 {
			x := float64(t)
			page.Mean = append(page.Mean, Point{x, 1 - (1-knot.Y)*min(1, x/knot.X) - .0004*max(0, x-knot.X)})
		}
		over.Pages = append(over.Pages, page)
	}
	out["changecurves"] = over

	out["termlifespans"] = terms(r, 380, 120)
	out["termlifespans_few"] = terms(r, 14, 9)

	power := StayingPower{Page: "The Evening Paper, paper.example/", Fleeting: 310, Lasting: 420, Bins: Bins{Edges: []float64{0}}}
	for i := range 10 {
		power.Bins.Edges = append(power.Bins.Edges, float64(i+1)/10)
		power.Bins.Counts = append(power.Bins.Counts, []float64{250, 60, 25, 14, 9, 8, 12, 24, 96, 324}[i])
	}
	out["stayingpower"] = power

	out["blockmap"] = BlockMap{Page: "The Evening Paper, paper.example/", Blocks: []Block{
		{Words: "The Evening Paper", Path: "/header[0]", Hours: 900, Children: []Block{
			{Words: "Home World Sport Weather", Path: "/header[0]/nav[0]", Hours: 840},
			{Words: "Tuesday 2 January, 14:05", Path: "/header[0]/p[0]", Hours: .4},
		}},
		{Words: "Ferry strike ends after nine days", Path: "/main[0]", Hours: math.NaN(), Children: []Block{
			{Words: "Ferry strike ends after nine days of talks between the harbour and its crews, who return to work on Thursday morning", Path: "/main[0]/article[0]", Hours: 3, Children: []Block{
				{Words: "Ferry strike ends", Path: "/main[0]/article[0]/h2[0]", Hours: 4},
				{Words: "Crews return to work on Thursday", Path: "/main[0]/article[0]/p[0]", Hours: 2},
			}},
			{Words: "Snow is expected on the northern coast", Path: "/main[0]/article[1]", Hours: 14},
			{Words: "A week at the lighthouse", Path: "/main[0]/article[2]", Hours: 120},
			{Words: "", Path: "/main[0]/aside[0]", Hours: 30},
		}},
		{Words: "About us Contact Terms of use", Path: "/footer[0]", Hours: 840},
	}}

	out["convergence"] = convergence()
	out["distribution"] = distribution()
	out["precisionrecall"] = precisionRecall()
	out["stackednovelty"] = novelty(false)
	out["snapshotsizes"] = snapshotSizes()
	out["stackednovelty_share"] = novelty(true)

	up := UpToDate{Page: "River levels, water.example/levels"}
	d := []float64{10, 5, 18.3333, 35, 19.5, 18.75, 13.1786, 10.4167, 23.6706, 14.9464, 31.5341, 19.5754, 29.9245, 19.7926}
	s := []float64{10, 0, 15, 25, 0, 5, 0, 0, 18, 0, 22, 0, 15, 0}
	for i := range d {
		p := PeriodScore{From: hours(float64(i) * 96), To: hours(float64(i+1) * 96), S: s[i], D: d[i]}
		if i == 7 {
			p.S, p.D = math.NaN(), math.NaN()
		}
		up.Periods = append(up.Periods, p)
	}
	out["uptodate"] = up
	out["termperiods"] = termPeriods()

	out["calendar"] = calendar(r, 300)
	out["calendar_years"] = calendar(r, 800)

	spark := Sparkline{Name: "coast.example/tides"}
	for i := range 60 {
		v := max(0, 1-.15*math.Abs(r.NormFloat64()))
		if i == 30 {
			v = math.NaN()
		}
		spark.Values = append(spark.Values, SparkValue{v, i%17 == 3})
	}
	out["sparkline"] = spark

	out["hostile"] = novelty2(hostile)
	return out
}

func terms(r *rand.Rand, rows, versions int) TermLifespans {
	f := TermLifespans{Page: "The Evening Paper, paper.example/"}
	for i := range versions {
		f.Versions = append(f.Versions, hours(float64(i)*7))
	}
	syllables := []string{"har", "bour", "tide", "fer", "ry", "light", "storm", "coast", "wind", "sea"}
	for i := range rows {
		word := syllables[r.IntN(10)] + syllables[r.IntN(10)]
		row := TermRow{Term: word}
		first := 0
		if i > rows/3 {
			first = 1 + (i-rows/3)*(versions-1)/(rows-rows/3+1)
		}
		if i < rows/5 {
			row.Spans = [][2]int{{0, versions}}
			row.Lasting = 1 - float64(i)/float64(rows)
		} else {
			last := min(versions, first+1+r.IntN(max(1, versions/6)))
			row.Spans = [][2]int{{first, last}}
			if again := last + 2 + r.IntN(20); again < versions && i%4 == 0 {
				row.Spans = append(row.Spans, [2]int{again, min(versions, again+3)})
			}
			row.Passing = r.Float64()
		}
		f.Terms = append(f.Terms, row)
	}
	return f
}

func convergence() Convergence {
	f := Convergence{Subtitle: "24 snapshots of the coast"}
	for k := range 3 {
		p := ConvergencePanel{Name: []string{"Jul 2003", "Jan 2004", "May 2004"}[k]}
		for i, delta := range []float64{0, .1, .2} {
			run := ConvergenceRun{Delta: delta}
			for t := range 20 {
				run.L1 = append(run.L1, float64(k+1)*1e5*math.Pow(.75-.1*float64(i), float64(t)))
			}
			p.Runs = append(p.Runs, run)
		}
		f.Panels = append(f.Panels, p)
	}
	return f
}

func distribution() Distribution {
	f := Distribution{Subtitle: "pages that were not in the snapshot before"}
	for k := range 2 {
		p := DistributionPanel{Name: []string{"Jul 2003", "Jan 2004"}[k]}
		for i, delta := range []float64{0, .1, .2} {
			run := DistributionRun{Delta: delta}
			for b := range run.Counts {
				run.Counts[b] = 100 + 20*math.Abs(float64(b-4-k))
			}
			run.Counts[0] = 500
			run.Counts[10-i] = 1200
			p.Runs = append(p.Runs, run)
		}
		f.Panels = append(f.Panels, p)
	}
	return f
}

func precisionRecall() PrecisionRecall {
	f := PrecisionRecall{Subtitle: "pages with a date in their address"}
	for k := range 3 {
		p := AccuracyPanel{Name: []string{"Jul 2003", "Jan 2004", "May 2004"}[k]}
		for i, delta := range []float64{0, .1, .2} {
			run := AccuracyRun{Delta: delta}
			for t := range 11 {
				x := float64(t) / 10
				run.Threshold = append(run.Threshold, x)
				precision := .67 + .03*float64(k) + (.25-.02*float64(i))*math.Sqrt(x)
				recall := 1 - .5*x - .2*float64(i)*x*x
				if t == 10 && i == 2 {
					precision, recall = math.NaN(), 0
				}
				run.Precision = append(run.Precision, precision)
				run.Recall = append(run.Recall, recall)
			}
			p.Runs = append(p.Runs, run)
		}
		f.Panels = append(f.Panels, p)
	}
	return f
}

func novelty(byShare bool) StackedNovelty {
	f := StackedNovelty{Query: "pfas", Series: "Water authorities, monthly snapshots", ByShare: byShare}
	for i := range 24 {
		f.Snapshots = append(f.Snapshots, NoveltySnapshot{
			At: monday2024.AddDate(0, i, 0), NewWord: float64(3 + i%5*2), Novel: float64(i * i / 6), Uncertain: float64(i % 3 * 2),
			Coverage: .7 + .3*math.Abs(math.Sin(float64(i))), Missing: i >= 9 && i <= 12, Href: fmt.Sprintf("/search?q=pfas&snapshot=%d", i),
		})
	}
	return f
}

func snapshotSizes() SnapshotSizes {
	f := SnapshotSizes{Series: "jp-web, monthly"}
	for i := range 12 {
		s := SnapshotSize{At: monday2024.AddDate(0, i, 0), L2: 900 + 40*float64(i), Other: 60 + 10*float64(i%4), Unidentified: 150 + 30*float64(i%3), Missing: i == 6}
		if i == 0 {
			s = SnapshotSize{At: s.At, Unidentified: 1000}
		}
		f.Snapshots = append(f.Snapshots, s)
	}
	return f
}

func novelty2(words string) StackedNovelty {
	f := novelty(false)
	f.Query, f.Series = words, words
	f.Snapshots[0].Href = "https://elsewhere.example/"
	f.Snapshots[1].Href = "//elsewhere.example/"
	f.Snapshots[2].Href = "javascript:alert(1)"
	return f
}

func calendar(r *rand.Rand, n int) Calendar {
	f := Calendar{Page: "Harbour times, coast.example/tides"}
	for i := range n {
		d := Day{Date: time.Date(2023, 3, 8+i, 5, 0, 0, 0, time.UTC), State: Changed, Dice: r.Float64(), Href: "/pages/7"}
		switch {
		case i%7 == 2:
			d.State = Same
		case i%31 == 4:
			d.State = Failed
		case i > 100 && i < 112:
			d.State = NotWatched
		}
		f.Days = append(f.Days, d)
	}
	return f
}

func termPeriods() TermPeriods {
	f := TermPeriods{Topic: "pfas"}
	for i := range 30 {
		f.Periods = append(f.Periods, Span{hours(float64(i) * 72), hours(float64(i+1) * 72)})
	}
	for k, name := range []string{"drinking water", "limit", "agency", "filter", "a term that is much longer than its room", "court"} {
		t := TermShare{Term: name, Trend: []string{"steady", "rising", "falling"}[k%3]}
		for i := range f.Periods {
			v := max(0, .08+.07*math.Sin(float64(i*(k+1))/3))
			if k%2 == 1 && i >= 30-3*k {
				v += .4
			}
			if i == 11 {
				v = math.NaN()
			}
			t.Shares = append(t.Shares, v)
		}
		if k%2 == 1 {
			t.Bursts = [][2]int{{30 - 3*k, 30}}
		}
		f.Terms = append(f.Terms, t)
	}
	f.Terms[0].Bursts = [][2]int{{4, 7}, {9, 10}}
	return f
}
