package web

import (
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/chart"
	"github.com/strandlinehq/strandline/cmd/internal/digest"
	"github.com/strandlinehq/strandline/cmd/internal/report"
	"github.com/strandlinehq/strandline/store"
)

const (
	// termsDrawn is how many terms of a period are drawn: those in a burst, then the heaviest.
	termsDrawn = 15
	// termsRead is how many of the heaviest terms they are chosen from.
	termsRead = 20
)

// termTrend draws the terms of a period over the periods up to it; nil where it is the
// first, or has no term.
func (s *Server) termTrend(ctx context.Context, topic store.Topic, period store.TopicPeriod, terms []store.TopicTerm) (*figureBody, error) {
	periods, err := s.db.TopicPeriodsBefore(ctx, topic.ID, period.From.Add(time.Microsecond), topicPeriods)
	if err != nil || len(periods) < 2 || len(terms) == 0 {
		return nil, err
	}
	table, figure, err := s.termsOf(ctx, topic, periods, terms)
	if err != nil {
		return nil, err
	}
	f := inline("terms", "Terms over the periods", topicPath(topic.Name)+"/terms", table, figure, 40)
	f.Query = termsQuery(period.From)
	return &f, nil
}

func termsQuery(start time.Time) string { return query("", "period", digest.Stamp(start)) }

// termsOf draws terms of the newest of some periods over all of them, which come newest
// first.
func (s *Server) termsOf(ctx context.Context, topic store.Topic, periods []store.TopicPeriod, terms []store.TopicTerm) (*report.Table, chart.Figure, error) {
	terms = slices.Clone(terms)
	slices.SortStableFunc(terms, func(a, b store.TopicTerm) int {
		switch in, other := !a.BurstSince.IsZero(), !b.BurstSince.IsZero(); {
		case in && !other:
			return -1
		case other && !in:
			return 1
		}
		return a.Rank - b.Rank
	})
	terms = terms[:min(len(terms), termsDrawn)]
	names := make([]string, len(terms))
	for i, t := range terms {
		names[i] = t.Term
	}
	periods = slices.Clone(periods)
	slices.Reverse(periods)
	history, err := s.db.TermHistory(ctx, topic.ID, periods[0].From, periods[len(periods)-1].From, names)
	if err != nil {
		return nil, nil, err
	}
	of := map[string]map[int64]store.TermPeriod{}
	for _, h := range history {
		if of[h.Term] == nil {
			of[h.Term] = map[int64]store.TermPeriod{}
		}
		of[h.Term][h.Start.UnixMicro()] = h
	}
	t := &report.Table{Title: "Terms of topic " + topic.Name + " over its periods", Columns: []string{"term", "from (UTC)", "to (UTC)", "hosts with it", "hosts that changed", "share", "in a burst"}}
	t.Note("The terms are those of the last of the periods: those in a burst, then the heaviest. Hosts count whose new text has the term. A burst is marked as it was judged in the periods that it lasted.")
	f := chart.TermPeriods{Topic: topic.Name}
	for _, p := range periods {
		f.Periods = append(f.Periods, chart.Span{From: p.From, To: p.To})
	}
	for _, term := range terms {
		row := chart.TermShare{Term: term.Word, Trend: term.Trend}
		burst := make([]bool, len(periods))
		for i, p := range periods {
			h := of[term.Term][p.From.UnixMicro()]
			share := math.NaN()
			if p.HostsChanged > 0 {
				share = float64(h.Hosts) / float64(p.HostsChanged)
			}
			row.Shares = append(row.Shares, share)
			for k := i; !h.BurstSince.IsZero() && k >= 0 && !periods[k].From.Before(h.BurstSince); k-- {
				burst[k] = true
			}
		}
		for i, p := range periods {
			h := of[term.Term][p.From.UnixMicro()]
			t.Add(term.Word, p.From, p.To, h.Hosts, p.HostsChanged, row.Shares[i], burst[i])
			if burst[i] && i > 0 && burst[i-1] {
				row.Bursts[len(row.Bursts)-1][1] = i + 1
			} else if burst[i] {
				row.Bursts = append(row.Bursts, [2]int{i, i + 1})
			}
		}
		f.Terms = append(f.Terms, row)
	}
	return t, f, nil
}

// termsFigure answers with the terms of a period, or of the last one, over the periods up
// to it.
func (s *Server) termsFigure(w http.ResponseWriter, r *http.Request) error {
	topic, err := s.topicNamed(r)
	if err != nil {
		return err
	}
	ctx := r.Context()
	var periods []store.TopicPeriod
	question := ""
	if at := r.URL.Query().Get("period"); at != "" {
		start, err := digest.ParseStamp(at)
		if err != nil {
			return badRequest("The period is given by its start, as the page of the topic does.")
		}
		period, err := s.db.TopicPeriodAt(ctx, topic.ID, start)
		if errors.Is(err, store.ErrNotFound) {
			return notFound("There is no period that starts then; the page of the topic lists them.")
		}
		if err != nil {
			return err
		}
		question = termsQuery(start)
		periods, err = s.db.TopicPeriodsBefore(ctx, topic.ID, period.From.Add(time.Microsecond), topicPeriods)
		if err != nil {
			return err
		}
	} else if periods, err = s.db.TopicPeriods(ctx, topic.ID, topicPeriods); err != nil {
		return err
	}
	if len(periods) == 0 {
		return notFound("No period of this topic has ended yet; its terms will stand here.")
	}
	terms, err := s.db.TopicTerms(ctx, topic.ID, periods[0].From, termsRead)
	if err != nil {
		return err
	}
	t, f, err := s.termsOf(ctx, topic, periods, terms)
	if err != nil {
		return err
	}
	return s.topicFigureOf(w, r, topic, "terms", topicPath(topic.Name)+"/terms", question, t, f)
}
