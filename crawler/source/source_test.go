package source

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/crawler/canonical"
)

// web is a set of documents by URL.
type web map[string]string

func (w web) get(_ context.Context, url string) (Document, error) {
	body, ok := w[url]
	if !ok {
		return Document{}, errors.New("status 404")
	}
	return Document{URL: url, Body: []byte(body)}, nil
}

func lister(w web, opt Options) *Lister {
	return New(w.get, canonical.New(canonical.Options{}).URL, opt)
}

func urls(entries []Entry) []string {
	var out []string
	for _, e := range entries {
		s := e.URL
		if !e.Claimed.IsZero() {
			s += " " + e.Claimed.Format(time.DateOnly)
		}
		out = append(out, s)
	}
	return out
}

const sitemapHead = `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`

func TestSitemapIndex(t *testing.T) {
	t.Parallel()
	w := web{
		"http://a.test/sitemap.xml": `<sitemapindex><sitemap><loc>http://a.test/one.xml</loc></sitemap><sitemap><loc>/two.xml</loc></sitemap>` +
			`<sitemap><loc>http://a.test/gone.xml</loc></sitemap><sitemap><loc>http://a.test/sitemap.xml</loc></sitemap></sitemapindex>`,
		"http://a.test/one.xml": sitemapHead + `<url><loc>http://a.test/x?utm_source=map</loc><lastmod>2026-03-01</lastmod></url><url><loc>mailto:x@a.test</loc></url></urlset>`,
		"http://a.test/two.xml": sitemapHead + `<url><loc>http://a.test/x</loc><lastmod>2026-03-05</lastmod></url><url><loc>http://a.test/y</loc></url>`,
	}
	got, err := lister(w, Options{}).Sitemap(t.Context(), "http://a.test/sitemap.xml")
	if diff := cmp.Diff([]string{"http://a.test/x 2026-03-05", "http://a.test/y"}, urls(got)); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
	if err == nil || !strings.Contains(err.Error(), "gone.xml: status 404") {
		t.Errorf("error %v does not name the sitemap that is gone", err)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	w := web{"http://a.test/s.xml": sitemapHead + strings.Repeat("<url><loc>http://a.test/z</loc></url>", 3) +
		"<url><loc>http://a.test/1</loc></url><url><loc>http://a.test/2</loc></url></urlset>"}
	got, err := lister(w, Options{MaxPages: 2}).Sitemap(t.Context(), "http://a.test/s.xml")
	if len(got) != 2 || !errors.Is(err, ErrCut) {
		t.Errorf("%d pages, %v; want 2 and ErrCut", len(got), err)
	}
	var index strings.Builder
	index.WriteString("<sitemapindex>")
	for i := range 10 {
		url := fmt.Sprintf("http://a.test/%d.xml", i)
		w[url] = sitemapHead + "</urlset>"
		fmt.Fprintf(&index, "<sitemap><loc>%s</loc></sitemap>", url)
	}
	w["http://a.test/index.xml"] = index.String() + "</sitemapindex>"
	if _, err := lister(w, Options{MaxDocuments: 5}).Sitemap(t.Context(), "http://a.test/index.xml"); !errors.Is(err, ErrCut) {
		t.Errorf("an index of ten with a limit of five: %v, want ErrCut", err)
	}
}

// TestBrokenAndCut has an index of which one sitemap is broken and the rest longer than is
// taken: that is no whole list, for pages of the broken one may have been in it.
func TestBrokenAndCut(t *testing.T) {
	t.Parallel()
	w := web{
		"http://a.test/index.xml": `<sitemapindex><sitemap><loc>/gone.xml</loc></sitemap><sitemap><loc>/s.xml</loc></sitemap></sitemapindex>`,
		"http://a.test/s.xml":     sitemapHead + "<url><loc>http://a.test/1</loc></url><url><loc>http://a.test/2</loc></url></urlset>",
	}
	got, err := lister(w, Options{MaxPages: 1}).Sitemap(t.Context(), "http://a.test/index.xml")
	if len(got) != 1 || err == nil || errors.Is(err, ErrCut) || !strings.Contains(err.Error(), "gone.xml") || !strings.Contains(err.Error(), "left out") {
		t.Errorf("%d pages, %v; want one, and both faults but not as ErrCut", len(got), err)
	}
}

func TestFeed(t *testing.T) {
	t.Parallel()
	w := web{"http://a.test/feed": `<feed xmlns="http://www.w3.org/2005/Atom"><title>t</title>` +
		`<entry><id>1</id><link href="/one"/><updated>2026-03-02T10:00:00Z</updated></entry>` +
		`<entry><id>2</id><link href="http://b.test/two"/><published>2026-03-01T10:00:00Z</published></entry></feed>`}
	got, err := lister(w, Options{}).Feed(t.Context(), "http://a.test/feed")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"http://a.test/one 2026-03-02", "http://b.test/two 2026-03-01"}, urls(got)); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
	if _, err := lister(w, Options{}).Feed(t.Context(), "http://a.test/none"); err == nil {
		t.Error("a feed that is not there: no error")
	}
}
