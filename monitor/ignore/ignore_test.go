package ignore

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/crawler/extract"
)

const markup = `<html><body>
<nav class="main top"><a href="/">Home</a> <a href="/x">News</a></nav>
<h1>Flood <span class="ticker">LIVE 12:31</span> at the harbour</h1>
<div id="ad-7"><p>Buy now!</p></div>
<p>The water rose to 4.2 metres. Page served in 0.23 secs</p>
<ul><li>first<li>second<li class=last>third</ul>
</body></html>`

func page(t testing.TB, markup string) *extract.Page {
	t.Helper()
	var x extract.Extractor
	return x.Extract(extract.Input{Body: []byte(markup), ContentType: "text/html; charset=utf-8", URL: "http://a.test/"})
}

func TestApply(t *testing.T) {
	t.Parallel()
	all := []string{"Home News", "Flood LIVE 12:31 at the harbour", "Buy now!", "The water rose to 4.2 metres. Page served in 0.23 secs", "first", "second", "third"}
	for _, test := range []struct {
		name    string
		rules   []string
		want    []string
		removed []string
	}{
		{"nothing", nil, all, nil},
		{"tag", []string{"nav"}, all[1:], []string{"nav: Home", "nav: News"}},
		{
			"class inside a line",
			[]string{".ticker"},
			[]string{all[0], "Flood at the harbour", all[2], all[3], "first", "second", "third"},
			[]string{".ticker: LIVE 12:31"},
		},
		{"id", []string{"#ad-7"}, []string{all[0], all[1], all[3], "first", "second", "third"}, []string{"#ad-7: Buy now!"}},
		{"attribute form of a class", []string{`[class~="top"]`}, all[1:], []string{`[class~="top"]: Home`, `[class~="top"]: News`}},
		{"siblings", []string{"li:last-child"}, all[:6], []string{"li:last-child: third"}},
		{
			"pattern",
			[]string{`/Page served in [0-9.]+ secs/`},
			[]string{all[0], all[1], all[2], "The water rose to 4.2 metres.", "first", "second", "third"},
			[]string{"/Page served in [0-9.]+ secs/: Page served in 0.23 secs"},
		},
		{
			"all of a line",
			[]string{`/^(first|second)$/`},
			[]string{all[0], all[1], all[2], all[3], "third"},
			[]string{"/^(first|second)$/: first", "/^(first|second)$/: second"},
		},
		{"no such attribute in an outline", []string{"a[href]"}, all, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			rules, err := Compile(test.rules)
			if err != nil {
				t.Fatal(err)
			}
			kept, gone := rules.Apply(page(t, markup))
			var lines, removed []string
			for _, l := range kept {
				lines = append(lines, l.Text)
			}
			for _, r := range gone {
				removed = append(removed, r.Rule+": "+r.Text)
			}
			if diff := cmp.Diff(test.want, lines); diff != "" {
				t.Errorf("kept (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.removed, removed); diff != "" {
				t.Errorf("removed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCompileNamesTheRule(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{"/(/", "p[", "##"} {
		if _, err := Compile([]string{"nav", rule}); err == nil || !strings.Contains(err.Error(), rule) {
			t.Errorf("Compile(%q) = %v, want an error that names it", rule, err)
		}
	}
}

// TestNothingIsLost holds that what is kept and what is removed are all words of
// the page.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	p := page(t, markup)
	for _, rules := range [][]string{{"nav", ".ticker", "/[0-9.]+/"}, {"*"}, {"body > *"}, {"/./"}} {
		r, err := Compile(rules)
		if err != nil {
			t.Fatal(err)
		}
		kept, removed := r.Apply(p)
		letters := func(s string) int { return len(strings.Join(strings.Fields(s), "")) }
		n := 0
		for _, l := range kept {
			n += letters(l.Text)
		}
		for _, x := range removed {
			n += letters(x.Text)
		}
		if want := letters(p.Text()); n != want {
			t.Errorf("rules %v: %d bytes kept and removed, want %d", rules, n, want)
		}
	}
}
