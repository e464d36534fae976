package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestTopicArticleOfList gives a list a portion of the score of an article that it newly links to on its site and that
// is no page of the collection, and none for an article of another site.
func TestTopicArticleOfList(t *testing.T) {
	t.Parallel()
	w := newTopicWorld(t)
	w.configure("topics:\n  - {name: flood, query: flood, language: en, period: '@daily', search: {seeds: ['https://list.test/', 'https://two.test/']}, grow: {links: 0, clicks: 0, top: 0}}\n")
	const news = "<p>A dam near Oakham burst in the flood on Tuesday and forty people were brought to safety.</p>"
	for day := range 2 {
		list := known
		if day > 0 {
			list += "<p>There is one more.</p><a href='/new'>A dam</a> <a href='https://far.test/new'>Far</a>"
			w.capture("https://list.test/new", at(day, 9), 200, news)
			w.capture("https://far.test/new", at(day, 9), 200, news)
		}
		w.capture("https://list.test/", at(day, 6), 200, list)
		two := known
		if day > 0 {
			two += news
		}
		w.capture("https://two.test/", at(day, 7), 200, two)
	}
	w.bring()
	w.call("topic", "flood", "--run", "--period", "2021-03-01..2021-03-03")
	d := w.daemon()
	d.want("portions", []string{"https://list.test/ true", "https://two.test/ false"}, `
		select url || ' ' || (linked > 0)::text from api_v1.topic_score where topic = 'flood' and period_start = '2021-03-02' order by 1`)
	d.want("a quarter of the article", []string{"true"}, `
		select (abs(a.linked - 0.25 * b.score) < 1e-9)::text from api_v1.topic_score a, api_v1.topic_score b
		where a.topic = 'flood' and a.period_start = '2021-03-02' and b.topic = a.topic and b.period_start = a.period_start and a.url like '%list%' and b.url like '%two%'`)
}

// TestTopicRankPaper takes texts as paper J does where a topic is ranked so: short sentences, and each count of a period.
func TestTopicRankPaper(t *testing.T) {
	t.Parallel()
	w := newTopicWorld(t)
	const seeds = "query: flood, language: en, period: '@daily', search: {seeds: ['https://one.test/']}, grow: {links: 0, clicks: 0, top: 0}"
	w.configure("topics:\n  - {name: plain, " + seeds + ", summary: {rank: paper}}\n  - {name: clean, " + seeds + "}\n")
	w.capture("https://one.test/", at(0, 6), 200, known)
	for i, n := range []string{"26", "31"} {
		w.capture("https://one.test/", at(1, 6+i), 200, known+"<p>The flood killed "+n+" people in Kirkdale. The mayor resigns.</p>")
	}
	w.bring()
	d := w.daemon()
	for topic, want := range map[string][]string{
		"plain": {"The flood killed 26 people in Kirkdale.", "The flood killed 31 people in Kirkdale.", "The mayor resigns."},
		"clean": {"The flood killed 31 people in Kirkdale."},
	} {
		w.call("topic", topic, "--run", "--period", "2021-03-01..2021-03-03")
		d.want(topic, want, `select sentence from api_v1.topic_sentence_by_mode where topic = $1 and mode = 'paper' order by sentence`, topic)
	}
}

// TestCheckSaysUnknownLanguage warns of a language that topics know nothing of.
func TestCheckSaysUnknownLanguage(t *testing.T) {
	t.Parallel()
	w := newTopicWorld(t)
	for lang, warns := range map[string]bool{"xx": true, "en": false, "ja": false, "pt-BR": false} {
		w.configure("topics: [{name: flood, query: flood, language: " + lang + "}]\n")
		var stdout, stderr bytes.Buffer
		if got := Main(t.Context(), []string{"--config", w.config, "--database", w.database, "--state-dir", w.dir, "check"}, strings.NewReader(""), &stdout, &stderr); got != 0 {
			t.Fatalf("status %d: %s", got, &stderr)
		}
		if strings.Contains(stderr.String(), "no stop list") != warns {
			t.Errorf("%s: %s", lang, &stderr)
		}
	}
}
