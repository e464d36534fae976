package web_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/strandlinehq/strandline/cmd/internal/atom"
)

func ask(h http.Handler, method, address string, form url.Values) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://localhost"+address, strings.NewReader(form.Encode()))
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestTopicPages(t *testing.T) {
	t.Parallel()
	fx := fill(t, open(t))
	h := newServer(t, fx.DB, nil)
	const base = "/topics/the%20hours"
	page := ask(h, http.MethodGet, base, nil).Body.String()
	for _, words := range []string{"had something new", "Pages that wait for a decision", "Pages that left", "it was &lt;b&gt;dull&lt;/b&gt;", "3 of 4 &lt;i&gt;pages&lt;/i&gt;", "up-to-date-ness", "what changed"} {
		if !strings.Contains(strings.ToLower(page), strings.ToLower(words)) {
			t.Errorf("the topic does not show %q", words)
		}
	}
	if !strings.Contains(page, `data-key="p" rel="prev"`) || strings.Contains(page, `data-key="n" rel="next"`) {
		t.Error("the last period leads to the one before, and to no later one")
	}
	if list := ask(h, http.MethodGet, "/topics", nil).Body.String(); !strings.Contains(list, "New sentences of the last 4 periods") {
		t.Error("the list has no trend")
	}
	for address, want := range map[string]int{
		base + "?terms=-pages&pages=fresh": 200, base + "?terms=size": 400, base + "?pages=-": 400,
		"/topics": 200, base: 200, base + "/20000101T000000Z": 404, base + "/yesterday": 404, base + "?mode=odd": 400, "/topics/none": 404,
		base + "/periods": 200, base + "/periods.svg": 200, base + "/periods.csv": 200, "/topics/none/periods.csv": 404,
		base + "/terms": 200, base + "/terms.svg?width=390": 200, base + "/terms.csv?period=20260310T080000Z": 200, base + "/terms.csv?period=20260310T081500Z": 404, base + "/terms?period=now": 400, "/topics/none/terms": 404, base + "/pages/x": 404, base + "/pages/7.svg": 404,
		"/feeds/topic/the%20hours.atom": 200, "/feeds/topic/none.atom": 404, "/feeds/topic/x": 404,
	} {
		if got := ask(h, http.MethodGet, address, nil).Code; got != want {
			t.Errorf("%s: status %d, want %d", address, got, want)
		}
	}
	keeps := regexp.MustCompile(`<a href="(/topics/the%20hours/pages/\d+)"`).FindStringSubmatch(page)
	if keeps == nil {
		t.Fatal("no page leads to its scores")
	}
	for _, suffix := range []string{"", ".svg", ".csv"} {
		answer := ask(h, http.MethodGet, keeps[1]+suffix, nil)
		if n := strings.Count(answer.Body.String(), "\n"); answer.Code != http.StatusOK || suffix == ".csv" && n < 3 || suffix != ".csv" && !strings.Contains(answer.Body.String(), "keep up with its topic?") {
			t.Errorf("%s%s: %d with %d lines", keeps[1], suffix, answer.Code, n)
		}
	}
	if !strings.Contains(page, `id="figure-periods"`) || strings.Count(ask(h, http.MethodGet, base+"/periods.csv", nil).Body.String(), "\n") != 5 {
		t.Error("the topic has no figure of its four periods")
	}
	feed := ask(h, http.MethodGet, "/feeds/topic/the%20hours.atom", nil)
	if err := atom.Check(feed.Body.Bytes()); err != nil {
		t.Errorf("feed: %v", err)
	}
	if n := strings.Count(feed.Body.String(), "<entry>"); n != 4 {
		t.Errorf("%d entries, want one a period", n)
	}
	if home := ask(h, http.MethodGet, "/", nil).Body.String(); !strings.Contains(home, base) {
		t.Error("the first page has no topic")
	}
}

// TestReview decides on the proposed page, once, and only with the form's token.
func TestReview(t *testing.T) {
	t.Parallel()
	fx := fill(t, open(t))
	h := newServer(t, fx.DB, nil)
	const address = "/topics/the%20hours/review"
	page := ask(h, http.MethodGet, "/topics/the%20hours", nil).Body.String()
	token := regexp.MustCompile(`name="form_token" value="([^"]+)"><input type="hidden" name="page" value="(\d+)"`).FindStringSubmatch(page)
	if token == nil {
		t.Fatal("the page has no form")
	}
	form := url.Values{"form_token": {token[1]}, "page": {token[2]}, "decision": {"refuse"}}
	for _, tt := range []struct {
		name, key, value string
		want             int
	}{
		{"without the token", "form_token", "x", http.StatusForbidden},
		{"no decision", "decision", "maybe", http.StatusBadRequest},
		{"no page", "page", "x", http.StatusBadRequest},
		{"another page", "page", "1", http.StatusNotFound},
		{"as it is", "decision", "refuse", http.StatusSeeOther},
		{"again", "decision", "accept", http.StatusNotFound},
	} {
		f := url.Values{}
		for k, v := range form {
			f[k] = v
		}
		f.Set(tt.key, tt.value)
		if got := ask(h, http.MethodPost, address, f).Code; got != tt.want {
			t.Errorf("%s: status %d, want %d", tt.name, got, tt.want)
		}
	}
}

// TestReviewByAPI decides on the proposed page as a program does: with the token that the
// list of such pages brings. What is sent and what comes back is as the document says.
func TestReviewByAPI(t *testing.T) {
	t.Parallel()
	fx := fill(t, open(t))
	h := newServer(t, fx.DB, nil)
	const base = "/api/v1/topics/the%20hours"
	var list struct {
		Items     []struct{ Page int64 }
		FormToken string `json:"form_token"`
	}
	read := func() {
		t.Helper()
		if err := json.Unmarshal(ask(h, http.MethodGet, base+"/proposed", nil).Body.Bytes(), &list); err != nil {
			t.Fatal(err)
		}
	}
	if read(); len(list.Items) != 1 || list.FormToken == "" {
		t.Fatalf("waiting pages: %+v", list)
	}
	var d apiDocument
	if err := json.Unmarshal(ask(h, http.MethodGet, "/api/v1/openapi.json", nil).Body.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	post := d.Paths["/api/v1/topics/{name}/review"].Post
	if post == nil {
		t.Fatal("the document has no decision")
	}
	page := strconv.FormatInt(list.Items[0].Page, 10)
	form := map[string]string{"form_token": list.FormToken, "page": page, "decision": "accept"}
	if want := post.RequestBody.Content["application/x-www-form-urlencoded"].Schema; want == nil || len(want.Required) != len(form) {
		t.Fatalf("the document wants %+v to be sent", want)
	}
	for _, tt := range []struct {
		name, key, value string
		want             int
	}{
		{"without the token", "form_token", "x", http.StatusForbidden},
		{"no decision", "decision", "maybe", http.StatusBadRequest},
		{"no page", "page", "x", http.StatusBadRequest},
		{"another page", "page", "1", http.StatusNotFound},
		{"as it is", "decision", "accept", http.StatusOK},
		{"again", "decision", "refuse", http.StatusNotFound},
	} {
		f := url.Values{}
		for k, v := range form {
			f.Set(k, v)
		}
		f.Set(tt.key, tt.value)
		answer := ask(h, http.MethodPost, base+"/review", f)
		kind, schema := "application/problem+json", post.Responses["default"]
		if tt.want == http.StatusOK {
			kind, schema = "application/json", post.Responses["200"]
		}
		var v any
		if err := json.Unmarshal(answer.Body.Bytes(), &v); err != nil || answer.Code != tt.want || answer.Header().Get("Content-Type") != kind {
			t.Errorf("%s: status %d, %s: %v, want %d", tt.name, answer.Code, answer.Header().Get("Content-Type"), err, tt.want)
		} else if fault := d.fits(schema.Content[kind].Schema, v, tt.name); fault != "" {
			t.Error(fault)
		}
	}
	if read(); len(list.Items) != 0 {
		t.Errorf("still waiting: %+v", list.Items)
	}
}
