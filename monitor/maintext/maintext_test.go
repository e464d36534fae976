package maintext

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/crawler/extract"
)

func page(markup string) *extract.Page {
	var x extract.Extractor
	return x.Extract(extract.Input{Body: []byte(markup), ContentType: "text/html; charset=utf-8", URL: "http://a.test/"})
}

func TestLines(t *testing.T) {
	t.Parallel()
	const prose = `<p>The council met on Monday evening and decided what it had put off for years.</p><p>Nobody had <a href=x>anything</a> to say against it, which surprised all.</p>`
	want := []string{"The council met on Monday evening and decided what it had put off for years.", "Nobody had anything to say against it, which surprised all."}
	for _, c := range []struct{ name, markup string }{
		{"plain", prose},
		{"elements", `<header>Our site</header><nav>Home News</nav>` + prose + `<aside>Read more</aside><footer>Imprint</footer>`},
		{"classes", `<div class="Main-Menu left">Home</div><div id="sidebar">Tags</div>` + prose + `<div class=site-footer><p>Imprint</p></div>`},
		{"lists of links", `<ul><li><a href=1>One</a><li><a href=2>Two</a> |</ul>` + prose},
		{"deep", `<table><tr><td class=nav><div><b>Home</b></div><td>` + prose + `</table>`},
	} {
		if diff := cmp.Diff(want, Lines(page("<body>"+c.markup))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	inside := Lines(page(`<article><header><h1>Council decides</h1></header>` + prose + `</article>`))
	if len(inside) != 3 {
		t.Errorf("the head of an article is part of it: %q", inside)
	}
}

// TestAllFrames: a page that is nothing but links keeps all of its lines.
func TestAllFrames(t *testing.T) {
	t.Parallel()
	got := Lines(page(`<ul><li><a href=1>First article of ours</a><li><a href=2>Second article of ours</a></ul>`))
	if len(got) != 2 {
		t.Errorf("%q", got)
	}
	if got := Lines(page("")); len(got) != 0 {
		t.Errorf("of nothing: %q", got)
	}
}

func TestWithout(t *testing.T) {
	t.Parallel()
	if got := Without([]string{"a", "b", "c"}, map[string]bool{"b": true}); got != "a\nc\n" {
		t.Errorf("%q", got)
	}
}

func FuzzLines(f *testing.F) {
	f.Add(`<nav><p>a</nav>b<footer>c<article>d`)
	f.Add(`<a href=x><div>a</div>b</a>`)
	f.Fuzz(func(t *testing.T, markup string) {
		p := page(markup)
		all := map[string]bool{}
		for i := range p.Lines {
			all[p.LineText(i)] = true
		}
		for _, l := range Lines(p) {
			if !all[l] {
				t.Fatalf("%q is no line of %q", l, markup)
			}
		}
	})
}

func BenchmarkLines(b *testing.B) {
	p := page("<nav>" + strings.Repeat("<a href=x>Link</a>", 40) + "</nav>" + strings.Repeat("<p>A line of text, with <a href=x>a link</a> in it and more behind.</p>", 300))
	b.ReportAllocs()
	for b.Loop() {
		Lines(p)
	}
}
