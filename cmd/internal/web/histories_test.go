package web_test

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/archive"
	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/crawler/warc"
	"github.com/strandlinehq/strandline/crawler/warc/cdxj"
	"github.com/strandlinehq/strandline/internal/need"
	"github.com/strandlinehq/strandline/monitor/series"
)

// told is a capture as a WARC file tells it.
type told struct {
	url     string // canonical
	at      time.Time
	status  int
	digest  string
	payload []byte
}

// capturesOf reads the captures of a WARC file, without the database: the oracle of
// what the archive protocols have to answer. They come in order of key and time.
func capturesOf(t *testing.T, file string) []told {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := warc.NewReader(f, warc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	form := canonical.New(canonical.Options{})
	payloads := map[string][]byte{}
	var out []told
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if rec.Type != warc.TypeResponse && rec.Type != warc.TypeRevisit {
			continue
		}
		block, whole, err := rec.AppendBlock(nil, 64<<20)
		if err != nil || !whole {
			t.Fatalf("%s: %v", rec.TargetURI, err)
		}
		m, err := warc.ParseHTTP(block)
		if err != nil {
			t.Fatalf("%s: %v", rec.TargetURI, err)
		}
		u, err := form.URL("", rec.TargetURI)
		if err != nil {
			t.Fatalf("%s: %v", rec.TargetURI, err)
		}
		c := told{url: u, at: rec.Date.UTC(), status: m.Status, digest: rec.Header.Get("WARC-Payload-Digest"), payload: m.Payload}
		if rec.Type == warc.TypeRevisit {
			c.payload = payloads[c.digest]
		}
		payloads[c.digest] = c.payload
		if !slices.ContainsFunc(out, func(o told) bool {
			return o.url == c.url && o.at.Equal(c.at) && o.status == c.status && o.digest == c.digest
		}) {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b told) int {
		return cmp.Or(strings.Compare(cdxj.SURT(a.url), cdxj.SURT(b.url)), a.at.Compare(b.at))
	})
	return out
}

// imported returns a server on a database that holds a file, as a series named site
// with a snapshot a day.
func imported(t *testing.T, file string) http.Handler {
	t.Helper()
	db := open(t)
	site, err := db.EnsureSeries(t.Context(), "site", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.SetGap(t.Context(), site.ID, 24*time.Hour); err != nil {
		t.Fatal(err)
	}
	if _, err := archive.Import(t.Context(), db, intake.New(canonical.New(canonical.Options{})), []string{file}, archive.ImportOptions{Series: site.ID}); err != nil {
		t.Fatal(err)
	}
	if _, err := series.Update(t.Context(), db, site.ID, series.Defaults()); err != nil {
		t.Fatal(err)
	}
	return newServer(t, db, nil)
}

// TestRealHistories holds the Memento and CDX answers on real pages against the WARC
// files that they came in, and weighs the pages of a series.
func TestRealHistories(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		every int // one page of so many is asked for
	}{{"terms-demo", 1}, {"site-flink", 40}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := need.Corpus(t, tt.name)[0]
			captures := capturesOf(t, file)
			s := imported(t, file)
			pages := map[string][]told{}
			for _, c := range captures {
				pages[c.url] = append(pages[c.url], c)
			}
			n := 0
			for u, list := range pages {
				if n++; n%tt.every == 0 {
					mementosAre(t, s, u, list)
				}
			}
			cdxIs(t, s, captures)
			if tt.name == "site-flink" {
				siteIsLight(t, s)
			}
		})
	}
}
