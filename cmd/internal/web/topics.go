package web

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"math"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/atom"
	"github.com/strandlinehq/strandline/cmd/internal/chart"
	"github.com/strandlinehq/strandline/cmd/internal/digest"
	"github.com/strandlinehq/strandline/store"
)

// What the pages of topics show.
const (
	topicPeriods   = 60 // in the picker
	topicBars      = 24 // periods in the bars of a page
	homeSentences  = 3  // of each topic, on the first page
	topicFeedItems = 20
	topicDeparted  = 50
)

func (s *Server) topicRoutes() []route {
	return []route{
		{"GET /topics", s.topics, viewer, false},
		{"GET /topics/{name}", s.topic, viewer, false},
		{"GET /topics/{name}/{period}", s.topic, viewer, false},
		{"POST /topics/{name}/review", s.reviewTopic, editor, false},
		{"GET /feeds/topic/{file}", s.feedTopic, viewer, false},
	}
}

// topicLine is a topic in the list.
type topicLine struct {
	store.TopicCount
	Top    []digest.Item
	Rising []string
	Trend  template.HTML // bars of the new sentences of its last periods
}

// Href is the address of the topic.
func (t topicLine) Href() string { return topicPath(t.Name) }

func topicPath(name string) string { return "/topics/" + url.PathEscape(name) }

func (s *Server) topics(w http.ResponseWriter, r *http.Request) error {
	lines, err := s.topicLines(r.Context(), 2)
	if err != nil {
		return err
	}
	return s.show(w, r, "topics.html", "Topics", lines)
}

// topicLines reads all topics with the best sentences of their last period.
func (s *Server) topicLines(ctx context.Context, sentences int) ([]topicLine, error) {
	topics, err := s.db.TopicCounts(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]topicLine, len(topics))
	for i, t := range topics {
		out[i].TopicCount = t
		if t.LastStart.IsZero() {
			continue
		}
		sum, err := digest.Read(ctx, s.db, t.Topic, t.LastStart, digest.Options{})
		if err != nil {
			return nil, err
		}
		out[i].Top = sum.Top(sentences)
		periods, err := s.db.TopicPeriods(ctx, t.ID, topicBars)
		if err != nil {
			return nil, err
		}
		out[i].Trend = periodBars(periods)
		rising, _, _ := sum.TermWords()
		out[i].Rising = rising[:min(len(rising), 6)]
	}
	return out, nil
}

// topicBody is the page of a topic and a period.
type topicBody struct {
	store.Topic
	Periods  []periodLink
	Summary  *digest.Summary // nil: no period has ended
	Terms    []store.TopicTerm
	Members  []topicMember
	Waiting  []topicMember
	Gone     []topicMember
	MoreGone int
	Mode     string
	Modes    []tab
	Feed     string
	Path     string
	Earlier  string // address of the period before; empty: none
	Later    string

	Trend     *figureBody // nil: too few periods
	TermTrend *figureBody // nil: too few periods up to that one

	TermHeads, MemberHeads []head
}

type periodLink struct {
	store.TopicPeriod
	Href   string
	Span   string
	Chosen bool
}

// topicMember is a page of a topic with its last scores.
type topicMember struct {
	store.TopicPage
	store.Place
	Bars template.HTML
}

func (s *Server) topic(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	t, err := s.db.TopicByName(ctx, r.PathValue("name"))
	if errors.Is(err, store.ErrNotFound) {
		return notFound("There is no topic of that name.")
	}
	if err != nil {
		return err
	}
	b := topicBody{Topic: t, Mode: r.URL.Query().Get("mode"), Feed: "/feeds/topic/" + url.PathEscape(t.Name) + ".atom", Path: topicPath(t.Name)}
	if b.Mode != "" && b.Mode != "novel" && b.Mode != "paper" {
		return badRequest("The modes are novel and paper.")
	}
	periods, err := s.db.TopicPeriods(ctx, t.ID, topicPeriods)
	if err != nil {
		return err
	}
	var start time.Time
	if len(periods) > 0 {
		start = periods[0].From
	}
	if at := r.PathValue("period"); at != "" {
		if start, err = digest.ParseStamp(at); err != nil {
			return notFound("There is no period of that name; the page of the topic lists them.")
		}
	}
	if len(periods) > 1 {
		table, figure := periodsOf(t.Name, periods)
		f := inline("periods", "What each period brought", b.Path+"/periods", table, figure, 40)
		b.Trend = &f
	}
	for i, p := range periods { // newest first
		if p.From.Equal(start) && i > 0 {
			b.Later = query(b.Path+"/"+digest.Stamp(periods[i-1].From), "mode", b.Mode)
		}
		if p.From.Equal(start) && i+1 < len(periods) {
			b.Earlier = query(b.Path+"/"+digest.Stamp(periods[i+1].From), "mode", b.Mode)
		}
		b.Periods = append(b.Periods, periodLink{p, b.Path + "/" + digest.Stamp(p.From), digest.Span(p.From, p.To), p.From.Equal(start)})
	}
	if !start.IsZero() {
		b.Summary, err = digest.Read(ctx, s.db, t, start, digest.Options{Mode: b.Mode, Context: 1})
		if errors.Is(err, store.ErrNotFound) {
			return notFound("There is no period that starts then; the page of the topic lists them.")
		}
		if err != nil {
			return err
		}
		b.Terms = b.Summary.Terms
		if b.TermTrend, err = s.termTrend(ctx, t, b.Summary.TopicPeriod, b.Terms); err != nil {
			return err
		}
		here := b.Path + "/" + digest.Stamp(start)
		for _, m := range []struct{ value, words string }{{"novel", "what is new"}, {"paper", "what is popular"}} {
			b.Modes = append(b.Modes, tab{m.words, query(here, "mode", m.value), m.value == b.Summary.Mode})
		}
	}
	if err := s.members(ctx, &b); err != nil {
		return err
	}
	if err := b.heads(r.URL); err != nil {
		return err
	}
	title := t.Name
	if b.Summary != nil {
		title += ": " + b.Summary.Span()
	}
	return s.show(w, r, "topic.html", title, b)
}

// heads sorts the terms and the pages as the address asks.
func (b *topicBody) heads(at *url.URL) (err error) {
	type (
		term = store.TopicTerm
		page = topicMember
	)
	b.TermHeads, err = heads(at, "terms", "weight", b.Terms, []column[term]{
		{key: "term", name: "Term", rises: true, order: by(func(t term) string { return t.Word })},
		{key: "weight", name: "Weight", number: true, order: by(func(t term) float64 { return t.Weight })},
		{key: "pages", name: "Pages", number: true, order: by(func(t term) int { return int(t.Pages) })},
		{key: "hosts", name: "Hosts", number: true, order: by(func(t term) int { return int(t.Hosts) })},
		{name: "Trend"},
	})
	if err != nil {
		return err
	}
	rank := func(p page) int {
		if p.Rank == 0 {
			return math.MaxInt // not ranked: behind all that are
		}
		return int(p.Rank)
	}
	b.MemberHeads, err = heads(at, "pages", "rank", b.Members, []column[page]{
		{key: "rank", name: "Rank", number: true, rises: true, order: by(rank)},
		{key: "page", name: "Page", rises: true, order: by(func(p page) string { return p.URL })},
		{key: "score", name: "Score", note: "S: what the page had to say that was new", number: true, order: by(func(p page) float64 { return p.Score })},
		{key: "fresh", name: "Up-to-date-ness", note: "D of the last period", number: true, order: by(func(p page) float64 { return p.UpToDate })},
		{name: "Last periods", note: "bars: S, what was new in a period; line: up-to-date-ness D"},
		{key: "joined", name: "Joined", order: byTime(func(p page) time.Time { return p.AddedAt })},
	})
	return err
}

// members reads the pages of a topic, with a bar for each of their last periods.
func (s *Server) members(ctx context.Context, b *topicBody) error {
	pages, err := s.db.TopicPages(ctx, b.ID)
	if err != nil {
		return err
	}
	ids := make([]store.PageID, len(pages))
	for i, p := range pages {
		ids[i] = p.Page
	}
	places, err := s.db.Places(ctx, ids)
	if err != nil {
		return err
	}
	scores, err := s.db.PageScores(ctx, b.ID, ids)
	if err != nil {
		return err
	}
	of := map[store.PageID][]store.PageScore{}
	var most store.PageScore
	for _, sc := range scores {
		of[sc.Page] = append(of[sc.Page], sc)
		most.Score, most.UpToDate = max(most.Score, sc.Score), max(most.UpToDate, sc.UpToDate)
	}
	for _, p := range pages {
		m := topicMember{p, places[p.Page], scoreBars(of[p.Page], most)}
		switch p.State() {
		case "member":
			b.Members = append(b.Members, m)
		case "proposed":
			b.Waiting = append(b.Waiting, m)
		default:
			if len(b.Gone) == topicDeparted {
				b.MoreGone++
				continue
			}
			b.Gone = append(b.Gone, m)
		}
	}
	return nil
}

// scoreBars draws the last periods of a page (SCIENCE J3, J4): a bar of S, how much it
// had to say that was new, under the line of its up-to-date-ness D. Each has one scale
// for all pages; a period without a fetch has no bar.
func scoreBars(list []store.PageScore, most store.PageScore) template.HTML {
	const step, height = 5, 24
	list = list[max(0, len(list)-topicBars):]
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="scorebars" width="%d" height="%d" role="img" aria-label="S and up-to-date-ness of the last %d periods">`, step*len(list), height, len(list))
	line := ""
	for i, p := range list {
		if most.UpToDate > 0 {
			line += fmt.Sprintf(" %d,%.1f", i*step+(step-1)/2, height-1-p.UpToDate/most.UpToDate*(height-2))
		}
		if !p.Seen {
			continue
		}
		h := 1.0
		if most.Score > 0 {
			h = max(1, p.Score/most.Score*height)
		}
		fmt.Fprintf(&b, `<rect x="%d" y="%.1f" width="%d" height="%.1f"><title>%s: S %s, D %s</title></rect>`, i*step, height-h, step-1, h,
			digest.Span(p.From, p.To), chart.NumberText(p.Score), chart.NumberText(p.UpToDate))
	}
	if line != "" {
		fmt.Fprintf(&b, `<polyline points="%s"/>`, line[1:])
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) // numbers and dates only
}

// periodBars draws how many new sentences each of a topic's last periods brought; they
// come newest first.
func periodBars(periods []store.TopicPeriod) template.HTML {
	const step, height = 7, 24
	most := 0
	for _, p := range periods {
		most = max(most, int(p.Sentences))
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="scorebars" width="%d" height="%d" role="img" aria-label="New sentences of the last %d periods, at most %d">`,
		step*len(periods), height, len(periods), most)
	for i, p := range periods {
		h := 1.0
		if most > 0 {
			h = max(1, float64(p.Sentences)/float64(most)*height)
		}
		fmt.Fprintf(&b, `<rect x="%d" y="%.1f" width="%d" height="%.1f"><title>%s: %s</title></rect>`, (len(periods)-1-i)*step, height-h, step-1, h,
			digest.Span(p.From, p.To), plural(int(p.Sentences), "new sentence", "new sentences"))
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) // numbers and dates only
}

// reviewTopic accepts or refuses a proposed page.
func (s *Server) reviewTopic(w http.ResponseWriter, r *http.Request) error {
	if err := s.checkForm(r); err != nil {
		return err
	}
	if _, err := s.decide(r); err != nil {
		return err
	}
	http.Redirect(w, r, topicPath(r.PathValue("name"))+"#review", http.StatusSeeOther)
	return nil
}

// feedTopic answers with the last summaries of a topic.
func (s *Server) feedTopic(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	name, ok := strings.CutSuffix(r.PathValue("file"), ".atom")
	if !ok {
		return notFound("The feed of a topic ends in .atom.")
	}
	t, err := s.db.TopicByName(ctx, name)
	if errors.Is(err, store.ErrNotFound) {
		return notFound("There is no topic of that name.")
	}
	if err != nil {
		return err
	}
	periods, err := s.db.TopicPeriods(ctx, t.ID, topicFeedItems)
	if err != nil {
		return err
	}
	origin := s.origin(r)
	f := atom.Feed{
		ID: atom.Tag(feedAuthority, feedSince, "feed", "topic", name), Title: "Strandline: " + name, Subtitle: "What each period brought about a topic.",
		Author: "Strandline", Updated: t.AddedAt, Self: origin + r.URL.EscapedPath(), Page: origin + topicPath(name),
	}
	for i, p := range periods {
		sum, err := digest.Read(ctx, s.db, t, p.From, digest.Options{Base: origin})
		if err != nil {
			return err
		}
		e := sum.Entry(atom.Tag(feedAuthority, feedSince, "topic", name, digest.Stamp(p.From)))
		if i == 0 {
			f.Updated = e.Updated
		}
		f.Entries = append(f.Entries, e)
	}
	doc, err := atom.Write(f)
	if err != nil {
		return err
	}
	s.send(w, r, http.StatusOK, atom.ContentType, doc)
	return nil
}
