package web

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

// handler answers a request, or returns what went wrong; see fault.go.
type handler func(w http.ResponseWriter, r *http.Request) error

// route is an address with what answers it.
type route struct {
	pattern string // of http.ServeMux, method first
	handler handler
	role    role // that the reader needs
	light   bool // needs no place among the pages made at once
}

// routes are all addresses. A file that serves more of them adds its list here.
func (s *Server) routes() [][]route {
	return [][]route{
		s.assetRoutes(),
		s.healthRoutes(),
		s.metricsRoutes(),
		s.accessRoutes(),
		s.homeRoutes(),
		s.listRoutes(),
		s.pageRoutes(),
		s.diffRoutes(),
		s.scheduleRoutes(),
		s.searchRoutes(),
		s.snapshotRoutes(),
		s.feedRoutes(),
		s.topicRoutes(),
		s.topicFigureRoutes(),
		s.cdxRoutes(),
		s.apiRoutes(),
	}
}

// entry is a link of the bar at the top of every page.
type entry struct {
	Name, Href string
}

// bar lists the entries, in order. A section without pages is not in it.
func bar() []entry {
	return []entry{{"Pages", "/pages"}, {"Search", "/search"}, {"Topics", "/topics"}, {"Snapshots", "/snapshots"}, {"Schedule", "/schedule"}}
}

// mux puts the routes together.
func (s *Server) mux() http.Handler {
	mux, verbatim := http.NewServeMux(), map[string]http.Handler{}
	for _, list := range s.routes() {
		for _, r := range list {
			mux.Handle(r.pattern, s.answer(r))
		}
	}
	mux.Handle("/", s.answer(route{role: nobody, light: true, handler: func(w http.ResponseWriter, r *http.Request) error {
		if allowed := otherMethods(mux, r); len(allowed) > 0 {
			w.Header().Set("Allow", strings.Join(allowed, ", "))
			return fault{http.StatusMethodNotAllowed, "Not allowed", "What stands at this address is asked for by " + strings.Join(allowed, " or ") + " only."}
		}
		if isAPI(r.URL.Path) {
			return notFound("The API has no such address; " + apiBase + "/openapi.json lists those that it has.")
		}
		return notFound("There is no page at this address.")
	}}))
	for _, r := range s.mementoRoutes() {
		verbatim[r.pattern] = s.answer(r)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for start, handler := range verbatim {
			if strings.HasPrefix(r.URL.Path, start) {
				if r.Method != http.MethodGet && r.Method != http.MethodHead {
					w.Header().Set("Allow", "GET, HEAD")
					s.fail(w, r, fault{http.StatusMethodNotAllowed, "Not allowed", "Archives are only read."})
					return
				}
				handler.ServeHTTP(w, r)
				return
			}
		}
		if err := textual(r); err != nil {
			s.fail(w, r, err)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// answer runs a handler within its bounds and tells the reader what went wrong.
func (s *Server) answer(route route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), requestTime)
		defer cancel()
		r = r.WithContext(ctx)
		err := s.allow(r, route.role)
		if err == nil && !route.light {
			select {
			case s.slots <- struct{}{}:
				defer func() { <-s.slots }()
			case <-ctx.Done():
				err = busy()
			}
		}
		if err == nil {
			r.Body = http.MaxBytesReader(w, r.Body, maxForm)
			err = route.handler(w, r)
		}
		if err != nil {
			s.fail(w, r, err)
		}
	})
}

// textual refuses an address that is no text, which no name that we know is, and the
// database neither.
func textual(r *http.Request) error {
	bad := func(s string) bool { return !utf8.ValidString(s) || strings.ContainsRune(s, 0) }
	if r.URL.Path == "/cdx" {
		return nil // it is asked for addresses of other sites, whose bytes may be any
	}
	if bad(r.URL.Path) {
		return notFound("There is no page at this address: it holds bytes that are no text in UTF-8.")
	}
	for name, values := range r.URL.Query() {
		if bad(name) || slices.ContainsFunc(values, bad) {
			return badRequest("It holds bytes that are no text in UTF-8.")
		}
	}
	return nil
}

// otherMethods are those that an address answers to, where it does not to the one of a
// request.
func otherMethods(mux *http.ServeMux, r *http.Request) []string {
	var out []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
		other := r.Clone(r.Context())
		other.Method = method
		if _, pattern := mux.Handler(other); strings.HasPrefix(pattern, method+" ") || method == http.MethodHead && strings.HasPrefix(pattern, "GET ") {
			out = append(out, method)
		}
	}
	return out
}
