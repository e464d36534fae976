package text

import (
	"unicode"
	"unicode/utf8"

	"github.com/abadojack/whatlanggo"
)

const (
	// sampleLetters bounds the work of Detect; trigrams settle long before.
	sampleLetters = 400
	// fewestLetters is the sample below which trigrams guess wildly.
	fewestLetters = 100
)

// Detect returns the language of sample as an ISO 639-1 code, and whether the
// sample itself showed it (SCIENCE 2.9). declared is what the page says of
// itself, a BCP 47 tag or "".
//
// Scripts decide first, whatever is declared: kana means Japanese, Hangul
// Korean, Han without kana Chinese, and so on for scripts that one language
// dominates; there are pages in Chinese that declare English. For Latin,
// Cyrillic, Arabic, Hebrew and Devanagari letters stop words or trigrams
// decide, if they are sure and the sample has 100 letters or more. Otherwise the declared language
// is returned, if it is written in the script that was found, and reliable is
// false.
// Only the first 400 letters are looked at, so text that stands first on every
// page of a site (menus) should come last or not at all.
func Detect(sample, declared string) (lang string, reliable bool) {
	t := countScripts(sample)
	declared = Base(declared)
	if t.letters == 0 {
		return declared, false
	}
	switch lang := t.language(); lang {
	case "":
	case "zh": // a short heading in Japanese may well lack kana
		if declared == "ja" && t.letters < 40 {
			return "ja", false
		}
		return "zh", true
	default:
		if other := sameScript[lang]; other != "" && declared == other {
			return declared, true
		}
		return lang, true
	}
	if t.letters >= fewestLetters {
		if code := byStopWords(sample[:t.end]); code != "" {
			return code, true
		}
		if info := whatlanggo.Detect(sample[:t.end]); info.IsReliable() {
			if code := Base(info.Lang.Iso6391()); code != "" {
				return code, true
			}
		}
	}
	if !t.allows(declared) {
		declared = ""
	}
	return declared, false
}

// listed are the languages whose stop words are counted. The first plain of
// them can be told by those; the rest is there to compete. Dutch is left to
// the trigrams since Afrikaans, which has no list, is too like it.
var listed = []string{"en", "de", "fr", "es", "it", "pt", "sv", "fi", "hu", "da", "no", "ca", "gl", "ro", "nl", "id"}

const plain = 9

// byStopWords returns the language whose stop list holds a quarter of the words
// and half as many again as any other list, or "". It settles most pages in
// a fraction of the time that trigrams take.
func byStopWords(sample string) string {
	hits := make([]int, len(listed))
	words := 0
	EachWord(sample, func(w []byte) {
		words++
		for i, lang := range listed {
			if stopLists[lang]()[string(w)] {
				hits[i]++
			}
		}
	})
	best, second := 0, -1
	for i := 1; i < len(hits); i++ {
		if hits[i] > hits[best] {
			best, second = i, best
		} else if second < 0 || hits[i] > hits[second] {
			second = i
		}
	}
	if best >= plain || hits[best]*4 < words || hits[best]*2 < hits[second]*3 {
		return ""
	}
	return listed[best]
}

// sameScript names a second language for a script, believed if declared.
var sameScript = map[string]string{"th": "lo", "bn": "as", "am": "ti"}

// scripts counts the letters of a sample.
type scripts struct {
	letters, latin, cyrillic, arabic, hebrew int
	kana, han, hangul                        int
	dominant                                 map[string]int // language -> letters of its script
	end                                      int            // bytes that were read
}

// oneLanguage lists the scripts that stand for a language.
var oneLanguage = []struct {
	lang  string
	table *unicode.RangeTable
}{
	{"el", unicode.Greek},
	{"th", unicode.Thai},
	{"ka", unicode.Georgian},
	{"hy", unicode.Armenian},
	{"bn", unicode.Bengali},
	{"ta", unicode.Tamil},
	{"te", unicode.Telugu},
	{"kn", unicode.Kannada},
	{"ml", unicode.Malayalam},
	{"gu", unicode.Gujarati},
	{"pa", unicode.Gurmukhi},
	{"or", unicode.Oriya},
	{"si", unicode.Sinhala},
	{"km", unicode.Khmer},
	{"lo", unicode.Lao},
	{"my", unicode.Myanmar},
	{"am", unicode.Ethiopic},
	{"bo", unicode.Tibetan},
	{"dv", unicode.Thaana},
}

func countScripts(sample string) scripts {
	t := scripts{}
	for t.end < len(sample) && t.letters < sampleLetters {
		if c := sample[t.end]; c < utf8.RuneSelf {
			if c |= 0x20; 'a' <= c && c <= 'z' {
				t.latin++
				t.letters++
			}
			t.end++
			continue
		}
		r, n := utf8.DecodeRuneInString(sample[t.end:])
		t.end += n
		if !unicode.IsLetter(r) {
			continue
		}
		t.letters++
		switch {
		case r < 0x250 || unicode.Is(unicode.Latin, r):
			t.latin++
		case unicode.Is(unicode.Cyrillic, r):
			t.cyrillic++
		case unicode.Is(unicode.Han, r):
			t.han++
		case isKana(r):
			t.kana++
		case unicode.Is(unicode.Hangul, r):
			t.hangul++
		case unicode.Is(unicode.Arabic, r):
			t.arabic++
		case unicode.Is(unicode.Hebrew, r):
			t.hebrew++
		default:
			for _, o := range oneLanguage {
				if unicode.Is(o.table, r) {
					if t.dominant == nil {
						t.dominant = map[string]int{}
					}
					t.dominant[o.lang]++
					break
				}
			}
		}
	}
	return t
}

// language decides by the script alone, "" if that is not enough. Kana in
// a twentieth of the letters is proof: nobody else writes it, and a page in
// Japanese may be half Latin names and code. The other scripts need a third,
// for one Greek formula does not make a page Greek.
func (t *scripts) language() string {
	cjk := t.kana + t.han
	switch {
	case t.kana*20 >= t.letters && t.kana*20 >= cjk:
		return "ja"
	case t.hangul*3 >= t.letters:
		return "ko"
	case cjk*3 >= t.letters:
		return "zh"
	}
	for _, o := range oneLanguage { // in the order of the list: the same answer each time
		if t.dominant[o.lang]*3 >= t.letters {
			return o.lang
		}
	}
	return ""
}

// allows reports whether a declared language can be written in the script that
// most letters have; it knows only the languages that this script excludes.
func (t *scripts) allows(declared string) bool {
	switch declared {
	case "ja":
		return t.kana > 0 || t.han > 0
	case "zh":
		return t.han > 0
	case "ko":
		return t.hangul > 0
	case "en", "de", "fr", "nl", "es", "it", "pt", "sv", "da", "no", "fi", "pl", "cs", "hu", "tr", "ro":
		return t.latin*2 >= t.letters
	case "ru", "uk", "bg", "be", "mk":
		return t.cyrillic*2 >= t.letters
	case "ar", "fa", "ur":
		return t.arabic*2 >= t.letters
	case "he":
		return t.hebrew*2 >= t.letters
	}
	for _, o := range oneLanguage {
		if o.lang == declared {
			return t.dominant[declared] > 0
		}
	}
	return true
}

// isKana reports Hiragana, Katakana and their half width forms. The prolonged
// sound mark counts; voicing marks are no letters.
func isKana(r rune) bool {
	return unicode.In(r, unicode.Hiragana, unicode.Katakana) || r == prolongedSound || r == '\uFF70'
}

// JapaneseShare returns the share of kana among the letters of s, and, once
// there is any kana, of Han too: 0 for a text in Chinese or English, near 1
// for one in Japanese (SCIENCE T12). A text without letters has share 0.
func JapaneseShare(s string) float64 {
	var letters, kana, han int
	for _, r := range s {
		switch {
		case !unicode.IsLetter(r):
			continue
		case r < 0x2E80:
		case isKana(r):
			kana++
		case unicode.Is(unicode.Han, r):
			han++
		}
		letters++
	}
	if kana == 0 {
		return 0
	}
	return float64(kana+han) / float64(letters)
}

// Kana reports whether s holds a Hiragana or Katakana letter, the one-line test
// of SCIENCE T12: true of every Japanese sentence and of hardly any other.
func Kana(s string) bool {
	for _, r := range s {
		if r >= 0x3041 && isKana(r) && r != prolongedSound && r != '\uFF70' {
			return true
		}
	}
	return false
}
