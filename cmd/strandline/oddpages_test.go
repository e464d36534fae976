package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/store"
)

// oddPages are histories that have next to nothing to measure, or too much. The key
// is the path of the page.
func oddPages() map[string][]*store.Capture {
	at := func(name string, hour int, markup string) *store.Capture {
		return hourlyCapture("http://odd.test/"+name, hour, []byte(markup))
	}
	out := map[string][]*store.Capture{
		"wordless": {at("wordless", 0, ""), at("wordless", 1, "<p></p>"), at("wordless", 2, "<i>…</i>"), at("wordless", 3, "<b>!</b>")},
		"once":     {at("once", 0, "<p>one version")},
		"gaps":     {at("gaps", 0, "<p>a b c"), at("gaps", 5, "<p>a b d"), at("gaps", 300, "<p>a e f"), at("gaps", 301, "<p>a e g")},
		"clock":    {at("clock", -30*365*24, "<p>very old"), at("clock", 0, "<p>now"), at("clock", 1, "<p>now again")},
		// A clock that jumped ahead and was put back.
		"leap": {at("leap", 0, "<p>a b c"), at("leap", 1, "<p>a b d"), at("leap", 30*365*24, "<p>a f g"), at("leap", 2, "<p>a b e")},
	}
	for hour := range 1000 {
		out["same"] = append(out["same"], at("same", hour, "<p>always the same"))
	}
	for _, hour := range []int{5, 1, 0, 3, 2, 4} {
		out["shuffled"] = append(out["shuffled"], at("shuffled", hour, fmt.Sprintf("<p>stays and word%d", hour)))
	}
	for hour := range 3 {
		var b strings.Builder
		for i := range 100_000 {
			fmt.Fprintf(&b, "w%d ", i+hour)
		}
		out["wide"] = append(out["wide"], at("wide", hour, "<p>"+b.String()))
	}
	return out
}

// TestOddPages makes all reports of pages that have next to nothing to measure. What
// is undefined is left empty and explained; no number is made up.
func TestOddPages(t *testing.T) {
	t.Parallel()
	url := newDatabase(t)
	db, err := store.Open(t.Context(), url, store.Options{MaxConns: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	pages := oddPages()
	for name, captures := range pages {
		parts := [][]*store.Capture{captures}
		if name == "shuffled" || name == "leap" {
			parts = slices.Collect(slices.Chunk(captures, 1))
		}
		for _, part := range parts {
			if _, err := db.Write(t.Context(), part); err != nil {
				t.Fatal(err)
			}
			if _, err := monitor.New(db, monitor.Options{}).DrainVersions(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := monitor.New(db, monitor.Options{}).Collect(t.Context()); err != nil {
		t.Fatal(err)
	}
	// What the reports have to say, beside their numbers.
	reasons := map[string]string{
		"changes same":    "The text did not change.",
		"curve once":      "No shape: fewer than three distances",
		"curve clock":     "2 versions are left out, more than seven years after the first.",
		"changes clock":   "3 versions; 1 of 1 hourly slots",
		"curve leap":      "1 version is left out, more than seven years after the first.",
		"changes leap":    "4 versions; 3 of 3 hourly slots",
		"curve wordless":  "flat: slope 0 an hour",
		"curve gaps":      "296 steps without a pair of versions are left out.",
		"curve shuffled":  "6 versions; 6 of 6 hourly slots",
		"terms once":      "2 terms have no staying power: the page has words in fewer than two hourly versions.",
		"terms wide":      "The page has too many terms to keep: these are a fair sample",
		"terms same":      "1 version; 1000 of 1000 hourly slots",
		"lifespans gaps":  "4 of 302 hourly slots",
		"blocks wordless": "4 versions; 4 of 4 hourly slots",
	}
	noNumber := regexp.MustCompile(`\b(NaN|Inf|Infinity)\b`)
	run := func(args ...string) string {
		var out, errs bytes.Buffer
		if code := Main(t.Context(), append([]string{"--database", url, "report"}, args...), strings.NewReader(""), &out, &errs); code != exitDone {
			t.Errorf("report %v: status %d: %s", args, code, errs.String())
		}
		if found := noNumber.FindString(out.String()); found != "" {
			t.Errorf("report %v has %s", args, found)
		}
		return out.String()
	}
	for _, kind := range reportKinds() {
		switch kind.of {
		case ofAll:
			run(kind.name)
		case ofPage:
			for name := range pages {
				address := "http://odd.test/" + name
				text := run(kind.name, address)
				if want, ok := reasons[kind.name+" "+name]; ok {
					if !strings.Contains(text, want) {
						t.Errorf("report %s of %s does not say %q:\n%s", kind.name, name, want, text)
					}
				}
				if doc := run(kind.name, address, "--json"); !json.Valid([]byte(doc)) {
					t.Errorf("report %s of %s is no JSON: %.200s", kind.name, name, doc)
				}
			}
		}
	}
	var made int
	if err := db.Pool().QueryRow(t.Context(), `select count(*)::int from api_v1.change_knot where shape <> 'knotted' and hours is not null`).Scan(&made); err != nil || made > 0 {
		t.Errorf("%d pages without a knot have one: %v", made, err)
	}
}
