package extract

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// samplePage makes a page of about 48 KB with 41 links: menus, tables, a list,
// and articles of running text, with the classes and ids of a content system.
func samplePage(seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	var words []string
	common := strings.Fields("the of and to in a is that for it was on as with be by at this from are or his had not but have an they which one you were all her she there would their we him been has when who will no more if out so up said what its about than into them can only other time new some could these two may first then do any like my now over such our man me even most made after also did many off before must well back through years much where your way down should because long each just state those people too mister how good world still see own men work life without")
	for i := 0; i < 3000; i++ {
		w := make([]byte, 2+r.IntN(4)+r.IntN(5))
		for k := range w {
			w[k] = "etaoinshrdlucmfwypvbgkjqxz"[min(r.IntN(26), r.IntN(26))]
		}
		words = append(words, string(w))
	}
	word := func() string {
		if r.IntN(5) < 3 {
			return common[int(float64(len(common))*r.Float64()*r.Float64())]
		}
		return words[int(float64(len(words))*r.Float64()*r.Float64()*r.Float64())]
	}
	var b bytes.Buffer
	b.WriteString("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>A sample of words</title>\n<link rel=\"stylesheet\" href=\"/style.css\">\n" +
		"<script>var a = 1 < 2;</script></head>\n<body class=\"page home\">\n<nav id=\"menu\"><ul>\n")
	links := 0
	link := func() {
		fmt.Fprintf(&b, "<a class=\"link\" href=\"/%s/%s-%d.html?a=1&amp;b=2\">%s %s</a>", word(), word(), links, word(), word())
		links++
	}
	for range 20 {
		b.WriteString("<li class=\"item\">")
		link()
		b.WriteString("</li>\n")
	}
	b.WriteString("</ul></nav>\n<main id=\"content\">\n")
	for n := 0; b.Len() < 47_300; n++ {
		fmt.Fprintf(&b, "<article class=\"story teaser\" id=\"s%d\">\n<h2>%s %s</h2>\n", n, word(), word())
		for range 4 {
			b.WriteString("<p>")
			for s := 0; s < 5; s++ {
				fmt.Fprintf(&b, "The %s", word())
				for k := 6 + r.IntN(12); k > 0; k-- {
					switch r.IntN(30) {
					case 0:
						fmt.Fprintf(&b, " <em>%s</em>", word())
					case 1:
						fmt.Fprintf(&b, " %s,", word())
					case 2:
						fmt.Fprintf(&b, " caf&eacute;")
					default:
						b.WriteString(" " + word())
					}
				}
				b.WriteString(". ")
			}
			if links < 41 {
				link()
			}
			b.WriteString("</p>\n")
		}
		b.WriteString("<img src=\"/i.png\" alt=\"\">\n</article>\n")
	}
	b.WriteString("</main>\n<footer><p>&copy; 2006</p></footer>\n</body>\n</html>\n")
	return b.Bytes()
}

func BenchmarkExtract(b *testing.B) {
	body := samplePage(1)
	in := Input{Body: body, ContentType: "text/html; charset=utf-8", URL: "http://example.org/a/b.html"}
	x := new(Extractor)
	var c Counter
	p := x.Extract(in)
	if n := len(p.Links); n != 41 || p.Has(Tokenized) || x.builder.hard {
		b.Fatalf("links = %d, flags = %v, hard = %v", n, p.Flags, x.builder.hard)
	}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		p := x.Extract(in)
		c.Reset()
		c.Add(p.Text())
		c.Hash()
		p.TextHash()
	}
}

func BenchmarkTree(b *testing.B) {
	body := samplePage(1)
	x := new(Extractor)
	b.Run("light", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			x.sink.reset()
			x.tree(&x.sink, body)
		}
	})
	b.Run("dom", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			x.sink.reset()
			_ = x.parseDOM(&x.sink, body)
		}
	})
}
