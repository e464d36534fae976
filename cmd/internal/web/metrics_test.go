package web_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/strandlinehq/strandline/cmd/internal/web"
)

// TestMetricsAndReadiness asks for figures with and without a token, and for the reasons
// of a daemon that does not crawl.
func TestMetricsAndReadiness(t *testing.T) {
	t.Parallel()
	db := open(t)
	figures := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "strandline_ready 1\n") })
	s := newServer(t, db, func(o *web.Options) {
		o.Metrics = figures
		o.Access.ViewerToken = "hunter2"
		o.Ready = func(context.Context) []string { return []string{"crawling is paused: no room"} }
	})
	if got := get(t, s, "/metrics").StatusCode; got != http.StatusUnauthorized {
		t.Errorf("without a token: status %d", got)
	}
	r := get(t, s, "/metrics", "Authorization", "Bearer hunter2")
	if body, err := io.ReadAll(r.Body); err != nil || r.StatusCode != http.StatusOK || string(body) != "strandline_ready 1\n" {
		t.Errorf("with a token: status %d, %q, %v", r.StatusCode, body, err)
	}
	r = get(t, s, "/readyz")
	if body, err := io.ReadAll(r.Body); err != nil || r.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(body), `"reasons":["crawling is paused: no room"]`) {
		t.Errorf("not ready: status %d, %q, %v", r.StatusCode, body, err)
	}
	if got := get(t, newServer(t, db, nil), "/metrics").StatusCode; got != http.StatusNotFound {
		t.Errorf("a server without figures: status %d", got)
	}
}
