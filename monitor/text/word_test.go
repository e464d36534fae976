package text

import (
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

func words(s string) []string {
	var out []string
	EachWord(s, func(w []byte) { out = append(out, string(w)) })
	return out
}

// slowWords is SCIENCE C4 word for word.
func slowWords(s string, bigrams bool) []string {
	var folded strings.Builder
	for _, r := range norm.NFKC.String(s) {
		if isCherokeeCapital(r) {
			folded.WriteRune(r)
		} else {
			folded.WriteString(cases.Fold().String(string(r)))
		}
	}
	s = folded.String()
	var out []string
	var run [][]rune // the characters of a run, each with its marks
	cjk := false
	flush := func() {
		if bigrams && cjk && len(run) > 1 {
			for i := range len(run) - 1 {
				out = append(out, string(run[i])+string(run[i+1]))
			}
		} else if len(run) > 0 {
			var w strings.Builder
			for _, c := range run {
				w.WriteString(string(c))
			}
			out = append(out, w.String())
		}
		run, cjk = nil, false
	}
	for _, r := range s {
		switch {
		case isInvisible(r):
		case unicode.IsMark(r):
			if len(run) == 0 {
				run = append(run, nil)
			}
			run[len(run)-1] = append(run[len(run)-1], r)
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '〇':
			if c := bigrams && isCJK(r); c != cjk {
				flush()
				cjk = c
			}
			run = append(run, []rune{r})
		default:
			flush()
		}
	}
	flush()
	return out
}

func TestEachWord(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want string }{
		{"nothing", "", ""},
		{"separators only", " -- ... !", ""},
		{"case and punctuation", "Hello, World-wide WEB!", "hello world wide web"},
		{"apostrophe, underscore and point separate", "don't snake_case 3.14 1,000", "don t snake case 3 14 1 000"},
		{"sharp s folds to two letters", "Straße STRASSE", "strasse strasse"},
		{"final sigma", "ΟΔΟΣ οδός", "οδοσ οδόσ"},
		{"composed and decomposed agree", "Café Cafe\u0301", "café café"},
		{"combining mark after an ASCII letter at the end", "e\u0301", "é"},
		{"full width Latin", "Ｇｏ１．２６", "go1 26"},
		{"ligature and superscript", "ﬁre m²", "fire m2"},
		{"soft hyphen", "Zeitungs\u00ADartikel", "zeitungsartikel"},
		{"zero width joiner and variation selector", "می\u200Cخواهم ❤\uFE0F葛\U000E0100城", "میخواهم 葛城"},
		{"no-break space", "10\u00A0km", "10 km"},
		{"Han", "東京都民", "東京 京都 都民"},
		{"one character", "私。あ", "私 あ"},
		{"kana with prolonged sound mark", "データ", "デー ータ"},
		{"half width kana with voiced marks", "ﾃﾞｰﾀﾍﾞｰｽ", "デー ータ タベ ベー ース"},
		{"decomposed kana", "か\u3099き", "がき"},
		{"mark that composes with nothing", "あ\u3099い", "あ\u3099い"},
		{"Han, kana and digits", "2026年11月のニュース", "2026 年 11 月の のニ ニュ ュー ース"},
		{"middle dot separates", "ジョン・スミス", "ジョ ョン スミ ミス"},
		{"Latin beside kana", "GoのAPI", "go の api"},
		{"ideographic zero", "二〇二六", "二〇 〇二 二六"},
		{"conjoining jamo", "\u1112\u1161\u11ab글", "한글"},
		{"Cyrillic", "ЁЖИК в тумане", "ёжик в тумане"},
		{"Cherokee folds upwards", "ꭰꮃ ᎠᎳ", "ᎠᎳ ᎠᎳ"},
		{"iota subscript folds to a letter", "ー\u0345 ᾳ", "ー ι αι"},
		{"beyond the basic plane", "𐐀𐐁 𝐁old 𠮷野", "𐐨𐐩 bold 𠮷野"},
		{"Turkish capital i with dot", "İstanbul", "i\u0307stanbul"},
		{"invalid bytes separate", "ab\xffcd\xc3", "ab cd"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := strings.Join(words(tt.in), " "); got != tt.want {
				t.Errorf("EachWord(%+q) = %+q, want %+q", tt.in, got, tt.want)
			}
		})
	}
}

// alphabet draws what the fast paths must keep apart or together.
var alphabet = []rune("aZ9 .'_-éÉßſİıΣςж한\u1112\u1161\u11a8東京〇々のがかｶﾊﾃﾞﾟータ・。ーＡ１ﬁ²½…™\u00A0\u00AD\u0301\u0308\u0327\u0345\u3099\u20DD" +
	"\u200D\uFE0F\u034F\U000E0100𐐀𝐁𠮷ไทยक्षिא\uFFFDǅΐᾳꭰⅧ①㍿")

func TestEachWordIsTheDefinition(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.OneOf(rapid.SampledFrom(alphabet), rapid.Rune())).Draw(t, "s"))
		if diff := cmp.Diff(slowWords(s, true), words(s)); diff != "" {
			t.Errorf("EachWord(%+q) (-definition +got):\n%s", s, diff)
		}
		if got, want := Normal(s), strings.Join(slowWords(s, false), " "); got != want {
			t.Errorf("Normal(%+q) = %+q, want %+q", s, got, want)
		}
	})
}

func FuzzEachWord(f *testing.F) {
	f.Add("The quick brown fox, n° 9 — e\u0301tude")
	f.Add("ﾃﾞｰﾀﾍﾞｰｽ の 2026年")
	f.Add("\xff\xc3a\u0301\u1112\u1161\u11ab")
	f.Fuzz(func(t *testing.T, s string) {
		if diff := cmp.Diff(slowWords(s, true), words(s)); diff != "" {
			t.Errorf("EachWord(%+q) (-definition +got):\n%s", s, diff)
		}
	})
}

func TestEachWordMayBeNested(t *testing.T) {
	t.Parallel()
	var got []string
	EachWord("One Two", func(outer []byte) {
		EachWord("X Y", func(inner []byte) { got = append(got, string(outer)+string(inner)) })
	})
	if diff := cmp.Diff([]string{"onex", "oney", "twox", "twoy"}, got); diff != "" {
		t.Errorf("nested calls (-want +got):\n%s", diff)
	}
}

func TestNormal(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"  “Hello,”  she said — 3.5 % more! ", "hello she said 3 5 more"},
		{"東京で、データを２つ。", "東京で データを2つ"},
		{"Größe\tGROESSE", "grösse groesse"},
	} {
		if got := Normal(tt.in); got != tt.want {
			t.Errorf("Normal(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestEachWordDoesNotAllocate(t *testing.T) {
	s := strings.Repeat("Plain words, größere Wörter, кириллица и データ. ", 50)
	n := 0
	count := func(w []byte) { n += len(w) }
	if got := testing.AllocsPerRun(100, func() { EachWord(s, count) }); got >= 1 {
		t.Errorf("EachWord allocates %.1f times, want 0", got)
	}
}

func BenchmarkEachWord(b *testing.B) {
	for _, bb := range []struct{ name, unit string }{
		{"english", "The minister said on Tuesday that the new line would open in 2027. "},
		{"german", "Die Behörde erklärte am Dienstag, dass die größere Brücke öffnen würde. "},
		{"russian", "Министр сказал во вторник, что новая линия откроется в следующем году. "},
		{"japanese", "東京都は火曜日に、新しい路線を来年開業すると発表した。"},
	} {
		s := bb.unit
		for n := len(words(bb.unit)); n < 4500; n += len(words(bb.unit)) {
			s += bb.unit
		}
		b.Run(bb.name+"-4500-words", func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(s)))
			n := 0
			f := func(w []byte) { n += len(w) }
			for b.Loop() {
				EachWord(s, f)
			}
		})
	}
}
