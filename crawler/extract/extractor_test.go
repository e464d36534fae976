package extract

import (
	"bytes"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
)

func extractHTML(body string) *Page {
	return new(Extractor).Extract(Input{Body: []byte(body), ContentType: "text/html; charset=utf-8", URL: "http://example.org/dir/page.html"})
}

func TestLines(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body, want, title string
	}{
		{"empty", "", "", ""},
		{"inline adds no space", "<p>in<b>line</b> text<i> here</i></p>", "inline text here", ""},
		{"blocks and br", "<div>a<div>b</div>c<br>d</div>", "a\nb\nc\nd", ""},
		{"cells", "<table><tr><td>a<td>b<tr><td>c</table>", "a\nb\nc", ""},
		{"pre collapses", "<pre>a\n   b\n</pre>", "a b", ""},
		{"not visible", "<title> T  t </title>a<script>s</script><style>s</style><noscript>n</noscript><template>t</template><!-- c -->b<meta content=m>", "ab", "T t"},
		{"second title", "<title>one</title><title>two</title>x", "x", "one"},
		{"title of a drawing", "<svg><title>no</title><text>a</text><text>b</text></svg>c", "a\nb\nc", ""},
		{"no-break and ideographic spaces", "<p>&nbsp;</p><p>a&nbsp;&nbsp;b\u3000c</p>", "a b c", ""},
		{"NUL", "<p>a\x00b", "ab", ""},
		{"plain text", "One.  two\n\n three & <\r\nfour", "One. two\nthree & <\nfour", ""},
		{"no tags", "one\ntwo", "one\ntwo", ""},
		{"misnested", "<b>1<p>2</b>3</p>", "1\n23", ""},
		{"fostered", "<table>x<tr><td>y</table>", "x\ny", ""},
		{"entities", "<p title='&amp;'>&lt;b&gt; &eacute;&#x41;</p>", "<b> éA", ""},
		{"xhtml", `<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><body><p>x<br/>y</p></body></html>`, "x\ny", ""},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			in := Input{Body: []byte(tc.body), ContentType: "text/html; charset=utf-8"}
			if tc.name == "plain text" {
				in.ContentType = "text/plain; charset=utf-8"
			}
			p := new(Extractor).Extract(in)
			if p.Text() != tc.want || p.Title != tc.title {
				t.Errorf("text %q title %q, want %q %q", p.Text(), p.Title, tc.want, tc.title)
			}
			checkRecord(t, p)
		})
	}
}

func TestLinks(t *testing.T) {
	t.Parallel()
	p := extractHTML(`<html><head><link rel="alternate canonical" href="/c"><meta http-equiv=Refresh content="5; URL='next.html'">
<base href="http://other.example/base/"><base href="http://ignored.example/"></head><body>
<a href="x.html#f">first <b>link</b></a><a name=n>no</a><a href="mailto:a@b">m</a><a href=" ../up\to?a=1&amp;b=2
" rel="UGC nofollow">up</a><a href="https://s.example/100%" rel=sponsored></a><map><area href="?q=1"></map>
<iframe src="//f.example/frame"></iframe><template><a href=/t>t</a></template><a href="http://[bad">bad</a></body>`)
	want := []Link{
		{URL: "http://other.example/c", Kind: Canonical},
		{URL: "http://other.example/base/next.html", Kind: Refresh},
		{URL: "http://other.example/base/x.html#f", Text: "first link"},
		{URL: "http://other.example/up/to?a=1&b=2", Text: "up", Rel: NoFollowLink | UGC},
		{URL: "https://s.example/100%25", Rel: Sponsored},
		{URL: "http://other.example/base/?q=1", Kind: Area},
		{URL: "http://f.example/frame", Kind: Frame},
	}
	if diff := cmp.Diff(want, p.Links); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
}

func TestHead(t *testing.T) {
	t.Parallel()
	p := extractHTML(`<html lang="de-AT"><meta http-equiv="content-language" content="de"><meta name=Robots content="noindex, NOFOLLOW">
<meta property="article:published_time" content="2006-04-01T08:00:00Z">
<script type="application/ld+json">{"@type":"NewsArticle", "datePublished" : "2006-04-02", "dateModified":"2006-04-03"}</script>
<p>Am <time datetime="2006-04-04">Dienstag</time>.`)
	want := []Date{{Published, "2006-04-01T08:00:00Z"}, {Published, "2006-04-02"}, {Modified, "2006-04-03"}, {Mentioned, "2006-04-04"}}
	if diff := cmp.Diff(want, p.Dates); diff != "" {
		t.Errorf("dates (-want +got):\n%s", diff)
	}
	if p.Lang != "de-AT" || p.ContentLanguage != "de" || !p.Has(NoIndex|NoFollow) {
		t.Errorf("lang %q, content-language %q, flags %v", p.Lang, p.ContentLanguage, p.Flags)
	}
	if s := p.Flags.String(); s != "noindex,nofollow" {
		t.Errorf("flags = %q", s)
	}
}

// TestOutline is the worked example of SCIENCE A26.
func TestOutline(t *testing.T) {
	t.Parallel()
	p := extractHTML(`<div id=" d " class=" x  y ">foo<b>bar</b></div><p>q</p><div>baz <!-- c --> qux</div>`)
	got := map[string][2]string{}
	for i, n := range p.Nodes {
		if n.Tag != "" {
			got[p.FullPath(i)] = [2]string{p.OwnText(i), p.SubtreeText(i)}
		}
	}
	want := map[string][2]string{
		"/html[0]":                     {"", "foo bar q baz qux"},
		"/html[0]/head[0]":             {"", ""},
		"/html[0]/body[0]":             {"", "foo bar q baz qux"},
		"/html[0]/body[0]/div[0]":      {"foo", "foo bar"},
		"/html[0]/body[0]/div[0]/b[0]": {"bar", "bar"},
		"/html[0]/body[0]/p[0]":        {"q", "q"},
		"/html[0]/body[0]/div[1]":      {"baz qux", "baz qux"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outline (-want +got):\n%s", diff)
	}
	if n := p.Nodes[3]; n.ID != "d" || n.Class != "x y" {
		t.Errorf("id %q class %q", n.ID, n.Class)
	}
	if got := p.Nodes[p.Lines[0].Node].Tag; got != "div" {
		t.Errorf("block of the first line is %q", got)
	}
}

// slowText is the definition of C3 written down plainly.
func slowText(n *html.Node) string {
	var b strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			b.WriteString(strings.Join(strings.FieldsFunc("\x01"+n.Data+"\x01", func(r rune) bool { return spaceAt([]byte(string(r)), 0) > 0 }), " "))
			return
		}
		cls := classOfName(n.Data)
		if n.Namespace != "" {
			cls |= foreignClass(strings.ToLower(n.Data))
		}
		if n.Type == html.CommentNode || n.Type == html.ElementNode && cls&hidden != 0 {
			if cls&block == 0 {
				return
			}
		}
		if cls&block != 0 && n.Type == html.ElementNode {
			b.WriteByte('\n')
			defer b.WriteByte('\n')
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(n)
	var lines []string
	for _, l := range strings.Split(strings.ReplaceAll(b.String(), "\x01", ""), "\n") {
		if l = strings.Join(strings.Fields(l), " "); l != "" {
			lines = append(lines, l)
		}
	}
	return strings.Join(lines, "\n")
}

func TestTextIsTheDefinition(t *testing.T) {
	t.Parallel()
	for seed := range uint64(5) {
		body := samplePage(seed)
		doc, err := html.Parse(strings.NewReader(string(body)))
		if err != nil {
			t.Fatal(err)
		}
		p := new(Extractor).Extract(Input{Body: body})
		if diff := cmp.Diff(slowText(doc), p.Text()); diff != "" {
			t.Fatalf("text differs:\n%s", diff)
		}
	}
}

// TestBombs feeds pages made to cost: they must be read in time linear in
// their size, and their text must be there.
func TestBombs(t *testing.T) {
	fill := func(unit string, size int) string { return strings.Repeat(unit, size/len(unit)) }
	formatting := func() string {
		var b strings.Builder
		b.WriteString("<p>")
		for i := range 400 {
			b.WriteString("<b id=" + string(rune('a'+i%26)) + strings.Repeat("x", i%19) + ">")
		}
		return b.String() + "</p>" + fill("<p>x</p>", 1<<20)
	}
	tests := []struct {
		name, body string
		tokenized  bool
	}{
		{"nested", strings.Repeat("<div>", 1_000_000) + "text", true},
		{"bold", fill("<b>x", 10<<20), true},
		{"misnested", fill("<a><b><i>", 10<<20) + "x", true},
		{"paragraphs", fill("<p>x", 10<<20), false},
		{"reopened formatting", formatting(), true},
		{"adoption", strings.Repeat("<b>", 200) + strings.Repeat("<div>", 250) + fill("</b>x", 2<<20), true},
		{"deep and ignored ends", strings.Repeat("<span>", 450) + fill("</x>x", 2<<20), false},
		{"cells", fill("<table><tr><td>x", 10<<20), true},
		{"attributes", "<p " + fill("a", 10<<20) + ">x", false},
		{"many attributes", "<p" + fill(" a=b", 10<<20) + ">x", false},
		{"unclosed comment", "x<!--" + fill("-", 10<<20), false},
		{"long line", fill("x ", 10<<20), false},
		{"entities", fill("&am", 10<<20) + "<p>x", false},
		{"less-than", "<p>x" + fill("<", 10<<20), false},
	}
	x := new(Extractor)
	for _, tc := range tests {
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		p := x.Extract(Input{Body: []byte(tc.body), ContentType: "text/html; charset=utf-8", URL: "http://example.org/"})
		took := time.Since(start)
		runtime.ReadMemStats(&after)
		t.Logf("%-22s %9d bytes: %v, %d MB allocated, heap from the system %d MB, %d nodes, %v", tc.name, len(tc.body), took.Round(time.Millisecond),
			(after.TotalAlloc-before.TotalAlloc)>>20, after.HeapSys>>20, len(p.Nodes), p.Flags)
		if p.Text() == "" || !utf8.ValidString(p.Text()) {
			t.Errorf("%s: text is missing", tc.name)
		}
		if tc.tokenized && !p.Has(Tokenized) {
			t.Errorf("%s: flags = %v, want tokenized", tc.name, p.Flags)
		}
		if len(p.Nodes) > 2*maxNodes {
			t.Errorf("%s: %d nodes", tc.name, len(p.Nodes))
		}
		if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 480 {
			t.Errorf("%s: %d MB allocated", tc.name, mb)
		}
		rec := p.AppendRecord(nil)
		if q, err := DecodeRecord(rec); err != nil || q.Text() != p.Text() || !bytes.Equal(q.AppendRecord(nil), rec) {
			t.Errorf("%s: record does not round trip: %v", tc.name, err)
		}
	}
}

func FuzzExtract(f *testing.F) {
	f.Add([]byte("<p>a<b>b</p>c"), "text/html")
	f.Add([]byte("<table><a>x<tr><svg><p>"), "")
	f.Add([]byte("\xEF\xBB\xBFa\x00b"), "text/plain; charset=koi8-r")
	f.Add([]byte("<meta charset=iso-2022-jp>\x1b$B$\"\x1b(B"), "")
	x := new(Extractor)
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		p := x.Extract(Input{Body: body, ContentType: contentType, URL: "http://example.org/a"})
		if !utf8.ValidString(p.Text()) || strings.ContainsRune(p.Text(), 0) {
			t.Fatalf("text %q", p.Text())
		}
		checkRecord(t, p)
		light, sure := lightPage(Input{Body: body, ContentType: contentType})
		if sure && !p.Has(PlainText) {
			dom, err := domPage(Input{Body: body, ContentType: contentType})
			if err != nil {
				t.Fatalf("light builder is sure, x/net/html: %v", err)
			}
			if diff := cmp.Diff(dom.Nodes, light.Nodes); diff != "" {
				t.Fatalf("trees differ (-dom +light):\n%s", diff)
			}
		}
	})
}
