package suggest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/crawler/simweb"
	"github.com/strandlinehq/strandline/monitor/ignore"
	"github.com/strandlinehq/strandline/monitor/mask"
)

var epoch = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

// pages makes hourly versions of markup that is given the number of the hour.
func pages(n int, markup func(i int) string) []Version {
	var x extract.Extractor
	var out []Version
	for i := range n {
		p := x.Extract(extract.Input{Body: []byte(markup(i)), ContentType: "text/html; charset=utf-8", URL: "http://a.test/"})
		out = append(out, Version{epoch.Add(time.Duration(i) * time.Hour), 1, p})
	}
	return out
}

const story = "<p>The council met on Tuesday and decided to mend the bridge at last, said the mayor in a long speech.</p>"

func TestCounter(t *testing.T) {
	t.Parallel()
	versions := pages(12, func(i int) string {
		news := "<p>Nothing else happened.</p>"
		if i >= 6 {
			news = "<p>The bridge has a new rail.</p>"
		}
		return fmt.Sprintf("<body>%s<div class=foot><p>You are visitor %d of this page.</p></div>%s", story, 1200+7*i, news)
	})
	got, err := Page(versions, nil, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []Rule{{
		Text: `/You are visitor [-+]?[0-9][0-9.,]* of this page\./`, Pages: 1, Steps: 11, Differs: 11, Changes: 11, Alone: 10,
		Life: 11 * time.Hour / 12, Example: "You are visitor 1277 of this page.",
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
	if again, err := Page(versions, []string{got[0].Text}, nil, Options{}); err != nil || len(again) > 0 {
		t.Errorf("offered again: %+v, %v", again, err)
	}
}

// What does not change in nearly every fetch is not offered, nor headlines that are
// new each time, nor anything from a short history.
func TestContentIsNotOffered(t *testing.T) {
	t.Parallel()
	for name, versions := range map[string][]Version{
		"daily figure": pages(48, func(i int) string { return fmt.Sprintf("<body>%s<p>%d cases are confirmed.</p>", story, 900+i/24) }),
		"headlines":    pages(20, func(i int) string { return fmt.Sprintf("<body>%s<h2>%s</h2>", story, headline(i)) }),
		"news by number": pages(20, func(i int) string {
			return fmt.Sprintf("<body>%s<p>Incident number %d</p><p>%s</p>", story, 70+i, headline(i))
		}),
		"short":        pages(4, func(i int) string { return fmt.Sprintf("<body>%s<p>You are visitor %d.</p>", story, i) }),
		"one version":  pages(1, func(int) string { return story }),
		"all the same": pages(12, func(int) string { return story }),
		"seen often":   {},
		"half the words": pages(12, func(i int) string {
			return fmt.Sprintf("<body><p>%s %s %s</p>", headline(i), headline(i+3), headline(i+5))
		}),
	} {
		if name == "seen often" {
			versions = pages(12, func(i int) string { return fmt.Sprintf("<body>%s<p>You are visitor %d.</p>", story, i) })
			for i := range versions {
				versions[i].Fetches = 24
			}
		}
		got, err := Page(versions, nil, nil, Options{})
		if err != nil || len(got) > 0 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func headline(i int) string {
	words := []string{"flood", "bridge", "school", "ferry", "market", "rail", "tax", "storm", "harbour", "museum", "vote"}
	return words[i%11] + " " + words[(i*5+3)%11] + " " + words[(i*7+1)%11] + " after " + words[(i*3+2)%11]
}

// A block is offered when pairs showed it, and rules of pages are joined.
func TestLearnedAndJoined(t *testing.T) {
	t.Parallel()
	ads := []string{"Buy our boots", "Fly to the isles today", "A loan in minutes", "Cheap tea for all of you"}
	versions := pages(12, func(i int) string {
		return fmt.Sprintf("<body>%s%s<div class=ad-slot>%s</div>", story, story, ads[i*3%4])
	})
	var m mask.Mask
	for i := range 4 {
		m.Learn(versions[i].Page, versions[i+1].Page, epoch.Add(time.Duration(i)*time.Hour), mask.Options{})
	}
	got, err := Page(versions, nil, &m, Options{})
	if err != nil || len(got) != 1 || got[0].Text != "body > div.ad-slot" || !got[0].Learned || got[0].Alone != 11 {
		t.Fatalf("rules %+v, %v", got, err)
	}
	joined := Rules(got, nil, got)
	want := got[0]
	want.Pages, want.Steps, want.Differs, want.Changes, want.Alone = 2, 22, 2*want.Differs, 22, 22
	if diff := cmp.Diff([]Rule{want}, joined); diff != "" {
		t.Errorf("joined (-want +got):\n%s", diff)
	}
}

// On a simulated web, whose truth was not seen when the rules were made, they remove
// nearly all of the noise that changes by the fetch, and no true change.
func TestSimulatedWeb(t *testing.T) {
	t.Parallel()
	start := time.Date(2025, 7, 1, 0, 0, 7, 0, time.UTC)
	w, err := simweb.New(func() time.Time { return start }, simweb.Options{Seed: 8, Hosts: 12, PagesPerHost: 60, Size: 6 << 10})
	if err != nil {
		t.Fatal(err)
	}
	var x extract.Extractor
	requests := 0
	get := func(url string, at time.Time) *extract.Page {
		requests++
		r := w.Body(url, at, requests)
		if r.Status != 200 {
			return nil
		}
		return x.Extract(extract.Input{Body: r.Body, ContentType: r.Header.Get("Content-Type"), URL: url})
	}
	tested, rulesOffered, noise, left, trueChanges, lost := 0, 0, 0, 0, 0, 0
	for p := range w.Pages(start, start.Add(time.Hour)) {
		noisy := slices.ContainsFunc(p.Noise, func(s string) bool {
			return slices.Contains([]string{"visits", "timing", "advert", "session", "online", "clock"}, s)
		}) && !slices.ContainsFunc(p.Noise, func(s string) bool { return s == "quote" || s == "ticker" || s == "shuffle" })
		if !noisy && p.Rate != simweb.Minutes && p.Rate != simweb.Hourly || !p.Died.IsZero() || p.Redirect != "" || tested == 40 {
			continue
		}
		tested++
		now := start
		var m mask.Mask
		var versions []Version
		for range 16 {
			a, b := get(p.URL, now), get(p.URL, now)
			if a == nil || b == nil {
				break
			}
			m.Learn(a, b, now, mask.Options{})
			versions = append(versions, Version{now, 1, a})
			now = now.Add(time.Hour + 31*time.Second)
		}
		rules, err := Page(versions, nil, &m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, r := range rules {
			texts = append(texts, r.Text)
		}
		rulesOffered += len(texts)
		compiled, err := ignore.Compile(texts)
		if err != nil {
			t.Fatal(err)
		}
		before, last := get(p.URL, now), now
		for range 10 { // versions that were not learned from
			now = now.Add(time.Hour + 97*time.Second)
			after := get(p.URL, now)
			if before == nil || after == nil {
				break
			}
			a, _ := compiled.Apply(before)
			b, _ := compiled.Apply(after)
			same := slices.EqualFunc(a, b, func(x, y ignore.Line) bool { return x.Text == y.Text })
			switch {
			case len(w.Changes(p.URL, last, now)) > 0:
				trueChanges++
				if same && before.Text() != after.Text() {
					lost++
					t.Logf("%s %v: a true change is gone by %q", p.URL, p.Noise, texts)
				}
			case before.Text() != after.Text():
				noise++
				if !same {
					left++
				}
			}
			before, last = after, now
		}
	}
	t.Logf("%d pages, %d rules: false changes %d -> %d; %d true changes, %d lost", tested, rulesOffered, noise, left, trueChanges, lost)
	if noise < 50 || float64(left) > .1*float64(noise) {
		t.Errorf("of %d false changes %d are left", noise, left)
	}
	if trueChanges < 50 || lost > 0 {
		t.Errorf("of %d true changes %d are lost", trueChanges, lost)
	}
}
