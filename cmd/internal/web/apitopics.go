package web

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/digest"
	"github.com/strandlinehq/strandline/store"
)

type apiTopic struct {
	Name       string     `json:"name"`
	Query      string     `json:"query"`
	Language   string     `json:"language"`
	Provider   string     `json:"provider"`
	Rank       string     `json:"rank"`
	AddedAt    time.Time  `json:"added_at"`
	PausedAt   *time.Time `json:"paused_at"`
	FormedAt   *time.Time `json:"formed_at"`
	Note       string     `json:"note"`
	Members    int64      `json:"members"`
	Proposed   int64      `json:"proposed"`
	LastPeriod string     `json:"last_period"` // its name in addresses; empty: none yet
}

func topicOf(t *store.TopicCount) apiTopic {
	out := apiTopic{
		t.Name, t.Query, t.Language, t.Provider, t.Rank, t.AddedAt.UTC(), timeOrNil(t.PausedAt), timeOrNil(t.FormedAt), t.Note, t.Members, t.Proposed, "",
	}
	if !t.LastStart.IsZero() {
		out.LastPeriod = digest.Stamp(t.LastStart)
	}
	return out
}

func apiTopics(s *Server, r *http.Request) (out apiList[apiTopic], err error) {
	all, err := s.db.TopicCounts(r.Context())
	if err != nil {
		return out, err
	}
	return part(r, all, func(t *store.TopicCount) string { return t.Name }, topicOf)
}

func apiOneTopic(s *Server, r *http.Request) (out apiTopic, err error) {
	all, err := s.db.TopicCounts(r.Context())
	if err != nil {
		return out, err
	}
	for i := range all {
		if all[i].Name == r.PathValue("name") {
			return topicOf(&all[i]), nil
		}
	}
	return out, notFound("There is no topic of that name.")
}

// topicNamed finds the topic of an address.
func (s *Server) topicNamed(r *http.Request) (store.Topic, error) {
	t, err := s.db.TopicByName(r.Context(), r.PathValue("name"))
	if errors.Is(err, store.ErrNotFound) {
		return t, notFound("There is no topic of that name.")
	}
	return t, err
}

// apiMember is a page of a topic with why it joined and left.
type apiMember struct {
	Page       int64      `json:"page"`
	URL        string     `json:"url"`
	Title      string     `json:"title"`
	State      string     `json:"state"` // member, proposed, left or refused
	AddedBy    string     `json:"added_by"`
	Reason     string     `json:"reason"`
	ProposedAt time.Time  `json:"proposed_at"`
	AddedAt    *time.Time `json:"added_at"`
	LeftAt     *time.Time `json:"left_at"`
	LeftReason string     `json:"left_reason"`
	Score      float64    `json:"score"`      // of the last period
	UpToDate   float64    `json:"up_to_date"` // after it
	Rank       int        `json:"rank"`       // 0: not ranked yet
}

func apiTopicPages(s *Server, r *http.Request) (out apiList[apiMember], err error) {
	t, err := s.topicNamed(r)
	if err != nil {
		return out, err
	}
	all, err := s.db.TopicPages(r.Context(), t.ID)
	if err != nil {
		return out, err
	}
	ids := make([]store.PageID, len(all))
	for i := range all {
		ids[i] = all[i].Page
	}
	places, err := s.db.Places(r.Context(), ids)
	if err != nil {
		return out, err
	}
	return part(r, all, func(p *store.TopicPage) string { return strconv.FormatInt(int64(p.Page), 10) }, func(p *store.TopicPage) apiMember {
		at := places[p.Page]
		return apiMember{
			int64(p.Page), at.URL, at.Title, p.State(), p.AddedBy, p.Reason, p.ProposedAt.UTC(), timeOrNil(p.AddedAt), timeOrNil(p.LeftAt), p.LeftReason, p.Score, p.UpToDate, p.Rank,
		}
	})
}

// apiPeriod is a period of a topic in counts.
type apiPeriod struct {
	Period       string    `json:"period"` // its name in addresses
	Start        time.Time `json:"period_start"`
	End          time.Time `json:"period_end"`
	ComputedAt   time.Time `json:"computed_at"`
	Pages        int       `json:"pages"`
	Checked      int       `json:"pages_checked"`
	Changed      int       `json:"pages_changed"`
	HostsChanged int       `json:"hosts_changed"`
	Sentences    int       `json:"sentences"`
	Repeats      int       `json:"repeats"`
	Copies       int       `json:"copies"`
	Added        int       `json:"added"`
	Proposed     int       `json:"proposed"`
	Departed     int       `json:"departed"`
	Note         string    `json:"note"`
}

func periodOf(p *store.TopicPeriod) apiPeriod {
	return apiPeriod{
		digest.Stamp(p.From), p.From.UTC(), p.To.UTC(), p.ComputedAt.UTC(), p.Pages, p.Checked, p.Changed, p.HostsChanged, p.Sentences, p.Repeats, p.Copies,
		p.Added, p.Proposed, p.Departed, p.Note,
	}
}

func apiPeriods(s *Server, r *http.Request) (out apiList[apiPeriod], err error) {
	t, err := s.topicNamed(r)
	if err != nil {
		return out, err
	}
	limit, err := limitOf(r)
	if err != nil {
		return out, err
	}
	before := endOfTime()
	if at := r.URL.Query().Get("after"); at != "" {
		if before, err = digest.ParseStamp(at); err != nil {
			return out, badRequest("The place to go on from is not one that a list has given out.")
		}
	}
	rows, err := s.db.TopicPeriodsBefore(r.Context(), t.ID, before, limit+1)
	return listOf(r, rows, limit, periodOf, func(p *store.TopicPeriod) string { return digest.Stamp(p.From) }), err
}

// periodNamed finds the topic and the period of an address.
func (s *Server) periodNamed(r *http.Request) (t store.Topic, p store.TopicPeriod, err error) {
	if t, err = s.topicNamed(r); err != nil {
		return t, p, err
	}
	start, err := digest.ParseStamp(r.PathValue("period"))
	if err != nil {
		return t, p, notFound("There is no period of that name.")
	}
	p, err = s.db.TopicPeriodAt(r.Context(), t.ID, start)
	if errors.Is(err, store.ErrNotFound) {
		return t, p, notFound("There is no period that starts then.")
	}
	return t, p, err
}

func apiOnePeriod(s *Server, r *http.Request) (apiPeriod, error) {
	_, p, err := s.periodNamed(r)
	return periodOf(&p), err
}

// apiSentence is a sentence of a summary with its neighbours.
type apiSentence struct {
	Mode     string    `json:"mode"` // novel or paper
	Kind     string    `json:"kind"` // sentence, row or retracted
	Rank     int       `json:"rank"`
	Place    int       `json:"place"` // in the order of reading
	Sentence string    `json:"sentence"`
	Before   string    `json:"before"`
	After    string    `json:"after"`
	Label    string    `json:"label"`
	Weight   float64   `json:"weight"`
	Pages    int       `json:"pages"`
	Hosts    int       `json:"hosts"`
	Page     int64     `json:"page"`
	URL      string    `json:"url"`
	Title    string    `json:"title"`
	Version  int32     `json:"version"`
	At       time.Time `json:"at"`
	Earlier  string    `json:"earlier"` // what it updates
	SaidBy   []int64   `json:"said_by"` // pages
}

func apiSentences(s *Server, r *http.Request) (out apiList[apiSentence], err error) {
	t, p, err := s.periodNamed(r)
	if err != nil {
		return out, err
	}
	mode := r.URL.Query().Get("mode")
	if mode != "" && mode != "novel" && mode != "paper" {
		return out, badRequest("The modes are novel and paper.")
	}
	all, err := s.db.TopicSentences(r.Context(), t.ID, p.From, mode)
	if err != nil {
		return out, err
	}
	ids := make([]store.PageID, len(all))
	for i := range all {
		ids[i] = all[i].Page
	}
	places, err := s.db.Places(r.Context(), ids)
	if err != nil {
		return out, err
	}
	return part(r, all, func(x *store.TopicSentence) string { return fmt.Sprintf("%s_%s_%d", x.Mode, x.Kind, x.Rank) }, func(x *store.TopicSentence) apiSentence {
		at := places[x.Page]
		said := make([]int64, len(x.SaidBy))
		for i, p := range x.SaidBy {
			said[i] = int64(p)
		}
		return apiSentence{
			x.Mode, x.Kind, x.Rank, x.Place, x.Sentence, x.Before, x.After, x.Label, x.Weight, x.Pages, x.Hosts, int64(x.Page), at.URL, at.Title, x.Version, x.At.UTC(), x.Earlier, said,
		}
	})
}

// apiTopicTerm is a term of a period with its trend.
type apiTopicTerm struct {
	Rank        int        `json:"rank"`
	Term        string     `json:"term"` // the stem
	Word        string     `json:"word"` // what stands for it
	Occurrences int        `json:"occurrences"`
	Pages       int        `json:"pages"`
	Hosts       int        `json:"hosts"`
	Weight      float64    `json:"weight"`
	G2          float64    `json:"g2"`
	Trend       string     `json:"trend"`
	BurstSince  *time.Time `json:"burst_since"`
}

func apiTopicTerms(s *Server, r *http.Request) (out apiList[apiTopicTerm], err error) {
	t, p, err := s.periodNamed(r)
	if err != nil {
		return out, err
	}
	limit, err := limitOf(r)
	if err != nil {
		return out, err
	}
	rank, err := numberAfter(r, 0) // ranks count from 1 without a gap
	if err != nil {
		return out, err
	}
	all, err := s.db.TopicTerms(r.Context(), t.ID, p.From, int(min(rank, math.MaxInt32-apiMost))+limit+1)
	if err != nil {
		return out, err
	}
	all = slices.DeleteFunc(all, func(x store.TopicTerm) bool { return int64(x.Rank) <= rank })
	return listOf(r, all, limit, func(x *store.TopicTerm) apiTopicTerm {
		return apiTopicTerm{x.Rank, x.Term, x.Word, x.Occurrences, x.Pages, x.Hosts, x.Weight, x.G2, x.Trend, timeOrNil(x.BurstSince)}
	}, func(x *store.TopicTerm) string { return strconv.Itoa(x.Rank) }), nil
}

// apiTopicScore is what a page brought in a period.
type apiTopicScore struct {
	Page      int64   `json:"page"`
	URL       string  `json:"url"`
	Title     string  `json:"title"`
	Rank      int     `json:"rank"`
	Score     float64 `json:"score"`      // S
	Linked    float64 `json:"linked"`     // the portion of linked pages
	UpToDate  float64 `json:"up_to_date"` // D
	Fetches   int     `json:"fetches"`
	From      int32   `json:"version_from"`
	To        int32   `json:"version_to"`
	Sentences int     `json:"sentences"`
	Tracked   bool    `json:"tracked"`
}

func apiTopicScores(s *Server, r *http.Request) (out apiList[apiTopicScore], err error) {
	t, p, err := s.periodNamed(r)
	if err != nil {
		return out, err
	}
	all, err := s.db.TopicScores(r.Context(), t.ID, p.From)
	if err != nil {
		return out, err
	}
	ids := make([]store.PageID, len(all))
	for i := range all {
		ids[i] = all[i].Page
	}
	places, err := s.db.Places(r.Context(), ids)
	if err != nil {
		return out, err
	}
	return part(r, all, func(x *store.TopicScore) string { return strconv.FormatInt(int64(x.Page), 10) }, func(x *store.TopicScore) apiTopicScore {
		at := places[x.Page]
		return apiTopicScore{
			int64(x.Page), at.URL, at.Title, x.Rank, x.Score, x.Linked, x.UpToDate, x.Fetches, x.VersionFrom, x.VersionTo, x.Sentences, x.Tracked,
		}
	})
}
