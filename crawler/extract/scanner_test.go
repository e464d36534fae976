package extract

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"pgregory.net/rapid"
)

// wantTokens lists the tokens of x/net/html, comments and declarations left out.
func wantTokens(src string) []string {
	var out []string
	z := html.NewTokenizer(strings.NewReader(src))
	for {
		switch tt := z.Next(); tt {
		case html.ErrorToken:
			return out
		case html.TextToken:
			out = append(out, "text "+string(z.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			s := fmt.Sprintf("start %s", t.Data)
			for _, a := range t.Attr {
				s += fmt.Sprintf(" %q=%q", a.Key, a.Val)
			}
			out = append(out, s)
		case html.EndTagToken:
			out = append(out, "end "+z.Token().Data)
		}
	}
}

func gotTokens(src string) (out []string, odd bool) {
	var z scanner
	z.reset([]byte(src))
	for {
		switch z.next(false) {
		case endToken:
			return out, z.odd
		case textToken:
			if !z.unescaped {
				z.text = unescapeText(z.text)
			}
			out = append(out, "text "+string(z.text))
		case startToken:
			s, seen := fmt.Sprintf("start %s", z.name), map[string]bool{}
			for _, a := range z.attrs {
				if !seen[string(a.key)] {
					s += fmt.Sprintf(" %q=%q", a.key, unescapeAttr(a.val))
				}
				seen[string(a.key)] = true
			}
			out = append(out, s)
			if classOfName(string(z.name))&rawText != 0 {
				z.raw = string(z.name)
			}
		case closeToken:
			out = append(out, "end "+string(z.name))
		}
	}
}

func checkTokens(t interface {
	Helper()
	Fatalf(string, ...any)
}, src string,
) {
	t.Helper()
	before := strings.Clone(src)
	got, odd := gotTokens(src)
	if odd {
		return
	}
	if diff := cmp.Diff(wantTokens(src), got); diff != "" {
		t.Fatalf("%q: tokens differ (-x/net/html +scanner):\n%s", src, diff)
	}
	if src != before {
		t.Fatalf("%q was changed to %q", before, src)
	}
}

func TestScannerIsTheTokenizer(t *testing.T) {
	t.Parallel()
	pieces := []string{
		"<", ">", "/", "!", "-", "--", "?", "=", "'", "\"", " ", "\n", "a", "B", "p", "x", "&", ";", "&amp;", "&copy",
		"&copy=", "&notit;", "&#65;", "&#x41", "&semi;", "script", "</script>", "<script>", "<!--", "-->", "--!>", "<title>", "</title", "</titlex",
		"textarea", "style", "</", "<b ", "id=", "class", "é", "<![CDATA[", "]]>", "<!DOCTYPE", "plaintext", "xmp", "/>", "svg",
	}
	rapid.Check(t, func(t *rapid.T) {
		checkTokens(t, strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 30).Draw(t, "pieces"), ""))
	})
}

func FuzzScanner(f *testing.F) {
	f.Add([]byte("<a href='x?a=1&copy=2' B=c/>x<!-- -->y</a ><script><!-- <b> --></script>"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if bytes.ContainsAny(b, "\x00\r") {
			return // both are gone, or white space, where it matters
		}
		checkTokens(t, string(b))
	})
}
