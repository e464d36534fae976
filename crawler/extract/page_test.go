package extract

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
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
		"<script>" + strings.Repeat("window.dataLayer = window.dataLayer || []; if (1 < 2) { push('a'); }\n", 60) + "</script></head>\n<body class=\"page home\">\n<nav id=\"menu\"><ul>\n")
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
		fmt.Fprintf(&b, "<article class=\"story teaser story--wide\" id=\"story-%d\" data-kind=\"news\" data-position=\"%d\">\n<!-- story %d -->\n"+
			"<div class=\"story__inner\">\n<header class=\"story__header\">\n<h2 class=\"story__title\"><span class=\"flag\">%s</span> %s</h2>\n"+
			"<time class=\"story__time\" datetime=\"2006-04-%02dT10:00:00Z\">April %d</time>\n</header>\n", n, n, n, word(), word(), n%30+1, n%30+1)
		for range 4 {
			b.WriteString("<p class=\"story__text\">")
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
		b.WriteString("<img src=\"/i.png\" alt=\"\" width=\"320\" height=\"200\" loading=\"lazy\" class=\"story__picture\">\n</div>\n</article>\n")
	}
	b.WriteString("</main>\n<footer><p>&copy; 2006</p></footer>\n</body>\n</html>\n")
	return b.Bytes()
}

// reportCPU measures f and reports its CPU time beside the time by the clock,
// which other programs on the machine lengthen.
func reportCPU(b *testing.B, f func()) {
	b.Helper()
	b.ReportAllocs()
	cpu := func() int64 {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return u.Utime.Nano() + u.Stime.Nano()
	}
	from := cpu()
	for b.Loop() {
		f()
	}
	b.ReportMetric(float64(cpu()-from)/1000/float64(b.N), "cpu-us/op")
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
	c.Add(p.Text())
	b.Logf("%d bytes, %d nodes, %d bytes of text, %d distinct words", len(body), len(p.Nodes), len(p.Text()), c.Len())
	b.Run("all", func(b *testing.B) {
		reportCPU(b, func() {
			p := x.Extract(in)
			c.Reset()
			c.Add(p.Text())
			c.Hash()
			p.TextHash()
		})
	})
	b.Run("tree", func(b *testing.B) { reportCPU(b, func() { x.lightTree(&x.sink, body) }) })
	b.Run("dom", func(b *testing.B) {
		reportCPU(b, func() {
			x.sink.reset()
			_ = x.parseDOM(&x.sink, body)
		})
	})
	b.Run("words", func(b *testing.B) {
		reportCPU(b, func() {
			c.Reset()
			c.Add(p.Text())
		})
	})
}
