package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/digest"
	"github.com/strandlinehq/strandline/cmd/internal/report"
	"github.com/strandlinehq/strandline/configs"
	"github.com/strandlinehq/strandline/store"
	"github.com/strandlinehq/strandline/summarize"
	"github.com/strandlinehq/strandline/summarize/searxng"
)

// topicCmd shows the summary of a topic, or computes it.
type topicCmd struct {
	Name     string `arg:"" help:"The topic, or list."`
	Period   string `help:"The period: its start, or a time within it. With --run also A..B, a span that is cut into periods." placeholder:"TIME"`
	Now      bool   `name:"run" help:"Form the collection if need be, and compute the period now, or all periods of the span."`
	Every    string `help:"With --run and a span: when periods end, as a cron line; default the topic's own." placeholder:"CRON"`
	Mode     string `help:"novel or paper; default the topic's." enum:",novel,paper" default:""`
	Markdown bool   `xor:"form" help:"Print Markdown."`
	HTML     bool   `name:"html" xor:"form" help:"Print an HTML document."`
}

// Run lists the topics, or prints a summary, which it computes if asked.
func (c *topicCmd) Run(ctx context.Context, a *app) error {
	span := strings.Contains(c.Period, "..")
	if span && !c.Now || c.Every != "" && !span {
		return usagef("a span A..B wants --run, and --every wants a span: topic NAME --run --period 2020-03-01..2020-04-01 --every @daily")
	}
	o, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	if c.Name == "list" {
		return listTopics(ctx, a, o)
	}
	var t store.Topic
	if c.Now {
		t, err = c.compute(ctx, a, o)
	} else {
		t, err = o.TopicByName(ctx, c.Name)
	}
	if errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("there is no topic %q; 'strandline topic list' lists them, topics in the configuration brings new ones", c.Name)
	}
	if err != nil {
		return err
	}
	start, err := c.start(ctx, o, t)
	if err != nil {
		return err
	}
	s, err := digest.Read(ctx, o.DB, t, start, digest.Options{Mode: c.Mode, Context: contextOf(o.topicConfig(t.Name)), Base: baseURL(o.config)})
	if err != nil {
		return err
	}
	switch {
	case a.flags.JSON:
		return s.JSON(a.stdout)
	case c.Markdown:
		return s.Markdown(a.stdout)
	case c.HTML:
		return s.HTML(a.stdout)
	}
	return s.Text(a.stdout)
}

// contextOf is how many neighbours a summary shows.
func contextOf(t *configs.Topic) int {
	if t == nil {
		return 1
	}
	return t.Summary.Context
}

// start finds the period that is asked for, the last one without.
func (c *topicCmd) start(ctx context.Context, o *opened, t store.Topic) (time.Time, error) {
	periods, err := o.TopicPeriods(ctx, t.ID, 100_000)
	if err != nil {
		return time.Time{}, err
	}
	if len(periods) == 0 {
		why := ""
		if t.Note != "" {
			why = " (" + t.Note + ")"
		}
		return time.Time{}, fmt.Errorf("topic %s has no period yet%s; the daemon makes one when the first period has ended, 'strandline topic %s --run' now", t.Name, why, t.Name)
	}
	at := c.Period
	if _, last, ok := strings.Cut(at, ".."); ok {
		to, err := parseTime(last)
		if err != nil {
			return time.Time{}, usagef("--period: %w", err)
		}
		at = to.Add(-time.Nanosecond).Format(time.RFC3339Nano)
	}
	if at == "" {
		return periods[0].From, nil
	}
	when, err := parseTime(at)
	if err != nil {
		return time.Time{}, usagef("--period %s is not a time such as 2026-03-01 or 2026-03-01T12:00:00Z", c.Period)
	}
	for _, p := range periods {
		if !when.Before(p.From) && when.Before(p.To) {
			return p.From, nil
		}
	}
	return time.Time{}, fmt.Errorf("topic %s has no period at %s; its periods lie from %s to %s", t.Name, stamp(when), stamp(periods[len(periods)-1].From), stamp(periods[0].To))
}

// compute forms the topic and computes what is asked for.
func (c *topicCmd) compute(ctx context.Context, a *app, o *opened) (store.Topic, error) {
	conf := o.topicConfig(c.Name)
	if conf == nil {
		return store.Topic{}, usagef("topic %s is not in the configuration; only what is configured can be computed", c.Name)
	}
	now := time.Now().UTC()
	t, err := o.EnsureTopic(ctx, now, topicRow(conf))
	if err != nil {
		return t, err
	}
	set, err := o.topicSettings(conf)
	if err != nil {
		return t, err
	}
	runner := summarize.New(o.DB, summarize.Options{Logger: a.log, Patience: -1, Retry: time.Nanosecond})
	if t, err = runner.Form(ctx, t, set); err != nil {
		return t, err
	}
	if t.Clicks < 0 {
		return t, fmt.Errorf("topic %s has no pages: %s", t.Name, t.Note)
	}
	spans, err := c.spans(ctx, o, t, set, now)
	if err != nil {
		return t, err
	}
	for i, s := range spans {
		p, err := runner.Period(ctx, t, set, s[0], s[1], false)
		if err != nil {
			return t, err
		}
		a.log.Info("period computed", "topic", t.Name, "period", digest.Span(s[0], s[1]), "changed", p.Changed, "of", len(spans), "n", i+1)
	}
	return t, nil
}

// spans are the periods to compute: those of the span, the one at the time, or the
// one that is running, up to now.
func (c *topicCmd) spans(ctx context.Context, o *opened, t store.Topic, set summarize.Settings, now time.Time) ([][2]time.Time, error) {
	first, last, isSpan := strings.Cut(c.Period, "..")
	if !isSpan {
		from := t.StartsAt
		if c.Period != "" {
			at, err := parseTime(c.Period)
			if err != nil {
				return nil, usagef("--period %s is not a time such as 2026-03-01 or 2026-03-01T12:00:00Z", c.Period)
			}
			return [][2]time.Time{{at, set.Next(at)}}, nil
		}
		periods, err := o.TopicPeriods(ctx, t.ID, 1)
		if err != nil {
			return nil, err
		}
		switch {
		case !from.IsZero():
		case len(periods) > 0:
			from = periods[0].From // the same one again, up to now
		default:
			from = now.Add(-set.Next(now).Sub(now)).Add(-24 * time.Hour)
		}
		return [][2]time.Time{{from, now}}, nil
	}
	from, err := parseTime(first)
	to, err2 := parseTime(last)
	if err != nil || err2 != nil || !from.Before(to) {
		return nil, usagef("--period %s is not a span such as 2020-03-01..2020-04-01", c.Period)
	}
	next := set.Next
	if c.Every != "" {
		s, err := configs.ParseSchedule(c.Every)
		if err != nil {
			return nil, usagef("--every: %w", err)
		}
		next = s.Next
	}
	var out [][2]time.Time
	for from.Before(to) {
		end := next(from)
		if end.IsZero() || end.After(to) {
			end = to
		}
		out = append(out, [2]time.Time{from, end})
		from = end
	}
	return out, nil
}

// topicConfig finds a topic in the configuration, nil where it is not.
func (o *opened) topicConfig(name string) *configs.Topic {
	i := slices.IndexFunc(o.config.Topics, func(t configs.Topic) bool { return string(t.Name) == name })
	if i < 0 {
		return nil
	}
	return &o.config.Topics[i]
}

// topicRow is a topic as the database has it.
func topicRow(c *configs.Topic) store.Topic {
	config, err := json.Marshal(map[string]any{
		"period": c.Period.String(), "schedule": c.Schedule.String(), "track": c.Track, "grow": map[string]any{
			"links": c.Grow.Links, "clicks": c.Grow.Clicks, "top": c.Grow.Top, "parents": c.Grow.Parents, "add": c.Grow.Add, "accept": c.Grow.Accept,
			"exact_host": c.Grow.ExactHost, "leave_after": c.Grow.LeaveAfter, "leave_below": c.Grow.LeaveBelow,
		}, "results": c.Search.Results, "sentences": c.Summary.Sentences, "context": c.Summary.Context, "words": c.Summary.Words,
		"portion": c.Summary.Portion, "changed_only": c.Summary.ChangedOnly, "fuzzy": c.Summary.Fuzzy,
	})
	if err != nil {
		config = nil // numbers and strings always are JSON
	}
	return store.Topic{Name: string(c.Name), Query: c.Query, Language: string(c.Language), Provider: c.Search.Provider, Rank: c.Summary.Rank, Config: config}
}

// topicSettings translates a topic of the configuration.
func (o *opened) topicSettings(c *configs.Topic) (summarize.Settings, error) {
	set := summarize.Settings{
		Results: c.Search.Results, Links: c.Grow.Links, Clicks: c.Grow.Clicks, Top: c.Grow.Top, Parents: c.Grow.Parents, Add: c.Grow.Add,
		Review: c.Grow.Accept == "review", Track: c.Track, Sentences: c.Summary.Sentences, Context: c.Summary.Context, Next: c.Period.Next,
		Words: c.Summary.Words, Portion: c.Summary.Portion, LeaveAfter: c.Grow.LeaveAfter, LeaveBelow: c.Grow.LeaveBelow, ExactHost: c.Grow.ExactHost,
		ChangedOnly: c.Summary.ChangedOnly, Fuzzy: c.Summary.Fuzzy, Plain: c.Summary.Rank == summarize.Paper,
	}
	if set.Plain {
		set.Portion = 0 // the paper only names it as a way on
	}
	switch c.Search.Provider {
	case "searxng":
		client, err := searxng.New(string(c.Search.SearXNG.URL), searxng.Options{Agent: o.config.Crawler.UserAgent})
		if err != nil {
			return set, usagef("topic %s: %w", c.Name, err)
		}
		set.Provider = summarize.Web{Client: client, Canonical: o.reader.Canonical}
	case "seeds":
		var seeds summarize.Seeds
		for _, u := range c.Search.Seeds {
			url, err := o.reader.Canonical(string(u))
			if err != nil {
				return set, usagef("topic %s: %w", c.Name, err)
			}
			seeds = append(seeds, url)
		}
		set.Provider = seeds
	default:
		set.Provider = summarize.Archive{DB: o.DB}
	}
	return set, nil
}

// listTopics prints all topics with their last periods.
func listTopics(ctx context.Context, a *app, o *opened) error {
	type row struct {
		Topic     string     `json:"topic"`
		Query     string     `json:"query"`
		Language  string     `json:"language"`
		Rank      string     `json:"rank"`
		Pages     int64      `json:"pages"`
		Proposed  int64      `json:"proposed"`
		Last      *time.Time `json:"last_period"`
		Sentences *int       `json:"new_sentences"`
		Paused    bool       `json:"paused"`
		Note      string     `json:"note"`
	}
	topics, err := o.TopicCounts(ctx)
	if err != nil {
		return err
	}
	rows := []row{}
	for _, t := range topics {
		r := row{Topic: t.Name, Query: t.Query, Language: t.Language, Rank: t.Rank, Pages: t.Members, Proposed: t.Proposed, Paused: !t.PausedAt.IsZero(), Note: t.Note}
		if !t.LastPeriod.IsZero() {
			r.Last, r.Sentences = &t.LastPeriod, &t.LastSentences
		}
		rows = append(rows, r)
	}
	if a.flags.JSON {
		return a.printJSON(rows)
	}
	if len(rows) == 0 {
		fmt.Fprintln(a.stdout, "there is no topic; name one under topics in the configuration")
		return nil
	}
	table := report.Table{Columns: []string{"topic", "query", "language", "pages", "proposed", "last period", "new sentences", "state"}}
	for _, r := range rows {
		last, sentences := "-", "-"
		if r.Last != nil {
			last, sentences = stamp(*r.Last), fmt.Sprint(*r.Sentences)
		}
		state := r.Note
		if r.Paused {
			state = strings.TrimSuffix("paused; "+state, "; ")
		}
		table.Add(r.Topic, r.Query, r.Language, r.Pages, r.Proposed, last, sentences, state)
	}
	return table.Fit(a.stdout, a.width())
}
