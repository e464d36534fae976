package web_test

import (
	"bytes"
	"fmt"
	"html"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/archive"
	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/crawler/warc"
	"github.com/strandlinehq/strandline/monitor"
)

// TestStaleSummary asks for pages whose summaries are of an earlier curve, as they are while versions wait to be
// measured: the lead says what the title of the figure says.
func TestStaleSummary(t *testing.T) {
	t.Parallel()
	const hours = 40
	words := func(from, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "word%d ", from+i)
		}
		return b.String()
	}
	pages := []struct {
		url, says string
		text      func(hour int) string
	}{
		{"http://stale.test/knotted", "settles after ", func(h int) string { return words(0, 20) + words(100+7*h, 7) }},
		{"http://stale.test/sloped", "moves away from what it was without settling", func(h int) string { return words(h, 60) }},
	}
	db := open(t)
	begin := noon.AddDate(0, 0, -10)
	file := filepath.Join(t.TempDir(), "stale.warc")
	var b bytes.Buffer
	out, err := warc.NewWriter(&b, warc.WriterOptions{Reproducible: true, Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	for h := range hours {
		for _, p := range pages {
			text := fmt.Appendf(nil, "<title>Page</title><p>%s</p>", p.text(h))
			if _, err := out.Response(p.url, begin.Add(time.Duration(h)*time.Hour), []byte("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"), text, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := archive.Import(t.Context(), db, intake.New(canonical.New(canonical.Options{})), []string{file}, archive.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := monitor.New(db, monitor.Options{}).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := newServer(t, db, nil)
	lead := regexp.MustCompile(`<p class="lead">([^<]*)</p>`)
	title := regexp.MustCompile(`>The page (settles after [^<]*|hardly moves [^<]*|moves away [^<]*)</title>`)
	for _, stale := range []string{
		`shape = shape`, // not stale at all
		`shape = 'knotted', knot_hours = 17.5, knot_dice = 0.31`,
		`shape = 'sloped', knot_hours = 'infinity', knot_dice = null`,
		`shape = 'flat', knot_hours = 'infinity', knot_dice = null`,
		`shape = null, knot_hours = 'infinity', knot_dice = null, changed_at = '-infinity', every_hours = 'infinity', dice = null`,
	} {
		if _, err := db.Pool().Exec(t.Context(), `update core.page_summary set `+stale); err != nil {
			t.Fatal(err)
		}
		for _, p := range pages {
			page, err := db.PageByURL(t.Context(), p.url)
			if err != nil {
				t.Fatal(err)
			}
			r := get(t, s, fmt.Sprintf("/pages/%d", page.ID))
			body := bodyOf(t, r)
			says, drawn := lead.FindStringSubmatch(body), title.FindStringSubmatch(body)
			if r.StatusCode != http.StatusOK || says == nil || drawn == nil {
				t.Fatalf("%s: %d, lead %q, title %q", p.url, r.StatusCode, says, drawn)
			}
			if !strings.HasPrefix(drawn[1], p.says) || !strings.HasSuffix(html.UnescapeString(says[1]), html.UnescapeString(drawn[1])+".") {
				t.Errorf("%s with %s: the lead says %q, the figure %q, want %q", p.url, stale, says[1], drawn[1], p.says)
			}
		}
	}
}
