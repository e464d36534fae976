package web

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// TestEveryFormIsGuarded wants each address that changes something to be for editors
// and to refuse a form without its token, before anything is read or written; and
// each other one to be for readers who were let in, but for those that need nobody.
func TestEveryFormIsGuarded(t *testing.T) {
	t.Parallel()
	s, err := New(Options{}) // without a store: whoever gets as far fails
	if err != nil {
		t.Fatal(err)
	}
	viewers, err := New(Options{Access: Access{ViewerToken: "look", EditorToken: "change"}})
	if err != nil {
		t.Fatal(err)
	}
	free := regexp.MustCompile(`^GET /(static/|favicon\.ico|login|healthz|readyz|version)|^POST /(login|logout)$`)
	forms := 0
	for _, list := range append(s.routes(), s.mementoRoutes()) {
		for _, r := range list {
			if r.role == nobody && !free.MatchString(r.pattern) && r.pattern != "GET /metrics" {
				t.Errorf("%s is for everybody", r.pattern)
			}
			method, path, ok := strings.Cut(r.pattern, " ")
			if !ok || method == http.MethodGet {
				continue
			}
			forms++
			if path != "/login" && path != "/logout" && r.role != editor {
				t.Errorf("%s is not for editors only", r.pattern)
			}
			path = regexp.MustCompile(`\{[a-z]+\}`).ReplaceAllString(path, "1")
			for _, tt := range []struct {
				name   string
				server *Server
				fields []string
				want   int
			}{
				{"no token in the form", s, nil, http.StatusForbidden},
				{"a wrong token in the form", s, []string{"form_token=00"}, http.StatusForbidden},
				{"another site", s, []string{"Sec-Fetch-Site: cross-site"}, http.StatusForbidden},
				{"another site, by an old browser", s, []string{"Origin: http://other.test"}, http.StatusForbidden},
				{"a viewer", viewers, []string{"Authorization: Bearer look"}, http.StatusForbidden},
			} {
				req := httptest.NewRequestWithContext(t.Context(), method, "http://localhost"+path, http.NoBody)
				for _, f := range tt.fields {
					if name, value, ok := strings.Cut(f, ": "); ok {
						req.Header.Set(name, value)
					} else {
						req = httptest.NewRequestWithContext(t.Context(), method, "http://localhost"+path, strings.NewReader(f))
						req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
					}
				}
				w := httptest.NewRecorder()
				tt.server.ServeHTTP(w, req)
				if w.Code != tt.want {
					t.Errorf("%s by %s: %d, want %d", r.pattern, tt.name, w.Code, tt.want)
				}
			}
		}
	}
	if forms < 4 {
		t.Errorf("%d forms, want those of logging in and out and of the review, by page and API", forms)
	}
}

// TestBytesThatAreNoText asks with bytes that no text has, which the database would refuse
// as an error of ours.
func TestBytesThatAreNoText(t *testing.T) {
	t.Parallel()
	s, err := New(Options{}) // without a store: whoever gets as far fails
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		address string
		want    int
	}{
		{"/topics/%00", http.StatusNotFound},
		{"/topics/%ff", http.StatusNotFound},
		{"/snapshots/a%00b", http.StatusNotFound},
		{"/feeds/topic/%c3.atom", http.StatusNotFound},
		{"/api/v1/topics/%ff/pages", http.StatusNotFound},
		{"/search?q=a&series=%00", http.StatusBadRequest},
		{"/search?q=a&series=%ff", http.StatusBadRequest},
		{"/pages?host=%ed%a0%80", http.StatusBadRequest},
		{"/pages?%00=1", http.StatusBadRequest},
	} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost"+tt.address, http.NoBody))
		if w.Code != tt.want || !strings.Contains(w.Body.String(), "bytes that are no text") {
			t.Errorf("%s: %d, want %d and why: %.200s", tt.address, w.Code, tt.want, w.Body)
		}
	}
}

// TestOtherMethods asks by methods that an address does not answer to.
func TestOtherMethods(t *testing.T) {
	t.Parallel()
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		method, path string
		want         int
		allow        string
	}{
		{http.MethodPost, "/api/v1/pages", http.StatusMethodNotAllowed, "GET, HEAD"},
		{http.MethodDelete, "/pages", http.StatusMethodNotAllowed, "GET, HEAD"},
		{http.MethodPut, "/pages/7", http.StatusMethodNotAllowed, "GET, HEAD"},
		{http.MethodGet, "/logout", http.StatusMethodNotAllowed, "POST"},
		{http.MethodPut, "/login", http.StatusMethodNotAllowed, "GET, HEAD, POST"},
		{http.MethodPost, "/nothing", http.StatusNotFound, ""},
	} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), tt.method, "http://localhost"+tt.path, http.NoBody))
		if got := w.Header().Get("Allow"); w.Code != tt.want || got != tt.allow {
			t.Errorf("%s %s: %d, allowed %q, want %d and %q", tt.method, tt.path, w.Code, got, tt.want, tt.allow)
		}
	}
}
