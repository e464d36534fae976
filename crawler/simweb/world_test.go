package simweb

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const day = 24 * time.Hour

// testWorld has every kind of host, language and page; its clock stands at the given time after the epoch.
func testWorld(t testing.TB, o Options, after time.Duration) *World {
	t.Helper()
	if o.Hosts == 0 {
		o.Hosts = 16
	}
	if o.PagesPerHost == 0 {
		o.PagesPerHost = 90
	}
	if o.Size == 0 {
		o.Size = 6 << 10
	}
	var w *World
	w, err := New(func() time.Time { return w.opts.Epoch.Add(after) }, o)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return w
}

func (w *World) at(after time.Duration) time.Time { return w.opts.Epoch.Add(after) }

// allPages lists the pages alive at a time.
func allPages(w *World, at time.Time) []Page {
	return slices.Collect(w.Pages(at, at.Add(1)))
}

func TestEqualOptionsGiveEqualBytesInAnyOrder(t *testing.T) {
	t.Parallel()
	a := testWorld(t, Options{Seed: 3, Volatile: true}, 0)
	b := testWorld(t, Options{Seed: 3, Volatile: true}, 0)
	type request struct {
		url string
		at  time.Time
		n   int
	}
	var requests []request
	for i, p := range allPages(a, a.at(20*day)) {
		if i%3 == 0 {
			requests = append(requests, request{p.URL, a.at(time.Duration(i) * 3 * time.Hour), 1 + i%4})
		}
	}
	for _, h := range a.Hosts() {
		requests = append(requests, request{h.Feed, a.at(day), 1}, request{h.Sitemap, a.at(day), 1}, request{h.Home + "robots.txt", a.at(day), 1})
	}
	first := make(map[request]Response)
	for _, r := range requests {
		first[r] = a.Body(r.url, r.at, r.n)
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(requests), func(i, j int) { requests[i], requests[j] = requests[j], requests[i] })
	for _, r := range requests {
		one, two := first[r], b.Body(r.url, r.at, r.n)
		if one.Status != two.Status || !bytes.Equal(one.Body, two.Body) || !cmp.Equal(one.Header, two.Header) {
			t.Fatalf("Body(%s, %s, %d) is %d and %d bytes, differing in content or header", r.url, r.at, r.n, len(one.Body), len(two.Body))
		}
	}
	other := testWorld(t, Options{Seed: 4}, 0)
	if home := a.Homes()[0]; bytes.Equal(a.Body(home, a.at(0), 1).Body, other.Body(home, a.at(0), 1).Body) {
		t.Errorf("seeds 3 and 4 give the same %s", home)
	}
}

func TestPagesAreFoundUnderTheirAddress(t *testing.T) {
	t.Parallel()
	w := testWorld(t, Options{Seed: 5}, 0)
	seen := make(map[string]bool)
	kinds := make(map[Kind]int)
	noises := make(map[string]int)
	for _, p := range slices.Collect(w.Pages(w.at(-2000*day), w.at(200*day))) {
		if seen[p.URL] {
			t.Errorf("%s is yielded twice", p.URL)
		}
		seen[p.URL] = true
		kinds[p.Kind]++
		for _, name := range p.Noise {
			noises[name]++
		}
		got, ok := w.Page(p.URL)
		if !ok {
			t.Fatalf("Page(%s) is not found", p.URL)
		}
		if diff := cmp.Diff(p, got); diff != "" {
			t.Fatalf("Page(%s) differs (-yielded +found):\n%s", p.URL, diff)
		}
		if !p.Died.IsZero() && !p.Died.After(p.Born) {
			t.Errorf("%s lives from %s to %s", p.URL, p.Born, p.Died)
		}
	}
	for k := Home; k <= Redirect; k++ {
		if kinds[k] == 0 {
			t.Errorf("no page of kind %s", k)
		}
	}
	for _, k := range Noises() {
		if noises[k.Name] == 0 {
			t.Errorf("no page with noise %s", k.Name)
		}
	}
	for _, url := range []string{
		"", "http://", "http://nowhere.test/", "https://news-00.sim.test/", "http://news-00.sim.test/x-1", "http://news-00.sim.test/archive/1800-01/",
		"http://news-00.sim.test/harbour/list-0", "http://news-00.sim.test/-99999999999999999999", ":",
	} {
		if p, ok := w.Page(url); ok {
			t.Errorf("Page(%q) = %s, want none", url, p.URL)
		}
	}
}

func TestLinksLeadFromTheHomesToEveryPage(t *testing.T) {
	t.Parallel()
	// More than one list a section, so that reaching the last list is part of the test.
	w := testWorld(t, Options{Seed: 6, Hosts: 5, PagesPerHost: 1000, Size: 2 << 10}, 0)
	for _, after := range []time.Duration{0, 40 * day} {
		at := w.at(after)
		queue := w.Homes()
		seen := make(map[string]bool)
		for _, u := range queue {
			seen[u] = true
		}
		for len(queue) > 0 {
			url := queue[0]
			queue = queue[1:]
			next := w.Links(url, at)
			if p, _ := w.Page(url); p.Redirect != "" {
				next = []string{p.Redirect}
			}
			for _, u := range next {
				if !w.Alive(u, at) {
					t.Fatalf("%s links to %s, which is not alive", url, u)
				}
				if !seen[u] {
					seen[u] = true
					queue = append(queue, u)
				}
			}
		}
		missed := 0
		for _, p := range allPages(w, at) {
			if !seen[p.URL] {
				if missed++; missed < 5 {
					t.Errorf("after %s: %s (%s, born %s) cannot be reached", after, p.URL, p.Kind, p.Born)
				}
			}
		}
	}
}

func TestEventsAreReportedInDifferentWords(t *testing.T) {
	t.Parallel()
	w := testWorld(t, Options{Seed: 7, Hosts: 24, PagesPerHost: 120}, 0)
	from, to := w.at(10*day), w.at(16*day)
	events := w.Events(from, to)
	if len(events) < 5 {
		t.Fatalf("Events: %d in six days, want about 8", len(events))
	}
	type seenBy struct{ hosts, wordings map[string]bool }
	fresh := make(map[string]seenBy) // by event, its first fact while new
	status := make(map[Status]int)
	for p := range w.Pages(from, to.Add(2*day)) {
		if p.Kind != Article || p.Born.Before(from) {
			continue
		}
		for _, s := range w.Sentences(p.URL, p.Born) {
			status[s.Status]++
			if (s.Event == "") != (s.Status == StatusNone) {
				t.Fatalf("%s: sentence %+v: event and status do not agree", p.URL, s)
			}
			if s.Status == StatusNew && s.Fact == 0 && p.Language == "en" {
				by, ok := fresh[s.Event]
				if !ok {
					by = seenBy{make(map[string]bool), make(map[string]bool)}
					fresh[s.Event] = by
				}
				by.hosts[p.Host], by.wordings[s.Text] = true, true
			}
		}
	}
	for _, e := range events {
		by := fresh[e.ID]
		if len(by.hosts) < 3 || len(by.wordings) < 2 {
			t.Errorf("event %s: first fact new on %d hosts in %d wordings, want at least 3 and 2", e.ID, len(by.hosts), len(by.wordings))
		}
		if len(e.Stages) < 3 || len(e.Stages) != len(e.Numbers) || e.Numbers[0] == e.Numbers[len(e.Numbers)-1] {
			t.Errorf("event %s: stages %v with numbers %v do not move", e.ID, e.Stages, e.Numbers)
		}
	}
	for _, s := range []Status{StatusNone, StatusNew, StatusUpdate, StatusRepeat} {
		if status[s] == 0 {
			t.Errorf("no sentence of status %q", s)
		}
	}
}

// TestStatusFollowsTheEventsClock recounts the status of each sentence from the public account of the event.
func TestStatusFollowsTheEventsClock(t *testing.T) {
	t.Parallel()
	w := testWorld(t, Options{Seed: 8}, 0)
	events := make(map[string]Event)
	for _, e := range w.Events(w.at(-60*day), w.at(30*day)) {
		events[e.ID] = e
	}
	checked := 0
	for p := range w.Pages(w.at(0), w.at(25*day)) {
		if p.Kind != Article || p.Born.Before(w.at(0)) {
			continue
		}
		for _, s := range w.Sentences(p.URL, p.Born) {
			e, ok := events[s.Event]
			if !ok {
				continue
			}
			stage := 0
			for stage+1 < len(e.Stages) && !e.Stages[stage+1].After(p.Born) {
				stage++
			}
			if s.Fact >= 1 && s.Fact <= 3 { // the facts with the numbers a, b, c
				for stage > 0 && e.Numbers[stage][s.Fact-1] == e.Numbers[stage-1][s.Fact-1] {
					stage--
				}
			} else {
				stage = 0
			}
			want := StatusUpdate
			switch {
			case !p.Born.Before(e.Stages[stage].Add(newsLasts)):
				want = StatusRepeat
			case stage == 0:
				want = StatusNew
			}
			if s.Status != want {
				t.Fatalf("%s born %s: %+v is %s, want %s by %+v", p.URL, p.Born, s, s.Status, want, e)
			}
			checked++
		}
	}
	if checked < 200 {
		t.Errorf("checked %d sentences, want at least 200", checked)
	}
}

func TestSentencesReadLikeSentences(t *testing.T) {
	t.Parallel()
	w := testWorld(t, Options{Seed: 9, Hosts: 24}, 0)
	distinct, total := make(map[string]bool), 0
	for p := range w.Pages(w.at(5*day), w.at(5*day+1)) {
		if p.Kind == Table || p.Kind == Login || p.Kind == Home {
			continue
		}
		for _, s := range w.Sentences(p.URL, w.at(5*day)) {
			total++
			distinct[s.Text] = true
			if strings.ContainsAny(s.Text, "{}[]|\t#%") || strings.Contains(s.Text, "  ") {
				t.Errorf("%s: %q shows the grammar", p.URL, s.Text)
			}
			if end := s.Text[len(s.Text)-1]; p.Language != "ja" && end != '.' && end != '"' {
				t.Errorf("%s: %q does not end as a sentence", p.URL, s.Text)
			}
			if p.Language == "en" && (s.Text[0] < 'A' || s.Text[0] > 'Z') {
				t.Errorf("%s: %q does not begin with a capital", p.URL, s.Text)
			}
		}
	}
	if total < 5000 || len(distinct)*100 < total*93 {
		t.Errorf("%d of %d sentences are distinct, want 93 per cent of at least 5000", len(distinct), total)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{
		{Hosts: -1},
		{PagesPerHost: 3},
		{Size: 10},
		{Rates: Rates{Static: -1, Daily: 2}},
		{Span: time.Second},
		{ArticlesPerDay: -2},
		{EventEvery: time.Nanosecond},
		{FailShare: 2},
	} {
		if _, err := New(time.Now, o); err == nil {
			t.Errorf("New(%+v): no error", o)
		}
	}
	w := testWorld(t, Options{OwnDomains: true, EnglishOnly: true, PlainRobots: true}, 0)
	for _, h := range w.Hosts() {
		if strings.Count(h.Name, ".") != 1 || h.Language != "en" || h.Robots != RobotsAllowAll {
			t.Errorf("host %+v: want a domain of its own, English, everything allowed", h)
		}
	}
}
