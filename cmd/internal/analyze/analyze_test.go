package analyze_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/strandlinehq/strandline/cmd/internal/analyze"
	"github.com/strandlinehq/strandline/crawler/archive"
	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/crawler/warc"
	"github.com/strandlinehq/strandline/internal/need"
)

// fetched is a capture to be written into a WARC file.
type fetched struct {
	url  string
	at   time.Duration // since start
	html string
	kind warc.Type // response if empty; a revisit names the payload html
	from string    // page that a revisit refers to, if another
	code int       // status, 200 if zero
}

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// write puts captures into a file in the order given.
func write(t testing.TB, captures []fetched) string {
	t.Helper()
	var b bytes.Buffer
	w, err := warc.NewWriter(&b, warc.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range captures {
		code := max(c.code, 200)
		head := fmt.Appendf(nil, "HTTP/1.1 %d Status\r\nContent-Type: text/html; charset=utf-8\r\n\r\n", code)
		if c.kind == warc.TypeRevisit {
			ref := warc.Revisit{Profile: warc.ProfileIdenticalPayload, TargetURI: c.url}
			if c.from != "" {
				ref.TargetURI = c.from
			}
			_, err = w.Revisit(c.url, start.Add(c.at), head, warc.SumDigest("sha1", []byte(c.html)), ref)
		} else {
			_, err = w.Response(c.url, start.Add(c.at), head, []byte(c.html), nil)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "pages.warc.gz")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

var everything = analyze.Parts{Changes: true, Curve: true, Terms: true, DOM: true}

func measure(t testing.TB, parts analyze.Parts, files ...string) []analyze.Page {
	t.Helper()
	var pages []analyze.Page
	reader := intake.New(canonical.New(canonical.Options{}))
	_, err := analyze.Pages(t.Context(), reader, files, analyze.Options{Parts: parts}, func(p analyze.Page) error {
		pages = append(pages, p)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

func html(body string) string { return "<!doctype html><title>t</title><body>" + body }

// Three versions an hour apart: {a b}, {a b c}, {a d}, worked out by hand. The
// second is seen twice in its slot, the slot at 3 h is missing, and the last
// one comes as a revisit of what another page shows.
func history() (a, b []fetched) {
	const x, y = "https://a.example/x", "https://a.example/y"
	a = []fetched{
		{url: x, at: 0, html: html("<p>a b</p>")},
		{url: x, at: 50 * time.Minute, html: html("<p>a lost</p>")},
		{url: x, at: 70 * time.Minute, html: html("<p>a b c</p>")},
		{url: x, at: 2 * time.Hour, html: html("<p>a d</p>")},
		{url: x, at: 150 * time.Minute, code: 500, html: html("<p>sorry</p>")},
	}
	b = []fetched{
		{url: x, at: 4 * time.Hour, html: html("<p>a b</p>"), kind: warc.TypeRevisit, from: y},
		{url: y, at: 0, html: html("<p>a b</p>")},
		{url: y, at: 2 * time.Hour, html: html("<p>a b</p>"), kind: warc.TypeRevisit},
		{url: y, at: 3 * time.Hour, html: html("<p>gone</p>"), kind: warc.TypeRevisit},
	}
	return a, b
}

func hours(h float64) time.Time { return start.Add(time.Duration(h * float64(time.Hour))) }

func number(x float64) *float64 { return &x }

var near = cmpopts.EquateApprox(0, 1e-12)

func TestPages(t *testing.T) {
	t.Parallel()
	a, b := history()
	pages := measure(t, everything, write(t, a), write(t, b))
	if len(pages) != 2 {
		t.Fatalf("%d pages, want 2", len(pages))
	}
	// Slots of x: 0 {a b}, 1 {a b c}, 2 {a d}, 4 {a b}.
	// N of all pages: 4 at slot 0, 3 at slot 1, 4 at slot 2, 2 at slot 4.
	pDoc := map[string]float64{"a": (.5 + 1./3 + .5 + .5) / 4, "b": (.5 + 1./3 + .5) / 4, "c": (1. / 3) / 4, "d": .5 / 4}
	pCol := map[string]float64{"a": (.5 + 1./3 + .5 + .5) / 4, "b": (.5 + 1./3 + .25 + .5) / 4, "c": (1. / 3) / 4, "d": .25 / 4}
	div := func(w string) *float64 { return number(pDoc[w] * math.Log(pDoc[w]/pCol[w])) }
	want := analyze.Page{
		URL: "https://a.example/x", Versions: 5, Fetches: 5, First: hours(0), Last: hours(4),
		Changes: []analyze.Change{
			{Version: 2, Time: start.Add(50 * time.Minute), Hours: 5. / 6, Dice: .5},
			{Version: 3, Time: start.Add(70 * time.Minute), Hours: 1. / 3, Dice: 2. / 5},
			{Version: 4, Time: hours(2), Hours: 5. / 6, Dice: 2. / 5},
			{Version: 5, Time: hours(4), Hours: 2, Dice: .5},
		},
		// At least half of the window of 4 follows the starts 0, 1 and 2.
		Curve: []analyze.Point{
			{Step: 0, Hours: 0, Dice: 1, Support: 3},
			{Step: 1, Hours: 1, Dice: (4./5 + 2./5) / 2, Support: 2},
			{Step: 2, Hours: 2, Dice: (.5 + .5) / 2, Support: 2}, // 0-2, 2-4
			{Step: 3, Hours: 3, Dice: 4. / 5, Support: 1},        // 1-4
			{Step: 4, Hours: 4, Dice: 1, Support: 1},             // 0-4
		},
		Terms: []analyze.Term{
			{Term: "a", StayingPower: number(1), Divergence: div("a"), First: hours(0), Last: hours(4)},
			// Pairs by gap: 1: 0-1 of 2; 2: none of 2; 3: 1-4 of 1; 4: 0-4 of 1.
			{Term: "b", StayingPower: number((.5 + 0 + 1 + 1) / 4), Divergence: div("b"), First: hours(0), Last: hours(4)},
			{Term: "c", StayingPower: number(0), Divergence: div("c"), First: start.Add(70 * time.Minute), Last: start.Add(70 * time.Minute)},
			{Term: "d", StayingPower: number(0), Divergence: div("d"), First: hours(2), Last: hours(2)},
		},
		Survival: map[string]any{"2h": 1., "1d": nil, "1w": nil, "2w": nil, "4w": nil, "5w": nil},
		// Contents of body and p: "a b" lives 4 hours, the others 0. Those of html
		// have no other text. What has none has no content: the title is no text of
		// the outline.
		Blocks: []analyze.Block{
			{Path: "/html[0]", Life: 4. / 3},
			{Path: "/html[0]/body[0]", Life: 4. / 3},
			{Path: "/html[0]/body[0]/p[0]", Life: 4. / 3},
		},
	}
	got := pages[0]
	got.Knot = nil
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Errorf("page x (-want +got):\n%s", diff)
	}
	if k := pages[0].Knot; k == nil || k.Shape != "sloped" && k.Shape != "flat" && k.Shape != "knotted" {
		t.Errorf("knot %+v", k)
	}
	if y := pages[1]; y.Versions != 1 || y.Fetches != 3 || len(y.Changes) != 0 || y.Changes == nil {
		t.Errorf("page y: %+v", y)
	}
}

// The order of captures and files does not count.
func TestOrder(t *testing.T) {
	t.Parallel()
	a, b := history()
	all := slices.Concat(a, b)
	want := measure(t, everything, write(t, all))
	for range 3 {
		all = append(all[4:len(all):len(all)], all[:4]...)
		got := measure(t, everything, write(t, all[:3]), write(t, all[3:]))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("in another order (-want +got):\n%s", diff)
		}
	}
}

func TestParts(t *testing.T) {
	t.Parallel()
	a, b := history()
	file := write(t, append(a, b...))
	full := measure(t, everything, file)[0]
	tests := []struct {
		name  string
		parts analyze.Parts
		want  func(*analyze.Page)
	}{
		{"none", analyze.Parts{}, func(*analyze.Page) {}},
		{"changes", analyze.Parts{Changes: true}, func(p *analyze.Page) { p.Changes = full.Changes }},
		{"curve", analyze.Parts{Curve: true}, func(p *analyze.Page) { p.Curve, p.Knot = full.Curve, full.Knot }},
		{"terms", analyze.Parts{Terms: true}, func(p *analyze.Page) { p.Terms = full.Terms }},
		{"dom", analyze.Parts{DOM: true}, func(p *analyze.Page) { p.Survival, p.Blocks = full.Survival, full.Blocks }},
	}
	for _, tt := range tests {
		want := analyze.Page{URL: full.URL, Versions: full.Versions, Fetches: full.Fetches, First: full.First, Last: full.Last}
		tt.want(&want)
		if diff := cmp.Diff(want, measure(t, tt.parts, file)[0]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// What the data cannot give is null.
func TestNull(t *testing.T) {
	t.Parallel()
	file := write(t, []fetched{
		{url: "https://a.example/lost", html: html("<p>x</p>"), kind: warc.TypeRevisit},
		{url: "https://a.example/once", html: html("<p>x</p>")},
	})
	pages := measure(t, everything, file)
	for i, want := range []string{
		`{"url":"https://a.example/lost","versions":0,"fetches":1,"first":"2026-03-01T12:00:00Z","last":"2026-03-01T12:00:00Z",` +
			`"changes":null,"curve":null,"knot":null,"terms":null,"survival":null,"blocks":null}`,
		`{"url":"https://a.example/once","versions":1,"fetches":1,"first":"2026-03-01T12:00:00Z","last":"2026-03-01T12:00:00Z",` +
			`"changes":[],"curve":[{"step":0,"hours":0,"dice":1,"support":1}],"knot":null,` +
			`"terms":[{"term":"x","staying_power":null,"divergence":0,"first":"2026-03-01T12:00:00Z","last":"2026-03-01T12:00:00Z"}],` +
			`"survival":null,"blocks":[{"path":"/html[0]","life_hours":0},{"path":"/html[0]/body[0]","life_hours":0},` +
			`{"path":"/html[0]/body[0]/p[0]","life_hours":0}]}`,
	} {
		got, err := json.Marshal(pages[i])
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// A date far off makes the window too long for a grid, not the program too large.
func TestWildDates(t *testing.T) {
	t.Parallel()
	const year = 8766 * time.Hour
	file := write(t, []fetched{
		{url: "https://a.example/", at: -56 * year, html: html("<p>x</p>")},
		{url: "https://a.example/", at: 200 * year, html: html("<p>y</p>")},
	})
	p := measure(t, everything, file)[0]
	if p.Versions != 2 || len(p.Changes) != 1 || p.Curve != nil || len(p.Terms) != 2 || p.Terms[0].StayingPower != nil {
		t.Errorf("%+v", p)
	}
}

func BenchmarkPages(b *testing.B) {
	file := need.Corpus(b, "gov-us-states-2020")[0]
	b.ReportAllocs()
	reader := intake.New(canonical.New(canonical.Options{}))
	for b.Loop() {
		opt := analyze.Options{Archive: archive.ImportOptions{}, Parts: everything}
		if _, err := analyze.Pages(b.Context(), reader, []string{file}, opt, func(analyze.Page) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
