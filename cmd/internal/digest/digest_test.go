package digest

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/strandlinehq/strandline/cmd/internal/atom"
	"github.com/strandlinehq/strandline/store"
)

// hostile is what a page may say to be more than text.
const hostile = "The <script>alert(1)</script> [river](javascript:x) *rose* `to` _2_ m | # \u202Etxet\u2066 & fell\nfast."

func sample() *Summary {
	at := time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC)
	item := func(kind, label, text string) Item {
		return Item{TopicSentence: store.TopicSentence{
			Kind: kind, Rank: 1, Place: 1, Sentence: text, Before: "Before. " + hostile, After: "After. " + hostile, Earlier: "Earlier. " + hostile,
			Page: 77, Version: 5, At: at, Label: label, Pages: 2, Hosts: 3,
		}, URL: "https://one.test/a_(b)?q=<x>&y=1", Host: "one.test", Title: hostile}
	}
	return &Summary{
		Topic: "tides", Query: "tide", Language: "en", Mode: "novel", Context: 2, Base: "https://strandline.test",
		TopicPeriod: store.TopicPeriod{From: at.Truncate(24 * time.Hour), To: at.Truncate(24*time.Hour).AddDate(0, 0, 1), ComputedAt: at.AddDate(0, 0, 1), Checked: 4, Changed: 2, HostsChanged: 2, Sentences: 9},
		Items:       []Item{item("sentence", "update", hostile), item("sentence", "new", "Another one came.")},
		Figures:     []Item{item("row", "row", "Homes: 12 "+hostile)}, Retracted: []Item{item("retracted", "retracted", hostile)},
		Terms: []store.TopicTerm{{Word: "river<b>", Trend: "rising"}, {Word: "tide", Trend: "falling"}, {Word: "boat", Trend: "steady"}, {Word: "12"}},
	}
}

// TestForms: all forms say the same, with their links, and nothing that a page says becomes markup.
func TestForms(t *testing.T) {
	t.Parallel()
	s := sample()
	var text, markdown, page, document bytes.Buffer
	for _, err := range []error{s.Text(&text), s.Markdown(&markdown), s.HTML(&page), s.JSON(&document)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	const diff = "https://strandline.test/pages/77/diff?b=5"
	for name, form := range map[string]string{"text": text.String(), "Markdown": markdown.String(), "HTML": html.UnescapeString(page.String())} {
		for _, part := range []string{"Another one came.", "Before.", "After.", "Earlier.", "one.test and 2 other hosts", diff, "https://strandline.test/pages/77/versions/5", "Figures of tables", "Taken back"} {
			if !strings.Contains(form, part) {
				t.Errorf("%s lacks %q:\n%s", name, part, form)
			}
		}
		if strings.ContainsAny(form, "\u202E\u2066") {
			t.Errorf("%s has marks of direction of a page", name)
		}
	}
	if s.Items[0].Version = 1; s.DiffLink(s.Items[0]) != "" {
		t.Error("a first version has changed nothing, and yet there is a link to what changed")
	}
	s.Items[0].Version = 5
	s.Context = 0
	for name, write := range map[string]func(*bytes.Buffer) error{
		"text": func(b *bytes.Buffer) error { return s.Text(b) }, "Markdown": func(b *bytes.Buffer) error { return s.Markdown(b) }, "HTML": func(b *bytes.Buffer) error { return s.HTML(b) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil || strings.Contains(b.String(), "After.") {
			t.Errorf("%s shows neighbours where none are wanted, or %v", name, err)
		}
	}
	var back struct {
		Sentences, Figures, Retracted []struct {
			Sentence, Before, After, URL string
			Version                      int
		}
	}
	if err := json.Unmarshal(document.Bytes(), &back); err != nil || len(back.Sentences) != 2 || back.Sentences[0].Sentence != hostile || len(back.Figures) != 1 || len(back.Retracted) != 1 || back.Sentences[0].Version != 5 {
		t.Errorf("JSON: %+v, %v", back, err)
	}
}

// TestHTMLIsText parses the document: its elements are ours, and each link is one of the web.
func TestHTMLIsText(t *testing.T) {
	t.Parallel()
	s := sample()
	s.Items[1].URL = "javascript:alert(1)"
	var b bytes.Buffer
	if err := s.HTML(&b); err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(&b)
	if err != nil {
		t.Fatal(err)
	}
	ours := " html head meta title body h1 h2 p b small a br ul li del "
	links := 0
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if !strings.Contains(ours, " "+n.Data+" ") {
			t.Errorf("element %s came from a page", n.Data)
		}
		for _, a := range n.Attr {
			if a.Key != "href" {
				continue
			}
			links++
			if u, err := url.Parse(a.Val); err != nil || u.Scheme != "https" && a.Val != "#ZgotmplZ" {
				t.Errorf("link %q, %v", a.Val, err)
			}
		}
	}
	if links < 6 {
		t.Errorf("%d links", links)
	}
}

// TestMarkdown wants every mark of a page escaped.
func TestMarkdown(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := sample().Markdown(&b); err != nil {
		t.Fatal(err)
	}
	plain := regexp.MustCompile(`\\.`).ReplaceAllString(b.String(), "") // without what is escaped
	for _, bad := range []string{"script>", "[river", "*rose", "`to", "_2", "|"} {
		if strings.Contains(plain, bad) {
			t.Errorf("Markdown has %q of a page:\n%s", bad, &b)
		}
	}
	if want := "(<https://one.test/a_(b)?q=%3Cx%3E&y=1>)"; !strings.Contains(b.String(), want) {
		t.Errorf("no link %s:\n%s", want, &b)
	}
}

// TestEntry writes a feed with the summary and reads it as XML.
func TestEntry(t *testing.T) {
	t.Parallel()
	s := sample()
	feed := atom.Feed{ID: "tag:strandline.test,2026:feed", Title: "tides", Author: "Strandline", Self: "https://strandline.test/feeds/topic/tides.atom", Updated: s.To, Entries: []atom.Entry{s.Entry("tag:strandline.test,2026:1"), (&Summary{Topic: "tides", TopicPeriod: store.TopicPeriod{From: s.From, To: s.To, Note: "Nothing new on 4 pages."}}).Entry("tag:strandline.test,2026:2")}}
	written, err := atom.Write(feed)
	if err != nil {
		t.Fatal(err)
	}
	if err := atom.Check(written); err != nil {
		t.Errorf("the feed is not valid: %v", err)
	}
	var back struct {
		XMLName xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
		ID      string   `xml:"id"`
		Entries []struct {
			ID        string `xml:"id"`
			Title     string `xml:"title"`
			Updated   string `xml:"updated"`
			Published string `xml:"published"`
			Content   struct {
				Type string `xml:"type,attr"`
				Text string `xml:",innerxml"`
			} `xml:"content"`
		} `xml:"entry"`
	}
	if err := xml.Unmarshal(written, &back); err != nil || len(back.Entries) != 2 {
		t.Fatalf("%v\n%s", err, written)
	}
	for i, e := range back.Entries {
		if _, err := time.Parse(time.RFC3339, e.Updated); err != nil || e.ID == "" || e.Title == "" || e.Content.Text == "" {
			t.Errorf("entry %d: %+v, %v", i, e, err)
		}
	}
	if e := back.Entries[0]; e.Updated == e.Published || strings.Contains(e.Content.Text, "<script") || !strings.Contains(e.Content.Text, "/pages/77/diff?b=5") {
		t.Errorf("entry: %+v", e)
	}
	if !strings.Contains(back.Entries[1].Content.Text, "Nothing new on 4 pages.") {
		t.Errorf("a quiet period says %s", back.Entries[1].Content.Text)
	}
}

// TestSayOnce shows no sentence twice: neither as a neighbour of another item nor as one of two.
func TestSayOnce(t *testing.T) {
	t.Parallel()
	item := func(before, sentence, after string) Item {
		return Item{TopicSentence: store.TopicSentence{Before: before, Sentence: sentence, After: after}}
	}
	s := Summary{Items: []Item{
		item("A one.", "B two.", "C three. D four."), item("B two. C three.", "D four.", "E five."), item("D four. E five.", "F six.", "A one."),
	}}
	s.sayOnce()
	var got []string
	for _, it := range s.Items {
		got = append(got, it.Before+"|"+it.Sentence+"|"+it.After)
	}
	want := []string{"A one.|B two.|C three.", "|D four.|E five.", "|F six.|"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
