package series_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/crawler/simweb"
	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/monitor/series"
	"github.com/strandlinehq/strandline/store"
)

// label is what a page is held to be.
type label struct {
	Kind   store.CopyKind
	Source string
}

// labels are the copies that were found, by URL.
func labels(t testing.TB, db *store.DB) map[string]label {
	t.Helper()
	rows, err := db.Pool().Query(t.Context(), `select url, kind, source_url from api_v1.page_copy`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	out := map[string]label{}
	for rows.Next() {
		var url string
		var l label
		if err := rows.Scan(&url, &l.Kind, &l.Source); err != nil {
			t.Fatal(err)
		}
		out[url] = l
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

var mainPart = regexp.MustCompile(`(?s)<main>.*</main>`)

// planting is a simulated web before and after copies were put into it.
type planting struct {
	before, after []sight
	planted       map[string]label
	fresh         int // pages of the web that were born in between
}

// plant takes a simulated web at two times and adds copies of every kind, spread over
// its articles and documents.
func plant(t testing.TB, start, later time.Time) planting {
	t.Helper()
	now := start
	world, err := simweb.New(func() time.Time { return now }, simweb.Options{Seed: 5, Hosts: 12, PagesPerHost: 100, Size: 4 << 10, EnglishOnly: true, Births: .3})
	if err != nil {
		t.Fatal(err)
	}
	out := planting{planted: map[string]label{}}
	see := func(at time.Time, kinds ...simweb.Kind) (all []sight) {
		for p := range world.Pages(at, at) {
			if r := world.Body(p.URL, at, 0); r.Status == 200 && (kinds == nil || slices.Contains(kinds, p.Kind)) {
				all = append(all, sight{url: p.URL, at: at.Add(time.Minute), markup: string(r.Body)})
			}
		}
		return all
	}
	out.before, out.after = see(start), see(later)
	known := map[string]bool{}
	for _, s := range out.before {
		known[s.url] = true
	}
	var frames []string // pages of other hosts, for their templates
	for i, s := range out.after {
		if !known[s.url] {
			out.fresh++
		}
		if i%7 == 0 && mainPart.MatchString(s.markup) {
			frames = append(frames, s.markup)
		}
	}
	add := func(url, markup string, l label) {
		out.planted[url] = l
		out.after = append(out.after, sight{url: url, at: later.Add(2 * time.Minute), markup: markup})
	}
	vanish := map[string]bool{}
	articles := see(start, simweb.Article, simweb.Document)
	for i, s := range articles {
		host := strings.Split(s.url, "/")[2]
		switch i % 5 {
		case 0: // on another site as it was
			add(fmt.Sprintf("http://copy-%d.example/page/%d", i%3, i), s.markup, label{store.Copy, s.url})
		case 1: // on another site within its frame
			frame := frames[i%len(frames)]
			if strings.Contains(s.markup, "<main>") {
				add(fmt.Sprintf("http://other-%d.example/text/%d", i%3, i), strings.Replace(frame, mainPart.FindString(frame), mainPart.FindString(s.markup), 1), label{store.Copy, s.url})
			}
		case 2: // moved within the site
			vanish[s.url] = true
			add(fmt.Sprintf("http://%s/moved/%d", host, i), s.markup, label{store.Moved, s.url})
		case 3: // a second address
			add(fmt.Sprintf("http://%s/print?id=%d", host, i), s.markup, label{store.Copy, s.url})
		}
	}
	for _, s := range out.before { // a mirror of a whole host
		if strings.Split(s.url, "/")[2] == strings.Split(out.before[0].url, "/")[2] {
			add(strings.Replace(s.url, strings.Split(s.url, "/")[2], "mirror.example", 1), s.markup, label{store.Copy, s.url})
		}
	}
	out.after = slices.DeleteFunc(out.after, func(s sight) bool { return vanish[s.url] })
	for url := range out.planted { // a copy of what moved is told from the old address
		if l := out.planted[url]; vanish[l.Source] {
			out.planted[url] = label{store.Moved, l.Source}
		}
	}
	return out
}

// TestPlantedCopies plants copies into a simulated web and wants those found, with
// their sources, and nothing else (SCIENCE T15: precision and recall of .95).
func TestPlantedCopies(t *testing.T) {
	t.Parallel()
	db := open(t)
	id := newSeries(t, db, "web")
	later := epoch.AddDate(0, 3, 0)
	web := plant(t, epoch, later)
	load(t, db, id, web.before, 64)
	load(t, db, id, web.after, 64)
	got := update(t, db, id, series.Defaults())
	found := labels(t, db)
	var hits, sources, wrong, missed int
	for _, url := range slices.Sorted(maps.Keys(found)) {
		l := found[url]
		if l.Kind == store.Near || l.Kind == store.Twin {
			continue
		}
		switch want, planted := web.planted[url]; {
		case !planted:
			wrong++
			t.Logf("no copy: %s of %s", url, l.Source)
		case want.Kind != l.Kind:
			wrong++
			t.Logf("%s is %v, want %v", url, l, want)
		default:
			hits++
			if want.Source == l.Source {
				sources++
			}
		}
	}
	for _, url := range slices.Sorted(maps.Keys(web.planted)) {
		if l, ok := found[url]; !ok || l.Kind != web.planted[url].Kind {
			missed++
			t.Logf("missed: %s is %v, want %v", url, l, web.planted[url])
		}
	}
	precision, recall := float64(hits)/float64(hits+wrong), float64(hits)/float64(len(web.planted))
	t.Logf("%d planted, %d new pages beside them: %d found with the right kind, %d with the very source, %d wrong, %d missed; precision %.3f, recall %.3f",
		len(web.planted), web.fresh, hits, sources, wrong, missed, precision, recall)
	if len(web.planted) < 100 || web.fresh < 20 || precision < .95 || recall < .95 || float64(sources) < .9*float64(hits) {
		t.Error("precision and recall have to be .95, and nine of ten sources the very page")
	}
	counts, err := db.CopyCounts(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	c := counts[2]
	if c.Copies+c.Moved < int64(hits) || got[1].Unidentified-c.Copies-c.Moved-c.Twins < int64(web.fresh)/2 {
		t.Errorf("%d pages of U, counts %+v", got[1].Unidentified, c)
	}
	var mirrors []string
	rows, err := db.Pool().Query(t.Context(), `select host || ' of ' || source_host from api_v1.host_mirror order by 1`)
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		mirrors = append(mirrors, s)
	}
	if diff := cmp.Diff([]string{"mirror.example of " + strings.Split(web.before[0].url, "/")[2]}, mirrors); diff != "" {
		t.Errorf("mirrors (-want +got):\n%s", diff)
	}
}

// prose is a text of its own for each number.
func prose(n int) string {
	var b strings.Builder
	b.WriteString(`<html lang="en"><body><main>`)
	for i := range 12 {
		fmt.Fprintf(&b, "<p>Line %d of text %d tells that %d boats came to the harbour of town %d and %d left it again.</p>", i, n, n*31+i*7, n*17+i, n+i*i)
	}
	return b.String()
}

// TestCopyKinds holds each kind: what comes first is no copy, what lies on a snapshot
// together is a twin by its address, a source that goes later makes a copy a moved
// page, and a short page is nothing.
func TestCopyKinds(t *testing.T) {
	t.Parallel()
	db := open(t)
	id := newSeries(t, db, "web")
	month := func(k int) time.Time { return epoch.AddDate(0, k, 0) }
	p := func(url string, k int, markup string) sight {
		return sight{url: url, at: month(k).Add(time.Minute), markup: markup}
	}
	first := prose(1)
	sights := []sight{
		p("http://a.test/one", 0, first), p("http://a.test/other", 0, prose(2)), p("http://a.test/short", 0, "<p>Coming soon"),
		p("http://bb.test/twin", 0, first), p("http://empty.test/", 0, ""),
		p("http://a.test/one", 1, first), p("http://a.test/other", 1, prose(2)), p("http://c.test/copy", 1, first), p("http://c.test/short", 1, "<p>Coming soon"),
		p("http://c.test/new", 1, prose(3)), p("http://c.test/near", 1, strings.NewReplacer("Line 5", "Row five, as was", "Line 7", "Row seven, as it was", "Line 9", "Row nine, as it was").Replace(first)), p("http://empty2.test/", 1, ""),
		p("http://a.test/other", 2, prose(2)), p("http://c.test/copy", 2, first), p("http://d.test/late", 2, prose(3)),
	}
	load(t, db, id, sights, 5)
	update(t, db, id, series.Defaults())
	want := map[string]label{
		"http://bb.test/twin": {store.Twin, "http://a.test/one"}, "http://c.test/copy": {store.Moved, "http://a.test/one"},
		"http://c.test/near": {store.Near, "http://a.test/one"}, "http://d.test/late": {store.Moved, "http://c.test/new"},
	}
	if diff := cmp.Diff(want, labels(t, db)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// Again is the same: nothing that came later has become a source. Nor does the
	// monitor say otherwise, or the order in which captures came.
	if _, err := series.Recompute(t.Context(), db, id, series.All, series.Defaults()); err != nil {
		t.Fatal(err)
	}
	if _, err := monitor.New(db, monitor.Options{}).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, labels(t, db)); diff != "" {
		t.Errorf("computed again (-want +got):\n%s", diff)
	}
	back := open(t)
	slices.Reverse(sights)
	id = newSeries(t, back, "web")
	for part := range slices.Chunk(sights, 4) {
		load(t, back, id, part, 4)
		update(t, back, id, series.Defaults())
	}
	if diff := cmp.Diff(want, labels(t, back)); diff != "" {
		t.Errorf("imported backwards (-want +got):\n%s", diff)
	}
	// A source that is found again was not left.
	load(t, back, id, []sight{p("http://a.test/one", 3, first), p("http://a.test/other", 3, prose(2)), p("http://c.test/copy", 3, first), p("http://d.test/late", 3, prose(3))}, 5)
	update(t, back, id, series.Defaults())
	want["http://c.test/copy"] = label{store.Copy, "http://a.test/one"}
	if diff := cmp.Diff(want, labels(t, back)); diff != "" {
		t.Errorf("with the source back (-want +got):\n%s", diff)
	}
	if _, err := series.Recompute(t.Context(), back, id, series.All, series.Defaults()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, labels(t, back)); diff != "" {
		t.Errorf("with the source back, computed again (-want +got):\n%s", diff)
	}
}

// TestCopiesOfRecrawledPages: pages outside of series are looked at by the monitor, also
// as copies of what a page said when it said something else.
func TestCopiesOfRecrawledPages(t *testing.T) {
	t.Parallel()
	db := open(t)
	for _, s := range []sight{
		{url: "http://a.test/one", at: epoch, markup: prose(1)},
		{url: "http://b.test/copy", at: epoch.Add(time.Hour), markup: prose(1)},
		{url: "http://b.test/new", at: epoch.Add(2 * time.Hour), markup: prose(2)},
		{url: "http://a.test/one", at: epoch.Add(3 * time.Hour), markup: "<p>Nothing of what was here is here any more; look elsewhere.", links: []string{"http://a.test/2"}},
		{url: "http://a.test/one", at: epoch.Add(4 * time.Hour), markup: "<main>" + prose(7), links: []string{"http://a.test/3"}},
		{url: "http://c.test/seven", at: epoch.Add(5 * time.Hour), markup: prose(7)},
	} {
		if _, err := db.Write(t.Context(), []*store.Capture{s.capture()}); err != nil {
			t.Fatal(err)
		}
		if _, err := monitor.New(db, monitor.Options{}).Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]label{"http://b.test/copy": {store.Copy, "http://a.test/one"}, "http://c.test/seven": {store.Copy, "http://a.test/one"}}
	if diff := cmp.Diff(want, labels(t, db)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
