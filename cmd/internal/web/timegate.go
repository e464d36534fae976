package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/memento"
	"github.com/strandlinehq/strandline/store"
)

// mementoRoutes are the paths behind which a URL stands as it is, with slashes and
// a query of its own: http.ServeMux would mend those, so mux asks for these first.
func (s *Server) mementoRoutes() []route {
	return []route{
		{"/timegate/", s.timegate, viewer, false},
		{"/timemap/link/", s.timemap, viewer, false},
		{"/timemap/json/", s.timemap, viewer, false},
		{"/web/", s.capture, viewer, false},
	}
}

// target is the page that an address of the archive names.
type target struct {
	store.Page
	origin string // of this server
}

func (t *target) timegate() string { return t.origin + "/timegate/" + t.URL }

func (t *target) timemap(form, from string) string {
	if from != "" {
		from += "/"
	}
	return t.origin + "/timemap/" + form + "/" + from + t.URL
}

func (t *target) memento(at time.Time) string {
	return t.origin + "/web/" + memento.Stamp(at) + "id_/" + t.URL
}

// target finds the page of the URL that stands in an address; its scheme may be the
// other one.
func (s *Server) target(r *http.Request, rest string) (*target, error) {
	given, err := memento.TargetURL(rest, r.URL.RawQuery)
	if err != nil {
		return nil, badRequest("Here " + err.Error() + ".")
	}
	forms, err := s.forms(given)
	if err != nil {
		return nil, badRequest("The URL in the address cannot be read: it wants http or https, and a host.")
	}
	for _, form := range forms {
		page, err := s.db.PageByURL(r.Context(), form)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		first, err := s.db.MementosAfter(r.Context(), page.ID, store.MementoMark{}, 1)
		if err != nil {
			return nil, err
		}
		if len(first) > 0 {
			return &target{page, s.origin(r)}, nil
		}
	}
	return nil, notFound("No capture of this URL is stored.")
}

// forms lists the canonical URLs that a URL may be stored under: its own, and that
// of the other scheme.
func (s *Server) forms(given string) ([]string, error) {
	one, err := s.form(given)
	if err != nil {
		return nil, err
	}
	other := "http" + strings.TrimPrefix(one, "https")
	if strings.HasPrefix(one, "http:") {
		other = "https" + strings.TrimPrefix(one, "http")
	}
	if u, err := url.Parse(one); err == nil && u.Port() != "" {
		return []string{one}, nil // the port belongs to the scheme
	}
	return []string{one, other}, nil
}

// ends are the first and the last memento of a page. Mementos of one second have one
// address, and the first of them answers under it.
type ends struct{ first, last store.Memento }

// ends returns the first and the last memento of a page that has some.
func (s *Server) ends(ctx context.Context, page store.PageID) (e ends, err error) {
	for _, end := range []struct {
		read func(context.Context, store.PageID, store.MementoMark, int) ([]store.Memento, error)
		from store.MementoMark
		into *store.Memento
	}{
		{s.db.MementosAfter, store.MementoMark{}, &e.first},
		{s.db.MementosBefore, store.MementoMark{At: endOfTime()}, &e.last},
	} {
		list, err := end.read(ctx, page, end.from, 1)
		if err != nil {
			return e, err
		}
		if len(list) == 0 {
			return e, notFound("No capture of this URL is stored.")
		}
		*end.into = list[0]
	}
	return e, nil
}

func endOfTime() time.Time { return time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC) }

// nearest returns the memento of a page that is nearest to a time; of two as near,
// the older one.
func (s *Server) nearest(ctx context.Context, page store.PageID, at time.Time) (store.Memento, error) {
	// Addresses have whole seconds, and so has what may be asked for.
	at = at.Truncate(time.Second)
	before, err := s.db.MementosBefore(ctx, page, store.MementoMark{At: at.Add(time.Second)}, 1)
	if err != nil {
		return store.Memento{}, err
	}
	after, err := s.db.MementosAfter(ctx, page, store.MementoMark{At: at.Add(time.Second), Attempt: -1}, 1)
	if err != nil {
		return store.Memento{}, err
	}
	switch {
	case len(before) == 0 && len(after) == 0:
		return store.Memento{}, notFound("No capture of this URL is stored.")
	case len(before) == 0:
		return after[0], nil
	case len(after) == 0 || at.Sub(before[0].At) <= after[0].At.Truncate(time.Second).Sub(at):
		return before[0], nil
	}
	return after[0], nil
}

// timegate sends a reader to the capture nearest to the time asked for, or to the
// newest one (RFC 7089, 4.1: the TimeGate is not the original).
func (s *Server) timegate(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Vary", "accept-datetime") // of all answers, RFC 7089, 2.1.2
	var at time.Time
	if fields := r.Header.Values("Accept-Datetime"); len(fields) > 0 {
		var err error
		if at, err = memento.ParseAcceptDatetime(strings.Join(fields, ", ")); err != nil {
			return badRequest("Accept-Datetime: " + err.Error() + ".")
		}
	}
	t, err := s.target(r, strings.TrimPrefix(r.URL.EscapedPath(), "/timegate/"))
	if err != nil {
		return err
	}
	e, err := s.ends(r.Context(), t.ID)
	if err != nil {
		return err
	}
	chosen := e.last
	if !at.IsZero() {
		if chosen, err = s.nearest(r.Context(), t.ID, at); err != nil {
			return err
		}
	}
	if err := s.link(w, r, t, chosen, e); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Cache-Control", "private, no-cache")
	h.Set("Content-Length", "0")
	h.Set("Location", t.memento(chosen.At))
	w.WriteHeader(http.StatusFound)
	return nil
}

// link sets the Link field of an answer about a memento: original, TimeGate,
// TimeMap, and the first, last, previous and next memento.
func (s *Server) link(w http.ResponseWriter, r *http.Request, t *target, m store.Memento, e ends) error {
	second := m.At.Truncate(time.Second)
	before, err := s.db.MementosBefore(r.Context(), t.ID, store.MementoMark{At: second, Attempt: -1}, 1)
	if err != nil {
		return err
	}
	after, err := s.db.MementosAfter(r.Context(), t.ID, store.MementoMark{At: second.Add(time.Second), Attempt: -1}, 1)
	if err != nil {
		return err
	}
	links := []memento.Link{
		{URI: t.URL, Rel: "original"},
		{URI: t.timegate(), Rel: "timegate"},
		{URI: t.timemap("link", ""), Rel: "timemap", Type: linkFormat, From: e.first.At, Until: e.last.At},
		{URI: t.timemap("json", ""), Rel: "timemap", Type: "application/json"},
	}
	at := func(rel string, one store.Memento) {
		uri := t.memento(one.At)
		for i := range links {
			if links[i].URI == uri {
				links[i].Rel = rel + " " + links[i].Rel
				return
			}
		}
		links = append(links, memento.Link{URI: uri, Rel: strings.TrimSpace(rel + " memento"), At: one.At})
	}
	at("", m)
	for _, one := range before {
		at("prev", one)
	}
	for _, one := range after {
		at("next", one)
	}
	at("first", e.first)
	at("last", e.last)
	w.Header().Set("Link", memento.Join(links, ", "))
	return nil
}
