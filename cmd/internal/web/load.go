package web

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/chart"
	"github.com/strandlinehq/strandline/cmd/internal/report"
	"github.com/strandlinehq/strandline/store"
)

// homeHours is how many hours of fetches the first page draws, with the one that runs.
const homeHours = int(homeSpan / time.Hour)

// failedKept is how long, in the machine's time, failed fetches are told again before they
// are counted anew: where very many pages fail, their fetches take a while to read.
const failedKept = time.Minute

// hourLoad is what an hour fetched for watches.
type hourLoad struct {
	From    time.Time
	Fetches int64
	Failed  int64 // of pages that fail still
}

// dayLoad are the hours up to the one that runs, all of them.
type dayLoad []hourLoad

// load counts the scheduled fetches of the last day by hour.
func (s *Server) load(ctx context.Context, now time.Time) (dayLoad, error) {
	last := now.Truncate(time.Hour)
	first := last.Add(-homeSpan + time.Hour)
	out := make(dayLoad, homeHours)
	for i := range out {
		out[i].From = first.Add(time.Duration(i) * time.Hour)
	}
	place := func(l store.HourLoad) *hourLoad {
		if i := int(l.Hour.Sub(first) / time.Hour); !l.Hour.Before(first) && i < len(out) {
			return &out[i]
		}
		return &hourLoad{}
	}
	fetches, err := s.db.Load(ctx, now.Add(-homeSpan), now)
	if err != nil {
		return nil, err
	}
	failed, err := s.failed.read(ctx, func(ctx context.Context) ([]store.HourLoad, error) {
		return s.db.FailedLoad(ctx, first, now)
	})
	if err != nil {
		return nil, err
	}
	for _, l := range fetches {
		place(l).Fetches = l.Fetches
	}
	for _, l := range failed { // an hour fetched no less than what failed of it
		at := place(l)
		at.Failed = min(l.Fetches, at.Fetches)
	}
	return out, nil
}

// total sums the fetches up, and says how many the fullest hour had.
func (d dayLoad) total() (sum, most int64) {
	for _, h := range d {
		sum, most = sum+h.Fetches, max(most, h.Fetches)
	}
	return sum, most
}

func (d dayLoad) table() *report.Table {
	t := &report.Table{Title: "Scheduled fetches an hour", Columns: []string{"from (UTC)", "fetches", "of them failed"}}
	for _, h := range d {
		t.Add(h.From, h.Fetches, h.Failed)
	}
	t.Note("Failed are the fetches of pages that fail still; pages that have come back since are not counted. The last hour still runs.")
	return t
}

func (d dayLoad) figure() chart.Figure {
	sum, _ := d.total()
	all := chart.Bars{Color: "accent", Hover: func(from, _, _ float64) string { return d.words(from) }}
	bad := chart.Bars{Color: "removed", Hover: all.Hover}
	failed := int64(0)
	for _, h := range d {
		failed += h.Failed
		all.Edges, all.Counts = append(all.Edges, chart.Seconds(h.From)), append(all.Counts, float64(h.Fetches))
		bad.Edges, bad.Counts = append(bad.Edges, chart.Seconds(h.From)), append(bad.Counts, float64(h.Failed))
	}
	end := chart.Seconds(d[len(d)-1].From.Add(time.Hour))
	all.Edges, bad.Edges = append(all.Edges, end), append(bad.Edges, end)
	c := chart.Chart{
		Title: "The last day: " + plural(sum, "scheduled fetch", "scheduled fetches"), Subtitle: "fetches an hour, UTC",
		Empty: "No page was fetched for a watch in the last day. Each hour with fetches will be a bar.",
		X:     chart.Axis{Kind: chart.Time, Min: all.Edges[0], Max: end}, Y: chart.Axis{Label: "fetches", Zero: true},
	}
	if sum > 0 {
		c.Panels = []chart.Panel{{Marks: []chart.Mark{all}}}
	}
	if failed > 0 { // on a scale of their own: few of many show too
		c.Title += ", " + count(failed) + " failed"
		c.Panels[0].Y, c.Panels[0].Weight = &c.Y, 1.4
		most := slices.Max(bad.Counts)
		c.Panels = append(c.Panels, chart.Panel{Marks: []chart.Mark{bad}, Y: &chart.Axis{
			Label: "of them failed (pages that fail still)", Max: most, Ticks: []chart.Tick{{Label: "0"}, {At: most, Label: chart.NumberText(most)}},
		}})
	}
	return strip{c}
}

// words tell the hour that begins at a time in seconds.
func (d dayLoad) words(from float64) string {
	for _, h := range d {
		if chart.Seconds(h.From) == from {
			text := h.From.Format("2 Jan 15:04") + ": " + plural(h.Fetches, "fetch", "fetches")
			if h.Failed > 0 {
				text += fmt.Sprintf(", %s failed", count(h.Failed))
			}
			return text
		}
	}
	return ""
}

// loadFigure answers with the fetches of the last day as a page, as SVG or as CSV.
func (s *Server) loadFigure(w http.ResponseWriter, r *http.Request) error {
	load, err := s.load(r.Context(), s.now().UTC())
	if err != nil {
		return err
	}
	table, figure := load.table(), load.figure()
	switch {
	case strings.HasSuffix(r.URL.Path, ".svg"):
		s.sendSVG(w, r, figure)
		return nil
	case strings.HasSuffix(r.URL.Path, ".csv"):
		return s.sendCSV(w, r, table, "strandline-load.csv")
	}
	svg := figure.SVG(chart.Options{ID: "figure-load", Inline: true, Bare: true, Width: figureWidth})
	return s.show(w, r, "figure.html", table.Title, figurePage{"/", "Home", figureOf("load", table.Title, "/load", table, svg, false, homeHours)})
}
