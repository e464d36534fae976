package simweb

import (
	"fmt"
	"strings"
	"time"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
)

// render writes the page as it is at t for request number n, in UTF-8. The text stands in elements of the
// classes teaser, text, item and row; everything else around it is template or noise.
func (p *page) render(t time.Duration, n int) []byte {
	h, l := p.h, p.h.lang
	title := h.title(p.idx)
	b := make([]byte, 0, p.size+p.size/2+8<<10)
	b = p.appendHead(b, title, n)
	b = append(b, "<header><nav><ul>\n"...)
	for _, nav := range h.navigation() {
		b = append(p.appendLink(append(b, "<li>"...), nav), "</li>\n"...)
	}
	b = append(b, "</ul></nav></header>\n<main>\n<h1>"...)
	b = append(appendEscaped(b, title), "</h1>\n"...)
	if p.kind == Article {
		at := h.w.time(p.born)
		b = fmt.Appendf(b, "<time datetime=\"%s\">%s</time>\n", at.Format(time.RFC3339), at.Format("2006-01-02"))
	}
	b = p.appendList(b, p.list(t))
	for _, block := range p.blocks(t) {
		b = p.appendBlock(b, block)
	}
	if p.kind == Login {
		b = append(b, "<form method=\"post\" action=\"/account/\"><input name=\"user\"><input name=\"password\" type=\"password\"></form>\n"...)
	}
	b = append(b, "</main>\n"...)
	own, others := p.recommended(t)
	p.shuffle(own, n)
	b = p.appendAside(b, l.seeAlso, own)
	b = p.appendAside(b, l.elsewhere, others)
	b = append(b, "<footer>\n"...)
	b = p.appendNoise(b, t, n)
	return fmt.Appendf(b, "<p>%s - %s</p>\n</footer></body></html>\n", h.Name, l.imprint)
}

func (p *page) appendHead(b []byte, title string, n int) []byte {
	h := p.h
	b = fmt.Appendf(b, "<!DOCTYPE html>\n<html lang=\"%s\"><head>\n", h.Language)
	if h.charsetByMeta {
		b = fmt.Appendf(b, "<meta charset=\"%s\">\n", h.Charset)
	}
	b = append(b, "<title>"...)
	b = append(appendEscaped(b, title), "</title>\n<style>\n"...)
	b = append(b, styleUpTo(h.w.style, p.size*3/10-600)...)
	b = fmt.Appendf(b, "</style>\n<link rel=\"alternate\" type=\"application/xml\" href=\"%s\">\n", h.Feed)
	if p.noise&noiseNonce != 0 {
		b = fmt.Appendf(b, "<script nonce=\"%x\">", mix(p.seed, forNoise, uint64(n), 2))
	} else {
		b = append(b, "<script>"...)
	}
	return fmt.Appendf(b, "window.page={host:%q,id:%d};</script>\n</head><body class=\"%s %s\">\n", h.Name, p.idx, h.Kind, p.kind)
}

// appendLink writes an anchor: to the own host by path, to others, and now and then to the own, in full.
func (p *page) appendLink(b []byte, l link) []byte {
	b = append(b, `<a href="`...)
	if l.h != p.h || l.idx%5 == 3 {
		b = append(append(b, "http://"...), l.h.Name...)
	}
	b = append(b, l.path()...)
	if l.idx%7 == 5 {
		b = append(b, "#top"...)
	}
	b = append(b, `">`...)
	return append(appendEscaped(b, l.text()), "</a>"...)
}

func (p *page) appendList(b []byte, links []link) []byte {
	if len(links) == 0 {
		return b
	}
	b = append(b, "<ul class=\"list\">\n"...)
	for _, l := range links {
		b = p.appendLink(append(b, "<li>"...), l)
		if l.teaser {
			b = append(b, `<p class="teaser">`...)
			b = append(appendEscaped(b, p.h.teaser(l.idx).Text), "</p>"...)
		}
		b = append(b, "</li>\n"...)
	}
	return append(b, "</ul>\n"...)
}

func (p *page) appendBlock(b []byte, block block) []byte {
	b = fmt.Appendf(b, "<section id=\"b%d\">\n", block.number)
	if block.number > 0 {
		topic := &p.h.lang.topics[p.topic]
		t := p.h.lang.teller(mix(p.seed, forTitle, uint64(block.number)))
		b = append(b, "<h2>"...)
		b = appendEscaped(b, p.h.lang.finish(t.write(nil, topic.titles[t.intn(len(topic.titles))])))
		b = append(b, "</h2>\n"...)
	}
	switch {
	case block.rows:
		b = append(b, "<table>\n"...)
		for _, s := range block.sentences {
			b = append(b, `<tr class="row">`...)
			for cell := range strings.SplitSeq(s.Text, "\t") {
				b = append(appendEscaped(append(b, "<td>"...), cell), "</td>"...)
			}
			b = append(b, "</tr>\n"...)
		}
		b = append(b, "</table>\n"...)
	case p.rolling:
		b = append(b, "<ul>\n"...)
		for _, s := range block.sentences {
			b = append(appendEscaped(append(b, `<li class="item">`...), s.Text), "</li>\n"...)
		}
		b = append(b, "</ul>\n"...)
	default:
		for i, s := range block.sentences {
			switch {
			case i%3 == 0 && i > 0:
				b = append(b, "</p>\n<p class=\"text\">"...)
			case i == 0:
				b = append(b, `<p class="text">`...)
			case !p.h.lang.noSpaces:
				b = append(b, ' ')
			}
			b = appendEscaped(b, s.Text)
		}
		if len(block.sentences) > 0 {
			b = append(b, "</p>\n"...)
		}
	}
	return append(b, "</section>\n"...)
}

func (p *page) appendAside(b []byte, heading string, links []link) []byte {
	if len(links) == 0 {
		return b
	}
	b = fmt.Appendf(b, "<aside><h3>%s</h3><ul>\n", heading)
	for _, l := range links {
		b = append(p.appendLink(append(b, "<li>"...), l), "</li>\n"...)
	}
	return append(b, "</ul></aside>\n"...)
}

// rowText joins the cells of a row as a reader of its text would.
func rowText(s string) string { return strings.ReplaceAll(s, "\t", " ") }

func appendEscaped(b []byte, s string) []byte {
	start := 0
	for i := 0; i < len(s); i++ {
		var ref string
		switch s[i] {
		case '&':
			ref = "&amp;"
		case '<':
			ref = "&lt;"
		case '>':
			ref = "&gt;"
		case '"':
			ref = "&quot;"
		default:
			continue
		}
		b = append(append(b, s[start:i]...), ref...)
		start = i + 1
	}
	return append(b, s[start:]...)
}

// encode turns UTF-8 into the host's charset. Letters that it lacks (in titles of other hosts) become numeric
// references.
func (h *host) encode(b []byte) []byte {
	var e encoding.Encoding
	switch h.Charset {
	case "windows-1252":
		e = charmap.Windows1252
	case "Shift_JIS":
		e = japanese.ShiftJIS
	case "EUC-JP":
		e = japanese.EUCJP
	default:
		return b
	}
	out, err := encoding.HTMLEscapeUnsupported(e.NewEncoder()).Bytes(b)
	if err != nil {
		return b // only for input that is not UTF-8, which render does not write
	}
	return out
}

// maxStyle is how much style sheet there is for the largest pages.
const maxStyle = 256 << 10

// styleSheet writes rules enough for the largest page; each page takes as many as its size asks for.
func styleSheet(seed uint64) []byte {
	d := dice{mix(seed, forShape)}
	parts := [...]string{"nav", "main", "aside", "footer", "list", "teaser", "text", "row", "item", "card", "banner", "menu", "form", "photo"}
	states := [...]string{"", ":hover", ":first-child", "::before", " a", " li", " p", " h2"}
	rules := [...]string{"margin:%dpx", "padding:%dpx", "font-size:%dpx", "line-height:%dpx", "width:%d%%", "max-width:%dem", "border-radius:%dpx", "z-index:%d"}
	b := make([]byte, 0, maxStyle+200)
	for len(b) < maxStyle {
		b = fmt.Appendf(b, ".%s-%d%s{", parts[d.intn(len(parts))], d.intn(90), states[d.intn(len(states))])
		for range d.between(1, 4) {
			b = append(fmt.Appendf(b, rules[d.intn(len(rules))], d.between(1, 96)), ';')
		}
		b = fmt.Appendf(b, "color:#%06x}\n", d.next()>>40)
	}
	return b
}

// styleUpTo cuts the sheet behind the last whole rule within n bytes.
func styleUpTo(sheet []byte, n int) []byte {
	n = min(max(n, 0), len(sheet))
	for n > 0 && sheet[n-1] != '\n' {
		n--
	}
	return sheet[:n]
}
