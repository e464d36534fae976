package extract

import (
	"bytes"
)

// scanner cuts a page into tokens as the tokenizer of x/net/html does (HTML
// standard 13.2.5), for the light builder. It works on the page in place,
// copies nothing, and needs linear time: the other one copies each attribute
// and clears, for each tag, a map as large as its largest tag ever was.
type scanner struct {
	src []byte
	at  int
	raw string // the raw text element that was opened last, "" if none
	odd bool   // a script uses the double escape, which is left to x/net/html

	// The token.
	text        []byte // of textToken
	unescaped   bool   // text holds no character references
	name        []byte // of a tag, lower case
	attrs       []attr // of startToken; values are not unescaped, keys are not unique
	count       int    // attributes of the tag, those beyond maxAttrs too
	selfClosing bool

	lower []byte // scratch of name
}

type token uint8

const (
	endToken token = iota // of the page
	textToken
	startToken
	closeToken
)

// maxAttrs bounds the attributes of one tag that are looked at.
const maxAttrs = 256

func (z *scanner) reset(src []byte) {
	*z = scanner{src: src, attrs: z.attrs[:0], lower: z.lower[:0]}
}

// next reads a token; comments and declarations are skipped. cdata tells that
// CDATA sections are allowed here.
func (z *scanner) next(cdata bool) token {
	if z.raw != "" {
		raw := z.raw
		z.raw = ""
		if z.rawText(raw) {
			return textToken
		}
	}
	z.unescaped = false
	for from := z.at; ; {
		i := bytes.IndexByte(z.src[z.at:], '<')
		if i < 0 || z.at+i+1 == len(z.src) {
			return z.rest(from)
		}
		z.at += i
		c := z.src[z.at+1]
		if c != '/' && c != '!' && c != '?' && !isLetter(c) {
			z.at++
			continue
		}
		if from < z.at {
			z.text = z.src[from:z.at]
			return textToken
		}
		switch {
		case isLetter(c):
			return z.tag(z.at+1, startToken)
		case c == '/':
			if z.at+2 == len(z.src) {
				return z.rest(from)
			}
			if isLetter(z.src[z.at+2]) {
				return z.tag(z.at+2, closeToken)
			}
			z.at += 2
			z.skipPast('>')
		case cdata && bytes.HasPrefix(z.src[z.at:], []byte("<![CDATA[")):
			z.at += len("<![CDATA[")
			body, _, found := bytes.Cut(z.src[z.at:], []byte("]]>"))
			z.at += len(body)
			if found {
				z.at += len("]]>")
			}
			z.text = body
			return textToken
		case bytes.HasPrefix(z.src[z.at:], []byte("<!--")):
			z.comment()
		default:
			z.at += 2
			z.skipPast('>')
		}
		from = z.at
	}
}

// rest returns what is left as text.
func (z *scanner) rest(from int) token {
	z.at = len(z.src)
	if from == len(z.src) {
		return endToken
	}
	z.text = z.src[from:]
	return textToken
}

func (z *scanner) skipPast(c byte) {
	i := bytes.IndexByte(z.src[z.at:], c)
	if i < 0 {
		z.at = len(z.src)
		return
	}
	z.at += i + 1
}

// comment skips a comment: "<!-->" and "<!--->" are complete, "--!>" ends one.
func (z *scanner) comment() {
	dashes, begins := 0, true
	for i := z.at + len("<!--"); i < len(z.src); i++ {
		switch c := z.src[i]; {
		case c == '-':
			dashes++
			continue
		case c == '>' && (dashes >= 2 || begins):
			z.at = i + 1
			return
		case c == '!' && dashes >= 2:
			i++
			if i < len(z.src) && z.src[i] == '>' {
				z.at = i + 1
				return
			}
			if i < len(z.src) && z.src[i] == '-' {
				dashes, begins = 1, false
				continue
			}
		}
		dashes, begins = 0, false
	}
	z.at = len(z.src)
}

// rawText reads the content of a raw text element up to its end tag, and
// reports whether there is any.
func (z *scanner) rawText(name string) bool {
	from := z.at
	end := len(z.src)
	if name == "plaintext" {
		z.at = end
	}
	for z.at < end {
		i := bytes.IndexByte(z.src[z.at:], '<')
		if i < 0 {
			z.at = end
			break
		}
		z.at += i
		if closes(z.src[z.at:], name) {
			end = z.at
			break
		}
		z.at++
	}
	z.text = z.src[from:end]
	z.unescaped = name != "textarea" && name != "title"
	if name == "script" && bytes.Contains(z.text, []byte("<!--")) && containsFold(z.text, "<script") {
		z.odd = true
	}
	return len(z.text) > 0
}

// closes reports whether b begins with an end tag of the name.
func closes(b []byte, name string) bool {
	n := len(name) + 2
	return len(b) > n && b[1] == '/' && equalFold(b[2:n], name) && (isTagSpace(b[n]) || b[n] == '/' || b[n] == '>')
}

// tag reads a tag whose name begins at i. A tag that the page ends in is none.
func (z *scanner) tag(i int, t token) token {
	from, upper := i, false
	for ; i < len(z.src); i++ {
		c := z.src[i]
		if isTagSpace(c) || c == '/' || c == '>' {
			break
		}
		upper = upper || 'A' <= c && c <= 'Z'
	}
	z.name = z.src[from:i]
	if upper {
		z.lower = append(z.lower[:0], z.name...)
		toLower(z.lower)
		z.name = z.lower
	}
	z.attrs, z.count = z.attrs[:0], 0
	last := -1 // end of the last value
	for {
		for i < len(z.src) && (isTagSpace(z.src[i]) || z.src[i] == '/') {
			i++
		}
		if i >= len(z.src) {
			z.at = len(z.src)
			return endToken
		}
		if z.src[i] == '>' {
			break
		}
		i, last = z.attr(i)
	}
	z.selfClosing = z.src[i-1] == '/' && last != i
	z.at = i + 1
	return t
}

// attr reads the attribute at i and returns where to read on and the end of its
// value. The first byte belongs to the key even if it is '='.
func (z *scanner) attr(i int) (next, valueEnd int) {
	from, upper := i, false
	for ; i < len(z.src); i++ {
		c := z.src[i]
		if isTagSpace(c) || c == '/' || c == '>' || c == '=' && i > from {
			break
		}
		upper = upper || 'A' <= c && c <= 'Z'
	}
	key := z.src[from:i]
	if upper {
		key = bytes.Clone(key)
		toLower(key)
	}
	valueEnd = i
	for i < len(z.src) && isTagSpace(z.src[i]) {
		i++
	}
	var val []byte
	if i < len(z.src) && z.src[i] == '=' {
		for i++; i < len(z.src) && isTagSpace(z.src[i]); {
			i++
		}
		from := i
		switch {
		case i == len(z.src):
		case z.src[i] == '"' || z.src[i] == '\'':
			n := bytes.IndexByte(z.src[i+1:], z.src[i])
			if n < 0 {
				return len(z.src), len(z.src)
			}
			val = z.src[i+1 : i+1+n]
			valueEnd = i + 1 + n
			i += n + 2
		default:
			for i < len(z.src) && !isTagSpace(z.src[i]) && z.src[i] != '>' {
				i++
			}
			val, valueEnd = z.src[from:i], i
		}
	}
	if z.count++; z.count <= maxAttrs {
		z.attrs = append(z.attrs, attr{key, val})
	}
	return i, valueEnd
}

func toLower(b []byte) {
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isTagSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f'
}
