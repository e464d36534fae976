package web

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/strandlinehq/strandline/cmd/internal/chart"
	"github.com/strandlinehq/strandline/cmd/internal/report"
	"github.com/strandlinehq/strandline/store"
)

func (s *Server) topicFigureRoutes() []route {
	var out []route
	for _, suffix := range []string{"", ".svg", ".csv"} {
		out = append(out, route{"GET /topics/{name}/periods" + suffix, s.periodsFigure, viewer, false}, route{"GET /topics/{name}/terms" + suffix, s.termsFigure, viewer, false})
	}
	return append(out, route{"GET /topics/{name}/pages/{page}", s.keepsUp, viewer, false})
}

// periodsOf draws what each period of a topic brought, with the counts behind it; the
// periods come newest first.
func periodsOf(name string, periods []store.TopicPeriod) (*report.Table, chart.Figure) {
	t := &report.Table{
		Title:   "Periods of topic " + name,
		Columns: []string{"from (UTC)", "to (UTC)", "pages", "fetched", "changed", "new sentences", "of them said before", "of them copies"},
	}
	c := chart.Chart{
		Title: "How much did each period bring?", Subtitle: "new sentences a period, up to the last", Empty: "No period has ended yet. Each will be a bar.",
		X: chart.Axis{Kind: chart.Time, Label: "period, UTC", Tight: true}, Y: chart.Axis{Label: "new sentences", Zero: true},
	}
	var marks []chart.Mark
	for _, p := range slices.Backward(periods) {
		t.Add(p.From, p.To, p.Pages, p.Checked, p.Changed, p.Sentences, p.Repeats, p.Copies)
		words := fmt.Sprintf("%s to %s: %s, %d of %s changed", stamp(p.From), stamp(p.To), plural(p.Sentences, "new sentence", "new sentences"), p.Changed, plural(p.Checked, "page", "pages"))
		marks = append(marks, chart.Bars{
			Edges: []float64{chart.Seconds(p.From), chart.Seconds(p.To)}, Counts: []float64{float64(p.Sentences)}, Hover: func(_, _, _ float64) string { return words },
		})
	}
	if len(marks) > 0 {
		c.Panels = []chart.Panel{{Marks: marks}}
	}
	return t, strip{c}
}

// topicFigure answers with a figure of a topic by the end of its address: as a page, as SVG
// or as CSV.
func (s *Server) topicFigure(w http.ResponseWriter, r *http.Request, topic store.Topic, name, base string, t *report.Table, f chart.Figure) error {
	return s.topicFigureOf(w, r, topic, name, base, "", t, f)
}

// topicFigureOf is topicFigure of an address with a question.
func (s *Server) topicFigureOf(w http.ResponseWriter, r *http.Request, topic store.Topic, name, base, question string, t *report.Table, f chart.Figure) error {
	switch {
	case strings.HasSuffix(r.URL.Path, ".svg"):
		s.sendSVG(w, r, f)
		return nil
	case strings.HasSuffix(r.URL.Path, ".csv"):
		return s.sendCSV(w, r, t, "strandline-topic-"+name+".csv")
	}
	svg := f.SVG(chart.Options{ID: "figure-" + name, Inline: true, Bare: true, Width: figureWidth})
	shown := figureOf(name, t.Title, base, t, svg, false, 500)
	shown.Query = question
	return s.show(w, r, "figure.html", t.Title, figurePage{topicPath(topic.Name), "Topic " + middle(90, topic.Name), shown})
}

// periodsFigure answers with the periods of a topic.
func (s *Server) periodsFigure(w http.ResponseWriter, r *http.Request) error {
	topic, err := s.topicNamed(r)
	if err != nil {
		return err
	}
	periods, err := s.db.TopicPeriods(r.Context(), topic.ID, topicPeriods)
	if err != nil {
		return err
	}
	t, f := periodsOf(topic.Name, periods)
	return s.topicFigure(w, r, topic, "periods", topicPath(topic.Name)+"/periods", t, f)
}

// keepsUp answers with the scores of a page of a topic over its periods.
func (s *Server) keepsUp(w http.ResponseWriter, r *http.Request) error {
	topic, err := s.topicNamed(r)
	if err != nil {
		return err
	}
	number, _, _ := strings.Cut(r.PathValue("page"), ".")
	page, err := pageID(number)
	if err != nil {
		return err
	}
	view, err := s.db.PageView(r.Context(), page)
	if errors.Is(err, store.ErrNotFound) {
		return notFound("No page that was ever fetched has this number.")
	}
	if err != nil {
		return err
	}
	scores, err := s.db.PageScores(r.Context(), topic.ID, []store.PageID{page})
	if err != nil {
		return err
	}
	if len(scores) == 0 {
		return notFound("The page has no score in this topic yet, or is none of its pages.")
	}
	t := &report.Table{Title: "How a page keeps up with topic " + topic.Name, Columns: []string{"from (UTC)", "to (UTC)", "fetched", "score S", "up-to-date-ness D"}}
	f := chart.UpToDate{Page: view.URL}
	for _, p := range scores {
		t.Add(p.From, p.To, p.Seen, p.Score, p.UpToDate)
		one := chart.PeriodScore{From: p.From, To: p.To, S: p.Score, D: p.UpToDate}
		if !p.Seen {
			one.S = math.NaN()
		}
		f.Periods = append(f.Periods, one)
	}
	return s.topicFigure(w, r, topic, "page", fmt.Sprintf("%s/pages/%d", topicPath(topic.Name), page), t, f)
}
