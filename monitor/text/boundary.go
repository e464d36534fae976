package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// boundary decides whether a sentence ends at j, after the terminators t and
// their closing marks.
func (c *cutter) boundary(t *terminator, j int) bool {
	k := skipSpace(c.s, j)
	if k == len(c.s) {
		return true
	}
	if t.wide {
		return c.afterWide(t, j, k)
	}
	if k == j {
		return c.glued(t, j)
	}
	n, ok := c.following(k)
	if !ok {
		return false
	}
	if t.bang || t.doubled {
		return !c.inserted(t) && !c.speechTag(t, n) && !c.brand(t, n)
	}
	if t.dots >= 3 {
		return c.afterEllipsis(t, n)
	}
	return c.afterPoint(t, n)
}

// start describes what follows a possible boundary.
type start struct {
	r    rune   // first character after opening marks
	word string // the word there, if r is a letter
	rest string // what follows the word
}

// following reads the start of the next sentence at k, and reports false if
// none can start there: at a lower-case letter or a mark that continues.
func (c *cutter) following(k int) (start, bool) {
	s := c.s[k:]
	for range 8 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case strings.ContainsRune(`"'“”„‘‚«»‹([{¿¡「『（`, r):
			after := strings.TrimLeftFunc(s[n:min(len(s), n+8)], unicode.IsSpace)
			if r == '\'' && isDutchArticle(after) {
				return start{r: 'S'}, true
			}
			s = s[n:]
			if r == '«' || r == '»' {
				s = strings.TrimLeftFunc(s, unicode.IsSpace)
			}
		case r == '—' || r == '–' || r == '-': // a new speaker, if a capital follows
			after := s[n:]
			trimmed := strings.TrimLeft(after, " \u00A0")
			if first, _ := utf8.DecodeRuneInString(strings.TrimLeft(trimmed, "¿¡")); !unicode.IsUpper(first) || r == '-' && len(trimmed) == len(after) {
				return start{}, false
			}
			s = trimmed
		default:
			if s == "" {
				return start{}, true
			}
			n := start{r: r, rest: s}
			if unicode.IsLetter(r) {
				n.word, n.rest = leadingWord(s)
			}
			return n, n.opens()
		}
	}
	return start{}, true
}

// opens reports whether a sentence can start like that. An inner capital tells
// a name ("iPhone") from a word that goes on.
func (n start) opens() bool {
	switch n.r {
	case ',', ';', ':', '.', '…', '/', '=', '+', '*', '|', '>', '<', '&', '%', '"', ')', ']':
		return false
	}
	if !unicode.IsLower(n.r) || unicode.Is(unicode.Georgian, n.r) {
		return true
	}
	_, size := utf8.DecodeRuneInString(n.word)
	second, _ := utf8.DecodeRuneInString(n.word[size:])
	return unicode.IsUpper(second)
}

// isDutchArticle matches "s Avonds": the Dutch 's, 't and 'n stay small and the
// next word takes the capital.
func isDutchArticle(s string) bool {
	if len(s) < 3 || s[1] != ' ' || s[0] != 's' && s[0] != 't' && s[0] != 'n' {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s[2:])
	return unicode.IsUpper(r)
}

// afterWide decides for 。！？ and the terminators of other scripts without
// case. j is the end of the closing marks, k of the space after them.
func (c *cutter) afterWide(t *terminator, j, k int) bool {
	if j < c.held {
		return false // inside of 「…」
	}
	rest := c.s[k:]
	if before, _ := utf8.DecodeRuneInString(c.s[t.start:]); before == '．' && j == k {
		if r, _ := utf8.DecodeRuneInString(rest); unicode.IsDigit(r) {
			return false // a full width decimal point
		}
	}
	if before, _ := utf8.DecodeLastRuneInString(c.s[:t.start]); 'Ａ' <= before && before <= 'Ｚ' && !t.closed {
		if c.s[t.start:t.end] == "．" {
			return false // an initial in full width
		}
	}
	if !t.closed || j < k {
		return true
	}
	if c.s[t.end:j] == "）" && c.insideBrackets(t) {
		return false
	}
	// 「はい。」と答えた: the quoting particle goes on with the sentence.
	for _, p := range []string{"って", "、", "，", ",", "を"} {
		if strings.HasPrefix(rest, p) {
			return false
		}
	}
	if !strings.HasPrefix(rest, "と") {
		return !chineseSpeechTag(rest)
	}
	for _, w := range []string{"ところ", "とても", "とにかく", "ともかく", "ときどき"} {
		if strings.HasPrefix(rest, w) {
			return true
		}
	}
	return false
}

// insideBrackets reports that the bracket which closes after t opened within the sentence, which then
// still wants a stop of its own: 費用は一億円（予定は半分。）だった。
func (c *cutter) insideBrackets(t *terminator) bool {
	const window = 360 // bytes; see hold
	from := max(c.start, t.start-window)
	k := strings.LastIndex(c.s[from:t.start], "（")
	return k > 0 && strings.TrimSpace(c.s[from:from+k]) != ""
}

// chineseSpeechTag reports that a speaker and a verb of saying follow a closed
// quotation: “走吧。”老人说。
func chineseSpeechTag(s string) bool {
	const longest = 12 // characters
	n := 0
	for i, r := range s {
		if !unicode.Is(unicode.Han, r) || n == longest {
			return false
		}
		n++
		for _, verb := range []string{"说", "說", "问", "問", "喊", "答", "表示", "指出"} {
			if after, ok := strings.CutPrefix(s[i:], verb); ok {
				next, _ := utf8.DecodeRuneInString(after)
				return !unicode.In(next, unicode.Hiragana, unicode.Katakana) // 答える is a word of Japanese
			}
		}
	}
	return false
}

// glued decides where no space follows: a lost space ("in the end.Today") is
// a boundary; a number, an address or a file name is not.
func (c *cutter) glued(t *terminator, j int) bool {
	r, _ := utf8.DecodeRuneInString(c.s[j:])
	before, size := utf8.DecodeLastRuneInString(c.s[c.start:t.start])
	if isCJK(r) || isCJK(before) {
		return isCJK(before) && isCJK(r) || t.bang
	}
	if !unicode.IsUpper(r) || t.dots > 1 || t.closed {
		return false
	}
	before2, _ := utf8.DecodeLastRuneInString(c.s[c.start : t.start-size])
	if !unicode.IsDigit(before) && (!unicode.IsLower(before) || !unicode.IsLower(before2)) {
		return false
	}
	word, rest := leadingWord(c.s[j:])
	if dotted, ok := strings.CutPrefix(rest, "."); ok {
		if r, _ := utf8.DecodeRuneInString(dotted); unicode.IsLetter(r) {
			return false // www.Example.Com
		}
	}
	_, size = utf8.DecodeRuneInString(word)
	second, _ := utf8.DecodeRuneInString(word[size:])
	if strings.IndexFunc(word[size:], unicode.IsUpper) >= 0 {
		return false // "div.MsoNormal"
	}
	switch word {
	case "Com", "Net", "Org", "Js", "Html", "Php", "Pdf", "De", "Fr":
		return false
	}
	if !unicode.IsLower(second) && word != "I" && word != "A" {
		return false
	}
	from := t.start - len(tail(c.s[c.start:t.start], func(r rune) bool { return !unicode.IsSpace(r) }))
	to := j + len(word)
	if to < len(c.s) {
		to++
	}
	return !strings.ContainsAny(c.s[from:to], "@/\\_=#(<&")
}

// inserted reports a mark that stands alone in brackets: "(!)", "[...]".
func (c *cutter) inserted(t *terminator) bool {
	r, _ := utf8.DecodeLastRuneInString(c.s[c.start:t.start])
	return t.closed && strings.ContainsRune("([{", r)
}

// speechTag reports that "he said" in one of its forms with a capital goes on
// after a quoted question or call: “Where?” Anna asked.
func (c *cutter) speechTag(t *terminator, n start) bool {
	if !t.closed || n.word == "" || c.rules.opener(n.word) {
		return false // "Who helps?" Nobody answered.
	}
	verb, _ := leadingWord(strings.TrimLeft(n.rest, " "))
	return c.rules.said[verb]
}

// brand reports a name that ends in a mark.
func (c *cutter) brand(t *terminator, n start) bool {
	switch tail(c.s[c.start:t.start], unicode.IsLetter) {
	case "Yahoo", "Jeopardy", "Joomla", "Yum":
		return !t.closed && !c.rules.opener(n.word)
	}
	return false
}

// afterEllipsis decides for three or more points. Three after a space stand
// for words left out within a sentence, a fourth is the full stop.
func (c *cutter) afterEllipsis(t *terminator, n start) bool {
	if c.inserted(t) || strings.TrimSpace(c.s[c.start:t.start]) == "" {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(c.s[c.start:t.start])
	if t.dots == 3 && unicode.IsSpace(before) {
		return n.word != "I" && c.rules.opener(n.word)
	}
	return true
}

func skipSpace(s string, i int) int {
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsSpace(r) {
			break
		}
		i += n
	}
	return i
}

const longestWord = 40 // bytes that are read before or after a terminator

// leadingWord returns the word that s starts with, and the rest.
func leadingWord(s string) (word, rest string) {
	end := 0
	for end < min(len(s), longestWord) {
		r, n := utf8.DecodeRuneInString(s[end:])
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			break
		}
		end += n
	}
	return s[:end], s[end:]
}

// tail returns the end of s as far as in holds.
func tail(s string, in func(rune) bool) string {
	from := len(s)
	for len(s)-from < longestWord {
		r, n := utf8.DecodeLastRuneInString(s[:from])
		if n == 0 || !in(r) {
			break
		}
		from -= n
	}
	return s[from:]
}
