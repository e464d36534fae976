package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The JSON API: each endpoint says its path, its parameters and the Go type of its
// answers, from which openapi.go makes the document.
const (
	apiBase    = "/api/v1"
	apiDefault = 100
	apiMost    = 1000
	apiText    = 1 << 20 // bytes of text in one answer
)

// endpoint is an address of the API.
type endpoint struct {
	path    string // below apiBase, with {names}
	summary string
	params  []param // of the query
	answer  func(s *Server, r *http.Request) (any, error)
	kind    reflect.Type // of what answer returns
	form    []param      // what is sent as a form, by POST, for editors; nil: GET, for viewers
}

// method is the one that the endpoint answers to.
func (e *endpoint) method() string {
	if e.form != nil {
		return http.MethodPost
	}
	return http.MethodGet
}

// sending makes an endpoint of one that takes a form, with the token that all forms carry.
func (e endpoint) sending(fields ...param) endpoint {
	e.form = slices.Concat(fields, []param{{formField, "the form_token that the list of what can be decided gives", "string", nil}})
	return e
}

// param is a parameter of a query.
type param struct {
	name, note string
	kind       string // string, integer, number, boolean or date-time
	enum       []string
}

// of makes an endpoint whose answers have one type.
func of[T any](path, summary string, answer func(*Server, *http.Request) (T, error), params ...param) endpoint {
	return endpoint{path: path, summary: summary, params: params, answer: func(s *Server, r *http.Request) (any, error) { return answer(s, r) }, kind: reflect.TypeFor[T]()}
}

// apiList is one page of a list. Next is the address of the items behind them.
type apiList[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next,omitempty"`
}

func (s *Server) apiRoutes() []route {
	var out []route
	for _, e := range endpoints() {
		need := viewer
		if e.form != nil {
			need = editor
		}
		out = append(out, route{e.method() + " " + apiBase + e.path, s.api(e), need, false})
	}
	return append(out,
		route{"GET " + apiBase + "/openapi.json", s.openapi, viewer, true},
	)
}

// api answers with JSON. Parameters that an endpoint does not have are refused: a
// misspelled filter would else give everything.
func (s *Server) api(e endpoint) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		for name, values := range r.URL.Query() {
			if !slices.ContainsFunc(e.params, func(p param) bool { return p.name == name }) {
				return badRequest(fmt.Sprintf("There is no parameter %.40q here.", name))
			}
			if len(values) > 1 {
				return badRequest(fmt.Sprintf("The parameter %.40q is given more than once.", name))
			}
		}
		if e.form != nil {
			if err := s.checkForm(r); err != nil {
				return err
			}
		}
		v, err := e.answer(s, r)
		if err != nil {
			return err
		}
		var out bytes.Buffer
		enc := json.NewEncoder(&out)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v); err != nil {
			return fmt.Errorf("answer of %s: %w", e.path, err)
		}
		s.send(w, r, http.StatusOK, "application/json", out.Bytes())
		return nil
	}
}

// problem is an error of the API (RFC 9457).
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
}

// failJSON answers with a problem.
func (s *Server) failJSON(w http.ResponseWriter, r *http.Request, f fault) {
	body, err := json.Marshal(problem{"about:blank", f.title, f.status, f.words})
	if err != nil {
		body = []byte("{}")
	}
	s.send(w, r, f.status, "application/problem+json", append(body, '\n'))
}

// limitOf reads how many items are asked for.
func limitOf(r *http.Request) (int, error) {
	text := r.URL.Query().Get("limit")
	if text == "" {
		return apiDefault, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > apiMost {
		return 0, badRequest(fmt.Sprintf("limit is a number from 1 to %d.", apiMost))
	}
	return n, nil
}

// timeOf reads a parameter that is a time; zero without one.
func timeOf(r *http.Request, name string) (time.Time, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil && t.Year() > 0 && t.Year() < 9999 {
			return t.UTC(), nil
		}
	}
	return time.Time{}, badRequest(name + " is a time such as 2026-03-01 or 2026-03-01T12:00:00Z.")
}

// listOf cuts a list that was read with one item too many, and says where it goes on.
func listOf[R, T any](r *http.Request, rows []R, limit int, item func(*R) T, mark func(*R) string) apiList[T] {
	out := apiList[T]{Items: []T{}}
	if len(rows) > limit {
		rows = rows[:limit]
		out.Next = nextOf(r, mark(&rows[limit-1]))
	}
	for i := range rows {
		out.Items = append(out.Items, item(&rows[i]))
	}
	return out
}

// nextOf is the address of the same list from a place on.
func nextOf(r *http.Request, place string) string {
	v := r.URL.Query()
	v.Set("after", place)
	return r.URL.EscapedPath() + "?" + v.Encode()
}

// timeOrNil is a time of an answer; nil for none.
func timeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// finite is a number of an answer; nil for what JSON cannot say.
func finite(v float64) *float64 {
	if v != v || v > 1e300 || v < -1e300 {
		return nil
	}
	return &v
}

func isAPI(path string) bool { return path == apiBase || strings.HasPrefix(path, apiBase+"/") }
