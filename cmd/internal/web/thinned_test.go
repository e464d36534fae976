package web_test

import (
	"bytes"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/archive"
	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/crawler/warc"
	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/store"
	"github.com/strandlinehq/strandline/store/thin"
)

// TestThinnedVersion asks for a version whose content was given up, as itself and as a
// side of a comparison: it is known and gone. Its neighbours and the page are there, and
// it is no memento.
func TestThinnedVersion(t *testing.T) {
	t.Parallel()
	const url = "http://thin.test/page"
	db := open(t)
	begin := noon.AddDate(0, 0, -40)
	at := func(version int) time.Time { return begin.Add(time.Duration(version-1) * time.Hour) }
	file := filepath.Join(t.TempDir(), "thin.warc")
	var b bytes.Buffer
	out, err := warc.NewWriter(&b, warc.WriterOptions{Reproducible: true, Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	for version := 1; version <= 4; version++ {
		text := fmt.Appendf(nil, "<title>Page</title><p>The council met for the %d. time and spoke of number %d.</p>", version, version*version)
		if _, err := out.Response(url, at(version), []byte("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"), text, nil); err != nil {
			t.Fatal(err)
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
	// The last of each day stays, and the first and last of a page: of the second and third neither.
	r, err := db.Retain(t.Context(), store.RetainOptions{Now: noon, Versions: &thin.Policy{All: 24 * time.Hour, Daily: 48 * time.Hour, Monthly: math.MaxInt64}})
	if err != nil || r.Versions == 0 {
		t.Fatalf("%d versions were given up: %v", r.Versions, err)
	}
	p, err := db.PageByURL(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	versions, err := db.History(t.Context(), p.ID)
	if err != nil || len(versions) != 4 {
		t.Fatalf("%d versions: %v", len(versions), err)
	}
	s := newServer(t, db, nil)
	page := fmt.Sprintf("/pages/%d", p.ID)
	thinned := 0
	for _, v := range versions {
		want := http.StatusOK
		if !v.ThinnedAt.IsZero() {
			thinned, want = thinned+1, http.StatusGone
		}
		stamp := at(int(v.Number)).Format("20060102150405")
		for _, address := range []string{
			fmt.Sprintf("%s/versions/%d", page, v.Number), fmt.Sprintf("%s/diff?a=%d&b=4", page, v.Number),
		} {
			if v.Number == 4 && strings.Contains(address, "diff") {
				continue // a version beside itself
			}
			res := get(t, s, address)
			body := bodyOf(t, res)
			if res.StatusCode != want {
				t.Errorf("version %d, thinned %t: GET %s answers %d, want %d", v.Number, want == http.StatusGone, address, res.StatusCode, want)
			}
			if want == http.StatusGone && (!strings.Contains(body, "Given up by retention") || strings.Contains(body, "The council met for")) {
				t.Errorf("GET %s does not say what became of it, or shows the content:\n%s", address, body)
			}
		}
		if res := get(t, s, "/timemap/link/"+url); strings.Contains(bodyOf(t, res), stamp) != (want == http.StatusOK) {
			t.Errorf("version %d, thinned %t, is wrongly listed or left out of the timemap", v.Number, want == http.StatusGone)
		}
	}
	if thinned == 0 || thinned > 2 {
		t.Errorf("%d of four versions are thinned", thinned)
	}
	if res := get(t, s, page); res.StatusCode != http.StatusOK {
		t.Errorf("the page answers %d", res.StatusCode)
	}
}
