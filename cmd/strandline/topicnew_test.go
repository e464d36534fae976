package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTopicNewPage publishes an article: the list of the site, read the day before without it, links to it with its
// first sentence, another host tells the same, and a page that nobody knew the age of says so too when it is
// read for the first time. All of the article is news, and its text makes no old news of the others' on its own day; the
// next day it does. Of the page of unknown age nothing is told.
func TestTopicNewPage(t *testing.T) {
	t.Parallel()
	w := newTopicWorld(t)
	w.configure("topics:\n  - {name: flood, query: flood, language: en, period: '@daily', summary: {sentences: 10}, grow: {links: 0, clicks: 0, top: 0}}\n")
	const (
		burst  = "A dam near Oakham burst in the flood on Tuesday and forty people were brought to safety."
		ferry  = "The ferry to Lund sank in the flood with 19 people on board."
		barn   = "The flood took the barn of the mayor of Redmoor on Tuesday."
		silent = "The flood of the year 1911 drowned 300 sheep in Thornby."
	)
	for day := range 3 {
		list, two, three := known, known+"<p>Two is here.</p>", known+"<p>Three is another page.</p>"
		if day > 0 {
			list += "<p><a href='/new'>" + burst + "</a></p>"
			two += "<p>" + burst + "</p><p>" + ferry + "</p>"
		}
		if day > 1 {
			three += "<p>" + burst + "</p>"
		}
		w.capture("https://list.test/", at(day, 6), 200, list)
		w.capture("https://two.test/", at(day, 7), 200, two)
		w.capture("https://three.test/", at(day, 8), 200, three)
		if day > 0 {
			w.capture("https://list.test/new", at(day, 9), 200, "<p>"+burst+"</p><p>"+barn+"</p>")
			w.capture("https://old.test/", at(day, 9), 200, "<p>"+ferry+"</p><p>"+silent+"</p>")
		}
	}
	w.bring()
	w.call("topic", "flood", "--run", "--period", "2021-03-01..2021-03-04")
	told := func(day string) map[string]string {
		t.Helper()
		var s struct {
			Sentences []struct{ Label, Sentence string }
		}
		raw := w.call("--json", "topic", "flood", "--period", day)
		if err := json.Unmarshal([]byte(raw), &s); err != nil {
			t.Fatal(err)
		}
		out := map[string]string{}
		for _, x := range s.Sentences {
			out[x.Sentence] = x.Label
		}
		return out
	}
	if diff := cmp.Diff(map[string]string{burst: "new", ferry: "new", barn: "new"}, told("2021-03-02")); diff != "" {
		t.Errorf("the day of the article (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{}, told("2021-03-03")); diff != "" {
		t.Errorf("the day after (-want +got):\n%s", diff)
	}
	if got := w.call("topic", "flood", "--period", "2021-03-03"); !strings.Contains(got, "1 new sentence, 1 of them said before") {
		t.Errorf("the day after: %s", got)
	}
}
