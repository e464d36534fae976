package store_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/strandlinehq/strandline/migrations"
	"github.com/strandlinehq/strandline/store"
	"github.com/strandlinehq/strandline/store/pgtest"
	"github.com/strandlinehq/strandline/store/thin"
)

const oneDay = 24 * time.Hour

// openAt gives a store whose clock can be set.
func openAt(t testing.TB, at time.Time) (*store.DB, *atomic.Int64) {
	t.Helper()
	key, err := migrations.Fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	now := new(atomic.Int64)
	now.Store(at.UnixNano())
	db, err := store.Open(t.Context(), pgtest.New(t, migrate, key), store.Options{MaxConns: 6, Now: func() time.Time { return time.Unix(0, now.Load()) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db, now
}

// lived makes the captures of a page that changes some of its lines every so often.
func lived(url string, seed uint64, n int, every time.Duration) []*store.Capture {
	r := rand.New(rand.NewPCG(seed, 2))
	lines := make([]string, 60)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d of %s says %x %x %x", i, url, r.Uint64(), r.Uint64(), r.Uint64())
	}
	var out []*store.Capture
	for i := range n {
		for range 1 + r.IntN(3) {
			lines[r.IntN(len(lines))] = fmt.Sprintf("line that came at %d says %x", i, r.Uint64())
		}
		if i%150 == 149 { // another page altogether
			for j := range lines {
				lines[j] = fmt.Sprintf("new line %d says %x %x %x", j, r.Uint64(), r.Uint64(), r.Uint64())
			}
		}
		out = append(out, capture(url, int((time.Duration(i)*every).Seconds()), strings.Join(lines, "\n")))
	}
	return out
}

func writeAll(t testing.TB, db *store.DB, caps []*store.Capture) {
	t.Helper()
	for part := range slices.Chunk(caps, 64) {
		write(t, db, part...)
		drain(t, db)
	}
}

// drain stands for the stages that look at new versions.
func drain(t testing.TB, db *store.DB) {
	t.Helper()
	if _, err := db.Pool().Exec(t.Context(), `delete from core.monitor_todo`); err != nil {
		t.Error(err)
	}
}

// contentsOf reads all versions of a page back: those that are kept must be what was
// written, of the others the store must say that they were given up.
func contentsOf(t testing.TB, db *store.DB, url string, payloads map[int64]string) (kept, thinned int) {
	t.Helper()
	versions, err := db.History(t.Context(), pageOf(t, db, url))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range versions {
		got, err := db.Body(t.Context(), v)
		if !v.ThinnedAt.IsZero() {
			if !errors.Is(err, store.ErrThinned) {
				t.Errorf("%s version %d was given up, and reads as %d bytes, %v", url, v.Number, len(got), err)
			}
			thinned++
			continue
		}
		kept++
		if err != nil {
			t.Errorf("%s version %d: %v", url, v.Number, err)
			continue
		}
		if want := payloads[v.FirstSeen.UnixMicro()]; string(got) != want {
			t.Errorf("%s version %d: other bytes than were written", url, v.Number)
		}
		if record, err := db.Record(t.Context(), v); err != nil || string(record) != "record "+string(got) {
			t.Errorf("%s version %d: record %.20q, %v", url, v.Number, record, err)
		}
	}
	return kept, thinned
}

func payloadsOf(caps []*store.Capture) map[int64]string {
	out := map[int64]string{}
	for _, c := range caps {
		out[c.StartedAt.UnixMicro()] = string(c.Payload)
	}
	return out
}

// soundFrames checks how frames lie on each other, and returns how many are no version's.
func soundFrames(t testing.TB, db *store.DB) (loose int) {
	t.Helper()
	for _, table := range []string{"body", "record"} {
		column := map[string]string{"body": "sha256", "record": "record"}[table]
		if bad := column1(t, db, fmt.Sprintf(`
			select format('%%s on %%s', encode(b.sha256, 'hex'), encode(b.base_sha256, 'hex'))
			from core.%[1]s b left join core.%[1]s p on p.bucket = b.bucket and p.sha256 = b.base_sha256
			where b.depth <> coalesce(p.depth + 1, 0) or b.depth > 3 or (b.base_sha256 is not null) <> (p.sha256 is not null)`, table)); len(bad) > 0 {
			t.Errorf("%d frames of %s lie badly: %s", len(bad), table, bad[0])
		}
		loose += len(column1(t, db, fmt.Sprintf(`
			select encode(b.sha256, 'hex') from core.%s b
			where not exists (select 1 from core.version v where v.bucket = b.bucket and v.%s = b.sha256 and v.thinned_at is null)
			  and not exists (select 1 from core.fetch f where f.bucket = b.bucket and f.sha256 = b.sha256 and f.version is null)`, table, column)))
	}
	return loose
}

func column1(t testing.TB, db *store.DB, sql string) []string {
	t.Helper()
	return column[string](t, db.Pool(), sql)
}

// TestRetain thins pages with long histories and reads all of what is left.
func TestRetain(t *testing.T) {
	t.Parallel()
	const n = 500
	db, now := openAt(t, epoch.Add(n*6*time.Hour))
	urls := []string{"http://a.test/one", "http://a.test/two", "http://b.test/"}
	payloads := map[string]map[int64]string{}
	for i, url := range urls {
		caps := lived(url, uint64(i), n, 6*time.Hour)
		payloads[url] = payloadsOf(caps)
		writeAll(t, db, caps)
	}
	soundFrames(t, db)
	policy := &thin.Policy{All: 30 * oneDay, Daily: 60 * oneDay, Monthly: 90 * oneDay}
	dry, err := db.Retain(t.Context(), store.RetainOptions{Versions: policy, Dry: true})
	if err != nil {
		t.Fatal(err)
	}
	before := column1(t, db, `select (sum(octet_length(data)) filter (where depth >= 0))::text from core.body`)
	did, err := db.Retain(t.Context(), store.RetainOptions{Versions: policy})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("dry %+v", dry)
	t.Logf("did %+v; bodies took %s", did, before)
	if dry.Versions != did.Versions || did.Versions == 0 || did.Rebased == 0 || did.Waiting != 0 {
		t.Errorf("a dry run counts %d versions, it were %d; %d frames rebased, %d waiting", dry.Versions, did.Versions, did.Rebased, did.Waiting)
	}
	if did.Bytes < dry.Bytes/2 {
		t.Errorf("%d bytes freed of %d", did.Bytes, dry.Bytes)
	}
	for _, url := range urls {
		kept, thinned := contentsOf(t, db, url, payloads[url])
		// 125 days of four versions: 30 days and a moment in full, 30 days one each, 30 days one a month.
		if kept < 30*4+30+2 || kept > 31*4+31+4 || kept+thinned != n {
			t.Errorf("%s: %d versions kept, %d thinned", url, kept, thinned)
		}
	}
	// What is nobody's is there for the next bodies only, or since it is worth keeping as a base.
	if loose := soundFrames(t, db); loose > 60 {
		t.Errorf("%d stored contents are nobody's", loose)
	}
	again, err := db.Retain(t.Context(), store.RetainOptions{Versions: policy})
	if err != nil || again.Versions != 0 || again.Rebased != 0 {
		t.Errorf("again %+v, %v", again, err)
	}
	// Everything goes with time, but the ends.
	now.Store(epoch.Add(2000 * oneDay).UnixNano())
	if _, err := db.Retain(t.Context(), store.RetainOptions{Versions: policy}); err != nil {
		t.Fatal(err)
	}
	for _, url := range urls {
		if kept, _ := contentsOf(t, db, url, payloads[url]); kept != 2 {
			t.Errorf("%s: %d versions kept, want the first and the last", url, kept)
		}
	}
	soundFrames(t, db)
	// The page lives on: with a new text, and with one that it had before.
	old := lived(urls[0], 0, n, 6*time.Hour)[100]
	next := capture(urls[0], 3000*86400, "something new")
	back := capture(urls[0], 3001*86400, string(old.Payload))
	got := write(t, db, next, back)
	if got[1].Outcome != store.Changed || got[1].Version != n+2 {
		t.Errorf("a return to an old text: %+v", got[1])
	}
	payloads[urls[0]][next.StartedAt.UnixMicro()] = "something new"
	payloads[urls[0]][back.StartedAt.UnixMicro()] = string(old.Payload)
	if kept, _ := contentsOf(t, db, urls[0], payloads[urls[0]]); kept != 4 {
		t.Errorf("%d versions kept, want 4", kept)
	}
}

// TestRetainKeeps passes over what others need.
func TestRetainKeeps(t *testing.T) {
	t.Parallel()
	db, _ := openAt(t, epoch.Add(1000*oneDay))
	write(t, db, lived(page, 1, 20, time.Hour)...)
	none := &thin.Policy{}
	got, err := db.Retain(t.Context(), store.RetainOptions{Versions: none})
	if err != nil || got.Versions != 0 || got.Waiting != 1 {
		t.Errorf("a page that is not measured yet: %+v, %v", got, err)
	}
	drain(t, db)
	if _, err := db.Pool().Exec(t.Context(), `
		with s as (insert into core.series (name, added_at, config) values ('x', now(), '{}') returning series_id),
		     n as (insert into core.snapshot (series_id, status, origin, started_at) select series_id, 'done', 'crawl', now() from s returning snapshot_id)
		insert into core.snapshot_page (snapshot_id, page_id, bucket, crawled_at, crawled, last_modified_valid)
		select n.snapshot_id, p.page_id, p.bucket, $1, true, false from n, core.page p where p.url = $2`, epoch.Add(5*time.Hour), page); err != nil {
		t.Fatal(err)
	}
	id := pageOf(t, db, page)
	pins := func(_ context.Context, pages []store.PageID) (map[store.PageID][]int32, error) {
		if !slices.Equal(pages, []store.PageID{id}) {
			t.Errorf("asked for pins of %v", pages)
		}
		return map[store.PageID][]int32{id: {9, 12}}, nil
	}
	if _, err := db.Retain(t.Context(), store.RetainOptions{Versions: none, Pins: pins}); err != nil {
		t.Fatal(err)
	}
	kept := column[int32](t, db.Pool(), `select version from core.version where thinned_at is null order by 1`)
	if diff := cmp.Diff([]int32{1, 6, 9, 12, 20}, kept); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
}

// TestRetainThenOlder imports older captures of a page whose versions were thinned.
func TestRetainThenOlder(t *testing.T) {
	t.Parallel()
	db, _ := openAt(t, epoch.Add(1000*oneDay))
	caps := lived(page, 3, 12, time.Hour)
	payloads := payloadsOf(caps)
	write(t, db, caps...)
	drain(t, db)
	if _, err := db.Pool().Exec(t.Context(), `
		insert into core.change (page_id, bucket, version, changed_at, hours, dice, words_added, words_removed, sentences_added, sentences_removed,
			text_changed, words_changed, significance, computed_at)
		select page_id, bucket, version, first_seen, 1, version / 100.0, 1, 2, 3, 4, true, true, 0.5, now() from core.version where version > 1`); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Retain(t.Context(), store.RetainOptions{Versions: &thin.Policy{}}); err != nil {
		t.Fatal(err)
	}
	// The same archive again changes nothing.
	for _, s := range write(t, db, lived(page, 3, 12, time.Hour)...) {
		if !s.Duplicate {
			t.Errorf("an attempt that is known was stored again: %+v", s)
		}
	}
	early, middle := capture(page, -3600, "before all"), capture(page, 6*3600+1800, "in the middle")
	for _, c := range []*store.Capture{early, middle} {
		payloads[c.StartedAt.UnixMicro()] = string(c.Payload)
		write(t, db, c)
	}
	kept, thinned := contentsOf(t, db, page, payloads)
	if kept != 4 || thinned != 10 {
		t.Errorf("%d kept and %d thinned, want 4 and 10", kept, thinned)
	}
	// Versions 2 to 12 are 3 to 14 now; between the old 7 and 8 something came.
	got := column[string](t, db.Pool(), `select version || ' ' || dice from core.change order by version`)
	var want []string
	for old := 2; old <= 12; old++ {
		switch {
		case old < 8:
			want = append(want, fmt.Sprintf("%d 0.%02d", old+1, old))
		case old > 8:
			want = append(want, fmt.Sprintf("%d 0.%02d", old+2, old))
		}
	}
	for i := range want {
		want[i] = strings.TrimSuffix(want[i], "0")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	var texts []string
	for _, c := range []*store.Capture{lived(page, 3, 12, time.Hour)[4]} {
		// A thinned content that comes once more, late, is stored.
		again := capture(page, 4*3600+60, string(c.Payload))
		payloads[again.StartedAt.UnixMicro()] = string(c.Payload)
		write(t, db, again)
		texts = append(texts, string(c.Payload))
	}
	if kept, _ := contentsOf(t, db, page, payloads); kept != 5 {
		t.Errorf("%d kept after %d came back, want 5", kept, len(texts))
	}
}

// TestRetainBesideWriters thins while others store what is being deleted.
func TestRetainBesideWriters(t *testing.T) {
	t.Parallel()
	db, _ := openAt(t, epoch.Add(1000*oneDay))
	urls := []string{"http://a.test/1", "http://a.test/2", "http://a.test/3"}
	old := map[string][]*store.Capture{}
	var mu sync.Mutex // guards payloads
	payloads := map[string]map[int64]string{}
	for i, url := range urls {
		old[url] = lived(url, uint64(i), 60, time.Hour)
		payloads[url] = payloadsOf(old[url])
		writeAll(t, db, old[url])
	}
	var g errgroup.Group
	var writing atomic.Int32
	for i, url := range urls {
		writing.Add(1)
		g.Go(func() error {
			defer writing.Add(-1)
			r := rand.New(rand.NewPCG(uint64(i), 9))
			for n := range 60 {
				c := capture(url, (100+n)*3600, string(old[url][r.IntN(60)].Payload))
				if n%3 == 0 { // another page's
					c = capture(url, (100+n)*3600, string(old[urls[r.IntN(3)]][r.IntN(60)].Payload))
				}
				mu.Lock()
				payloads[url][c.StartedAt.UnixMicro()] = string(c.Payload)
				mu.Unlock()
				if _, err := db.Write(t.Context(), []*store.Capture{c}); err != nil {
					return err
				}
				drain(t, db)
			}
			return nil
		})
	}
	g.Go(func() error {
		for runs := 0; writing.Load() > 0 || runs < 2; runs++ {
			if _, err := db.Retain(t.Context(), store.RetainOptions{Versions: &thin.Policy{}}); err != nil {
				return err
			}
		}
		return nil
	})
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	for _, url := range urls {
		contentsOf(t, db, url, payloads[url])
	}
	drain(t, db)
	if _, err := db.Retain(t.Context(), store.RetainOptions{Versions: &thin.Policy{}}); err != nil {
		t.Fatal(err)
	}
	for _, url := range urls {
		if kept, thinned := contentsOf(t, db, url, payloads[url]); kept < 2 || thinned < 100 {
			t.Errorf("%s: %d kept, %d thinned", url, kept, thinned)
		}
	}
	soundFrames(t, db)
}

// TestRetainAlone refuses a second one.
func TestRetainAlone(t *testing.T) {
	t.Parallel()
	db, _ := openAt(t, epoch.Add(1000*oneDay))
	writeAll(t, db, lived(page, 1, 5, time.Hour))
	var second error
	pins := func(ctx context.Context, _ []store.PageID) (map[store.PageID][]int32, error) {
		_, second = db.Retain(ctx, store.RetainOptions{})
		return nil, nil
	}
	if _, err := db.Retain(t.Context(), store.RetainOptions{Versions: &thin.Policy{}, Pins: pins}); err != nil || !errors.Is(second, store.ErrRetaining) {
		t.Errorf("first %v, second %v", err, second)
	}
	if _, err := db.Retain(t.Context(), store.RetainOptions{Versions: &thin.Policy{All: 2, Daily: 1}}); err == nil {
		t.Error("lengths that fall were taken")
	}
}

// TestRetainFetches drops the old part of the log, and what only it held.
func TestRetainFetches(t *testing.T) {
	t.Parallel()
	db, now := openAt(t, epoch)
	caps := lived(page, 1, 10, time.Hour)
	for i := range 40 { // seen again and again
		caps = append(caps, capture(page, 10*3600+i, string(caps[9].Payload)))
	}
	gone := capture(page, 20*3600, "")
	gone.Outcome, gone.Status, gone.Payload = store.Failed, 500, []byte("an error page that is long enough to be somebody's")
	writeAll(t, db, append(caps, gone, capture(page, 400*86400, "last")))
	payloads := payloadsOf(append(caps, capture(page, 400*86400, "last")))
	sum := sha256.Sum256(gone.Payload)
	errorPage := fmt.Sprintf(`select 'there' from core.body where sha256 = '\x%x'`, sum[:])
	for _, step := range []struct {
		at                  time.Duration
		dropped, partitions int64
		log                 int
	}{
		{300 * oneDay, 0, 0, 52},
		{401 * oneDay, 41, 1, 11}, // the first sights stay, and the youngest month
	} {
		now.Store(epoch.Add(step.at).UnixNano())
		dry, err := db.Retain(t.Context(), store.RetainOptions{Fetches: 350 * oneDay, Dry: true})
		if err != nil {
			t.Fatal(err)
		}
		got, err := db.Retain(t.Context(), store.RetainOptions{Fetches: 350 * oneDay})
		if err != nil || got.Fetches != step.dropped || got.Partitions != step.partitions || dry.Fetches != got.Fetches {
			t.Fatalf("at %s: %+v, dry %+v, %v; want %d rows of %d partitions", step.at, got, dry, err, step.dropped, step.partitions)
		}
		if log := column1(t, db, `select outcome from api_v1.fetch_log`); len(log) != step.log {
			t.Errorf("at %s: %d rows in the log, want %d", step.at, len(log), step.log)
		}
		if there := column1(t, db, errorPage); (len(there) > 0) != (step.dropped == 0) {
			t.Errorf("at %s: the payload of the failure is stored: %v", step.at, there)
		}
	}
	if kept, _ := contentsOf(t, db, page, payloads); kept != 11 {
		t.Errorf("%d versions kept", kept)
	}
	// Later attempts of that month find a place, and the history is as it was.
	write(t, db, capture(page, 25*3600, "late"))
	var fetches []int
	versions, err := db.History(t.Context(), pageOf(t, db, page))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range versions {
		fetches = append(fetches, v.Fetches)
	}
	if diff := cmp.Diff([]int{1, 1, 1, 1, 1, 1, 1, 1, 1, 41, 1, 1}, fetches); diff != "" {
		t.Errorf("fetches a version (-want +got):\n%s", diff)
	}
	// Without a version that is kept nothing stays of the month.
	drain(t, db)
	now.Store(epoch.Add(5000 * oneDay).UnixNano())
	opt := store.RetainOptions{Versions: &thin.Policy{}, Fetches: 350 * oneDay, Dry: true}
	dry, err := db.Retain(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	opt.Dry = false
	got, err := db.Retain(t.Context(), opt)
	if err != nil || got.Fetches != dry.Fetches || got.Versions != dry.Versions {
		t.Fatalf("%+v, dry %+v, %v", got, dry, err)
	}
	if log := column1(t, db, `select outcome from api_v1.fetch_log`); len(log) != 2 {
		t.Errorf("%d rows in the log, want those of the first and the last version", len(log))
	}
}

// TestQuota brings a watch below its quota.
func TestQuota(t *testing.T) {
	t.Parallel()
	db, _ := openAt(t, epoch.Add(100*oneDay))
	caps := lived(page, 1, 200, time.Hour)
	writeAll(t, db, caps)
	first := func(string, time.Time) (slot, due time.Time, err error) { return epoch, epoch, nil }
	if _, err := db.SetWatches(t.Context(), epoch, []store.WatchSpec{
		{Name: "w", Config: []byte(`{"quota_bytes": 40000}`), Timing: "hourly", Every: time.Hour, Pages: []string{page}, First: first},
	}); err != nil {
		t.Fatal(err)
	}
	used := func() int64 { return column[int64](t, db.Pool(), `select bytes from api_v1.watch_storage`)[0] }
	before := used()
	quota := before / 3
	opt := store.RetainOptions{Quotas: []store.WatchQuota{{Watch: "w", Bytes: quota}, {Watch: "nobody", Bytes: 1}}}
	opt.Dry = true
	dry, err := db.Retain(t.Context(), opt)
	if err != nil || used() != before || dry.Watches[0].Gone == 0 {
		t.Fatalf("a dry run: %+v, %v", dry, err)
	}
	opt.Dry = false
	got, err := db.Retain(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	w := got.Watches[0]
	t.Logf("before %d, dry %+v, did %+v", before, dry, got)
	if w.Used > quota || w.Used < quota/2 || w.Used != used() || w.Gone == 0 {
		t.Errorf("the watch takes %d (the view says %d) of %d before, with a quota of %d; %d versions went", w.Used, used(), before, quota, w.Gone)
	}
	kept, thinned := contentsOf(t, db, page, payloadsOf(caps))
	if int64(kept) != w.Versions || int64(thinned) != w.Gone {
		t.Errorf("%d kept and %d thinned, reported %d and %d", kept, thinned, w.Versions, w.Gone)
	}
	soundFrames(t, db)
}
