package extract

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// soup draws markup that is likely to meet the odd corners of tree construction.
func soup(t *rapid.T) string {
	tags := []string{
		"p", "div", "span", "b", "i", "a", "a href=/x", "li", "ul", "ol", "dl", "dt", "dd", "table", "tr", "td", "th",
		"tbody", "thead", "caption", "col", "colgroup", "h1", "h2", "form", "button", "select", "option", "optgroup", "br", "hr",
		"img", "input", "svg", "g/", "path", "title", "desc", "math", "mi", "foreignObject", "ruby", "rt", "rp", "script", "style",
		"textarea", "noscript", "template", "head", "body", "html", "meta name=x", "link", "font", "nobr", "object", "pre", "center",
		"section", "x-y", "iframe", "dialog", "frameset", "frame", "xmp", "label", "image", "text", "em", "code", "base href=/",
	}
	var b strings.Builder
	if rapid.Bool().Draw(t, "head") {
		b.WriteString("<!DOCTYPE html><html><head><title>T</title></head><body>")
	}
	var open []string
	for range rapid.IntRange(1, 40).Draw(t, "n") {
		switch rapid.IntRange(0, 9).Draw(t, "kind") {
		case 0, 1, 2, 3:
			tag := rapid.SampledFrom(tags).Draw(t, "tag")
			b.WriteString("<" + tag + ">")
			open = append(open, strings.TrimSuffix(strings.Fields(tag)[0], "/"))
		case 4, 5, 6:
			if n := len(open); n > 0 {
				b.WriteString("</" + open[n-1] + ">")
				open = open[:n-1]
			}
		case 7:
			b.WriteString("</" + strings.Fields(rapid.SampledFrom(tags).Draw(t, "end"))[0] + ">")
		default:
			b.WriteString(rapid.SampledFrom([]string{"x", " y ", " ", "z\n", "<!-- c -->", "&amp;", "\u00a0"}).Draw(t, "text"))
		}
	}
	return b.String()
}

// TestLightTreeIsExactWhenSure: whenever the light builder does not say that a
// page is hard, it makes the very tree of x/net/html.
func TestLightTreeIsExactWhenSure(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := Input{Body: []byte(soup(t)), ContentType: "text/html; charset=utf-8", URL: "http://example.org/"}
		got, sure := lightPage(in)
		if !sure {
			return
		}
		want, err := domPage(in)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.Nodes, got.Nodes); diff != "" {
			t.Fatalf("%q: trees differ (-dom +light):\n%s", in.Body, diff)
		}
		if got.text != want.text || got.Title != want.Title {
			t.Fatalf("%q: text %q title %q, want %q %q", in.Body, got.text, got.Title, want.text, want.Title)
		}
	})
}
