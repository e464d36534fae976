package monitor_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	search "github.com/strandlinehq/strandline/monitor/query"
	"github.com/strandlinehq/strandline/store"
)

// said is what a page said from a time on.
type said struct {
	hour  float64
	lines []string
}

// randomPage is a page whose lines come, go and return.
func randomPage(r *rand.Rand, versions int) []said {
	words := []string{"quay", "water", "rose", "boat", "storm", "東京", "press"}
	sentence := func() string {
		var w []string
		for range 1 + r.IntN(3) {
			w = append(w, words[r.IntN(len(words))])
		}
		return strings.Join(w, " ")
	}
	lines := []string{sentence(), sentence(), sentence()}
	var out []said
	for k := range versions {
		lines = slices.Clone(lines)
		switch i := r.IntN(len(lines) + 1); {
		case i == len(lines) || len(lines) < 2:
			lines = append(lines, sentence())
		case r.IntN(2) == 0:
			lines[i] = sentence()
		default:
			lines = slices.Delete(lines, i, i+1)
		}
		out = append(out, said{float64(k), append(slices.Clone(lines), fmt.Sprintf("counter %d", k))})
	}
	return out
}

// fits is the slow way to tell whether lines fit a search.
func fits(q search.Query, lines []string) bool {
	var mask int64
	for i, term := range q.Terms {
		for _, l := range lines {
			if strings.Contains(" "+strings.Join(search.Words(l), " ")+" ", " "+strings.Join(term, " ")+" ") {
				mask |= 1 << i
			}
		}
	}
	return q.Fits(mask)
}

// TestSearch holds searches against reading all versions, whatever the order in which
// they came.
func TestSearch(t *testing.T) {
	t.Parallel()
	db := open(t)
	r := rand.New(rand.NewPCG(5, 8))
	pages := map[string][]said{}
	for i := range 12 {
		url := fmt.Sprintf("http://h%d.test/%d", i%3, i)
		pages[url] = randomPage(r, 2+r.IntN(30))
		order := r.Perm(len(pages[url]))
		if i%2 == 0 {
			slices.Sort(order)
		}
		for n, k := range order {
			s := pages[url][k]
			write(t, db, capture(url, s.hour, "<p>"+strings.Join(s.lines, "</p><p>")+"</p>"))
			if n == len(order)/2 {
				drain(t, db)
			}
		}
	}
	drain(t, db)
	for _, text := range []string{"storm", "water boat", `"water rose"`, "rose -quay", `storm -"boat water" OR press rose`, "東京", "東京 press", "absent", "counter -storm -boat"} {
		q, err := search.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for url, versions := range pages {
			last, times := -1, 0
			for k, s := range versions {
				if fits(q, s.lines) && (k == 0 || !fits(q, versions[k-1].lines)) {
					last = k
					times++
				}
			}
			if last < 0 {
				continue
			}
			gone := 0
			for k := last; k < len(versions); k++ {
				if !fits(q, versions[k].lines) {
					gone = k + 1
					break
				}
			}
			want = append(want, fmt.Sprintf("%s from %d to %d, %d times", url, last+1, gone, times))
		}
		// Read in small pieces, as the pages do.
		slices.Sort(want)
		for _, opt := range []store.SearchOptions{{Limit: 3}, {Limit: 3, Seldom: 12}, {Limit: 3, Seldom: 1, Look: 1 << 20}, {Limit: 3, Seldom: 1, Look: 1 << 20, ByRank: true}, {Limit: 3, ByRank: true}} {
			if opt.Seldom == 1 && !opt.ByRank && strings.Contains(text, "-") {
				continue // frequent words and others that must not be there: some may be missing, and Found says so
			}
			got := leafed(t, db, q, opt)
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s with %+v (-want +got):\n%s", text, opt, diff)
			}
		}
		// A search that may look at little tells nothing wrong.
		found, err := db.Search(t.Context(), q, store.SearchOptions{Limit: 100, Seldom: 1, Look: 20})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range found.Hits {
			if s := fmt.Sprintf("%s from %d to %d, %d times", h.URL, h.Version, h.Gone, h.Times); !slices.Contains(want, s) {
				t.Errorf("%s: looking at little it tells %s", text, s)
			}
		}
	}
}

// leafed reads what a search finds in small pieces, as the pages do.
func leafed(t *testing.T, db *store.DB, q search.Query, opt store.SearchOptions) (got []string) {
	t.Helper()
	var before time.Time
	for {
		found, err := db.Search(t.Context(), q, opt)
		if err != nil || found.Partial || len(found.Hits) > opt.Limit {
			t.Fatalf("%+v: %d hits, partial %t, error %v", opt, len(found.Hits), found.Partial, err)
		}
		for _, h := range found.Hits {
			got = append(got, fmt.Sprintf("%s from %d to %d, %d times", h.URL, h.Version, h.Gone, h.Times))
			if !opt.ByRank && !before.IsZero() && h.At.After(before) {
				t.Errorf("%+v: %s after %s", opt, h.At, before)
			}
			before = h.At
		}
		if found.Next == nil {
			return got
		}
		opt.After = found.Next
	}
}

// TestTextsAreSmall wants a page of many lines of which one changes all the time to
// cost little more than its changes.
func TestTextsAreSmall(t *testing.T) {
	t.Parallel()
	db := open(t)
	var page strings.Builder
	for i := range 200 {
		fmt.Fprintf(&page, "<p>line %d of the long page</p>", i)
	}
	for k := range 20 {
		write(t, db, capture("http://a.test/", float64(k), page.String()+fmt.Sprintf("<p>visitor %d</p>", k)))
	}
	drain(t, db)
	var lines, rows int
	if err := db.Pool().QueryRow(t.Context(), `select sum(length(lines))/8, count(*) from core.passage`).Scan(&lines, &rows); err != nil {
		t.Fatal(err)
	}
	// The whole page, the rest of the passage with the counter when that first moves, of at
	// most 250 words of 6 and the gap behind a line, and the counters.
	if lines <= 201+19 || lines > 201+250/16+19 {
		t.Errorf("%d lines in %d passages, want 221 to 235", lines, rows)
	}
}

// TestChangesOfLongTextsAreSmall edits two lines of a page of 3,000 words in each version,
// and wants it to cost the passages around them and not the page.
func TestChangesOfLongTextsAreSmall(t *testing.T) {
	t.Parallel()
	db := open(t)
	r := rand.New(rand.NewPCG(3, 7))
	lines := make([]string, 300)
	edit := func(i, k int) {
		lines[i] = fmt.Sprintf("line %d of the page as it stood in version %d", i, k)
	}
	for i := range lines {
		edit(i, 0)
	}
	const versions = 12
	for k := range versions {
		edit(r.IntN(len(lines)), k)
		edit(r.IntN(len(lines)), k)
		write(t, db, capture("http://h.test/", float64(k), "<p>"+strings.Join(lines, "</p><p>")+"</p>"))
	}
	drain(t, db)
	var stored, open int
	err := db.Pool().QueryRow(t.Context(), `select sum(length(lines) / 8), coalesce(sum(length(lines) / 8) filter (where to_version is null), 0) from core.passage`).Scan(&stored, &open)
	if err != nil {
		t.Fatal(err)
	}
	if open < 299 || open > 301 { // the title has no words
		t.Errorf("the last version has %d lines in passages, want 300", open)
	}
	// Two passages of 250 words, of 12 and the gap behind a line, a version.
	if most := len(lines) + versions*2*(250/20+1); stored > most {
		t.Errorf("%d lines are stored, want at most %d", stored, most)
	}
}
