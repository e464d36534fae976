package web

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/memento"
	"github.com/strandlinehq/strandline/store"
)

const (
	linkFormat    = "application/link-format"
	timemapLength = 2000 // mementos in one TimeMap; longer histories go on in another
)

// timemap lists the mementos of a URL in order of time, in link form (RFC 7089, 5)
// or as JSON. A timestamp before the URL is where a page of a long history begins.
func (s *Server) timemap(w http.ResponseWriter, r *http.Request) error {
	form := "link"
	rest, ok := strings.CutPrefix(r.URL.EscapedPath(), "/timemap/link/")
	if !ok {
		form, rest = "json", strings.TrimPrefix(r.URL.EscapedPath(), "/timemap/json/")
	}
	var from time.Time
	stamp := ""
	if first, behind, ok := strings.Cut(rest, "/"); ok && len(first) == len(memento.StampLayout) && strings.Trim(first, "0123456789") == "" {
		var err error
		if from, _, err = memento.ParseStamp(first); err != nil {
			return badRequest("The time before the URL is impossible: " + err.Error() + ".")
		}
		rest, stamp = behind, first
	}
	t, err := s.target(r, rest)
	if err != nil {
		return err
	}
	list, next, err := s.mementos(r, t.ID, from)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return notFound("No capture of this URL is stored from that time on.")
	}
	e, err := s.ends(r.Context(), t.ID)
	if err != nil {
		return err
	}
	if form == "json" {
		return s.timemapJSON(w, r, t, list, next, e, stamp)
	}
	links := []memento.Link{
		{URI: t.URL, Rel: "original"},
		{URI: t.timegate(), Rel: "timegate"},
		{URI: t.timemap("link", stamp), Rel: "self", Type: linkFormat, From: list[0], Until: list[len(list)-1]},
	}
	if !next.IsZero() {
		links = append(links, memento.Link{URI: t.timemap("link", memento.Stamp(next)), Rel: "timemap", Type: linkFormat, From: next, Until: e.last.At})
	}
	for _, at := range list {
		rel := "memento"
		if at.Equal(e.last.At.Truncate(time.Second)) {
			rel = "last " + rel
		}
		if at.Equal(e.first.At.Truncate(time.Second)) {
			rel = "first " + rel
		}
		links = append(links, memento.Link{URI: t.memento(at), Rel: rel, At: at})
	}
	s.send(w, r, http.StatusOK, linkFormat, []byte(memento.Join(links, ",\n")+"\n"))
	return nil
}

// mementos returns the seconds of mementos from a time on, and that of the one
// behind them; zero where there is none.
func (s *Server) mementos(r *http.Request, page store.PageID, from time.Time) (list []time.Time, next time.Time, err error) {
	mark := store.MementoMark{At: from, Attempt: -1}
	for {
		const chunk = timemapLength + 1
		rows, err := s.db.MementosAfter(r.Context(), page, mark, chunk)
		if err != nil {
			return nil, next, err
		}
		for _, m := range rows {
			second := m.At.Truncate(time.Second)
			switch n := len(list); {
			case n > 0 && list[n-1].Equal(second):
			case n == timemapLength:
				return list, second, nil
			default:
				list = append(list, second)
			}
		}
		if len(rows) < chunk {
			return list, next, nil
		}
		mark = rows[len(rows)-1].Mark()
	}
}

// timemapBody is a TimeMap as JSON.
type timemapBody struct {
	OriginalURI string          `json:"original_uri"`
	Self        string          `json:"self"`
	TimegateURI string          `json:"timegate_uri"`
	TimemapURI  timemapForms    `json:"timemap_uri"`
	Mementos    timemapMementos `json:"mementos"`
	Next        *timemapPage    `json:"next,omitempty"`
}

type timemapForms struct {
	Link string `json:"link_format"`
	JSON string `json:"json_format"`
}

type timemapMementos struct {
	First timemapMemento   `json:"first"`
	Last  timemapMemento   `json:"last"`
	List  []timemapMemento `json:"list"`
}

type timemapMemento struct {
	Datetime time.Time `json:"datetime"`
	URI      string    `json:"uri"`
}

type timemapPage struct {
	From time.Time `json:"from"`
	URI  string    `json:"uri"`
}

func (s *Server) timemapJSON(w http.ResponseWriter, r *http.Request, t *target, list []time.Time, next time.Time, e ends, stamp string) error {
	one := func(at time.Time) timemapMemento {
		return timemapMemento{at.UTC().Truncate(time.Second), t.memento(at)}
	}
	b := timemapBody{
		OriginalURI: t.URL, Self: t.timemap("json", stamp), TimegateURI: t.timegate(), TimemapURI: timemapForms{t.timemap("link", ""), t.timemap("json", "")},
		Mementos: timemapMementos{First: one(e.first.At), Last: one(e.last.At), List: make([]timemapMemento, len(list))},
	}
	for i, at := range list {
		b.Mementos.List[i] = one(at)
	}
	if !next.IsZero() {
		b.Next = &timemapPage{next, t.timemap("json", memento.Stamp(next))}
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(b); err != nil {
		return err
	}
	s.send(w, r, http.StatusOK, "application/json", out.Bytes())
	return nil
}
