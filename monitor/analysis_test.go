package monitor_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/monitor/curve"
	"github.com/strandlinehq/strandline/monitor/dice"
	"github.com/strandlinehq/strandline/monitor/terms"
	"github.com/strandlinehq/strandline/store"
)

const analysed = "http://a.test/page"

// history makes the captures of a page that keeps some of its words: hourly
// fetches of which some are lost, several in some hours, some unchanged.
func history(seed uint64, n int) []*store.Capture {
	r := rand.New(rand.NewPCG(seed, 1))
	var out []*store.Capture
	words := make([]string, 60)
	for i := range words {
		words[i] = fmt.Sprint("word", i)
	}
	for i := range n {
		if r.IntN(3) > 0 {
			words[r.IntN(len(words))] = fmt.Sprint("new", r.IntN(500))
		}
		if r.IntN(8) == 0 {
			continue
		}
		markup := "<body><div><p>" + strings.Join(words[:30], " ") + "</p></div><p>" + strings.Join(words[30:], " ") + "</p>"
		if r.IntN(4) == 0 {
			markup += "<p>extra"
		}
		out = append(out, capture(analysed, float64(i)+float64(r.IntN(50)-25)/60, markup))
		if r.IntN(5) == 0 {
			out = append(out, capture(analysed, float64(i)+float64(25+r.IntN(4))/60, markup+"<em>again"))
		}
	}
	return out
}

// stored prints all that is stored of the analyses, but for the time.
func stored(t testing.TB, db *store.DB) []string {
	t.Helper()
	var out []string
	for _, table := range []string{"page_analysis", "page_curve", "page_terms", "page_elements"} {
		rows, err := db.Pool().Query(t.Context(), `select (to_jsonb(x) - 'computed_at' - 'page_id')::text from core.`+table+` x order by 1`)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var s string
			if err := rows.Scan(&s); err != nil {
				t.Fatal(err)
			}
			out = append(out, table+" "+s)
		}
		if rows.Err() != nil {
			t.Fatal(rows.Err())
		}
	}
	return out
}

// TestAnalysisOrders stores the same captures at once, one by one, and in random
// orders with measures in between: the stored analyses are the same bytes.
func TestAnalysisOrders(t *testing.T) {
	t.Parallel()
	whole := open(t)
	write(t, whole, history(7, 90)...)
	drain(t, whole)
	want := stored(t, whole)
	if len(want) != 4 {
		t.Fatalf("%d rows are stored, want one a table", len(want))
	}
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 2))
		caps := history(7, 90)
		if seed > 0 { // seed 0 keeps the order
			for range 6 { // some come late
				i := r.IntN(len(caps) - 1)
				c := caps[i]
				caps = slices.Insert(slices.Delete(caps, i, i+1), i+r.IntN(len(caps)-i), c)
			}
		}
		db := open(t)
		for len(caps) > 0 {
			n := min(1+r.IntN(4), len(caps))
			write(t, db, caps[:n]...)
			caps = caps[n:]
			drain(t, db)
		}
		if diff := cmp.Diff(want, stored(t, db)); diff != "" {
			t.Errorf("seed %d: stored (-at once +in parts):\n%.2000s", seed, diff)
		}
	}
}

// TestAnalysisWide follows a page of so many words that the sets of the curve's
// starts have no room beside the state and are read from the records.
func TestAnalysisWide(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 3))
	words := make([]string, 4000)
	for i := range words {
		words[i] = fmt.Sprint("w", i)
	}
	var markups []string
	for range 12 {
		for range 1500 {
			words[r.IntN(len(words))] = fmt.Sprint("w", r.IntN(100000))
		}
		markups = append(markups, "<p>"+strings.Join(words, " "))
	}
	whole, parts := open(t), open(t)
	for i, m := range markups {
		write(t, whole, capture(analysed, float64(i), m))
		write(t, parts, capture(analysed, float64(i), m))
		drain(t, parts)
	}
	drain(t, whole)
	if diff := cmp.Diff(stored(t, whole), stored(t, parts)); diff != "" {
		t.Errorf("stored (-at once +one by one):\n%.2000s", diff)
	}
	got := query(t, parts, `select format('sets %s, sampled %s, below 64 KiB %s', sets is not null, t.sampled < 1,
		octet_length(curve) + octet_length(a.terms) + octet_length(elements) < 65536)
		from core.page_analysis a join core.page_terms t using (bucket, page_id) where $1 = ''`, "")
	if diff := cmp.Diff([]string{"sets f, sampled t, below 64 KiB t"}, got); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
}

// TestAnalysisRebuild wants the same bytes from a rebuild.
func TestAnalysisRebuild(t *testing.T) {
	t.Parallel()
	db := open(t)
	write(t, db, history(3, 40)...)
	drain(t, db)
	want := stored(t, db)
	if _, err := db.Pool().Exec(t.Context(), `update core.page_analysis set terms = '\x00', version = 3`); err != nil {
		t.Fatal(err)
	}
	_, err := db.Rebuild(t.Context(), store.RebuildOptions{Read: func(o store.Origin, payload []byte) store.Extract {
		return capture(o.URL, 0, "").Extract(payload)
	}})
	if err != nil {
		t.Fatal(err)
	}
	drain(t, db)
	if diff := cmp.Diff(want, stored(t, db)); diff != "" {
		t.Errorf("stored (-before +rebuilt):\n%.2000s", diff)
	}
}

// TestAnalysisSlow holds the views against the measures of the whole history, and
// the last capture of an hour against the others.
func TestAnalysisSlow(t *testing.T) {
	t.Parallel()
	db := open(t)
	caps := history(5, 31)
	write(t, db, caps...)
	drain(t, db)
	versions, err := db.History(t.Context(), pageOf(t, db, analysed))
	if err != nil {
		t.Fatal(err)
	}
	// Slots by their last capture.
	origin := versions[0].FirstSeen
	slot := func(c *store.Capture) int { return int(math.Round(c.StartedAt.Sub(origin).Hours())) }
	var sets []dice.WordSet
	var counts []map[string]int
	for _, c := range caps {
		p, err := extract.DecodeRecord(c.Extract(c.Payload).Record)
		if err != nil {
			t.Fatal(err)
		}
		for len(sets) <= slot(c) {
			sets, counts = append(sets, nil), append(counts, nil)
		}
		count := map[string]int{}
		var b dice.Builder
		for _, w := range p.Words() {
			count[w.Word] = w.Count
			b.Add([]byte(w.Word))
		}
		sets[slot(c)], counts[slot(c)] = b.Set(), count
	}
	var slots []int
	for i := range sets {
		if sets[i] != nil {
			slots = append(slots, i)
		}
	}
	c := curve.Of(sets, curve.Starts(analysed, slots, curve.Options{}))
	var want []string
	for i, n := range c.Support {
		if n > 0 {
			want = append(want, fmt.Sprintf("%d %.4f %d %t", i, c.Value[i], n, i <= c.Full))
		}
	}
	got := query(t, db, `select format('%s %s %s %s', step, to_char(dice::float8, 'FM0.0000'), support, case when fitted then 'true' else 'false' end)
		from api_v1.change_curve where url = $1 order by step`, analysed)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("curve (-slow +stored):\n%s", diff)
	}
	observed := terms.NewBits(len(sets))
	for _, i := range slots {
		observed.Set(i)
	}
	want = nil
	for _, l := range terms.Lifespans(counts) {
		present := terms.NewBits(len(sets))
		for i, m := range counts {
			if m[l.Term] > 0 {
				present.Set(i)
			}
		}
		power, _ := terms.StayingPower(present, observed)
		want = append(want, fmt.Sprintf("%s %.4f %d", l.Term, power, l.Versions))
	}
	slices.Sort(want)
	got = query(t, db, `select format('%s %s %s', term, to_char(staying_power::float8, 'FM0.0000'), versions) from api_v1.term where url = $1
		order by term collate "C"`, analysed)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("terms (-slow +stored):\n%s", diff)
	}
}

// TestAnalysisOdd gives pages that have next to nothing to measure: undefined
// values are null, and nothing fails.
func TestAnalysisOdd(t *testing.T) {
	t.Parallel()
	db := open(t)
	damaged := capture("http://odd.test/damaged", 1, "<p>two")
	damaged.Extract = func([]byte) store.Extract {
		return store.Extract{Record: []byte("no record"), TextHash: [16]byte{1}, Rules: 1}
	}
	write(t, db,
		capture("http://odd.test/one", 0, "<p>one version only"),
		capture("http://odd.test/empty", 0, ""), capture("http://odd.test/empty", 1, "<p></p>"), capture("http://odd.test/empty", 5, "<i></i>"),
		capture("http://odd.test/same", 0, "<p>same"), capture("http://odd.test/same", 1, "<p>same"), capture("http://odd.test/same", 2, "<p>same"),
		capture("http://odd.test/damaged", 0, "<p>one"), damaged, capture("http://odd.test/damaged", 2, "<p>three"),
		capture("http://odd.test/damaged", 3, "<p>four"),
		capture("http://odd.test/old", -24*365*20, "<p>very old"), capture("http://odd.test/old", 0, "<p>new"), capture("http://odd.test/old", 1, "<p>newer"),
	)
	drain(t, db)
	want := []string{
		"damaged knotted left out 1 0", "empty flat left out 0 0", "old unknown left out 0 1", "one unknown left out 0 0", "same unknown left out 0 0",
	}
	got := query(t, db, `select format('%s %s left out %s %s', split_part(p.url, '/', 4), c.shape, a.damaged, a.beyond)
		from core.page_analysis a join core.page p using (bucket, page_id) left join core.page_curve c using (bucket, page_id)
		where $1 = '' order by 1`, "")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("analyses (-want +got):\n%s", diff)
	}
	for _, view := range []string{"change_curve", "change_knot", "term", "element_life", "change_by_class", "element_survival"} {
		if got := query(t, db, `select x::text from api_v1.`+view+` x where x::text ~ 'NaN|Infinity' and $1 = ''`, ""); len(got) > 0 {
			t.Errorf("%s has %v", view, got)
		}
	}
	// "same" is the only page that was seen again and did not change; "one" and the
	// others with a single sighting are not counted.
	got = query(t, db, `select format('%s %s %s', class, pages, unchanged) from api_v1.change_by_class where class_kind = $1`, "tld")
	if len(got) != 1 || !strings.HasPrefix(got[0], "test ") {
		t.Errorf("classes %q", got)
	}
}

func query(t testing.TB, db *store.DB, sql, arg string) []string {
	t.Helper()
	rows, err := db.Pool().Query(t.Context(), sql, arg)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	if rows.Err() != nil {
		t.Fatal(rows.Err())
	}
	return out
}

func pageOf(t testing.TB, db *store.DB, url string) store.PageID {
	t.Helper()
	p, err := db.PageByURL(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	return p.ID
}

// BenchmarkAnalysis measures what a version costs in all, with a page of 48 KB at
// a history of some hundred versions: the change, the states, and the measures
// for the views; the database's own time is not in the allocations.
func BenchmarkAnalysis(b *testing.B) {
	db := open(b)
	r := rand.New(rand.NewPCG(1, 1))
	words := make([]string, 4500)
	for i := range words {
		words[i] = fmt.Sprint("w", r.IntN(1500))
	}
	at := 0.
	next := func(n int) []*store.Capture {
		caps := make([]*store.Capture, n)
		for i := range caps {
			for range 30 {
				words[r.IntN(len(words))] = fmt.Sprint("w", r.IntN(4000))
			}
			var m strings.Builder
			for i := 0; i < len(words); i += 15 {
				fmt.Fprintf(&m, "<div class=c><p>%s</p><a href=/x>more</a></div>\n", strings.Join(words[i:i+15], " "))
			}
			caps[i] = capture(analysed, at, m.String())
			at++
		}
		return caps
	}
	for range 10 {
		write(b, db, next(80)...)
	}
	drain(b, db)
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		b.StopTimer()
		write(b, db, next(1)...)
		b.StartTimer()
		drain(b, db)
	}
}
