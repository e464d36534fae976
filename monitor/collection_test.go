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
	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/monitor/terms"
	"github.com/strandlinehq/strandline/store"
)

// collected makes the captures of some pages on two hosts over several days, which
// begin at different times of their hours.
func collected(seed uint64) []*store.Capture {
	r := rand.New(rand.NewPCG(seed, 9))
	var out []*store.Capture
	for page := range 4 {
		words := []string{"the", "the", "of", fmt.Sprint("page", page)}
		for i := range 60 {
			if i > 0 && r.IntN(3) == 0 {
				continue // missed
			}
			if r.IntN(2) == 0 {
				words = append(words[:4:4], fmt.Sprint("new", r.IntN(40)), "of")
			}
			at := float64(i) + float64(r.IntN(40)-20)/60 + float64(page)*.3 + float64(page)*7
			out = append(out, capture(fmt.Sprintf("http://h%d.test/p%d", page%2, page), at, "<p>"+strings.Join(words, " ")))
		}
	}
	out = append(out, capture("http://h0.test/old", -24*365*15, "<p>once upon a time the"), capture("http://h0.test/empty", 3, ""))
	return out
}

// model prints the language model.
func model(t testing.TB, db *store.DB) []string {
	t.Helper()
	out := query(t, db, `select (to_jsonb(p) - 'computed_at')::text from core.collection_period p where $1 = '' order by period_start`, "")
	return append(out, query(t, db, `select format('%s %s', term, sum) from core.collection_term where $1 = '' order by term`, "")...)
}

// TestCollectionOrders stores the same captures at once and in random orders: the
// language model is the same bytes, and so it is after a rebuild.
func TestCollectionOrders(t *testing.T) {
	t.Parallel()
	whole := open(t)
	write(t, whole, collected(1)...)
	drain(t, whole)
	want := model(t, whole)
	if len(want) < 20 {
		t.Fatalf("model %q", want)
	}
	if _, err := whole.Pool().Exec(t.Context(), `update core.collection_term set sum = sum + 5`); err != nil {
		t.Fatal(err)
	}
	_, err := whole.Rebuild(t.Context(), store.RebuildOptions{Read: func(o store.Origin, payload []byte) store.Extract {
		return capture(o.URL, 0, "").Extract(payload)
	}})
	if err != nil {
		t.Fatal(err)
	}
	drain(t, whole)
	if diff := cmp.Diff(want, model(t, whole)); diff != "" {
		t.Errorf("model (-before +rebuilt):\n%.2000s", diff)
	}
	for seed := range uint64(2) {
		r := rand.New(rand.NewPCG(seed, 2))
		caps := collected(1)
		r.Shuffle(len(caps), func(i, j int) { caps[i], caps[j] = caps[j], caps[i] })
		db := open(t)
		m := monitor.New(db, monitor.Options{}) // one, which remembers contents
		for len(caps) > 0 {
			n := min(10+r.IntN(40), len(caps))
			write(t, db, caps[:n]...)
			caps = caps[n:]
			if _, err := m.Drain(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(want, model(t, db)); diff != "" {
			t.Errorf("seed %d: model (-at once +in parts):\n%.2000s", seed, diff)
		}
	}
}

// TestDivergencesSlow holds the divergences of pages, in the view and over the
// first hour, against the plain functions on whole histories.
func TestDivergencesSlow(t *testing.T) {
	t.Parallel()
	db := open(t)
	caps := slices.DeleteFunc(collected(2), func(c *store.Capture) bool { return strings.HasSuffix(c.URL, "old") })
	slices.SortStableFunc(caps, func(a, b *store.Capture) int { return a.StartedAt.Compare(b.StartedAt) })
	write(t, db, caps...)
	drain(t, db)
	docs := map[string][]map[string]int{}
	first := map[string]*store.Capture{}
	base := (caps[0].StartedAt.Unix() + 1800) / 3600
	slotOf := func(c *store.Capture) int {
		o := first[c.URL].StartedAt
		return int((o.Unix()+1800)/3600-base) + int(math.Floor(c.StartedAt.Sub(o).Hours()+.5))
	}
	for _, c := range caps {
		if first[c.URL] == nil {
			first[c.URL] = c
		}
		p, err := extract.DecodeRecord(c.Extract(c.Payload).Record)
		if err != nil {
			t.Fatal(err)
		}
		count := map[string]int{}
		for _, w := range p.Words() {
			count[w.Word] = w.Count
		}
		at := slotOf(c)
		for len(docs[c.URL]) <= at {
			docs[c.URL] = append(docs[c.URL], nil)
		}
		docs[c.URL][at] = count
	}
	for url, c := range first {
		page, err := db.PageByURL(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		a, err := monitor.ReadAnalysis(t.Context(), db, page)
		if err != nil {
			t.Fatal(err)
		}
		got, err := a.Divergences(t.Context(), db)
		if err != nil {
			t.Fatal(err)
		}
		all, at := terms.Divergences(docs, url), terms.DivergencesAt(docs, url, slotOf(c))
		if len(got) != len(all) {
			t.Errorf("%s: %d terms, want %d", url, len(got), len(all))
		}
		for _, g := range got {
			if w := all[g.Term]; !g.HasDiv || math.Abs(g.Div-w.Div) > 1e-9 || math.Abs(g.PCol-w.PCol) > 1e-9 {
				t.Errorf("%s: %s has %v of %v in all, want %+v", url, g.Term, g.Div, g.PCol, w)
			}
			if w, ok := at[g.Term]; ok != g.HasAt || math.Abs(g.At-w.Div) > 1e-9 {
				t.Errorf("%s: %s has %v (%t) in the first hour, want %+v", url, g.Term, g.At, g.HasAt, w)
			}
		}
	}
	// The view divides real numbers of half the precision.
	for _, line := range query(t, db, `select format('%s %s %s %s', term, divergence, share, (select share from api_v1.collection_term c where c.term = t.term))
		from api_v1.term t where url = $1`, "http://h1.test/p1") {
		var term string
		var div, doc, col float64
		if _, err := fmt.Sscan(line, &term, &div, &doc, &col); err != nil {
			t.Errorf("%q: %v", line, err)
		} else if want := doc * math.Log(doc/col); math.Abs(div-want) > 1e-6 {
			t.Errorf("view: %s diverges by %v, want %v", term, div, want)
		}
	}
}
