package web

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/monitor/curve"
	"github.com/strandlinehq/strandline/store"
)

// endpoints are all addresses of the API.
func endpoints() []endpoint {
	limit := param{"limit", "how many items", "integer", nil}
	after := param{"after", "where the list goes on, as next of the answer before says", "string", nil}
	from, to := param{"from", "from this time on", "date-time", nil}, param{"to", "before this time", "date-time", nil}
	words := param{"q", "words, \"phrases\", - before what must not be there, OR between alternatives", "string", nil}
	delta := param{"delta", "of this decay of novelty per link alone, one of those that are stored", "number", nil}
	novel := param{"novel", "novelty from which a page is judged novel, 0 to 1; without it that of the series", "number", nil}
	significance := param{"significance", "at least this significance, 0 to 1", "number", nil}
	return []endpoint{
		of("/pages", "Fetched pages, last changed first.", apiPages,
			param{"q", "text in URL or title", "string", nil}, param{"host", "pages of this host", "string", nil}, param{"watch", "pages of this watch", "string", nil},
			param{"category", "pages of the watches of this category", "string", nil}, param{"state", "pages in this state", "string", store.PageStates()},
			param{"sort", "the order", "string", []string{string(store.ByChange), string(store.ByEvery), string(store.ByKnot)}},
			param{"reverse", "the order turned round", "boolean", nil}, limit, after),
		of("/pages/{id}", "One page.", apiPageByID),
		of("/pages/{id}/versions", "The versions of a page, newest first.", apiVersions, limit, after),
		of("/pages/{id}/versions/{version}", "One version, by its number or by a time at which it stood, with its text.", apiOneVersion),
		of("/pages/{id}/diff", "Two versions compared: those named, the one named and its neighbour, or the last two.", apiDiff,
			param{"a", "the older one, by number or time", "string", nil}, param{"b", "the newer one, by number or time", "string", nil},
			param{"by", "what is compared", "string", []string{"words", "sentences", "links", "headers"}}),
		of("/pages/{id}/days", "The days of a page, with the degree of change.", apiDays, limit, after),
		of("/pages/{id}/blocks", "The blocks of a page's last version, those with the shortest life first.", apiBlocks, limit, after),
		of("/pages/{id}/changes", "The changes of a page's text but for noise, newest first.", apiPageChanges, from, to, significance, limit, after),
		of("/pages/{id}/curve", "The change curve of a page with its knot.", apiCurve),
		of("/pages/{id}/terms", "The terms of a page.", apiTerms, limit, after),
		of("/pages/{id}/elements", "How long the elements of a page live.", apiElements, limit, after),
		of("/pages/{id}/fetches", "The attempts on a page, newest first.", apiFetches, limit, after),
		of("/changes", "The changes of all pages' text but for noise, newest first.", apiChanges,
			param{"host", "of pages of this host", "string", nil}, param{"watch", "of pages of this watch", "string", nil}, from, to, significance, limit, after),
		of("/watches", "The watches.", apiWatches),
		of("/schedule", "The health of the schedule by watch and series.", apiSchedule),
		of("/schedule/hosts", "The hosts with the most pages that are due.", apiScheduleHosts),
		of("/schedule/{list}", "The pages that are due, late, failing or set aside (aside), the longest so first.", apiSchedulePages, limit, after),
		of("/series", "The series of snapshots.", apiSeries),
		of("/series/{name}/snapshots", "The snapshots of a series in order of time.", apiSnapshots),
		of("/series/{name}/snapshots/{number}/pages", "The pages that a snapshot crawled.", apiSnapshotPages, limit, after),
		of("/series/{name}/search", "The pages that fit, by the three kinds of novelty, over the snapshots of a series.", apiSeriesSearch, words, novel, limit, after),
		of("/series/{name}/search/pages", "The pages behind these counts.", apiSeriesFound, words, novel, param{"kind", "pages of this kind", "string", keywordKinds()},
			param{"snapshot", "pages of this snapshot", "integer", nil}, from, to, param{"sort", "the order", "string", keywordOrders()}, limit, after),
		of("/series/{name}/convergence", "How much the scores of the snapshots changed in each iteration.", apiConvergence, delta, limit, after),
		of("/series/{name}/distribution", "How novelty is spread over the pages that are not known to be old.", apiDistribution, delta, limit, after),
		of("/series/{name}/accuracy", "How well thresholds of novelty tell new pages, by pages of a known age.", apiAccuracies, delta, limit, after),
		of("/search", "Pages by the words of any of their versions.", apiSearch, words, from, to, param{"sort", "the order", "string", []string{"time", "rank"}}, limit, after),
		of("/topics", "The topics.", apiTopics, limit, after),
		of("/topics/{name}", "One topic.", apiOneTopic),
		of("/topics/{name}/pages", "The pages of a topic, the best first, with those that wait and those that left.", apiTopicPages, limit, after),
		of("/topics/{name}/proposed", "The pages that wait for a decision, with the token that a decision has to bring.", apiProposedPages, limit, after),
		of("/topics/{name}/review", "Takes a proposed page into the topic, or refuses it.", apiDecide).sending(
			param{"page", "the page", "integer", nil}, param{"decision", "what is decided", "string", []string{"accept", "refuse"}}),
		of("/topics/{name}/periods", "The periods of a topic, newest first.", apiPeriods, limit, after),
		of("/topics/{name}/periods/{period}", "One period of a topic.", apiOnePeriod),
		of("/topics/{name}/periods/{period}/sentences", "The summary of a period: its sentences with their neighbours.", apiSentences,
			param{"mode", "by novelty or by the weights of the paper; without it both", "string", []string{"novel", "paper"}}, limit, after),
		of("/topics/{name}/periods/{period}/terms", "The terms of a period, with their trends.", apiTopicTerms, limit, after),
		of("/topics/{name}/periods/{period}/pages", "What each page of a topic brought in a period.", apiTopicScores, limit, after),
	}
}

type apiPage struct {
	ID           int64      `json:"id"`
	URL          string     `json:"url"`
	Host         string     `json:"host"`
	Title        string     `json:"title"`
	ChangedAt    *time.Time `json:"changed_at"`
	EveryHours   *float64   `json:"every_hours"`
	Dice         *float64   `json:"dice"`
	KnotHours    *float64   `json:"knot_hours"`
	KnotDice     *float64   `json:"knot_dice"`
	Shape        string     `json:"shape"`
	LastFetched  *time.Time `json:"last_fetched"`
	LastOutcome  string     `json:"last_outcome"`
	LastStatus   int        `json:"last_status"`
	LastError    string     `json:"last_error"`
	Version      int32      `json:"version"`
	FailingSince *time.Time `json:"failing_since"`
	NextDueAt    *time.Time `json:"next_due_at"`
}

func pageOf(p *store.PageRow) apiPage {
	return apiPage{
		int64(p.Page), p.URL, p.Host, p.Title, timeOrNil(p.ChangedAt), finite(p.EveryHours), p.Dice, finite(p.KnotHours), p.KnotDice, p.Shape, timeOrNil(p.LastFetched),
		string(p.LastOutcome), p.LastStatus, p.LastError, p.Version, timeOrNil(p.FailingSince), timeOrNil(p.NextDueAt),
	}
}

// watchNamed finds the watches that a query means by their name, or category; nil where it
// names none.
func (s *Server) watchNamed(r *http.Request) ([]int32, error) {
	name, category := r.URL.Query().Get("watch"), r.URL.Query().Get("category")
	if name == "" && category == "" {
		return nil, nil
	}
	watches, err := s.db.Watches(r.Context())
	if err != nil {
		return nil, err
	}
	out, known := []int32{}, name == ""
	for _, w := range watches {
		known = known || w.Name == name
		if (name == "" || w.Name == name) && (category == "" || w.Category == category) {
			out = append(out, w.ID)
		}
	}
	if !known {
		return nil, notFound("There is no watch of that name.")
	}
	return out, nil
}

func apiPages(s *Server, r *http.Request) (out apiList[apiPage], err error) {
	q := r.URL.Query()
	f := store.PageFilter{
		Text: strings.TrimSpace(q.Get("q")), Host: strings.ToLower(q.Get("host")), State: q.Get("state"), Order: store.PageOrder(q.Get("sort")),
		Reverse: q.Get("reverse") == "true", LateAt: s.now().UTC().Add(-lateGrace),
	}
	switch {
	case len(f.Text) > 4*longestText || len(f.Host) > 255:
		return out, badRequest(fmt.Sprintf("The text to look for may have %d characters.", longestText))
	case f.State != "" && !slices.Contains(store.PageStates(), f.State):
		return out, badRequest("The states are " + strings.Join(store.PageStates(), ", ") + ".")
	case !slices.Contains([]store.PageOrder{"", store.ByChange, store.ByEvery, store.ByKnot}, f.Order):
		return out, badRequest("Pages can be sorted by changed, every or knot.")
	case !slices.Contains([]string{"", "true", "false"}, q.Get("reverse")):
		return out, badRequest("reverse is true or false.")
	}
	limit, err := limitOf(r)
	if err != nil {
		return out, err
	}
	if f.After, err = readMark(q.Get("after")); err != nil {
		return out, err
	}
	if f.Watches, err = s.watchNamed(r); err != nil {
		return out, err
	}
	f.Limit = limit + 1
	rows, err := s.db.ListPages(r.Context(), f)
	if err != nil {
		return out, err
	}
	return listOf(r, rows, limit, pageOf, func(p *store.PageRow) string { return writeMark(p.Mark(f.Order)) }), nil
}

type apiPageWatch struct {
	Name   string     `json:"name"`
	DueAt  *time.Time `json:"due_at"`
	LeftAt *time.Time `json:"left_at"`
}

type apiOnePage struct {
	Page      apiPage        `json:"page"`
	FirstSeen time.Time      `json:"first_seen"`
	Fetches   int64          `json:"fetches"`
	Watches   []apiPageWatch `json:"watches"`
}

func apiPageByID(s *Server, r *http.Request) (apiOnePage, error) {
	p, err := s.look(r, false)
	if err != nil {
		return apiOnePage{}, err
	}
	out := apiOnePage{pageOf(&p.PageRow), p.FirstSeen.UTC(), p.Fetches, []apiPageWatch{}}
	for _, w := range p.Watches {
		out.Watches = append(out.Watches, apiPageWatch{w.Name, timeOrNil(w.DueAt), timeOrNil(w.LeftAt)})
	}
	return out, nil
}

type apiVersion struct {
	Version     int32     `json:"version"`
	FirstSeen   time.Time `json:"first_seen"`
	LastSeen    time.Time `json:"last_seen"`
	Fetches     int       `json:"fetches"`
	Status      int       `json:"status"`
	Bytes       int64     `json:"bytes"`
	Words       int       `json:"words"`
	Sentences   int       `json:"sentences"`
	Title       string    `json:"title"`
	Language    string    `json:"language"`
	Charset     string    `json:"charset"`
	MediaType   string    `json:"media_type"`
	SHA256      string    `json:"sha256"`
	Dice        *float64  `json:"dice"`
	TextChanged bool      `json:"text_changed"`
	Masked      bool      `json:"masked"`
}

// numberAfter reads a place that is a number.
func numberAfter(r *http.Request, without int64) (int64, error) {
	text := r.URL.Query().Get("after")
	if text == "" {
		return without, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n >= 1<<52 {
		return 0, badRequest("The place to go on from is not one that a list has given out.")
	}
	return n, nil
}

// paged reads the page and the limit of a list below a page.
func (s *Server) paged(r *http.Request) (*looked, int, error) {
	limit, err := limitOf(r)
	if err != nil {
		return nil, 0, err
	}
	p, err := s.look(r, false)
	return p, limit, err
}

func apiVersions(s *Server, r *http.Request) (out apiList[apiVersion], err error) {
	p, limit, err := s.paged(r)
	if err != nil {
		return out, err
	}
	before, err := numberAfter(r, math.MaxInt32)
	if err != nil {
		return out, err
	}
	rows, err := s.db.VersionsBefore(r.Context(), p.Page, int32(min(before, math.MaxInt32)), limit+1)
	if err != nil {
		return out, err
	}
	return listOf(r, rows, limit, versionOf, func(v *store.Version) string { return strconv.Itoa(int(v.Number)) }), nil
}

// point is a step of a change curve.
type apiPoint struct {
	Hours   int     `json:"hours"`
	Dice    float64 `json:"dice"`
	Support int     `json:"support"`
	Fitted  bool    `json:"fitted"`
}

type apiKnot struct {
	Hours  float64  `json:"hours"`
	Dice   float64  `json:"dice"`
	Slope1 *float64 `json:"slope1"`
	Slope2 *float64 `json:"slope2"`
	SSE    *float64 `json:"sse"`
}

type apiCurveBody struct {
	Shape  string     `json:"shape"`
	Points []apiPoint `json:"points"`
	Knot   *apiKnot   `json:"knot"`
}

// measured reads the analysis of a page that has one.
func (s *Server) measured(r *http.Request) (*monitor.Analysis, error) {
	p, err := s.look(r, true)
	if err != nil {
		return nil, err
	}
	if p.report.Analysis == nil {
		return nil, notMeasured()
	}
	return p.report.Analysis, nil
}

func notMeasured() error { return notFound("Nothing was measured of this page so far.") }

func apiCurve(s *Server, r *http.Request) (out apiCurveBody, err error) {
	a, err := s.measured(r)
	if err != nil {
		return out, err
	}
	fit, shape := a.Curve.Shape()
	out = apiCurveBody{Shape: shape.String(), Points: []apiPoint{}}
	for step := range a.Curve.Value {
		if y, ok := a.Curve.At(step); ok {
			out.Points = append(out.Points, apiPoint{step, y, a.Curve.Support[step], step <= a.Curve.Full})
		}
	}
	if shape == curve.Knotted {
		out.Knot = &apiKnot{fit.X, fit.Y, finite(fit.First.Slope), finite(fit.Second.Slope), finite(fit.SSE)}
	}
	return out, nil
}

type apiTerm struct {
	Term         string   `json:"term"`
	StayingPower *float64 `json:"staying_power"`
	Share        float64  `json:"share"`
}

// part is the part of a list in memory that is asked for. The place to go on from is the
// key of the last item told, one that no other item of the list has: so nothing is told
// twice or left out when items come or go before it. A list that no longer has the item
// is to be begun anew.
func part[R, T any](r *http.Request, all []R, key func(*R) string, item func(*R) T) (out apiList[T], err error) {
	limit, err := limitOf(r)
	if err != nil {
		return out, err
	}
	begin := 0
	if after := r.URL.Query().Get("after"); after != "" {
		for begin = 1; begin <= len(all) && key(&all[begin-1]) != after; begin++ {
		}
		if begin > len(all) {
			return out, badRequest("The list has no item any more at the place to go on from, or never had: ask for it from the beginning.")
		}
	}
	return listOf(r, all[begin:min(begin+limit+1, len(all))], limit, item, key), nil
}

func apiElements(s *Server, r *http.Request) (out apiList[apiElement], err error) {
	a, err := s.measured(r)
	if err != nil {
		return out, err
	}
	all := make([]apiElement, len(a.Lifespans))
	for i, l := range a.Lifespans {
		all[i] = apiElement{l.Path, a.SlotTime(int(l.First)).UTC(), a.SlotTime(int(l.Last)).UTC(), l.Last - l.First}
	}
	return part(r, all, func(e *apiElement) string { return e.Path + "@" + e.FirstSeen.Format(time.RFC3339) }, func(e *apiElement) apiElement { return *e })
}

type apiElement struct {
	Path      string    `json:"path"`
	FirstSeen time.Time `json:"first_seen"`
	LastSeen  time.Time `json:"last_seen"`
	Hours     float64   `json:"hours"`
}

func apiTerms(s *Server, r *http.Request) (out apiList[apiTerm], err error) {
	a, err := s.measured(r)
	if err != nil {
		return out, err
	}
	all := make([]apiTerm, len(a.Terms))
	for i := range a.Terms {
		t := &a.Terms[i]
		all[i] = apiTerm{Term: t.Term, Share: t.PDoc}
		if t.HasPower {
			all[i].StayingPower = finite(t.Power)
		}
	}
	return part(r, all, func(t *apiTerm) string { return t.Term }, func(t *apiTerm) apiTerm { return *t })
}

// seriesNamed finds the series of an address.
func (s *Server) seriesNamed(r *http.Request) (store.Series, error) {
	series, err := s.db.SeriesByName(r.Context(), r.PathValue("name"))
	if errors.Is(err, store.ErrNotFound) {
		return series, notFound("There is no series of that name.")
	}
	return series, err
}
