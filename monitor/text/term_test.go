package text

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestStem(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ lang, in, want string }{
		// The examples of each step in M. F. Porter, "An algorithm for suffix
		// stripping", Program 14(3), 1980, taken through all steps.
		{"en", "caresses ponies ties caress cats", "caress poni ti caress cat"},
		{"en", "feed agreed plastered bled motoring sing", "feed agre plaster bled motor sing"},
		{"en", "conflated troubled sized hopping tanned falling hissing fizzed failing filing", "conflat troubl size hop tan fall hiss fizz fail file"},
		{"en", "happy sky relational conditional rational valenci digitizer", "happi sky relat condit ration valenc digit"},
		{"en", "triplicate formative formalize electrical hopeful goodness", "triplic form formal electr hope good"},
		{"en", "revival allowance inference airliner adjustable replacement adoption", "reviv allow infer airlin adjust replac adopt"},
		{"en", "probate rate cease controll roll", "probat rate ceas control roll"},
		{"en-GB", "cookies hogwarts", "cooki hogwart"}, // paper J, Table 3
		{"porter", "generously", "gener"},
		{"english", "generously", "generous"}, // where the revised one differs
		{"de", "häuser bücher", "haus buch"},
		{"fr", "continuellement", "continuel"},
		{"nl", "lichamelijk", "licham"},
		{"es", "torneos", "torne"},
		{"ru", "важнейшие", "важн"},
		{"nb", "havnedistriktene", "havnedistrikt"},
		{"ja", "データ", "データ"},
		{"", "running", "running"},
	} {
		var got []string
		for w := range strings.FieldsSeq(tt.in) {
			got = append(got, Stem(w, tt.lang))
		}
		if diff := cmp.Diff(strings.Fields(tt.want), got); diff != "" {
			t.Errorf("Stem(%q, %q) (-want +got):\n%s", tt.in, tt.lang, diff)
		}
	}
}

// TestStemTakesAnything: the generated stemmers slice by byte positions.
func TestStemTakesAnything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 70), func(b []byte) string { return string(b) })).Draw(t, "word")
		for lang := range stemmers {
			if stem := Stem(word, lang); utf8.ValidString(word) && !utf8.ValidString(stem) {
				t.Errorf("Stem(%q, %q) = %q is not valid UTF-8", word, lang, stem)
			}
		}
	})
}

func FuzzStem(f *testing.F) {
	f.Add("caresses")
	f.Add("häuser")
	f.Add("важнейшие")
	f.Fuzz(func(t *testing.T, s string) {
		EachWord(s, func(w []byte) {
			for lang := range stemmers {
				if stem := Stem(string(w), lang); !utf8.ValidString(stem) {
					t.Errorf("Stem(%q, %q) = %q is not valid UTF-8", w, lang, stem)
				}
			}
		})
	})
}

func TestStop(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		lang, yes, no string
	}{
		{"en", "the and don ll ve t herself will now", "can won minister bridge us may"},
		{"nl-NL", "niet haar het een", "brug"}, // top terms of paper J's Table 3
		{"de", "nicht und über mehr immer", "brücke"},
		{"fr", "les dans qu même", "pont"},
		{"es", "los para también", "puente"},
		{"ru", "не что", "мост"},
		{"ja", "です ます こと", "東京 デー 行く"},
		{"xx", "", "the und"},
	} {
		for w := range strings.FieldsSeq(tt.yes) {
			if !Stop(w, tt.lang) {
				t.Errorf("Stop(%q, %q) = false", w, tt.lang)
			}
		}
		for w := range strings.FieldsSeq(tt.no) {
			if Stop(w, tt.lang) {
				t.Errorf("Stop(%q, %q) = true", w, tt.lang)
			}
		}
	}
	for lang, list := range stopLists {
		if n := len(list()); n < 40 {
			t.Errorf("the %s stop list has %d words", lang, n)
		}
	}
}

// TestStopListVersion keeps the name in step with the module that is required.
func TestStopListVersion(t *testing.T) {
	t.Parallel()
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(mod)) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] != "github.com/blevesearch/bleve/v2" {
			continue
		}
		if !strings.Contains(StopListVersion(), fields[1]) {
			t.Errorf("StopListVersion = %q, go.mod requires %s", StopListVersion(), fields[1])
		}
		return
	}
	t.Error("go.mod does not require the module of the stop lists")
}

func TestTerms(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ lang, in, want string }{
		{"en", "Anna's bridges weren't closed; they'll open 26 of the bridges.", "anna bridg close open 26 bridg"},
		{"nl", "Dat is niet haar brug.", "brug"},
		{"fr", "L'eau n'était pas chaude.", "eau chaud"},
		{"ja", "東京のデータです。", "東京 京の のデ デー ータ タで"},
		{"ja", "私。", "私"},
		{"", "The bridges", "the bridges"},
	} {
		if diff := cmp.Diff(strings.Fields(tt.want), Terms(tt.in, tt.lang)); diff != "" {
			t.Errorf("Terms(%q, %q) (-want +got):\n%s", tt.in, tt.lang, diff)
		}
	}
	surface := map[string]string{}
	EachTerm("Cookies and a cookie", "en", func(term, word string) { surface[word] = term })
	if diff := cmp.Diff(map[string]string{"cookies": "cooki", "cookie": "cooki"}, surface); diff != "" {
		t.Errorf("EachTerm (-want +got):\n%s", diff)
	}
}

func BenchmarkTerms(b *testing.B) {
	s := strings.Repeat("The minister said on Tuesday that the new line would open in 2027. ", 346) // 4,498 words
	b.ReportAllocs()
	for b.Loop() {
		Terms(s, "en")
	}
}
