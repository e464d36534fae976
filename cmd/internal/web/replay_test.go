//go:build wacz

package web_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/strandlinehq/strandline/crawler/archive"
)

// replayVar names the environment variable with the folder of the npm package
// replaywebpage, unpacked; scripts/test-wacz fetches it.
const replayVar = "STRANDLINE_REPLAYWEBPAGE"

// replayedText collects the text of a document with all its shadow roots and frames.
const replayedText = `(() => {
	let out = "";
	const walk = (root) => {
		for (const e of root.querySelectorAll("*")) {
			if (e.shadowRoot) walk(e.shadowRoot);
			if (e.tagName === "IFRAME") {
				try { const d = e.contentDocument; if (d) { out += "\n" + (d.body ? d.body.innerText : ""); walk(d); } } catch { /* another origin */ }
			}
		}
	};
	walk(document);
	return out;
})()`

// TestReplay opens an exported archive in the replayer that most archives are read
// with, and wants two captures of a page to be what they were.
func TestReplay(t *testing.T) {
	t.Parallel()
	dir := os.Getenv(replayVar)
	if dir == "" {
		t.Fatalf("%s names no folder of the npm package replaywebpage; make test-wacz fetches it and runs this", replayVar)
	}
	for _, name := range []string{"ui.js", "sw.js"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	chromium(t)
	fx := fill(t, open(t))
	var wacz bytes.Buffer
	if _, err := archive.ExportWACZ(t.Context(), fx.DB, &wacz, archive.ExportOptions{Software: "test"}); err != nil {
		t.Fatal(err)
	}
	page, start := fx.urls[slices.IndexFunc(fx.urls, func(u string) bool { return strings.HasSuffix(u, "/template") })], noon.Add(-fixtureHours*time.Hour-30*time.Minute)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /archive.wacz", func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "archive.wacz", noon, bytes.NewReader(wacz.Bytes())) // it is read in ranges
	})
	for _, at := range []string{"/", "/replay/"} {
		mux.Handle("GET "+at+"ui.js", http.StripPrefix(at, http.FileServer(http.Dir(dir))))
		mux.Handle("GET "+at+"sw.js", http.StripPrefix(at, http.FileServer(http.Dir(dir))))
	}
	mux.HandleFunc("GET /hour/{hour}", func(w http.ResponseWriter, r *http.Request) {
		var hour int
		if _, err := fmt.Sscan(r.PathValue("hour"), &hour); err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><title>replay</title><script src="/ui.js"></script><replay-web-page source="/archive.wacz" url=%q ts=%q replayBase="/replay/" embed="default"></replay-web-page>`,
			page, start.Add(time.Duration(hour)*time.Hour).Format("20060102150405"))
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	b := newBrowser(t, server.URL)
	for _, hour := range []int{2, 7} {
		want := fmt.Sprintf("at hour %d of the test.", hour)
		if err := chromedp.Do(b, chromedp.Navigate(fmt.Sprintf("%s/hour/%d", server.URL, hour))); err != nil {
			t.Fatal(err)
		}
		text := ""
		for end := time.Now().Add(40 * time.Second); !strings.Contains(text, want); {
			if time.Now().After(end) {
				t.Fatalf("hour %d: the replayer shows %q, want %q; %v", hour, text, want, b.faults)
			}
			var err error
			if text, err = chromedp.Run(b, chromedp.Evaluate[string](replayedText)); err != nil {
				t.Fatal(err)
			}
		}
	}
}
