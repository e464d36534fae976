package atom

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var at = time.Date(2026, 3, 10, 12, 0, 0, 500_000_000, time.UTC)

func sample() Feed {
	return Feed{
		ID: Tag("strandline.localhost", "2026", "feed", "all"), Title: "All <changes>", Subtitle: "of & in", Updated: at, Author: "Strandline",
		Self: "http://localhost/feeds/all.atom?a=1&b=2", Page: "http://localhost/", Next: "http://localhost/feeds/all.atom?before=9",
		Entries: []Entry{{
			ID: Tag("strandline.localhost", "2026", "change", "1", "x y"), Title: "A </title> of a page", Updated: at, Published: at.Add(-time.Hour),
			Link: "http://localhost/pages/1/diff?a=1&b=2", Source: "http://example.com/?q=%22", Categories: []string{"news \"now\""}, Summary: "short",
			Content: Content{
				{Kind: Added, Text: "<script>alert(1)</script> came."},
				{Kind: Added, Text: "So did this."},
				{Kind: Removed, Text: "That went."},
				{Text: "See the comparison.", Href: `http://localhost/?"><b>`},
				{Kind: Item, Text: "last"},
			},
		}},
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	doc, err := Write(sample())
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(doc); err != nil {
		t.Errorf("%v in\n%s", err, doc)
	}
	for _, want := range []string{
		"<id>tag:strandline.localhost,2026:change/1/x%20y</id>", "<updated>2026-03-10T12:00:00.5Z</updated>",
		"&lt;ul&gt;&lt;li&gt;&lt;ins&gt;&amp;lt;script&amp;gt;alert(1)&amp;lt;/script&amp;gt; came.&lt;/ins&gt;&lt;/li&gt;&lt;li&gt;",
		"&lt;/ul&gt;&lt;ul&gt;&lt;li&gt;&lt;del&gt;That went.&lt;/del&gt;&lt;/li&gt;&lt;/ul&gt;&lt;p&gt;&lt;a href=", "&lt;li&gt;last&lt;/li&gt;&lt;/ul&gt;</content>",
	} {
		if !strings.Contains(string(doc), want) {
			t.Errorf("no %s in\n%s", want, doc)
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*Feed){
		"id":     func(f *Feed) { f.ID = "" },
		"title":  func(f *Feed) { f.Title = "" },
		"time":   func(f *Feed) { f.Updated = time.Time{} },
		"author": func(f *Feed) { f.Author = "" },
		"entry":  func(f *Feed) { f.Entries[0].Title = "" },
		"empty":  func(f *Feed) { f.Entries[0].Link, f.Entries[0].Content = "", nil },
		"twice":  func(f *Feed) { f.Entries = append(f.Entries, f.Entries[0]) },
	} {
		f := sample()
		spoil(&f)
		if doc, err := Write(f); err == nil {
			t.Errorf("without %s: written\n%s", name, doc)
		}
	}
}

// TestCheckFinds wants Check to see each mistake that it is there for.
func TestCheckFinds(t *testing.T) {
	t.Parallel()
	doc, err := Write(sample())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ old, new, want string }{
		{"2026-03-10T12:00:00.5Z", "2026-03-10 12:00:00", "updated is"},
		{"2026-03-10T12:00:00.5Z", "2026-02-31T12:00:00Z", "updated is"},
		{"<id>tag:", "<id>", "no absolute IRI"},
		{`href="http://localhost/pages`, `href="/pages`, "not absolute"},
		{"<name>Strandline</name>", "<name/>", "without a name"},
		{"<entry>", "<entry><x xmlns='y'/>", "foreign"},
		{"<entry>", "<entry><subtitle/>", "does not belong"},
		{"<entry>", "<entry><id>a:b</id>", "2 of id"},
		{`rel="self"`, `rel="via"`, "to itself"},
		{`type="html"`, `type="xhtml"`, "of type"},
		{`term="news`, `trem="news`, "without a term"},
		{"</feed>", "</feed><p/>", "behind the feed"},
		{"</feed>", "", "EOF"},
		{namespace, "http://purl.org/atom/ns#", "the document is"},
	} {
		broken := strings.Replace(string(doc), tt.old, tt.new, 1)
		if broken == string(doc) {
			t.Errorf("%s is not in the document", tt.old)
		}
		if err := Check([]byte(broken)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s for %s: %v, want %s", tt.new, tt.old, err, tt.want)
		}
	}
}

// TestAnyText wants a valid feed of any text, and no markup from it.
func TestAnyText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"]]>", "<![CDATA[", "\x00\x1b", "\ufffe", "\u202e", "\xff\xfe", "&#0;"}))
		f := sample()
		f.Title = "t" + text.Draw(t, "title")
		e := &f.Entries[0]
		e.ID = Tag("a.test", "2026", text.Draw(t, "id"))
		e.Title, e.Summary, e.Categories = "t"+text.Draw(t, "entry"), text.Draw(t, "summary"), []string{"c" + text.Draw(t, "category")}
		e.Content = Content{{Kind: BlockKind(rapid.IntRange(0, 3).Draw(t, "kind")), Text: text.Draw(t, "content")}}
		doc, err := Write(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := Check(doc); err != nil {
			t.Fatalf("%v in\n%s", err, doc)
		}
	})
}

func BenchmarkWrite(b *testing.B) {
	f := sample()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Write(f); err != nil {
			b.Fatal(err)
		}
	}
}
