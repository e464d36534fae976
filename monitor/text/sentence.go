package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Span is the half-open byte range [Start, End) of a piece of a string.
type Span struct{ Start, End int }

// AppendSentences appends to dst the sentences of s in order. s is the text of
// one block; a line end inside it ends a sentence too, so that a whole
// stripped text (SCIENCE C3, one line for each block) may be given as well.
// The spans leave out the white space around a sentence and nothing else, and
// what ends without a stop (a heading, a menu) is a span like any other:
// IsSentence tells them apart. lang chooses abbreviations and sentence openers;
// en, de, fr, nl, es, it and pt have their own, others share a short list.
//
// The boundaries are those of Unicode's annex 29 (a terminator, closing marks,
// space, and no lower-case letter after that) with the exceptions that annex
// leaves to a "tailoring": abbreviations, initials, ordinals, list numbers,
// ellipses, quoted speech, missing spaces (SCIENCE 2.5). The time is linear in
// the length of s.
func AppendSentences(dst []Span, s, lang string) []Span {
	c := cutter{s: s, rules: rulesFor(lang), spans: dst, mark: -1}
	c.item(0)
	c.scan()
	return c.spans
}

// Sentences returns the sentences of s as AppendSentences finds them.
func Sentences(s, lang string) []string {
	var out []string
	for _, p := range AppendSentences(nil, s, lang) {
		out = append(out, s[p.Start:p.End])
	}
	return out
}

// cutter walks a text once. Every look ahead or back from a position is
// bounded by a constant, or skips what the walk then skips too.
type cutter struct {
	s     string
	rules *rules
	spans []Span
	start int // of the current sentence, possibly at white space
	held  int // end of a CJK quotation that is not cut inside
	retry int // no search for a quotation's end before this position
	mark  int // start of the next list item, -1 if none is known
}

func (c *cutter) scan() {
	s := c.s
	for i := 0; i < len(s); {
		if i == c.mark {
			c.cut(i)
			c.item(i)
		}
		if b := s[i]; b < utf8.RuneSelf {
			switch b {
			case '.', '!', '?':
				i = c.stop(i)
			case '\n', '\r':
				i++
				c.line(i)
			default:
				i++
			}
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case isTerminator(r):
			i = c.stop(i)
		case r == '\u2028', r == '\u2029':
			i += n
			c.line(i)
		case isBullet(r):
			c.cut(i)
			c.item(i)
			i += n
		case strings.ContainsRune(wideOpeners, r):
			c.hold(i)
			i += n
		default:
			i += n
		}
	}
	c.cut(len(s))
}

// cut ends the current sentence at i.
func (c *cutter) cut(i int) {
	piece := c.s[c.start:i]
	left := strings.TrimLeftFunc(piece, unicode.IsSpace)
	if from := i - len(left); left != "" {
		c.spans = append(c.spans, Span{from, from + len(strings.TrimRightFunc(left, unicode.IsSpace))})
	}
	c.start = i
}

// line starts a new line at i.
func (c *cutter) line(i int) {
	c.cut(i)
	c.held = 0
	c.item(i)
}

// stop handles the terminator at i and returns where to read on. It takes all
// terminators and closing marks that follow each other as one, as in
// "(Is it?).".
func (c *cutter) stop(i int) int {
	t := terminator{start: i}
	j := t.read(c.s, i)
	t.end = j
	for {
		k := c.closers(j, t.wide)
		if k > j {
			t.closed = true
		}
		j = k
		r, _ := utf8.DecodeRuneInString(c.s[j:])
		if !t.closed || !isTerminator(r) {
			break
		}
		j = t.read(c.s, j)
		t.doubled = true
	}
	if c.boundary(&t, j) {
		c.cut(j)
	}
	return j
}

// terminator describes a run of terminators.
type terminator struct {
	start, end int  // the first run, without closing marks
	dots       int  // points, an ellipsis character counting three
	bang       bool // has ! or ?
	wide       bool // has a terminator outside of the scripts with case
	closed     bool // closing quotes or brackets follow
	doubled    bool // and another terminator after them
}

// read takes the terminators from i on, among them the points of a spaced
// ellipsis (". . ."), and returns the end.
func (t *terminator) read(s string, i int) int {
	for i < len(s) {
		if s[i] == ' ' && t.dots > 0 && spacedDot(s[i:]) {
			i++
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '.':
			t.dots++
		case r == '…':
			t.dots += 3
		case r == '!', r == '?', '‼' <= r && r <= '‽', '⁇' <= r && r <= '⁉':
			t.bang = true
		case isTerminator(r):
			t.wide = true
		default:
			return i
		}
		i += n
	}
	return i
}

// spacedDot reports whether s starts with a space and the next point of a
// spaced ellipsis, rather than with something like ".NET".
func spacedDot(s string) bool {
	if len(s) < 2 || s[1] != '.' {
		return false
	}
	r, n := utf8.DecodeRuneInString(s[2:])
	return n == 0 || !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// closers returns the end of the closing quotes, brackets and note references
// ("[12]") at i. A mark that opens in one language and closes in another, such
// as “, closes when it follows the terminator at once.
func (c *cutter) closers(i int, wide bool) int {
	s := c.s
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case strings.ContainsRune(`)]}"'’”»›«“‘」』）】〉》〕］｣〟`, r), '⁰' <= r && r <= '⁹', r == '¹', r == '²', r == '³':
			if wide && strings.ContainsRune(`“‘«`, r) {
				return i // opens the next sentence of a text without spaces
			}
			i += n
		case r == '[':
			k := noteReference(s[i:])
			if k == 0 {
				return i
			}
			i += k
		case r == ' ', r == '\u00A0', r == '\u202F':
			// French sets its guillemets off: « Ça va ? » But German opens with ».
			rest := s[i+n:]
			if !strings.HasPrefix(rest, "»") {
				return i
			}
			after, m := utf8.DecodeRuneInString(rest[len("»"):])
			if m > 0 && (unicode.IsLetter(after) || unicode.IsDigit(after)) {
				return i
			}
			i += n + len("»")
		default:
			return i
		}
	}
	return i
}

// noteReference returns the length of a note reference such as [3] or [b].
func noteReference(s string) int {
	for k := 1; k < len(s) && k <= 4; k++ {
		switch c := s[k]; {
		case c == ']' && k > 1:
			return k + 1
		case c < '0' || '9' < c && c < 'a' || 'z' < c:
			return 0
		}
	}
	return 0
}

const (
	wideOpeners = "「『（【"
	wideClosers = "」』）】"
)

// hold keeps a CJK quotation or parenthesis that opens at i in one piece if it
// is short enough to be part of a sentence.
func (c *cutter) hold(i int) {
	const longest = 360 // bytes, 120 characters
	if i < c.held || i < c.retry {
		return
	}
	c.retry = i + longest/4 // so that unclosed brackets cost no more than four looks at a byte
	depth := 0
	for k, r := range c.s[i:min(len(c.s), i+longest)] {
		switch {
		case strings.ContainsRune(wideOpeners, r):
			depth++
		case strings.ContainsRune(wideClosers, r):
			if depth--; depth == 0 {
				c.held = i + k + utf8.RuneLen(r)
				c.retry = c.held // what was read is not read again
				return
			}
		case r == '\n', r == '\r':
			return
		}
	}
}

// isTerminator reports the characters that can end a sentence. The ranges
// rejected first hold nearly all letters of running text.
func isTerminator(r rune) bool {
	switch {
	case r < 0x80:
		return r == '.' || r == '!' || r == '?'
	case r < 0x0589, 0x3003 <= r && r < 0xA4FF, 0xAC00 <= r && r < 0xE000:
		return false
	}
	return r == '…' || unicode.Is(unicode.Sentence_Terminal, r)
}

func isBullet(r rune) bool {
	switch r {
	case '•', '⁃', '‣', '◦', '●', '▪', '■', '➢', '➤':
		return true
	}
	return false
}
