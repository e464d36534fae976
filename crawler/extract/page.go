package extract

import "strings"

// Page is what one version of a page holds. It shares no memory with the
// Extractor, the body, or the record that it came from, and is not changed by its methods.
type Page struct {
	Title           string // of the first title element, white space collapsed
	Lang            string // lang of the html element as written, else ContentLanguage
	ContentLanguage string // meta http-equiv content-language as written
	Detected        string // language found in the text, see text.Detect; "" if none
	Charset         string // WHATWG name of the encoding that the body was read with
	CharsetFrom     CharsetSource
	Flags           Flags
	Dates           []Date     // in document order, at most maxDates
	Nodes           []Node     // the outline, pre-order; Nodes[0] is html
	Lines           []Line     // the visible text, no empty lines
	Sentences       []Sentence // in document order
	Links           []Link     // in document order; not part of the record

	text string // the lines joined by '\n'
}

// Flags are the properties of a page that are true or false.
type Flags uint16

const (
	// WrongCharset tells that the bytes do not fit the encoding that header,
	// BOM or markup name. Charset is then the better guess if there is one.
	WrongCharset Flags = 1 << iota
	// Tokenized tells that the tree is the light builder's approximation.
	Tokenized
	// Folded tells that elements beyond maxDepth or maxNodes were left out of
	// the outline; their text is kept.
	Folded
	// Cut tells that the body was longer than maxBody or the decoded text
	// longer than maxDecoded, and the rest was dropped.
	Cut
	// PlainText tells that the body was read as text, not as markup.
	PlainText
	// NoIndex and NoFollow are the page's robots meta.
	NoIndex
	NoFollow
	// Reliable tells that Detected may be trusted.
	Reliable

	knownFlags = Reliable<<1 - 1
)

// Node is one element, or one chunk of text if Tag is "". Between two tags
// there is at most one chunk; a comment does not split it.
type Node struct {
	Tag    string // lower case, also in SVG and MathML
	ID     string // of an element, as Class
	Class  string // of an element, white space collapsed, cut to maxAttr bytes
	Text   string // of a chunk: white space collapsed and trimmed; '\n' only where a line ends inside (PlainText, Folded)
	Parent int32  // index of the parent; -1 for html
	End    int32  // one past the last descendant
	Join   Join   // of a chunk: how it joins the text before it on its line
}

// Line is one line of the visible text: [Start, End) of Text().
type Line struct {
	Start, End int32
	Node       int32 // the block element that it stands in
}

// Sentence is one sentence: [Start, End) of the line with index Line.
type Sentence struct {
	Line       int32
	Start, End int32
}

// DateKind tells what a Date says.
type DateKind uint8

const (
	Published DateKind = 1 + iota // article:published_time, datePublished and their like
	Modified                      // article:modified_time, dateModified and their like
	Mentioned                     // time[datetime]
)

// Date is a date that the page gives, as written there.
type Date struct {
	Kind  DateKind
	Value string // trimmed, at most maxDate bytes
}

// LinkKind tells which markup made a link.
type LinkKind uint8

const (
	Anchor    LinkKind = iota // a[href]
	Area                      // area[href]
	Canonical                 // link[rel~=canonical]
	Refresh                   // meta http-equiv=refresh
	Frame                     // frame[src] or iframe[src]
)

// Rel holds what the rel attribute of a link says.
type Rel uint8

const (
	NoFollowLink Rel = 1 << iota // rel=nofollow
	UGC                          // rel=ugc
	Sponsored                    // rel=sponsored
)

// Link is one http(s) link of the page.
type Link struct {
	URL  string // absolute, resolved against the base, not in canonical form
	Text string // anchor text, white space collapsed, at most maxAnchor bytes
	Kind LinkKind
	Rel  Rel
}

// Bounds of what a page may hold. They keep the cost of a hostile page linear
// in its bytes; honest pages stay far below.
const (
	maxBody    = 32 << 20 // bytes of the raw body
	maxDecoded = 32 << 20 // bytes of the body in UTF-8
	maxDepth   = 500      // open elements; x/net/html ends at 512
	maxNodes   = 1 << 18  // of the outline
	maxLinks   = 1 << 15
	maxURL     = 4096 // bytes of one href
	maxAnchor  = 256  // bytes
	maxAttr    = 512  // bytes of an id or class
	maxTitle   = 2048 // bytes
	maxDates   = 16
	maxDate    = 64 // bytes
)

// Text returns the visible text, its lines joined by '\n'.
func (p *Page) Text() string { return p.text }

// LineText returns the text of line i.
func (p *Page) LineText(i int) string {
	l := p.Lines[i]
	return p.text[l.Start:l.End]
}

// SentenceText returns the text of sentence i.
func (p *Page) SentenceText(i int) string {
	s := p.Sentences[i]
	return p.LineText(int(s.Line))[s.Start:s.End]
}

// Has reports whether all of f are set.
func (p *Page) Has(f Flags) bool { return p.Flags&f == f }

// String lists the names of the set flags, in the order of their bits.
func (f Flags) String() string {
	names := [...]string{"wrong-charset", "tokenized", "folded", "cut", "plain-text", "noindex", "nofollow", "reliable-language"}
	var set []string
	for i, n := range names {
		if f&(1<<i) != 0 {
			set = append(set, n)
		}
	}
	return strings.Join(set, ",")
}
