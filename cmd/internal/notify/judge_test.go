package notify

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/monitor/ignore"
	"github.com/strandlinehq/strandline/monitor/notice"
	"github.com/strandlinehq/strandline/store"
)

const pageURL = "http://a.test/"

// bench is a judge with one watch on one page, and the page's captures.
type bench struct {
	*testing.T
	db    *store.DB
	clk   *clock.Manual
	judge *Judge
	watch Watch
}

func newBench(t *testing.T, w Watch) *bench {
	t.Helper()
	b := &bench{T: t, db: open(t), clk: clock.NewManual(epoch), watch: w}
	applied, err := b.db.SetWatches(t.Context(), epoch, []store.WatchSpec{{
		Name: w.Name, Timing: "hourly", Every: time.Hour, Pages: []string{pageURL}, Config: json.RawMessage(`{"notify":["ops"]}`),
		First: func(_ string, now time.Time) (time.Time, time.Time, error) { return now, now, nil },
	}})
	if err != nil {
		t.Fatal(err)
	}
	b.watch.ID, b.watch.To = applied.Watches[0].ID, []string{"ops"}
	b.judge = NewJudge(b.db, b.clk.Now, slog.New(slog.DiscardHandler), "http://web.test")
	b.judge.SetWatches([]Watch{b.watch})
	return b
}

// see stores what the page is after so many hours, and judges what follows.
func (b *bench) see(hours float64, body string) {
	b.Helper()
	b.seeOn(pageURL, hours, body)
}

func (b *bench) seeOn(pageURL string, hours float64, body string) {
	b.Helper()
	at := epoch.Add(time.Duration(hours * float64(time.Hour)))
	if _, err := b.db.Write(b.Context(), []*store.Capture{{
		URL: pageURL, Kind: store.KindImport, StartedAt: at, FinishedAt: at, Status: 200, MediaType: "text/html",
		Head: []byte("HTTP/1.1 200 OK\r\n\r\n"), Payload: []byte(body),
		Extract: func(payload []byte) store.Extract {
			var x extract.Extractor
			p := x.Extract(extract.Input{Body: payload, ContentType: "text/html; charset=utf-8", URL: pageURL})
			return store.Extract{Title: "The page", Record: p.AppendRecord(nil), TextHash: p.TextHash(), WordsHash: p.WordsHash(), Rules: 1}
		},
	}}); err != nil {
		b.Fatal(err)
	}
	b.pass(at)
}

// pass lets the time pass up to at and judges.
func (b *bench) pass(at time.Time) {
	b.Helper()
	b.clk.AdvanceTo(at)
	if _, err := monitor.New(b.db, monitor.Options{Workers: 1}).Drain(b.Context()); err != nil {
		b.Fatal(err)
	}
	for {
		n, err := b.judge.Changes(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if n == 0 {
			break
		}
	}
	if err := b.judge.Sweep(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// messages takes what is in the outbox.
func (b *bench) messages() []notice.Message {
	b.Helper()
	var out []notice.Message
	for {
		n, err := b.db.ClaimOutbox(b.Context(), "ops", b.clk.Now(), 1000*time.Hour)
		if errors.Is(err, store.ErrNotFound) {
			return out
		}
		if err != nil {
			b.Fatal(err)
		}
		var m notice.Message
		if err := json.Unmarshal(n.Payload, &m); err != nil {
			b.Fatal(err)
		}
		out = append(out, m)
	}
}

// want compares kinds and hours of the messages since the last call.
func (b *bench) want(want ...string) {
	b.Helper()
	var got []string
	for _, m := range b.messages() {
		got = append(got, fmt.Sprintf("%s %g", m.Kind, m.At.Sub(epoch).Hours()))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		b.Errorf("messages (-want +got):\n%s", diff)
	}
}

func TestChangeMessage(t *testing.T) {
	t.Parallel()
	b := newBench(t, Watch{Name: "w"})
	b.see(-1, `<p>Before it joined.</p>`)
	b.see(-0.5, `<p>Still before that.</p>`)
	b.want()
	b.see(1, `<p>The river rose a metre. Nobody was hurt.</p>`)
	b.want("change 1")
	b.see(2, `<p>The river rose two metres. Nobody was hurt.</p>`)
	list := b.messages()
	if len(list) != 1 {
		t.Fatalf("messages %+v", list)
	}
	want := fmt.Sprintf(`http://a.test/
watch w, 2026-03-01 14:00 UTC; Dice %.2f, significance %.2f
+ The river rose two metres.
- The river rose a metre.
http://web.test/pages/%d/diff?a=3&b=4`, *list[0].Dice, *list[0].Significance, list[0].Page)
	if diff := cmp.Diff(want, list[0].Text()); diff != "" || list[0].Subject() != "Changed: The page" {
		t.Errorf("%s (-want +got):\n%s", list[0].Subject(), diff)
	}
	// What is judged anew is not told anew.
	if _, err := b.db.Pool().Exec(t.Context(), `insert into core.notice_todo select page_id, bucket, 4, $1, $2 from core.page where url = $3`,
		b.watch.ID, epoch.Add(2*time.Hour), pageURL); err != nil {
		t.Fatal(err)
	}
	b.pass(epoch.Add(3 * time.Hour))
	b.want()
}

func TestConditions(t *testing.T) {
	t.Parallel()
	b := newBench(t, Watch{Name: "w", Rule: notice.Rule{Added: regexp.MustCompile("deadline")}})
	b.see(0, `<p>Papers are welcome.</p>`)
	b.see(1, `<p>Papers are very welcome.</p>`)
	b.want()
	b.see(2, `<p>Papers are very welcome. The deadline is May.</p>`)
	b.want("change 2")
	b.see(3, `<p>The deadline is May.</p>`)
	b.want()
}

func TestIgnoredIsSilent(t *testing.T) {
	t.Parallel()
	rules, err := ignore.Compile([]string{".clock"})
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, Watch{Name: "w", Ignore: rules})
	b.see(0, `<p class=clock>It is noon.</p><p>News are here.</p>`)
	b.see(1, `<p class=clock>It is one.</p><p>News are here.</p>`)
	b.want()
	b.see(2, `<p class=clock>It is two.</p><p>Other news are here.</p>`)
	if list := b.messages(); len(list) != 1 || len(list[0].Added) != 1 || list[0].Added[0] != "Other news are here." {
		t.Errorf("messages %+v", list)
	}
}

func TestFlapGuard(t *testing.T) {
	t.Parallel()
	b := newBench(t, Watch{Name: "w", FlapStates: 2})
	for i, body := range []string{"one here", "two here", "one here", "two here", "three here", "one here"} {
		b.see(float64(i), "<p>"+body+"</p>")
	}
	b.want("change 1", "change 4", "change 5") // the last has been away for longer than two states
}

func TestSilence(t *testing.T) {
	t.Parallel()
	b := newBench(t, Watch{Name: "w", Expect: 24 * time.Hour, Rule: notice.Rule{Significance: 1}})
	b.see(0, `<p>one two</p>`)
	b.pass(epoch.Add(23 * time.Hour))
	b.want()
	b.pass(epoch.Add(24 * time.Hour))
	b.pass(epoch.Add(60 * time.Hour))
	b.want("quiet 24")
	b.see(61, `<p>three four</p>`)
	b.see(62, `<p>five six</p>`)
	b.want("moving 61")
	b.pass(epoch.Add(86 * time.Hour))
	b.want("quiet 86")
}

func TestDigest(t *testing.T) {
	t.Parallel()
	day := func(at time.Time) time.Time { return at.Truncate(24 * time.Hour).Add(24 * time.Hour) }
	b := newBench(t, Watch{Name: "w", Digest: day})
	for i := range 4 {
		b.see(float64(i), fmt.Sprintf("<p>This is number %d.</p>", i))
	}
	b.want()
	b.pass(epoch.Add(12 * time.Hour))
	list := b.messages()
	if len(list) != 1 || list[0].Kind != notice.KindDigest || len(list[0].Items) != 3 || list[0].Subject() != "watch w: 3 messages" {
		t.Fatalf("messages %+v", list)
	}
	if got := list[0].Text(); strings.Count(got, "Changed: The page") != 3 {
		t.Errorf("text %s", got)
	}
	b.pass(epoch.Add(40 * time.Hour))
	b.want()
}

func TestNoisyPage(t *testing.T) {
	t.Parallel()
	const other = "https://a.test/other"
	b := newBench(t, Watch{Name: "w"})
	if _, err := b.db.SetWatches(t.Context(), epoch, []store.WatchSpec{{
		Name: "w", Timing: "hourly", Every: time.Hour, Pages: []string{pageURL, other}, Config: json.RawMessage(`{"notify":["ops"]}`),
		First: func(_ string, now time.Time) (time.Time, time.Time, error) { return now, now, nil },
	}}); err != nil {
		t.Fatal(err)
	}
	for i := range 31 {
		b.see(float64(i)/2, fmt.Sprintf("<p>This is number %d.</p>", i))
		b.seeOn(other, float64(i)/2, fmt.Sprintf("<p>That is number %d.</p>", i))
	}
	noisy := map[string]int{}
	for _, m := range b.messages() {
		if m.Kind == notice.KindNoisy {
			noisy[m.URL]++
			if !strings.Contains(m.Note, "strandline watch suggest-ignore w") {
				t.Errorf("note %q", m.Note)
			}
		}
	}
	// Each page of its own, and each once.
	if diff := cmp.Diff(map[string]int{pageURL: 1, other: 1}, noisy); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

func TestFailingPage(t *testing.T) {
	t.Parallel()
	b := newBench(t, Watch{Name: "w", Failures: 3})
	b.see(0, `<p>Here.</p>`)
	set := func(failures int, since *time.Time) {
		t.Helper()
		for _, sql := range []string{
			`update core.page_state set failures = $1, last_error = 'timeout: no answer' where $2::timestamptz is null or true`,
			`update core.page_schedule set failing_since = $2 where $1::int >= 0`,
		} {
			if _, err := b.db.Pool().Exec(t.Context(), sql, failures, since); err != nil {
				t.Fatal(err)
			}
		}
	}
	at := epoch.Add(time.Hour)
	set(2, &at)
	b.pass(epoch.Add(2 * time.Hour))
	b.want()
	set(3, &at)
	b.pass(epoch.Add(3 * time.Hour))
	b.pass(epoch.Add(4 * time.Hour))
	b.want("failing 3")
	set(0, nil)
	b.pass(epoch.Add(5 * time.Hour))
	b.pass(epoch.Add(6 * time.Hour))
	b.want("recovered 5")
	at = epoch.Add(7 * time.Hour)
	set(4, &at)
	b.pass(epoch.Add(8 * time.Hour))
	b.want("failing 8")
}
