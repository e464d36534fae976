package series_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/monitor/query"
	"github.com/strandlinehq/strandline/monitor/series"
	"github.com/strandlinehq/strandline/store"
)

// TestKeywordNovelty holds the counts of SCIENCE T11 against a plain reading of it on
// the views.
func TestKeywordNovelty(t *testing.T) {
	t.Parallel()
	db := open(t)
	r := rand.New(rand.NewPCG(4, 2))
	id := newSeries(t, db, "web")
	var all []sight
	words := []string{"prius", "toyota", "hybrid", "engine"}
	for _, sights := range web(r, 6, 40) {
		for _, s := range sights {
			var said []string
			for range r.IntN(4) {
				said = append(said, words[r.IntN(len(words))])
			}
			s.markup = "<p>" + strings.Join(said, "</p><p>") + "</p>"
			all = append(all, s)
		}
	}
	texts := map[string]string{}
	for i, s := range all {
		texts[fmt.Sprint(s.url, s.at.Unix())] = s.markup
		all[i].links = slices.Concat(s.links, []string{"http://mark.test/" + strings.NewReplacer("<p>", "", "</p>", "-").Replace(s.markup)}) // payloads differ as texts do
	}
	load(t, db, id, all, 16)
	have := update(t, db, id, series.Defaults())
	if _, err := monitor.New(db, monitor.Options{}).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, asked := range []string{"prius", "prius toyota", "prius -toyota", "hybrid OR engine -prius", "absent"} {
		q, err := query.Parse(asked)
		if err != nil {
			t.Fatal(err)
		}
		fits := func(markup string) bool {
			var mask int64
			for i, term := range q.Terms {
				if strings.Contains(markup, term[0]) {
					mask |= 1 << i
				}
			}
			return q.Fits(mask)
		}
		var want []store.KeywordSnapshot
		last := map[string]bool{}
		for _, s := range have {
			k := store.KeywordSnapshot{ID: s.ID, Snapshot: s.Number, At: s.StartedAt, Status: s.Status, Known: true, Capture: s.Pages, Delta: s.Delta}
			for _, v := range scores(t, db, s.Number) {
				now := fits(texts[fmt.Sprint(v.url, v.at)])
				before, crawled := last[v.url]
				last[v.url] = now
				switch {
				case !now:
				case v.class == "U" && v.novelty >= .1:
					k.Novel++
				case v.class == "U":
					k.Uncertain++
				case v.class != "" && crawled && !before:
					k.NewWord++
				}
			}
			want = append(want, k)
		}
		got, pages, err := db.KeywordNovelty(t.Context(), id, q, store.KeywordOptions{Threshold: .1, Order: "novelty", Rows: 1000})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", asked, diff)
		}
		// What frequent words take finds the same as what seldom ones take.
		var plain, differ int
		if err := db.Pool().QueryRow(t.Context(), `
			with q as (select * from core.search_query($2)),
			     plain as (select p.snapshot_id, p.bucket, p.page_id, p.crawled_at, p.class, p.novelty, p.kind
			               from q, core.keyword_pages($1, q.terms, q.needed, q.barred, .1) p where p.kind in ('new word', 'novel', 'uncertain')),
			     fast as (select f.* from q, core.keyword_frequent($1, q.terms, q.needed, q.barred, .1) f)
			select (select count(*) from plain),
			       (select count(*) from ((select * from plain except all select * from fast) union all (select * from fast except all select * from plain)) d)`,
			id, asked).Scan(&plain, &differ); err != nil {
			t.Fatal(err)
		}
		if differ != 0 || plain != len(pages) {
			t.Errorf("%s: %d pages, of frequent words %d differ; %d are listed", asked, plain, differ, len(pages))
		}
		for i, p := range pages {
			if i > 0 && p.Novelty > pages[i-1].Novelty {
				t.Errorf("%s: novelty %v after %v", asked, p.Novelty, pages[i-1].Novelty)
			}
			k := &want[p.Snapshot-1]
			switch p.Kind {
			case store.KindNewWord:
				k.NewWord--
			case store.KindNovel:
				k.Novel--
			case store.KindUncertain:
				k.Uncertain--
			}
		}
		for _, k := range want {
			if k.NewWord != 0 || k.Novel != 0 || k.Uncertain != 0 {
				t.Errorf("%s, snapshot %d: pages and counts differ by %+v", asked, k.Snapshot, k)
			}
		}
	}
	// One with a text that waits for the index is a gap, later versions are not its business.
	gapsOf := func() (gaps []int) {
		t.Helper()
		rows, err := db.Pool().Query(t.Context(), `select snapshot from api_v1.keyword_novelty('web', 'prius') where captured is null order by snapshot`)
		if err != nil {
			t.Fatal(err)
		}
		if gaps, err = pgx.CollectRows(rows, pgx.RowTo[int]); err != nil {
			t.Fatal(err)
		}
		return gaps
	}
	if _, err := db.Pool().Exec(t.Context(), `
		insert into core.monitor_todo
		select v.page_id, v.bucket, v.version, 'search', now() from core.version v
		join core.snapshot_page s using (bucket, page_id) where s.snapshot_id = $1 and v.first_seen = s.crawled_at limit 1`, have[len(have)-1].ID); err != nil {
		t.Fatal(err)
	}
	counts, _, err := db.KeywordNovelty(t.Context(), id, parsed(t, "prius"), store.KeywordOptions{Rows: 1})
	if err != nil {
		t.Fatal(err)
	}
	if gaps := gapsOf(); !slices.Equal(gaps, []int{len(have)}) || counts[len(have)-1].Known || !counts[0].Known {
		t.Errorf("gaps %v, want the last of %d snapshots alone", gaps, len(have))
	}
	if _, err := monitor.New(db, monitor.Options{}).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if gaps := gapsOf(); len(gaps) != 0 {
		t.Errorf("gaps %v when all is indexed", gaps)
	}
	// A snapshot that failed is a gap.
	if _, err := db.Pool().Exec(t.Context(), `update core.snapshot set status = 'failed', computed_at = null where snapshot_id = $1`, have[2].ID); err != nil {
		t.Fatal(err)
	}
	var gaps, zeros int
	if err := db.Pool().QueryRow(t.Context(), `select count(*) filter (where novel is null and old_new_keyword is null and uncertain is null and captured is null),
		count(*) filter (where novel = 0) from api_v1.keyword_novelty('web', 'absent')`).Scan(&gaps, &zeros); err != nil {
		t.Fatal(err)
	}
	if gaps != 1 || zeros != len(have)-1 {
		t.Errorf("%d gaps and %d zeros of %d snapshots", gaps, zeros, len(have))
	}
}

func parsed(t testing.TB, words string) query.Query {
	t.Helper()
	q, err := query.Parse(words)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// score is a crawled page as the view has it.
type score struct {
	url, class string
	at         int64
	novelty    float64
}

func scores(t testing.TB, db *store.DB, snapshot int) []score {
	t.Helper()
	rows, err := db.Pool().Query(t.Context(), `select url, coalesce(class, ''), extract(epoch from crawled_at)::bigint, coalesce(novelty, 0)::float8
		from api_v1.snapshot_page where series = 'web' and snapshot = $1`, snapshot)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var out []score
	for rows.Next() {
		var s score
		if err := rows.Scan(&s.url, &s.class, &s.at, &s.novelty); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}
