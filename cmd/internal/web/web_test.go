package web_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/web"
	"github.com/strandlinehq/strandline/internal/testdb"
	"github.com/strandlinehq/strandline/store"
)

// noon is the time of the tests' clock.
var noon = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

// open returns a migrated database of the test's own.
func open(t testing.TB) *store.DB {
	t.Helper()
	return testdb.Open(t)
}

// newServer returns a server on a database.
func newServer(t testing.TB, db *store.DB, change func(*web.Options)) *web.Server {
	t.Helper()
	opt := web.Options{Store: db, Now: func() time.Time { return noon }, Version: "test"}
	if change != nil {
		change(&opt)
	}
	s, err := web.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// get asks for an address.
func get(t testing.TB, s http.Handler, address string, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost"+address, http.NoBody)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Result()
}

func bodyOf(t testing.TB, r *http.Response) string {
	t.Helper()
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestEmptyDatabase wants each page to say what would fill it.
func TestEmptyDatabase(t *testing.T) {
	t.Parallel()
	s := newServer(t, open(t), nil)
	for _, tt := range []struct {
		address string
		status  int
		want    string
	}{
		{"/", 200, "Nothing is watched"},
		{"/pages", 200, "No page was fetched yet"},
		{"/pages?q=tide", 200, "No page fits"},
		{"/pages?sort=size", 400, "can be sorted by"},
		{"/?order=size", 400, "can be sorted by"},
		{"/schedule?hosts=-", 400, "can be sorted by"},
		{"/schedule?watches=-size", 400, "can be sorted by"},
		{"/snapshots?order=pages&order=x", 200, "There is no series yet"},
		{"/topics/none?terms=x", 404, "no topic of that name"},
		{"/pages?after=x", 400, "place to go on from"},
		{"/pages?after=NaN_1", 400, "place to go on from"},
		{"/pages?state=x", 400, "no such state"},
		{"/pages?watch=x", 404, "no watch"},
		{"/pages?q=" + strings.Repeat("x", 300), 400, "200 characters"},
		{"/pages/1", 404, "No page"},
		{"/pages/x", 404, "number"},
		{"/pages/-1", 404, "number"},
		{"/pages/99999999999999999999", 404, "number"},
		{"/pages/1/curve.svg", 404, "No page"},
		{"/pages/1/nothing", 404, "figures calendar"},
		{"/snapshots", 200, "There is no series yet"},
		{"/snapshots/none", 404, "no series of this name"},
		{"/nothing", 404, "no page at this address"},
		{"/static/none.css", 404, "no such file"},
		{"/healthz", 200, `"ok"`},
		{"/readyz", 200, `"ready"`},
		{"/version", 200, `"test"`},
	} {
		r := get(t, s, tt.address)
		if body := bodyOf(t, r); r.StatusCode != tt.status || !strings.Contains(body, tt.want) {
			t.Errorf("GET %s: %d %.300q, want %d with %q", tt.address, r.StatusCode, body, tt.status, tt.want)
		}
	}
}
