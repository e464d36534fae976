package web

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/strandlinehq/strandline/store"
)

// apiProposed is a page that waits for a decision whether a topic takes it.
type apiProposed struct {
	Page       int64     `json:"page"`
	URL        string    `json:"url"`
	Title      string    `json:"title"`
	AddedBy    string    `json:"added_by"`
	Reason     string    `json:"reason"`
	ProposedAt time.Time `json:"proposed_at"`
}

// apiReview is one page of the list of proposed pages, with the token that a decision
// has to bring, as the forms of the pages do.
type apiReview struct {
	Items     []apiProposed `json:"items"`
	Next      string        `json:"next,omitempty"`
	FormToken string        `json:"form_token"`
}

func apiProposedPages(s *Server, r *http.Request) (out apiReview, err error) {
	t, err := s.topicNamed(r)
	if err != nil {
		return out, err
	}
	all, err := s.db.TopicPages(r.Context(), t.ID)
	if err != nil {
		return out, err
	}
	var waiting []store.TopicPage
	var ids []store.PageID
	for _, p := range all {
		if p.State() == "proposed" {
			waiting, ids = append(waiting, p), append(ids, p.Page)
		}
	}
	places, err := s.db.Places(r.Context(), ids)
	if err != nil {
		return out, err
	}
	list, err := part(r, waiting, func(p *store.TopicPage) string { return strconv.FormatInt(int64(p.Page), 10) }, func(p *store.TopicPage) apiProposed {
		at := places[p.Page]
		return apiProposed{int64(p.Page), at.URL, at.Title, p.AddedBy, p.Reason, p.ProposedAt.UTC()}
	})
	return apiReview{list.Items, list.Next, s.formToken(r)}, err
}

// apiDecision is what was decided about a proposed page.
type apiDecision struct {
	Page     int64  `json:"page"`
	Decision string `json:"decision"` // accept or refuse
}

func apiDecide(s *Server, r *http.Request) (apiDecision, error) {
	return s.decide(r)
}

// decide accepts or refuses the proposed page that a form names.
func (s *Server) decide(r *http.Request) (out apiDecision, err error) {
	t, err := s.topicNamed(r)
	if err != nil {
		return out, err
	}
	out.Decision = r.PostForm.Get("decision")
	out.Page, err = strconv.ParseInt(r.PostForm.Get("page"), 10, 64)
	if err != nil || out.Decision != "accept" && out.Decision != "refuse" {
		return out, badRequest("A page is accepted or refused.")
	}
	err = s.db.DecideTopicPage(r.Context(), t.ID, store.PageID(out.Page), out.Decision == "accept", s.now().UTC())
	if errors.Is(err, store.ErrNotFound) {
		return out, notFound("This page does not wait for a decision any more; somebody may have decided already.")
	}
	return out, err
}
