package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/monitor/notice"
	"github.com/strandlinehq/strandline/store"
	"github.com/strandlinehq/strandline/summarize"
)

// TestTopicPeriods closes periods in order, also after a stop, once each, and tells them once.
func TestTopicPeriods(t *testing.T) {
	t.Parallel()
	w := newTopicWorld(t)
	w.configure(fmt.Sprintf(floodTopic, w.dir))
	w.floodPages()
	d := w.daemon()
	d.look() // formed
	d.look() // its first period starts
	w.clock.AdvanceTo(at(0, 23))
	d.look()
	d.want("before the first period has ended", []string{}, periodsOf, "flood")
	w.clock.AdvanceTo(at(1, 0))
	d.look()
	d.look()
	d.want("the first period", []string{"01 00 to 02 00: 3 read, 0 new"}, periodsOf, "flood")
	w.clock.AdvanceTo(at(2, 0).Add(time.Minute))
	d.look()
	d.want("best pages", []string{"https://one.test/", "https://two.test/"}, wantedBy, "topic:flood")
	d.want("other pages", []string{"https://three.test/"}, wantedBy, "topic:flood/others")

	// It is stopped for days. Two daemons take over.
	w.clock.AdvanceTo(at(7, 3))
	one, two := w.daemon(), w.daemon()
	var both sync.WaitGroup
	for _, d := range []*topicDaemon{one, two} {
		both.Go(func() { d.lookAtTopics(t.Context(), d.runner, d.said) })
	}
	both.Wait()
	one.look()
	two.look()
	one.want("all periods", []string{
		"01 00 to 02 00: 3 read, 0 new", "02 00 to 03 00: 3 read, 2 new", "03 00 to 04 00: 3 read, 1 new", "04 00 to 05 00: 0 read, 0 new",
		"05 00 to 06 00: 3 read, 0 new", "06 00 to 07 00: 0 read, 0 new", "07 00 to 08 00: 3 read, 1 new",
	}, periodsOf, "flood")
	one.want("what little is told", []string{
		"All pages were read for the first time; what is new from now on will be told.", "", "", "No page was fetched in this period.",
		"Nothing new on 3 pages.", "No page could be read: all 3 attempts failed.", "",
	}, `select note from api_v1.topic_period where topic = 'flood' order by period_start`)
	var told []string
	for _, target := range []string{"desk", "log"} {
		for day := 1; day <= 7; day++ {
			told = append(told, fmt.Sprintf("%s Summary: flood: %d Mar 2021", target, day))
		}
	}
	one.want("messages", told, inOutbox)
	one.want("ids of messages", []string{"7"}, `select count(distinct message_id)::text from core.outbox`)

	// What a target gets.
	var m notice.Message
	raw := one.rows(`select payload::text from core.outbox where target = 'desk' and title like '%: 2 Mar 2021'`)
	if err := json.Unmarshal([]byte(raw[0]), &m); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"26 people", " and 1 other host", "http://127.0.0.1:8080/pages/", "http://127.0.0.1:8080/topics/flood/20210302T000000Z"} {
		if !strings.Contains(m.Text(), part) {
			t.Errorf("the text lacks %q:\n%s", part, m.Text())
		}
	}
	if !strings.HasPrefix(m.HTML, "<!DOCTYPE html>") || !strings.Contains(m.HTML, "<b>The flood killed 26 people in the town of Kirkdale on Tuesday.</b>") {
		t.Errorf("HTML: %s", m.HTML)
	}

	// A period that is computed by hand is told to nobody, nor again.
	w.call("topic", "flood", "--run", "--period", "2021-03-02")
	w.call("topic", "flood", "--run", "--period", "2021-02-01..2021-02-03")
	one.look()
	one.want("messages after computing by hand", told, inOutbox)
}

// TestTopicReconfigured removes a topic, renames it, brings it back, changes its periods and who is told.
func TestTopicReconfigured(t *testing.T) {
	t.Parallel()
	w := newTopicWorld(t)
	quiet := strings.ReplaceAll(fmt.Sprintf(floodTopic, w.dir), "    notify: {to: [desk, log]}\n", "")
	w.configure(quiet)
	w.floodPages()
	d := w.daemon()
	d.look()
	d.look()
	w.clock.AdvanceTo(at(2, 1))
	d.look()
	d.want("nobody is to be told", []string{}, inOutbox)
	w.configure(fmt.Sprintf(floodTopic, w.dir))
	if out := d.Reload(t.Context()); len(out.Errors) > 0 || len(out.Changes) != 1 {
		t.Fatalf("reload: %+v", out)
	}
	d.look()
	d.want("what was before is not told", []string{}, inOutbox)
	w.clock.AdvanceTo(at(3, 1))
	d.look()
	d.want("what comes then is", []string{"desk Summary: flood: 3 Mar 2021", "log Summary: flood: 3 Mar 2021"}, inOutbox)

	// It is removed: its pages are no longer wanted, its history stays and says so.
	w.configure("{}\n")
	if out := d.Reload(t.Context()); len(out.Changes) == 0 || !strings.Contains(strings.Join(out.Changes, "\n"), "topic flood") {
		t.Errorf("reload does not say that the topic went: %+v", out)
	}
	w.clock.AdvanceTo(at(4, 1))
	d.look()
	d.want("pages wanted", []string{}, `select p.url from core.page_schedule s join core.page p using (page_id) where s.next_due_at is not null`)
	if got := w.call("topic", "list"); !strings.Contains(got, "flood") || !strings.Contains(got, "paused") {
		t.Errorf("the list says: %s", got)
	}
	if got := w.call("topic", "flood", "--period", "2021-03-02"); !strings.Contains(got, "Kirkdale") {
		t.Errorf("its history: %s", got)
	}

	// Under another name it is another topic, beside the old one.
	w.configure(strings.ReplaceAll(fmt.Sprintf(floodTopic, w.dir), "name: flood", "name: water"))
	if out := d.Reload(t.Context()); len(out.Errors) > 0 {
		t.Fatalf("reload: %+v", out)
	}
	d.look()
	d.look()
	d.want("topics", []string{"flood false", "water true"}, `select name || ' ' || (paused_at is null) from core.topic order by name`)
	d.want("the old history", []string{"01 00 to 02 00: 3 read, 0 new", "02 00 to 03 00: 3 read, 2 new", "03 00 to 04 00: 3 read, 1 new"}, periodsOf, "flood")

	// It comes back, with longer periods: the time between is one period, and nothing overlaps.
	w.configure(strings.ReplaceAll(fmt.Sprintf(floodTopic, w.dir), "@daily", "0 0 */4 * *"))
	if out := d.Reload(t.Context()); len(out.Errors) > 0 {
		t.Fatalf("reload: %+v", out)
	}
	w.clock.AdvanceTo(at(9, 1))
	d.look()
	d.want("periods of both schedules", []string{
		"01 00 to 02 00: 3 read, 0 new", "02 00 to 03 00: 3 read, 2 new", "03 00 to 04 00: 3 read, 1 new",
		"04 00 to 05 00: 0 read, 0 new", "05 00 to 09 00: 3 read, 1 new",
	}, periodsOf, "flood")
	d.want("it is told", []string{"2"}, `select count(*)::text from core.outbox where target = 'desk' and created_at > $1`, at(8, 0))
}

// TestTopicReview holds up what wants to join until a person says so, and lets pages leave and come back.
func TestTopicReview(t *testing.T) {
	t.Parallel()
	w := newTopicWorld(t)
	w.configure(strings.NewReplacer("grow: {links: 0, clicks: 0, top: 0}", "grow: {links: 0, clicks: 0, top: 5, accept: review}", "track: 2", "track: 150").
		Replace(fmt.Sprintf(floodTopic, w.dir)))
	for day := range 2 {
		for i, name := range []string{"one", "two", "three"} {
			w.capture("https://"+name+".test/", at(day, 6), 200, known+fmt.Sprintf("<p>Page %s of day %d.</p><p>The flood killed %d people in the town of Kirkdale on Tuesday.</p>", name, day*day, 20+day*10+i))
		}
	}
	for _, name := range []string{"four", "five"} {
		w.capture("https://"+name+".test/", at(0, 5), 200, "<p>A list of pages.</p><a href='https://one.test/'>one</a> <a href='https://new.test/a'>new</a> <a href='https://three.test/more'>more</a>")
	}
	w.bring()
	d := w.daemon()
	d.look()
	d.look()
	w.clock.AdvanceTo(at(2, 1))
	d.look()
	d.want("proposed", []string{"https://new.test/a growth 2 of the 2 pages that link to the best 3 pages link to it"},
		`select url || ' ' || added_by || ' ' || reason from api_v1.topic_page where topic = 'flood' and state = 'proposed'`)
	all := []string{"https://one.test/", "https://three.test/", "https://two.test/"}
	d.want("wanted before the word", all, wantedBy, "topic:flood")
	topic, err := d.TopicByName(t.Context(), "flood")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := d.TopicPages(t.Context(), topic.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		if p.State() == "proposed" {
			if err := d.DecideTopicPage(t.Context(), topic.ID, p.Page, true, w.clock.Now()); err != nil {
				t.Fatal(err)
			}
		}
	}
	d.look()
	d.want("wanted after it", []string{"https://new.test/a", "https://one.test/", "https://three.test/", "https://two.test/"}, wantedBy, "topic:flood")

	// The page that joined cannot be fetched for eight periods while others can: it leaves.
	for day := 2; day < 24; day++ {
		w.capture("https://one.test/", at(day, 6), 200, known+fmt.Sprintf("<p>The flood killed %d people in the town of Kirkdale on Tuesday.</p>", 50+day))
	}
	w.bring()
	w.clock.AdvanceTo(at(12, 1))
	d.look()
	d.want("it left, with its date", []string{"https://new.test/a left could not be fetched in 8 periods 11"},
		`select url || ' ' || state || ' ' || left_reason || ' ' || to_char(left_at at time zone 'UTC', 'DD') from api_v1.topic_page where topic = 'flood' and url like '%new.test%'`)
	d.want("wanted after it left", all, wantedBy, "topic:flood")
	w.clock.AdvanceTo(at(24, 1))
	d.look()
	got := d.rows(`select state || ': ' || reason from api_v1.topic_page where topic = 'flood' and url like '%new.test%'`)
	if len(got) != 1 || !strings.HasPrefix(got[0], "proposed") || !strings.HasSuffix(got[0], "it was here until 11 Mar 2021") {
		t.Errorf("it does not come back: %q", got)
	}
}

// TestTopicProvider has a search server that is no such server at first, and then finds nothing, and then pages.
func TestTopicProvider(t *testing.T) {
	t.Parallel()
	w := newTopicWorld(t)
	var mu sync.Mutex // guards what follows
	answer, asked := "<html>Welcome", 0
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked++
		kind := "application/json"
		if strings.HasPrefix(answer, "<") {
			kind = "text/html"
		}
		rw.Header().Set("Content-Type", kind)
		if r.URL.Query().Get("pageno") == "1" || kind == "text/html" {
			fmt.Fprint(rw, answer)
			return
		}
		fmt.Fprint(rw, `{"results": []}`)
	}))
	defer server.Close()
	w.configure(fmt.Sprintf("topics:\n  - {name: flood, query: flood, language: en, period: '@daily', search: {searxng: {url: '%s'}}, grow: {links: 0, clicks: 0}}\n"+
		"  - {name: other, query: flood, language: en, period: '@daily', search: {seeds: ['https://one.test/']}, grow: {links: 0, clicks: 0}}\n", server.URL))
	w.floodPages()
	d := w.daemon()
	note := func(part string) {
		t.Helper()
		if got := d.rows(`select note from core.topic where name = 'flood'`); !strings.Contains(got[0], part) {
			t.Errorf("its note is %q, want %q in it", got, part)
		}
		if got := w.call("topic", "list"); !strings.Contains(got, part) {
			t.Errorf("the list does not say %q: %s", part, got)
		}
	}
	set := func(s string) { mu.Lock(); answer = s; mu.Unlock() }
	d.look()
	note("it answered with a web page, not with JSON")
	d.look()
	if asked != 1 {
		t.Errorf("it was asked %d times at once, want 1", asked)
	}
	set(`{"results": []}`)
	w.clock.Advance(11 * time.Minute)
	d.look()
	note("the search found no page")
	w.clock.AdvanceTo(at(1, 1))
	set(`{"results": [{"url": "https://one.test/"}, {"url": "https://two.test/"}, {"url": "javascript:alert(1)"}]}`)
	d.look()
	note("2 pages from the search")
	d.look()
	d.want("the other topic went on", []string{"01 00 to 02 00: 1 read, 0 new"}, periodsOf, "other")
	w.clock.AdvanceTo(at(3, 1))
	d.look()
	d.want("it starts when it was formed", []string{"02 01 to 03 00: 2 read, 2 new", "03 00 to 04 00: 2 read, 1 new"}, periodsOf, "flood")
}

// slowProvider gives some pages and then no more until it is no longer waited for.
type slowProvider struct{ hits []summarize.Hit }

func (p slowProvider) Find(ctx context.Context, _, _ string, _ int) ([]summarize.Hit, error) {
	<-ctx.Done()
	return p.hits, fmt.Errorf("page 2 of the results: %w", ctx.Err())
}

// TestTopicSlowProvider has a provider that would take forever: what it gave until the limit counts, and
// with nothing the topic waits for its next try.
func TestTopicSlowProvider(t *testing.T) {
	t.Parallel()
	w := newTopicWorld(t)
	w.configure(fmt.Sprintf(floodTopic, w.dir))
	d := w.daemon()
	runner := summarize.New(d.DB, summarize.Options{Now: w.clock.Now, Patience: -1, Search: time.Millisecond})
	for _, tt := range []struct {
		name, note string
		hits       []summarize.Hit
		formed     bool
	}{
		{"nothing", "the search failed: page 2 of the results: context deadline exceeded", nil, false},
		{"some", "1 page from the search; then the search failed: page 2 of the results: context deadline exceeded", []summarize.Hit{{URL: "https://one.test/", Reason: "found"}}, true},
	} {
		topic, err := d.EnsureTopic(t.Context(), w.clock.Now(), store.Topic{Name: tt.name, Query: "flood", Provider: "searxng", Rank: summarize.Novel})
		if err != nil {
			t.Fatal(err)
		}
		topic, err = runner.Form(t.Context(), topic, summarize.Settings{Provider: slowProvider{tt.hits}, Results: 10})
		if err != nil || topic.Note != tt.note || topic.FormedAt.IsZero() == tt.formed {
			t.Errorf("%s: note %q, formed at %v, error %v", tt.name, topic.Note, topic.FormedAt, err)
		}
	}
}

// TestTopicHugePage has a page of 2,000 sentences, of 50,000 in long form.
func TestTopicHugePage(t *testing.T) {
	t.Parallel()
	w := newTopicWorld(t)
	w.configure(fmt.Sprintf(floodTopic, w.dir))
	n := 2_000
	if os.Getenv("STRANDLINE_SOAK") != "" {
		n = 50_000
	}
	var body strings.Builder
	for i := range n {
		fmt.Fprintf(&body, "<p>The flood of the river killed %d people in the town number %d of the north.</p>", 3+i, i*7)
	}
	w.capture("https://one.test/", at(0, 6), 200, known)
	w.capture("https://one.test/", at(1, 6), 200, known+body.String())
	w.bring()
	d := w.daemon()
	d.look()
	d.look()
	w.clock.AdvanceTo(at(2, 1))
	d.look()
	got := d.rows(`select sentences::text from api_v1.topic_period where topic = 'flood' order by period_start desc limit 1`)
	if len(got) != 1 || got[0] == "0" {
		t.Errorf("new sentences: %q of %d", got, n)
	}
	t.Logf("%s of %d sentences are new", got, n)
	d.want("shown", []string{"10"}, `select count(*)::text from core.topic_sentence where mode = 'novel' and kind = 'sentence'`)
}

// TestTopicTakenBack lists apart what a page takes back, and shows as many neighbours as are asked for.
func TestTopicTakenBack(t *testing.T) {
	t.Parallel()
	w := newTopicWorld(t)
	w.configure(strings.Replace(fmt.Sprintf(floodTopic, w.dir), "notify:", "summary: {context: 2}\n    notify:", 1))
	story := []string{
		"The flood of the river is watched by all of the towns.", "It has been high since the rain of the week before.", "Help comes from the towns around.",
		"The mayor of Oakham was seen on a boat in the harbour.", "Schools in Oakham stay closed until the water falls.", "The bridge of Lund is open to all cars again.",
		"Farmers on the hills have lost some of their hay.", "The army has sent tents and blankets to the town.",
	}
	page := func(list ...string) string { return "<div><p>" + strings.Join(list, "</p><p>") + "</p></div>" }
	var second []string
	for i, s := range story {
		if i != 3 {
			second = append(second, s)
		}
		if i == 5 {
			second = append(second, "The flood killed 26 people in the town of Kirkdale on Tuesday.")
		}
	}
	w.capture("https://one.test/", at(0, 6), 200, page(story...))
	w.capture("https://one.test/", at(1, 6), 200, page(second...))
	w.bring()
	d := w.daemon()
	d.look()
	d.look()
	w.clock.AdvanceTo(at(2, 1))
	d.look()
	d.want("told", []string{
		"retracted 1: The mayor of Oakham was seen on a boat in the harbour.", "sentence 2: The flood killed 26 people in the town of Kirkdale on Tuesday.",
	}, `select kind || ' ' || version || ': ' || sentence from api_v1.topic_sentence_by_mode where topic = 'flood' and mode = 'novel' order by kind`)
	d.want("its sentences alone", []string{"1: The flood killed 26 people in the town of Kirkdale on Tuesday."}, `select rank || ': ' || sentence from api_v1.topic_sentence where topic = 'flood'`)
	got := w.call("topic", "flood")
	for _, part := range []string{
		"(Schools in Oakham stay closed until the water falls. The bridge of Lund is open to all cars again.)",
		"(Farmers on the hills have lost some of their hay. The army has sent tents and blankets to the town.)", "Taken back\n   - The mayor of Oakham",
	} {
		if !strings.Contains(strings.Join(strings.Fields(got), " "), strings.Join(strings.Fields(part), " ")) {
			t.Errorf("the summary lacks %q:\n%s", part, got)
		}
	}
}
