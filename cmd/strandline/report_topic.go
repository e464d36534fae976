package main

import (
	"context"
	"slices"

	"github.com/strandlinehq/strandline/cmd/internal/chart"
	"github.com/strandlinehq/strandline/cmd/internal/digest"
	"github.com/strandlinehq/strandline/cmd/internal/report"
)

// What the tables of a topic show.
const (
	reportPeriods = 20
	reportTerms   = 10
)

// reportTopic makes paper J's Tables 2 to 5 for a topic: the heaviest terms of each
// period, and the sentences of its summary, in both modes.
func reportTopic(ctx context.Context, r *reported) (*report.Table, chart.Figure, error) {
	t := &report.Table{
		Title:   "What the periods of topic " + r.topic.Name + " brought",
		Columns: []string{"period", "table", "rank", "term or sentence", "weight", "pages", "hosts", "trend or label", "source"},
	}
	periods, err := r.TopicPeriods(ctx, r.topic.ID, reportPeriods)
	if err != nil {
		return nil, nil, err
	}
	slices.Reverse(periods)
	joined, left := 0, 0
	for _, p := range periods {
		joined, left = joined+p.Added, left+p.Departed
		span := digest.Span(p.From, p.To)
		terms, err := r.TopicTerms(ctx, r.topic.ID, p.From, reportTerms)
		if err != nil {
			return nil, nil, err
		}
		for _, w := range terms {
			t.Add(span, "terms", w.Rank, w.Word, w.Weight, w.Pages, w.Hosts, w.Trend, nil)
		}
		for _, mode := range []string{"paper", "novel"} {
			s, err := digest.Read(ctx, r.DB, r.topic, p.From, digest.Options{Mode: mode})
			if err != nil {
				return nil, nil, err
			}
			for _, it := range s.Top(len(s.Items)) {
				t.Add(span, mode, it.Rank, it.Sentence, it.Weight, it.Pages, it.Hosts, it.Label, it.URL)
			}
		}
		if p.Note != "" {
			t.Note("%s: %s", span, p.Note)
		}
	}
	t.Note("Weights: of terms W = CF exp(n/N), of sentences in mode paper the mean W of their terms; values of mode novel are compared within a period only.")
	t.Note("%s joined and %d left at the end of these periods.", plural(joined, "page"), left)
	return t, nil, nil
}
