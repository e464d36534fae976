package archive_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/crawler/archive"
	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/store"
)

// threeFiles tell one history in three files that lean on each other: revisits of
// payloads in another file, of other pages and hosts in a chain, by both hashes,
// answers without content, and captures of one moment.
func threeFiles() [3][]string {
	one, two, three := text("one word here"), text("two words here"), text("three words are here")
	notModified := func(url, at string) string {
		return record(answer("", "HTTP/1.1 304 Not Modified"),
			captured("revisit", url, at, "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified")...)
	}
	return [3][]string{
		{
			page(a, "10", one), revisit(a, "20", sha1Of(two)), page(a, "40", three), notModified(a, "45"),
			revisit(b, "30", sha1Of(two), "WARC-Refers-To-Target-URI: "+a2), record(answer("no", "HTTP/1.1 404 Not Found"), captured("response", a, "50")...),
		},
		{
			revisit(a, "05", sha256Of(three)), page(a, "15", two), revisit(a2, "12", sha256Of(two), "WARC-Refers-To-Target-URI: "+a),
			notModified(a2, "13"), page(b, "10", three), page(b, "10", one),
		},
		{
			page(a, "12", one), page(a, "42", two), notModified(a, "22"), page(a2, "11", three), notModified(a2, "01"),
			revisit("http://c.test/", "55", sha256Of(two), "WARC-Refers-To-Target-URI: "+b), page(b, "31", one), revisit(b, "33", sha1Of(two)),
		},
	}
}

// views dumps what an analyst sees, without the ids, which depend on the order.
func views(t testing.TB, db *store.DB) map[string][]string {
	t.Helper()
	if _, err := monitor.New(db, monitor.Options{Workers: 1}).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for view, columns := range map[string]string{
		"version":   "url, version, first_seen, last_seen, fetches, status, bytes, words, sentences, title, language, sha256, charset, flags",
		"change":    "url, version, changed_at, hours, dice, words_added, words_removed, sentences_added, sentences_removed, text_changed, words_changed, significance",
		"fetch_log": "url, started_at, finished_at, outcome, status, error, bytes, version, kind",
	} {
		out[view] = rows(t, db, `select `+columns+` from api_v1.`+view+` order by url, 2, 3, 4, 5`)
	}
	return out
}

func TestOrderOfFilesHasNoSay(t *testing.T) {
	t.Parallel()
	files := threeFiles()
	var merged []string
	for _, f := range files {
		merged = append(merged, f...)
	}
	ways := map[string][][]string{"merged": {merged}, "merged backwards": {slices.Concat(files[2], files[1], files[0])}}
	for i := range 3 {
		for j := range 3 {
			if k := 3 - i - j; i != j {
				ways[fmt.Sprint("files ", i, j, k)] = [][]string{files[i], files[j], files[k]}
			}
		}
	}
	ways["split"], ways["split backwards"] = nil, nil
	for _, r := range merged {
		ways["split"] = append(ways["split"], []string{r})
		ways["split backwards"] = append([][]string{{r}}, ways["split backwards"]...)
	}
	load := func(t *testing.T, way [][]string) map[string][]string {
		db := open(t)
		for _, records := range way {
			load(t, db, archive.ImportOptions{}, keep(t, "x.warc.gz", members(records...)))
		}
		return views(t, db)
	}
	want := load(t, ways["merged"])
	if len(want["version"]) != 13 || len(want["fetch_log"]) != len(merged) {
		t.Fatalf("the history has %d versions and %d fetches:\n%s", len(want["version"]), len(want["fetch_log"]), want)
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(want, load(t, way)); diff != "" {
				t.Errorf("against the merged file (-merged +this):\n%s", diff)
			}
		})
	}
}
