package extract

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/strandlinehq/strandline/monitor/text"
)

// maxDOM is the longest page, in bytes of UTF-8, that is given to x/net/html:
// its tree takes some 20 bytes of memory for each byte of markup.
const maxDOM = 2 << 20

// maxKept is the longest page whose buffers are kept for the next one.
const maxKept = 1 << 20

// Extractor turns bodies into pages. It is not safe for concurrent use: each
// worker keeps one. The zero Extractor is ready.
type Extractor struct {
	sink    sink
	builder builder
	decoder decoder
	spans   []text.Span
	found   []Sentence
	scratch []byte
	attrs   []attr
}

// Input is one fetched body with what came with it.
type Input struct {
	Body        []byte // as fetched, content coding removed; not changed
	ContentType string // the header field as received, or ""
	URL         string // of the page, absolute; links are resolved against it
}

// Extract reads a page. It has no errors: whatever the bytes are, something can
// be said of them, and Flags tells how well it went. Time and memory are
// linear in the length of the body.
func (x *Extractor) Extract(in Input) *Page {
	p := &Page{}
	body := in.Body
	if len(body) > maxBody {
		body = body[:maxBody]
		p.Flags |= Cut
	}
	d := x.decoder.decode(body, in.ContentType)
	p.Charset, p.CharsetFrom = d.name, d.from
	if d.misfit {
		p.Flags |= WrongCharset
	}
	body = d.text
	if len(body) > maxDecoded {
		body = clip(body, maxDecoded)
		p.Flags |= Cut
	}

	s := &x.sink
	if isPlain(in.ContentType, body) {
		p.Flags |= PlainText
		s.reset()
		plainText(s, body)
	} else {
		p.Flags |= x.tree(s, body)
	}
	p.Flags |= s.flags
	s.fill(p)
	p.Links = s.resolve(in.URL)
	x.language(p)
	p.Sentences = x.sentences(p)
	if len(body) > maxKept {
		*x = Extractor{} // the buffers of a giant page would stay for ever
	}
	return p
}

// tree builds the outline of a page by the way that suits it.
func (x *Extractor) tree(s *sink, body []byte) Flags {
	x.lightTree(s, body)
	if !x.builder.hard {
		return 0
	}
	if len(body) > maxDOM || x.builder.work > maxWork {
		return Tokenized
	}
	s.reset()
	if err := x.parseDOM(s, body); err != nil {
		x.lightTree(s, body)
		return Tokenized
	}
	return 0
}

func (x *Extractor) lightTree(s *sink, body []byte) {
	s.reset()
	x.builder.reset(body, s)
	x.builder.build()
}

// isPlain reports whether the body is text without markup: by its media type,
// or by holding no tag at all.
func isPlain(contentType string, body []byte) bool {
	media, _, _ := strings.Cut(contentType, ";")
	switch media = strings.ToLower(strings.TrimSpace(media)); media {
	case "text/plain", "text/markdown", "text/csv":
		return true
	}
	return bytes.IndexByte(body, '<') < 0 && bytes.IndexByte(body, '&') < 0
}

// plainText makes the tree that browsers show text files with: a pre that holds
// the text. Its lines are those of the file, without empty ones.
func plainText(s *sink, body []byte) {
	for _, tag := range [...]string{"html", "head", "", "body", "pre"} {
		if tag == "" {
			s.end()
			continue
		}
		s.element(0, tag, classOfName(tag), nil)
	}
	for line := range bytes.Lines(body) {
		for part := range bytes.SplitSeq(line, []byte("\r")) {
			s.text(part)
			s.breakLine()
		}
	}
	for len(s.open) > 0 {
		s.end()
	}
}

// fill copies what the sink gathered into p.
func (s *sink) fill(p *Page) {
	arena := string(s.arena)
	at := func(r span) string { return arena[r.off:r.end] }
	p.Title = string(clip(appendCollapsed(nil, s.head.title), maxTitle))
	p.ContentLanguage = at(s.head.contentLanguage)
	if p.Lang = at(s.head.lang); p.Lang == "" {
		p.Lang = p.ContentLanguage
	}
	for _, d := range s.head.dates {
		p.Dates = append(p.Dates, Date{d.kind, at(d.value)})
	}
	p.Nodes = make([]Node, len(s.nodes))
	for i := range s.nodes {
		n := &s.nodes[i]
		p.Nodes[i] = Node{Tag: n.tag, ID: at(n.id), Class: at(n.class), Text: at(n.text), Parent: n.parent, End: n.end, Join: n.join}
	}
	p.text = string(s.lines.text)
	p.Lines = append([]Line(nil), s.lines.lines...)
}

// sampleSize is how much of the text is offered for telling its language.
const sampleSize = 2048

// language tells the language of the text from its longest line on: what
// stands first are menus.
func (x *Extractor) language(p *Page) {
	from, longest := 0, int32(0)
	for _, l := range p.Lines {
		if l.End-l.Start > longest {
			from, longest = int(l.Start), l.End-l.Start
		}
	}
	end := min(len(p.text), from+sampleSize)
	for end < len(p.text) && !utf8.RuneStart(p.text[end]) {
		end--
	}
	if end-from < sampleSize/4 {
		from = 0 // the line stands last
	}
	lang, reliable := text.Detect(p.text[from:end], p.Lang)
	p.Detected = lang
	if reliable {
		p.Flags |= Reliable
	}
}

func (x *Extractor) sentences(p *Page) []Sentence {
	out := slices.Grow(x.found[:0], len(p.Lines))
	for i := range p.Lines {
		x.spans = text.AppendSentences(x.spans[:0], p.LineText(i), p.Detected)
		for _, sp := range x.spans {
			out = append(out, Sentence{Line: int32(i), Start: int32(sp.Start), End: int32(sp.End)})
		}
	}
	x.found = out
	return append([]Sentence(nil), out...)
}
