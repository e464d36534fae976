package passage

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/strandlinehq/strandline/monitor/text"
)

// Bounds of a sentence of prose, in words; a text in Chinese or Japanese is
// measured in characters, two for a word.
const (
	fewestWords = 5
	mostWords   = 70
)

// Prose reports whether s is a sentence (text.IsSentence) that reads as prose of
// a language: 5 to 70 words; function words among them, one in ten at least,
// where the language has a stop list; no marks of lists; not cut short by dots;
// not a heading in capitals.
func Prose(s, lang string) bool {
	s = strings.TrimSpace(s)
	if !text.IsSentence(s, lang) || cutShort(s) || listed(s) || glued(s) || lang == "de" && kicker.MatchString(s) {
		return false
	}
	words, letters, capitals, cjk := 0, 0, 0, 0
	stops := newStopCount(lang)
	text.EachWord(s, func(w []byte) {
		words++
		stops.add(string(w))
	})
	for _, c := range s {
		switch {
		case unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana):
			cjk++
		case unicode.IsUpper(c):
			capitals++
			letters++
		case unicode.IsLetter(c):
			letters++
		}
	}
	if cjk > letters || cjk > 0 && text.Base(lang) == "ja" {
		return !text.HasStopList(lang) && cjk >= 2*fewestWords && cjk <= 2*mostWords && (lang != "ja" || text.Kana(s))
	}
	if text.Base(lang) == "ja" {
		return false // commands and logs in a Japanese text
	}
	if words < fewestWords || words > mostWords || letters < 3*fewestWords || 2*capitals > letters {
		return false
	}
	return !text.HasStopList(lang) || stops.likely(words) && !titleCase(s, lang)
}

// stopCount counts function words of a language and of those that pages in it are
// most often mixed with.
type stopCount struct {
	own    string
	others [5]string
	count  int
	other  [5]int
}

func newStopCount(lang string) *stopCount {
	return &stopCount{own: lang, others: [...]string{"en", "de", "fr", "nl", "es"}}
}

func (c *stopCount) add(word string) {
	if text.Stop(word, c.own) {
		c.count++
	}
	for i, lang := range c.others {
		if lang != c.own && text.Stop(word, lang) {
			c.other[i]++
		}
	}
}

// likely reports whether the words are of the language: one in ten is a function
// word, and no other language has many more of them.
func (c *stopCount) likely(words int) bool {
	for _, n := range c.other {
		if n >= 2 && 2*n >= 3*c.count {
			return false
		}
	}
	return 10*c.count >= words
}

// cutShort reports dots at the end, or a page's own invitation to read the rest.
func cutShort(s string) bool {
	s = strings.TrimRightFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.In(r, unicode.Pe, unicode.Pf, unicode.Pi) })
	return strings.HasSuffix(s, "…") || strings.HasSuffix(s, "...") || strings.HasSuffix(s, ". .")
}

// listed reports marks that set the parts of a list, a path or a menu apart, but
// for those at its very start.
func listed(s string) bool {
	s = strings.TrimLeft(s, "•·*–- ")
	return strings.ContainsAny(s, "|•»→›▸►") && !quoted(s) || strings.Count(s, " / ") > 1 || strings.Contains(s, " > ")
}

// glued reports two pieces of text that nothing parts, "2,776As of March" or "Note:It is": cells or
// lines that only the page's style sets apart.
func glued(s string) bool {
	var before, at rune
	for _, c := range s {
		if unicode.IsDigit(before) && unicode.IsUpper(at) && unicode.IsLower(c) ||
			unicode.IsLower(before) && at == ':' && unicode.IsUpper(c) {
			return true
		}
		before, at = at, c
	}
	return false
}

// kicker is a German preposition with a capital behind a word and a space: the start
// of a teaser after a headline that no mark ends ("Streit um den Deich In Lund hat ..").
var kicker = regexp.MustCompile(`[\p{L}\d] (?:In|Auf|Mit|Nach|Bei|Beim|Für|Von|Vom|Zum|Zur|Im|Seit|Wegen|Trotz|Über|Vor) \p{L}`)

// quoted reports the marks » and › as quotes, closed and opened.
func quoted(s string) bool {
	return !strings.ContainsAny(s, "|•→▸►") &&
		strings.Count(s, "»") == strings.Count(s, "«") && strings.Count(s, "›") == strings.Count(s, "‹")
}

// titleCase reports a heading whose long words nearly all have capitals, in
// languages that do not write nouns so.
func titleCase(s, lang string) bool {
	if text.Base(lang) == "de" {
		return false
	}
	long, upper := 0, 0
	for w := range strings.FieldsFuncSeq(s, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if utf8.RuneCountInString(w) < 4 {
			continue
		}
		long++
		if first, _ := utf8.DecodeRuneInString(w); unicode.IsUpper(first) {
			upper++
		}
	}
	return long >= 3 && 4*upper >= 3*long
}

// countWords counts words as Prose does.
func countWords(s string) int {
	n := 0
	text.EachWord(s, func([]byte) { n++ })
	return n
}
