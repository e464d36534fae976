package sitemap

import (
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/unicode"
	"pgregory.net/rapid"
)

const full = `<?xml version="1.0" encoding="UTF-8"?>
<!-- made by hand -->
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml">
  <url>
    <loc> https://example.org/a?b=1&amp;c=2 </loc>
    <xhtml:link rel="alternate" hreflang="de" href="https://example.org/de"/>
    <image:image><image:loc>https://example.org/a.png</image:loc></image:image>
    <lastmod>2024-07-01T10:30:00+02:00</lastmod>
    <changefreq>Daily</changefreq>
    <priority>0.8</priority>
  </url>
  <url><image:image><image:loc>https://example.org/no-page.png</image:loc></image:image></url>
  <url><loc><![CDATA[https://example.org/b?x=1&y=2]]></loc><lastmod>yesterday</lastmod><changefreq>often</changefreq><priority>2</priority></url>
</urlset>`

var fullWant = &Sitemap{Entries: []Entry{
	{Loc: "https://example.org/a?b=1&c=2", LastMod: time.Date(2024, 7, 1, 8, 30, 0, 0, time.UTC), ChangeFreq: "daily", Priority: 0.8},
	{Loc: "https://example.org/b?x=1&y=2", Priority: 0.5},
}}

func zip(t interface{ Fatal(...any) }, s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, s); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func locs(list ...string) *Sitemap {
	s := new(Sitemap)
	for _, l := range list {
		s.Entries = append(s.Entries, Entry{Loc: l, Priority: 0.5})
	}
	return s
}

func TestParse(t *testing.T) {
	t.Parallel()
	utf16, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(full)
	if err != nil {
		t.Fatal(err)
	}
	day := time.Date(2024, 7, 1, 0, 0, 0, 0, time.UTC)
	tests := []struct {
		name, in string
		want     *Sitemap
	}{
		{"full", full, fullWant},
		{"gzip", zip(t, full), fullWant},
		{"byte order mark and blanks", "\xef\xbb\xbf \n" + full, fullWant},
		{"utf-16", utf16, fullWant},
		{
			"index", `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>https://example.org/1.xml</loc><lastmod>2024-07-01</lastmod></sitemap><sitemap><loc>https://example.org/2.xml.gz</loc></sitemap><sitemap></sitemap></sitemapindex>`,
			&Sitemap{Children: []Child{{"https://example.org/1.xml", day}, {Loc: "https://example.org/2.xml.gz"}}},
		},
		{
			"both kinds in one", `<urlset><url><loc>http://a/</loc></url><sitemap><loc>http://b/</loc></sitemap></urlset>`,
			&Sitemap{Entries: []Entry{{Loc: "http://a/", Priority: 0.5}}, Children: []Child{{Loc: "http://b/"}}},
		},
		{"empty", `<urlset/>`, &Sitemap{}},
		{"wrong namespaces", `<x:urlset xmlns="urn:a" xmlns:x="urn:b"><y:url><loc xmlns="urn:c">http://a/</loc></y:url></x:urlset>`, locs("http://a/")},
		{"capitals", `<URLSET><Url><LOC>http://a/</LOC></Url></URLSET>`, locs("http://a/")},
		{"other charset named", `<?xml version="1.0" encoding="iso-8859-1"?><urlset><url><loc>http://a/</loc></url></urlset>`, locs("http://a/")},
		{"bad utf-8", "<urlset><url><loc>http://a/\xff</loc></url></urlset>", locs("http://a/\uFFFD")},
		{"bare ampersand", `<urlset><url><loc>http://a/?x=1&y=2&eacute;</loc></url></urlset>`, locs("http://a/?x=1&y=2é")},
		{"first loc counts", `<urlset><url><loc>http://a/</loc><loc>http://b/</loc></url></urlset>`, locs("http://a/")},
		{"text of inner elements does not count", `<urlset><url><loc>http://a/<b>x</b></loc></url></urlset>`, locs("http://a/")},
		{
			"values do not leak", `<urlset><url><loc>http://a/</loc><lastmod>2024-07-01</lastmod></url><url><loc>http://b/</loc></url></urlset>`,
			&Sitemap{Entries: []Entry{{Loc: "http://a/", LastMod: day, Priority: 0.5}, {Loc: "http://b/", Priority: 0.5}}},
		},
		{"unclosed element", `<urlset><url><loc>http://a/</url><url><loc>http://b/</loc></url></urlset>`, locs("http://a/", "http://b/")},
		{"text", "https://example.org/a\r\nhttp://example.org/b\n\n# note\nexample.org\n  HTTPS://example.org/c  ", locs("https://example.org/a", "http://example.org/b", "HTTPS://example.org/c")},
		{"text in gzip", zip(t, "\xef\xbb\xbfhttps://example.org/a\n"), locs("https://example.org/a")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, r := range []io.Reader{strings.NewReader(tt.in), iotest.OneByteReader(strings.NewReader(tt.in))} {
				got, err := Parse(r, Options{})
				if err != nil {
					t.Fatal(err)
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
	syntax := new(xml.SyntaxError)
	const two = `<urlset><url><loc>http://a/</loc></url><url><loc>http://b/</loc></url>`
	zipped := zip(t, two+strings.Repeat(" ", 99)+"</urlset>")
	tests := []struct {
		name, in string
		opt      Options
		want     *Sitemap
		err      error
	}{
		{"nothing", " \n", Options{}, &Sitemap{}, ErrFormat},
		{"page", "<!doctype html><html><body>no</body></html>", Options{}, &Sitemap{}, ErrFormat},
		{"feed", `<?xml version="1.0"?><rss><channel/></rss>`, Options{}, &Sitemap{}, ErrFormat},
		{"words", "not found\n", Options{}, &Sitemap{}, ErrFormat},
		{"only a comment", "<!-- x -->", Options{}, &Sitemap{}, io.ErrUnexpectedEOF},
		{"cut between", two, Options{}, locs("http://a/", "http://b/"), syntax},
		{"cut within", two + "<url><loc>http://c/", Options{}, locs("http://a/", "http://b/"), syntax},
		{"garbage", two + "< <", Options{}, locs("http://a/", "http://b/"), syntax},
		{"cut gzip", zipped[:len(zipped)-4], Options{}, locs("http://a/", "http://b/"), io.ErrUnexpectedEOF},
		{"no gzip", "\x1f\x8bxx", Options{}, &Sitemap{}, io.ErrUnexpectedEOF},
		{"entries", two + "</urlset>", Options{MaxEntries: 1}, locs("http://a/"), ErrLimit},
		{"entries in text", "http://a/\nhttp://b/\n", Options{MaxEntries: 1}, locs("http://a/"), ErrLimit},
		{"children", "<sitemapindex><sitemap><loc>http://a/</loc></sitemap><sitemap><loc>http://a/</loc></sitemap></sitemapindex>", Options{MaxEntries: 1}, &Sitemap{Children: []Child{{Loc: "http://a/"}}}, ErrLimit},
		{"bytes", two + "</urlset>", Options{MaxBytes: int64(len(two))}, locs("http://a/", "http://b/"), ErrLimit},
		{"bytes in gzip", zip(t, two+strings.Repeat(" ", 1<<20)+"</urlset>"), Options{MaxBytes: 5000}, locs("http://a/", "http://b/"), ErrLimit},
		{"deep", two + strings.Repeat("<x>", 1000), Options{}, locs("http://a/", "http://b/"), ErrLimit},
		{"many attributes", two + "<x " + strings.Repeat("a='>' ", 1<<19), Options{}, locs("http://a/", "http://b/"), ErrLimit},
		{"long line", "http://a/\n" + strings.Repeat("x", 2<<20), Options{}, locs("http://a/"), ErrLimit},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := Parse(strings.NewReader(tt.in), tt.opt)
			ok := errors.Is(err, tt.err)
			if _, bad := tt.err.(*xml.SyntaxError); bad { //nolint:errorlint // the table names the kind; what Parse returns is asked below
				ok = errors.As(err, new(*xml.SyntaxError))
			}
			if !ok {
				t.Errorf("error %v, want %v", err, tt.err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestExactLimit(t *testing.T) {
	t.Parallel()
	if got, err := Parse(strings.NewReader(full), Options{MaxEntries: 2, MaxBytes: int64(len(full))}); err != nil || len(got.Entries) != 2 {
		t.Errorf("%d entries, error %v", len(got.Entries), err)
	}
}

func TestParseTime(t *testing.T) {
	t.Parallel()
	at := func(h, m, s, ns int) time.Time { return time.Date(2024, 7, 1, h, m, s, ns, time.UTC) }
	for in, want := range map[string]time.Time{
		// The six forms of W3C Datetime.
		"2024":                               time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC),
		"2024-07":                            at(0, 0, 0, 0),
		"2024-07-01":                         at(0, 0, 0, 0),
		"2024-07-01T19:20+01:00":             at(18, 20, 0, 0),
		"2024-07-01T19:20:30+01:00":          at(18, 20, 30, 0),
		"2024-07-01T19:20:30.45+01:00":       at(18, 20, 30, 450e6),
		"2024-07-01T19:20:30Z":               at(19, 20, 30, 0),
		"2024-07-01T19:20Z":                  at(19, 20, 0, 0),
		"2024-07-01T19:20:30.123456789Z":     at(19, 20, 30, 123456789),
		"2024-07-01T19:20:30":                at(19, 20, 30, 0),
		"2024-07-01T19:20:30+0100":           at(18, 20, 30, 0),
		"2024-07-01 19:20:30":                at(19, 20, 30, 0),
		"2024-07-01 19:20:30 +01:00":         at(18, 20, 30, 0),
		"2024-07-01 19:20:30 +0100":          at(18, 20, 30, 0),
		"2024-13-01":                         {},
		"2024-02-30":                         {},
		"01.07.2024":                         {},
		"":                                   {},
		"2024-07-01T19:20:30+01:00 or so":    {},
		strings.Repeat("2024-07-01", 10_000): {},
	} {
		if got := parseTime(in); !got.Equal(want) || got.Location() != time.UTC {
			t.Errorf("parseTime(%.40q) = %v, want %v", in, got, want)
		}
	}
}

// Any list of addresses comes back from either form.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.StringMatching(`https?://[a-z]{1,8}\.example/[!-~]{0,20}`).Filter(func(s string) bool {
			return !strings.ContainsAny(s, `<>"`)
		}), 1, 20).Draw(t, "list")
		var doc bytes.Buffer
		doc.WriteString("<urlset>")
		for _, l := range list {
			doc.WriteString("<url><loc>")
			if err := xml.EscapeText(&doc, []byte(l)); err != nil {
				t.Fatal(err)
			}
			doc.WriteString("</loc></url>")
		}
		doc.WriteString("</urlset>")
		for _, in := range []string{doc.String(), strings.Join(list, "\n"), zip(t, doc.String())} {
			got, err := Parse(strings.NewReader(in), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(locs(list...), got); diff != "" {
				t.Fatalf("-want +got:\n%s", diff)
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(full))
	f.Add([]byte(zip(f, full)))
	f.Add([]byte("<sitemapindex><sitemap><loc>http://a/"))
	f.Add([]byte("http://a/\nhttp://b/"))
	f.Fuzz(func(t *testing.T, in []byte) {
		got, err := Parse(bytes.NewReader(in), Options{MaxEntries: 10, MaxBytes: 1 << 16})
		if got == nil || len(got.Entries)+len(got.Children) > 10 {
			t.Fatalf("%+v, %v", got, err)
		}
		for _, e := range got.Entries {
			if e.Loc == "" || !(e.Priority >= 0 && e.Priority <= 1) {
				t.Errorf("entry %+v", e)
			}
		}
		again, err2 := Parse(iotest.OneByteReader(bytes.NewReader(in)), Options{MaxEntries: 10, MaxBytes: 1 << 16})
		if diff := cmp.Diff(got, again); diff != "" || (err == nil) != (err2 == nil) {
			t.Errorf("by single bytes: %v, %v, -whole +bytes:\n%s", err, err2, diff)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	var doc bytes.Buffer
	doc.WriteString("<urlset>")
	for i := range 10_000 {
		fmt.Fprintf(&doc, "<url><loc>https://example.org/page/%d</loc><lastmod>2024-07-01T10:30:00+02:00</lastmod></url>\n", i)
	}
	doc.WriteString("</urlset>")
	b.SetBytes(int64(doc.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if s, err := Parse(bytes.NewReader(doc.Bytes()), Options{}); err != nil || len(s.Entries) != 10_000 {
			b.Fatal(err)
		}
	}
}
