package store_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/store"
)

// contents tells the rows that follow from what was fetched.
func contents(t testing.TB, db *store.DB) []string {
	t.Helper()
	var out []string
	for _, table := range []string{"version", "body", "record", "link_set", "page_state", "host_state", "fetch", "page"} {
		out = append(out, column[string](t, db.Pool(), `select '`+table+` ' || x::text from core.`+table+` x order by 1`)...)
	}
	return out
}

// history stores pages of two hosts with versions that lean on each other.
func history(t testing.TB, db *store.DB) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	word := func() string { return fmt.Sprintf("word%d ", rng.IntN(5000)) }
	for p := range 6 {
		text := strings.Repeat(word()+word()+word()+word(), 60)
		for i := range 12 {
			if i%4 != 3 { // else the content of before
				text = word() + text[:len(text)-30] + word() + word()
			}
			write(t, db, capture(fmt.Sprintf("http://h%d.test/%d", p%2, p), i*4000, text))
		}
	}
}

func rebuild(t testing.TB, db *store.DB, opt store.RebuildOptions) store.RebuildReport {
	t.Helper()
	if opt.Read == nil {
		opt.Read = func(_ store.Origin, p []byte) store.Extract { return extractOf(string(p)) }
	}
	report, err := db.Rebuild(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestRebuildGivesTheSame wants the same rows, byte for byte, whatever became of
// what was extracted.
func TestRebuildGivesTheSame(t *testing.T) {
	t.Parallel()
	db := open(t)
	history(t, db)
	want := contents(t, db)
	versions := column[int](t, db.Pool(), `select count(*)::int from core.version`)[0]
	if deep := column[int](t, db.Pool(), `select max(depth)::int from core.record`)[0]; deep < 2 {
		t.Fatalf("records lean on each other %d deep; the test wants 2 at least", deep)
	}
	tests := []struct {
		name, spoil string
		want        store.RebuildReport
	}{
		{"nothing", ``, store.RebuildReport{Versions: versions}},
		{"columns", `
			update core.version set title = 'wrong', language = null, words = 7, text_hash = gen_random_uuid(), words_hash = gen_random_uuid(),
			       text_since = now(), flags = '{wrong}', sentences = 3, links_hash = null, charset = 'x', rules = 9;
			update core.page_state set title = 'wrong', language = 'xx', text_hash = gen_random_uuid(), text_since = now();
			delete from core.link_set`, store.RebuildReport{Versions: versions, Changed: versions}},
		{"frames", `update core.record set data = substring(data for length(data) / 2)`, store.RebuildReport{Versions: versions, Repaired: -1}},
		{
			"one bit", `update core.record set data = set_bit(data, 8 * (length(data) - 5), 1 - get_bit(data, 8 * (length(data) - 5)))`,
			store.RebuildReport{Versions: versions, Repaired: -1},
		},
		{"sizes", `update core.record set raw_size = raw_size + 1 where depth = 0`, store.RebuildReport{Versions: versions, Repaired: -1}},
	}
	for _, test := range tests {
		if _, err := db.Pool().Exec(t.Context(), `delete from core.monitor_todo;`+test.spoil); err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		got := rebuild(t, db, store.RebuildOptions{})
		if test.want.Repaired < 0 && got.Repaired > 0 { // a record may be whole without its end
			test.want.Repaired = got.Repaired
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: report (-want +got):\n%s", test.name, diff)
		}
		if diff := cmp.Diff(want, contents(t, db)); diff != "" {
			t.Fatalf("%s: rows (-before +after):\n%s", test.name, diff)
		}
		if queued := column[int](t, db.Pool(), `select count(*)::int from core.monitor_todo where stage = $1`, store.StageChange)[0]; queued != versions {
			t.Errorf("%s: %d versions queued, want %d", test.name, queued, versions)
		}
	}
}

// TestRebuildStoresMissingRecords loses records altogether: other frames may
// serve, but every version must have its record again.
func TestRebuildStoresMissingRecords(t *testing.T) {
	t.Parallel()
	url, db := openURL(t)
	history(t, db)
	want := timelines(t, db)
	for _, lose := range []string{`delete from core.record`, `delete from core.record where depth = 0`, `delete from core.record where depth = 1`} {
		if _, err := db.Pool().Exec(t.Context(), lose); err != nil {
			t.Fatal(err)
		}
		if got := rebuild(t, db, store.RebuildOptions{}); got.Records+got.Repaired == 0 || got.Lost > 0 {
			t.Errorf("%s: report %+v", lose, got)
		}
		fresh := reopen(t, url)
		if diff := cmp.Diff(want, timelines(t, fresh)); diff != "" {
			t.Fatalf("%s: versions (-before +after):\n%s", lose, diff)
		}
		noOrphans(t, fresh)
	}
}

// TestRebuildByOtherRules wants what a first reading by those rules gives, and
// nothing left of the old ones.
func TestRebuildByOtherRules(t *testing.T) {
	t.Parallel()
	url, db := openURL(t)
	history(t, db)
	read := func(_ store.Origin, p []byte) store.Extract {
		e := extractOf(strings.ToUpper(string(p)))
		e.Rules, e.Record = 2, []byte("RECORD "+strings.ToUpper(string(p)))
		e.Links = append(e.Links, store.Link{URL: "http://new.test/"})
		e.TextHash = [16]byte{1} // to these rules, all texts are equal
		return e
	}
	records := column[int](t, db.Pool(), `select count(*)::int from core.record`)[0]
	var after store.PageID
	opt := store.RebuildOptions{Read: read, Rules: 2}
	// Stopped on the way, and begun again.
	ctx, stop := context.WithCancel(t.Context())
	opt.Progress = func(p store.PageID, _ store.RebuildReport) { after = p; stop() }
	if _, err := db.Rebuild(ctx, opt); !errors.Is(err, context.Canceled) {
		t.Fatalf("stopped rebuild: %v", err)
	}
	if column[int](t, db.Pool(), `select count(*)::int from core.version where rules = 1`)[0] == 0 {
		t.Fatal("the first batch was all")
	}
	opt.Progress, opt.After = nil, after
	first := rebuild(t, db, opt)
	opt.After = 0
	if again := rebuild(t, db, opt); again.Changed+again.Records+again.Repaired+again.Deleted > 0 || first.Deleted < records {
		t.Errorf("reports: first %+v, then %+v; want %d deleted and no more to do", first, again, records)
	}
	fresh := reopen(t, url)
	for page, versions := range timelines(t, fresh) {
		for _, v := range versions {
			if !strings.Contains(v, "record RECORD WORD") || !strings.Contains(v, "since 0") || !strings.Contains(v, "links 3") {
				t.Errorf("%s: %s", page, v)
			}
		}
	}
	if n := column[int](t, fresh.Pool(), `select count(*)::int from core.record`)[0]; n != records {
		t.Errorf("%d records, before the rebuild %d", n, records)
	}
	noOrphans(t, fresh)
	// Writers go on where the rebuild left the chains.
	c := capture("http://h0.test/0", 900000, strings.Repeat("something new ", 40))
	write(t, fresh, c)
	if _, err := reopen(t, url).Record(t.Context(), lastVersion(t, fresh, c.URL)); err != nil {
		t.Error(err)
	}
}

// TestRebuildNamesLostPayloads spoils payloads and wants their versions to stay
// as they are.
func TestRebuildNamesLostPayloads(t *testing.T) {
	t.Parallel()
	url, db := openURL(t)
	write(t, db, capture(page, 0, "first"), capture(page, 10, "second"), capture(page, 20, "third"))
	if _, err := db.Pool().Exec(t.Context(), `
		delete from core.body where sha256 = sha256('first');
		update core.body set data = 'x' where sha256 = sha256('second')`); err != nil {
		t.Fatal(err)
	}
	before := column[string](t, db.Pool(), `select v::text from core.version v order by version`)
	var lost []string
	report := rebuild(t, reopen(t, url), store.RebuildOptions{Lost: func(err error) { lost = append(lost, err.Error()) }})
	if report.Lost != 2 || len(lost) != 2 || !strings.Contains(lost[0], "version 1 of "+page) || !strings.Contains(lost[1], "version 2 of "+page) {
		t.Errorf("report %+v, lost %q", report, lost)
	}
	if diff := cmp.Diff(before, column[string](t, db.Pool(), `select v::text from core.version v order by version`)); diff != "" {
		t.Errorf("versions (-before +after):\n%s", diff)
	}
}

// TestRebuildBesideWriters lets writers store the very contents whose records the
// rebuild replaces and deletes.
func TestRebuildBesideWriters(t *testing.T) {
	t.Parallel()
	url, db := openURL(t)
	history(t, db)
	done := make(chan error, 1)
	go func() {
		for i := range 30 {
			c := capture("http://h0.test/writer", i*10, strings.Repeat(fmt.Sprintf("text %d ", i%7), 50))
			if _, err := db.Write(t.Context(), []*store.Capture{c}); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for i := range 4 {
		rebuild(t, db, store.RebuildOptions{Read: func(_ store.Origin, p []byte) store.Extract {
			e := extractOf(string(p))
			e.Rules = 2 + i
			e.Record = fmt.Appendf(nil, "record %d %s", i%2, p)
			return e
		}})
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	rebuild(t, db, store.RebuildOptions{})
	fresh := reopen(t, url)
	timelines(t, fresh)
	noOrphans(t, fresh)
}

func reopen(t testing.TB, url string) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), url, store.Options{MaxConns: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

func lastVersion(t testing.TB, db *store.DB, url string) store.Version {
	t.Helper()
	v, err := db.LastVersion(t.Context(), pageOf(t, db, url))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// timelines tells of every page what its versions are and say.
func timelines(t testing.TB, db *store.DB) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, url := range column[string](t, db.Pool(), `select url from api_v1.page where last_version is not null order by 1`) {
		versions, err := db.History(t.Context(), pageOf(t, db, url))
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range versions {
			body, err := db.Body(t.Context(), v)
			if err != nil {
				t.Fatal(err)
			}
			record, err := db.Record(t.Context(), v)
			if err != nil {
				t.Fatal(err)
			}
			links, err := db.Links(t.Context(), v)
			if err != nil {
				t.Fatal(err)
			}
			since := column[float64](t, db.Pool(), `select extract(epoch from text_since - $3)::float8 from core.version where page_id = $1 and version = $2`,
				int64(v.Page), v.Number, epoch)[0]
			out[url] = append(out[url], fmt.Sprintf("%d at %v: body %s record %s title %s since %v links %d",
				v.Number, v.FirstSeen.Sub(epoch), body, record, v.Title, since, len(links)))
		}
	}
	return out
}

// noOrphans wants every row to have those that it refers to, and contents to be
// referred to.
func noOrphans(t testing.TB, db *store.DB) {
	t.Helper()
	for _, rule := range []struct{ name, sql string }{
		{"version without body", `select v::text from core.version v where not exists (select 1 from core.body b where b.bucket = v.bucket and b.sha256 = v.sha256)`},
		{"version without record", `select v::text from core.version v where not exists (select 1 from core.record r where r.bucket = v.bucket and r.sha256 = v.record)`},
		{"version without links", `select v::text from core.version v where links_hash is not null and not exists (select 1 from core.link_set l where l.bucket = v.bucket and l.links_hash = v.links_hash)`},
		{"version without fetch", `select v::text from core.version v where fetches <> (select count(*) from core.fetch f where f.bucket = v.bucket and f.page_id = v.page_id and f.version = v.version)`},
		{"fetch without version", `select f::text from core.fetch f where version is not null and not exists (select 1 from core.version v where v.bucket = f.bucket and v.page_id = f.page_id and v.version = f.version)`},
		{"version without page", `select v::text from core.version v where not exists (select 1 from core.page p where p.bucket = v.bucket and p.page_id = v.page_id)`},
		{"state beside its versions", `select s::text from core.page_state s where version <> (select coalesce(max(v.version), 0) from core.version v where v.bucket = s.bucket and v.page_id = s.page_id)`},
		{"hole in the numbers", `select page_id::text from core.version group by page_id having max(version) <> count(*)`},
		{"page of no host", `select p::text from core.page p where not exists (select 1 from core.host h where h.bucket = p.bucket and h.host_id = p.host_id)`},
		{"record of no version", `
			select r.sha256::text from core.record r where not exists (select 1 from core.version v where v.bucket = r.bucket and v.record = r.sha256)
			and not exists (select 1 from core.record d where d.bucket = r.bucket and d.base_sha256 = r.sha256)
			and not exists (select 1 from core.page_state s where s.bucket = r.bucket and position(r.sha256 in s.record_chain) > 0)
			and not exists (select 1 from core.host_state s where s.bucket = r.bucket and position(r.sha256 in s.record_templates) > 0)`},
		{"body of no version", `
			select b.sha256::text from core.body b where not exists (select 1 from core.version v where v.bucket = b.bucket and v.sha256 = b.sha256)
			and not exists (select 1 from core.fetch f where f.bucket = b.bucket and f.sha256 = b.sha256)`},
		{"base that is not there", `select r.sha256::text from core.record r where base_sha256 is not null and not exists (select 1 from core.record b where b.bucket = r.bucket and b.sha256 = r.base_sha256)`},
		{"version that no stage heard of", `
			select v::text from core.version v where not exists (select 1 from core.monitor_todo d where d.bucket = v.bucket and d.page_id = v.page_id and d.version = v.version)`},
	} {
		if got := column[string](t, db.Pool(), rule.sql); len(got) > 0 {
			t.Errorf("%s: %d, %.300s", rule.name, len(got), got[0])
		}
	}
}
