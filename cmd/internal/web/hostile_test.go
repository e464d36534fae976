package web_test

import (
	"encoding/xml"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/strandlinehq/strandline/cmd/internal/atom"
)

// TestHostileNames gives topics, watches, series, sentences, terms and reasons words that
// attack, and wants them shown as text on every page and in every feed.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	fx := fill(t, open(t))
	// Names are given by the operator; all else comes from the web, and may turn its direction.
	const hostile = "</title><script>window.pwned=1</script>]]> & \"'><svg onload=window.pwned=1> <a href=\"javascript:window.pwned=1\">"
	for _, statement := range []string{
		`update core.topic set name = $1, query = $1, note = $1`,
		`update core.topic_sentence set sentence = $1, before = $1, after = $1, earlier = $1`,
		`update core.topic_term set term = $1 || rank, word = $1`,
		`update core.topic_page set reason = $1, left_reason = case when left_at is null then left_reason else $1 end`,
		`update core.topic_period set note = $1`,
		`update core.watch set name = $1, category = $1, genre = $1`,
		`update core.series set name = $1`,
		`update core.page_summary set title = $1`,
		`update core.watch_page set set_aside_at = now(), set_aside_reason = $1 where page_id in (select page_id from core.page_summary limit 3)`,
		`update core.page_state set last_error = $1, last_outcome = 'failed'`,
		`update core.page_schedule set failing_since = now() where $1::text <> ''`,
	} {
		words := hostile
		if !strings.Contains(statement, "name = $1") {
			words = "\u202e" + hostile
		}
		if _, err := fx.Pool().Exec(t.Context(), statement, words); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	s := newServer(t, fx.DB, nil)
	name := url.PathEscape(hostile)
	for _, address := range []string{
		"/", "/pages", "/pages?category=" + url.QueryEscape(hostile), "/pages?state=failing", "/schedule", "/schedule?list=aside", "/schedule?list=failing", "/topics", "/topics/" + name,
		"/topics/" + name + "?mode=paper", "/snapshots", "/snapshots/" + name, "/snapshots/" + name + "/accuracy.svg", "/search?q=hour&series=" + url.QueryEscape(hostile),
		"/search.svg?q=hour&series=" + url.QueryEscape(hostile), "/feeds/all.atom", "/feeds/topic/" + name + ".atom", "/feeds/watch/" + name + ".atom",
	} {
		r := get(t, s, address)
		body := bodyOf(t, r)
		if r.StatusCode != http.StatusOK || !strings.HasPrefix(r.Header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("GET %s: %d, policy %q", address, r.StatusCode, r.Header.Get("Content-Security-Policy"))
			continue
		}
		if strings.Contains(body, "\u202e") {
			t.Errorf("GET %s: a character that turns the text around", address)
		}
		if strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") || strings.HasPrefix(r.Header.Get("Content-Type"), "image/svg") {
			for _, f := range active(t, body) {
				t.Errorf("GET %s: %s", address, f)
			}
			continue
		}
		if err := atom.Check([]byte(body)); err != nil {
			t.Errorf("GET %s: %v", address, err)
		}
		var d document
		if err := xml.Unmarshal([]byte(body), &d); err != nil || len(d.Entries) == 0 {
			t.Errorf("GET %s: %d entries, %v", address, len(d.Entries), err)
		}
		for _, e := range d.Entries {
			for _, f := range active(t, strings.ReplaceAll(e.Content, `href="http://localhost/`, `href="/`)) {
				t.Errorf("GET %s: %s", address, f)
			}
			for _, l := range e.Links {
				if l.Rel == "alternate" && !strings.HasPrefix(l.Href, "http://localhost/") {
					t.Errorf("GET %s: link to %s", address, l.Href)
				}
			}
		}
	}
}
