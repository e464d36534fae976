package feature

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// unweighted compares sentences with nothing counted.
func like(a, b, lang string) float64 {
	var c Counts
	return Cosine(c.Weigh(Of(a, lang)), c.Weigh(Of(b, lang)))
}

// TestOneAmountManyForms has sentences that say the same number.
func TestOneAmountManyForms(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ lang, a, b string }{
		{"en", "1,200 homes", "1200 homes"},
		{"en", "1.2 million homes", "1,200,000 homes"},
		{"en", "twelve homes", "12 homes"},
		{"en", "two hundred homes", "200 homes"},
		{"de", "1.200 Häuser", "1200 Häuser"},
		{"de", "1,2 Millionen Häuser", "1.200.000 Häuser"},
		{"de", "zwölf Häuser", "12 Häuser"},
		{"fr", "1\u202f200 maisons", "1200 maisons"},
		{"fr", "deux maisons", "2 maisons"},
		{"nl", "twaalf huizen", "12 huizen"},
		{"es", "3 mil casas", "3.000 casas"},
		{"ja", "１２万人が避難", "120000人が避難"},
	} {
		if !SameFigures(Of(tt.a, tt.lang), Of(tt.b, tt.lang)) || math.Abs(like(tt.a, tt.b, tt.lang)-1) > 1e-9 {
			t.Errorf("%s: %q and %q differ", tt.lang, tt.a, tt.b)
		}
	}
	for _, tt := range []struct{ lang, a, b string }{
		{"en", "26 killed", "31 killed"},
		{"en", "1.2 homes", "12 homes"},
		{"de", "2 Millionen", "2 Milliarden"},
		{"ja", "26人死亡", "31人死亡"},
	} {
		if SameFigures(Of(tt.a, tt.lang), Of(tt.b, tt.lang)) {
			t.Errorf("%s: %q and %q are taken for the same", tt.lang, tt.a, tt.b)
		}
	}
}

// TestDatesAreNoFigures has sentences whose only numbers say when.
func TestDatesAreNoFigures(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ lang, s string }{
		{"en", "Updated on March 18, 2020 at 9:30 a.m."},
		{"en", "Updated on 18th March"},
		{"en", "Updated 3/18/2020"},
		{"en", "COVID-19 is here"},
		{"en", "The strain 229E is old"},
		{"en", "They may come at 5 pm"},
		{"de", "Am 3. Oktober um 9 Uhr"},
		{"fr", "Le 14 juillet à 9 heures"},
		{"ja", "2026年3月5日"},
	} {
		for _, term := range Of(tt.s, tt.lang) {
			if term.Kind == Number {
				t.Errorf("%s: %q has a figure", tt.lang, tt.s)
			}
		}
	}
	if v := Of("In 2020 some 2,020 came", "en"); SameFigures(v, Of("In 2020 some came", "en")) {
		t.Error("2,020 is an amount")
	}
}

// TestWhatWeighs compares two changes of one sentence: another number changes it
// more than another date.
func TestWhatWeighs(t *testing.T) {
	t.Parallel()
	const s = "The ministry in Oslo said on March 4 that 26 ships were lost."
	number := like(s, "The ministry in Oslo said on March 4 that 31 ships were lost.", "en")
	date := like(s, "The ministry in Oslo said on March 5 that 26 ships were lost.", "en")
	name := like(s, "The ministry in Bergen said on March 4 that 26 ships were lost.", "en")
	word := like(s, "The ministry in Oslo said on March 4 that 26 boats were lost.", "en")
	if !(number < name && name < word && word < date && date < 1) {
		t.Errorf("cosine with another number %.3f, name %.3f, word %.3f, date %.3f: want rising", number, name, word, date)
	}
}

func TestDays(t *testing.T) {
	t.Parallel()
	at := time.Date(2020, 3, 18, 9, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		lang, s string
		want    bool
	}{
		{"en", "On March 8, 2020 the governor spoke.", true},
		{"en", "On March 17 the governor spoke.", false},
		{"en", "From March 8 to March 19 schools are closed.", false},
		{"en", "Schools are closed until April 1.", false},
		{"en", "In March 17 people came.", false},
		{"en", "In 2020 the governor spoke.", false},
		{"de", "Am 8. März sprach er.", true},
		{"de", "Am 17. März sprach er.", false},
		{"fr", "Le 8 mars il parla.", true},
		{"es", "El 8 de marzo habló.", true},
		{"nl", "Op 8 maart sprak hij.", true},
		{"ja", "3月8日に話した。", false},
	} {
		if got := NewDays(at, 3, 21, tt.lang).Elsewhere(Of(tt.s, tt.lang)); got != tt.want {
			t.Errorf("%s: %q: %v, want %v", tt.lang, tt.s, got, tt.want)
		}
	}
}

func TestEmpty(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "...", "the of and", "\xff\xfe"} {
		if got := like(s, "A ship sank.", "en"); got != 0 {
			t.Errorf("%q: cosine %v", s, got)
		}
	}
}

func TestCosineIsOne(t *testing.T) {
	t.Parallel()
	words := rapid.SampledFrom([]string{"ship", "Oslo", "26", "1,200", "March", "sank", "million", "、", "東京", "\xff", "5th", "9:30"})
	rapid.Check(t, func(t *rapid.T) {
		s := ""
		for _, w := range rapid.SliceOfN(words, 0, 12).Draw(t, "words") {
			s += w + " "
		}
		lang := rapid.SampledFrom([]string{"en", "de", "fr", "ja", ""}).Draw(t, "lang")
		v := Of(s, lang)
		var c Counts
		c.Add(v)
		u := c.Weigh(v)
		if got := Cosine(u, u); len(u) > 0 && math.Abs(got-1) > 1e-9 || len(u) == 0 && got != 0 {
			t.Fatalf("%q: cosine with itself %v", s, got)
		}
		if !SameFigures(v, v) {
			t.Fatalf("%q has other figures than itself", s)
		}
	})
}

func FuzzOf(f *testing.F) {
	f.Add("1,2.3 million 9:30 1/2 12", "en")
	f.Add("１２万 2026年3月5日", "ja")
	f.Fuzz(func(t *testing.T, s, lang string) {
		v := Of(s, lang)
		for i := range v {
			if i > 0 && v[i-1].Hash >= v[i].Hash || v[i].Count == 0 {
				t.Fatalf("terms of %q are not a sorted set: %v", s, v)
			}
		}
	})
}

func BenchmarkOf(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Of("The ministry in Oslo said on March 4 that 1.2 million tons were lost on twenty ships.", "en")
	}
}
