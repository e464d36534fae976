package feed

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/unicode"
)

const base = "https://example.org/feeds/all.xml"

var (
	july1 = time.Date(2024, 7, 1, 8, 30, 0, 0, time.UTC)
	july2 = time.Date(2024, 7, 2, 8, 30, 0, 0, time.UTC)
)

const rss2 = `<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/" xmlns:content="http://purl.org/rss/1.0/modules/content/">
<channel>
  <title>Harbour &amp;amp; Sea</title>
  <link>https://example.org/</link>
  <atom:link href="https://example.org/feeds/all.xml" rel="self"/>
  <image><title>Logo</title><url>https://example.org/logo.png</url><link>https://example.org/logo</link></image>
  <item>
    <media:title>Not this</media:title>
    <title><![CDATA[The <b>new</b> quay
      opens]]></title>
    <link>https://example.org/quay?a=1&b=2</link>
    <media:group><media:content><title>Nor this</title><link>https://example.org/video</link></media:content></media:group>
    <guid isPermaLink="false">tag-1</guid>
    <pubDate>Mon, 01 Jul 2024 10:30:00 +0200</pubDate>
    <atom:updated>2024-07-02T08:30:00Z</atom:updated>
    <content:encoded><![CDATA[<p>An article, <a href="x">x</a></p>]]></content:encoded>
  </item>
  <item><title>By its guid</title><guid>https://example.org/guid</guid></item>
  <item><title>Relative</title><link>../two</link></item>
  <item><title>No address</title><guid isPermaLink="false">https://example.org/not-a-page</guid></item>
  <item><title>Mail</title><link>mailto:me@example.org</link></item>
</channel></rss>`

var rss2Want = &Feed{Format: RSS, Title: "Harbour & Sea", Entries: []Entry{
	{URL: "https://example.org/quay?a=1&b=2", ID: "tag-1", Title: "The new quay opens", Published: july1, Updated: july2},
	{URL: "https://example.org/guid", ID: "https://example.org/guid", Title: "By its guid"},
	{URL: "https://example.org/two", ID: "https://example.org/two", Title: "Relative"},
}}

const atom = `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://example.net/blog/">
<title type="html">A &lt;i>blog&lt;/i></title><id>urn:feed</id><link rel="self" href="feed.atom"/><updated>2024-07-02T08:30:00Z</updated>
<entry>
  <source><link href="/source"/><title>Elsewhere</title><id>urn:other</id><updated>2001-01-01T00:00:00Z</updated></source>
  <link rel="edit" href="/edit/1"/><link rel="alternate" type="application/pdf" href="one.pdf"/><link href="one" type="text/html"/>
  <id>urn:1</id><title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">One <em>and</em> only</div></title>
  <published>2024-07-01T10:30:00+02:00</published><updated>2024-07-02T08:30:00Z</updated>
  <author><name>x</name></author>
</entry>
<entry xml:base="/deep/er/"><link rel="alternate" type="application/pdf" href="two.pdf"/><title>2 &amp;lt; 3</title><id>urn:2</id></entry>
<entry><link rel="enclosure" href="/three.mp3"/><id>https://example.net/three</id><title>No page</title></entry>
</feed>`

var atomWant = &Feed{Format: Atom, Title: "A blog", Entries: []Entry{
	{URL: "https://example.net/blog/one", ID: "urn:1", Title: "One and only", Published: july1, Updated: july2},
	{URL: "https://example.net/deep/er/two.pdf", ID: "urn:2", Title: "2 < 3"},
}}

const rdf = `<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel rdf:about="https://example.org/"><title>News</title><link>https://example.org/</link><items><rdf:Seq><rdf:li resource="https://example.org/1"/></rdf:Seq></items></channel>
<item rdf:about="https://example.org/1"><title>One</title><link>https://example.org/1?x</link><dc:date>2024-07-01T10:30+02:00</dc:date></item>
<item rdf:about="https://example.org/2"><dc:title>Two</dc:title></item>
</rdf:RDF>`

var rdfWant = &Feed{Format: RDF, Title: "News", Entries: []Entry{
	{URL: "https://example.org/1?x", ID: "https://example.org/1", Title: "One", Published: july1},
	{URL: "https://example.org/2", ID: "https://example.org/2", Title: "Two"},
}}

const jsonFeed = `{"version":"https://jsonfeed.org/version/1.1","title":"J &amp; K","author":{"name":["x",{}]},"items":[
{"id":"a","url":"/one","title":"One","date_published":"2024-07-01T10:30:00+02:00","date_modified":"2024-07-02T08:30:00Z","tags":["x"]},
{"id":17,"external_url":"https://other.example/two","title":null},
{"id":"https://example.org/three","url":""},
{"id":"no address"}, "no item", 4
],"extra":[1,[2]]}`

var jsonWant = &Feed{Format: JSON, Title: "J & K", Entries: []Entry{
	{URL: "https://example.org/one", ID: "a", Title: "One", Published: july1, Updated: july2},
	{URL: "https://other.example/two", ID: "17"},
	{URL: "https://example.org/three", ID: "https://example.org/three"},
}}

func one(format, title string) *Feed {
	return &Feed{Format: format, Entries: []Entry{{URL: "http://a.example/", ID: "http://a.example/", Title: title}}}
}

func TestParse(t *testing.T) {
	t.Parallel()
	utf16, err := unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewEncoder().String(strings.Replace(atom, "<feed", `<?xml version="1.0" encoding="UTF-16"?><feed`, 1))
	if err != nil {
		t.Fatal(err)
	}
	item := func(decl, title string) string {
		return decl + "<rss><channel><item><title>" + title + "</title><link>http://a.example/</link></item></channel></rss>"
	}
	tests := []struct {
		name, in string
		want     *Feed
	}{
		{"rss 2.0", rss2, rss2Want},
		{"atom", atom, atomWant},
		{"rdf", rdf, rdfWant},
		{"json", jsonFeed, jsonWant},
		{"utf-16 by its mark", utf16, atomWant},
		{"byte order mark and blanks", "\xef\xbb\xbf\n " + rss2, rss2Want},
		{"json with a mark", "\xef\xbb\xbf" + jsonFeed, jsonWant},
		{
			"atom 0.3", `<feed version="0.3" xmlns="http://purl.org/atom/ns#"><title>F</title><entry><title>T</title><link rel="alternate" type="text/html" href="http://a.example/"/><id>i</id><issued>2024-07-01T08:30:00Z</issued><modified>2024-07-02T08:30:00Z</modified></entry></feed>`,
			&Feed{Format: Atom, Title: "F", Entries: []Entry{{"http://a.example/", "i", "T", july1, july2}}},
		},
		{
			"rss 0.91, no namespaces", `<rss version="0.91"><channel><title>F</title></channel><item><title>T</title><link>http://a.example/</link></item></rss>`,
			&Feed{Format: RSS, Title: "F", Entries: one(RSS, "T").Entries},
		},
		{"rss 0.90", `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://my.netscape.com/rdf/simple/0.9/"><item><title>T</title><link>http://a.example/</link></item></rdf:RDF>`, one(RDF, "T")},
		{"declared charset", item(`<?xml version='1.0' encoding='windows-1252'?>`, "caf\xe9 \x80"), one(RSS, "café €")},
		{"declared shift_jis", item(`<?xml version="1.0" encoding="Shift_JIS" ?>`, "\x93\xfa\x96\x7b"), one(RSS, "日本")},
		{"unknown charset", item(`<?xml version="1.0" encoding="x-none"?>`, "é"), one(RSS, "é")},
		{"wrongly declared utf-16", item(`<?xml version="1.0" encoding="utf-16"?>`, "é"), one(RSS, "é")},
		{"xml 1.1", item(`<?xml version="1.1"?>`, "T"), one(RSS, "T")},
		{"bad utf-8", item("", "a\xffb"), one(RSS, "a\uFFFDb")},
		{"control characters", item("", "a\x00\x0bb"), one(RSS, "a b")},
		{"undeclared entities", item("", "caf&eacute; &foo; R&D"), one(RSS, "café &foo; R&D")},
		{
			"undeclared prefixes", `<rss><channel><item><dc:date>2024-07-01T08:30:00Z</dc:date><media:title>no</media:title><title>T</title><link>http://a.example/</link></item></channel></rss>`,
			&Feed{Format: RSS, Entries: []Entry{{URL: "http://a.example/", ID: "http://a.example/", Title: "T", Published: july1}}},
		},
		{"feed service", `<rss xmlns:feedburner="http://rssnamespace.org/feedburner/ext/1.0"><channel><item><link>http://service.example/1</link><title>T</title><feedburner:origLink>http://a.example/</feedburner:origLink></item></channel></rss>`, one(RSS, "T")},
		{"unclosed element", "<rss><channel><item><title>T</title><link>http://a.example/</item></channel></rss>", one(RSS, "T")},
		{"stylesheet and doctype", "<?xml version=\"1.0\"?><?xml-stylesheet href='x'?><!DOCTYPE rss [<!ENTITY x 'y'>]>" + item("", "T"), one(RSS, "T")},
		{"no items", "<rss/>", &Feed{Format: RSS}},
		{"json without a title", `{"items":[]}`, &Feed{Format: JSON}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, r := range []io.Reader{strings.NewReader(tt.in), iotest.OneByteReader(strings.NewReader(tt.in))} {
				got, err := Parse(r, base, Options{})
				if err != nil {
					t.Error(err)
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	const start = "<rss><channel><item><title>T</title><link>http://a.example/</link></item>"
	const startJSON = `{"items":[{"url":"http://a.example/","title":"T"}`
	failed := errors.New("connection lost")
	isSyntax := func(err error) bool { return errors.As(err, new(*xml.SyntaxError)) }
	isJSON := func(err error) bool {
		return errors.As(err, new(*json.SyntaxError)) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)
	}
	is := func(target error) func(error) bool { return func(err error) bool { return errors.Is(err, target) } }
	tests := []struct {
		name string
		in   io.Reader
		opt  Options
		want *Feed
		ok   func(error) bool
	}{
		{"nothing", strings.NewReader(""), Options{}, &Feed{}, is(ErrFormat)},
		{"blanks", strings.NewReader(" \n"), Options{}, &Feed{}, is(ErrFormat)},
		{"words", strings.NewReader("not found"), Options{}, &Feed{}, is(ErrFormat)},
		{"page", strings.NewReader("<!doctype html><html><body></body></html>"), Options{}, &Feed{}, is(ErrFormat)},
		{"comment", strings.NewReader("<!-- x -->"), Options{}, &Feed{}, is(ErrFormat)},
		{"other json", strings.NewReader(`{"a":[1]}`), Options{}, &Feed{}, is(ErrFormat)},
		{"items of another kind", strings.NewReader(`{"items":{}}`), Options{}, &Feed{Format: JSON}, is(ErrFormat)},
		{"cut", strings.NewReader(start + "<item><title>U"), Options{}, one(RSS, "T"), isSyntax},
		{"garbage", strings.NewReader(start + "< <"), Options{}, one(RSS, "T"), isSyntax},
		{"cut json", strings.NewReader(startJSON + `,{"url":"http`), Options{}, one(JSON, "T"), isJSON},
		{"cut json list", strings.NewReader(startJSON), Options{}, one(JSON, "T"), isJSON},
		{"garbage in json", strings.NewReader(startJSON + `]]`), Options{}, one(JSON, "T"), isJSON},
		{"reader fails", io.MultiReader(strings.NewReader(start), iotest.ErrReader(failed)), Options{}, one(RSS, "T"), is(failed)},
		{"reader fails at once", iotest.ErrReader(failed), Options{}, &Feed{}, is(failed)},
		{"entries", strings.NewReader(start + start[len("<rss><channel>"):]), Options{MaxEntries: 1}, one(RSS, "T"), is(ErrLimit)},
		{"json entries", strings.NewReader(startJSON + "," + startJSON[len(`{"items":[`):] + "]}"), Options{MaxEntries: 1}, one(JSON, "T"), is(ErrLimit)},
		{"bytes", strings.NewReader(start + strings.Repeat(" ", 9000)), Options{MaxBytes: 8000}, one(RSS, "T"), is(ErrLimit)},
		{"json bytes", strings.NewReader(startJSON + strings.Repeat(" ", 9000)), Options{MaxBytes: 8000}, one(JSON, "T"), is(ErrLimit)},
		{"deep", strings.NewReader(start + strings.Repeat("<x>", 1000)), Options{}, one(RSS, "T"), is(ErrLimit)},
		{"many attributes", strings.NewReader(start + "<x " + strings.Repeat("a='>' ", 1<<19)), Options{}, one(RSS, "T"), is(ErrLimit)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := Parse(tt.in, base, tt.opt)
			if err == nil || !tt.ok(err) {
				t.Errorf("error %v", err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestBase(t *testing.T) {
	t.Parallel()
	const doc = "<rss><channel><item><title>T</title><link>/x</link></item></channel></rss>"
	for b, want := range map[string]string{
		"https://example.org/feeds/all.xml": "https://example.org/x", "": "", "not a base": "", "ftp://example.org/": "", "http://[bad/": "",
	} {
		got, err := Parse(strings.NewReader(doc), b, Options{})
		if err != nil {
			t.Fatal(err)
		}
		u := ""
		if len(got.Entries) == 1 {
			u = got.Entries[0].URL
		}
		if u != want {
			t.Errorf("base %q: %q, want %q", b, u, want)
		}
	}
}
