package feature

import (
	"strings"
	"sync"
)

type meaning uint8

const (
	ordinary   meaning = iota
	cardinal           // a number in letters
	multiplier         // million
	calendar           // a month or a day of the week
	clock              // what follows a time of day
	ordinalEnd         // th, of 18th
)

// vocabulary holds what the words of a language mean for numbers.
type vocabulary struct {
	meanings map[string]meaning
	values   map[string]float64
	longest  int      // bytes of the longest of its words
	months   []string // twelve, from January
}

// lookUp tells what a word as written means. Names of months count with a capital
// only where the language has them with one: "may" is a verb.
func (v *vocabulary) lookUp(s string) (meaning, float64) {
	if v == nil || len(s) > v.longest {
		return ordinary, 0
	}
	m, ok := v.meanings[s]
	if !ok {
		s = strings.ToLower(s)
		if m, ok = v.meanings[s]; !ok {
			return ordinary, 0
		}
	}
	return m, v.values[s]
}

// language makes a vocabulary. numbers are the words from two on, as one is an
// article in most languages; months begins with the twelve.
func language(numbers, months, clocks string, multipliers map[string]float64) *vocabulary {
	v := &vocabulary{meanings: map[string]meaning{}, values: map[string]float64{}}
	add := func(w string, m meaning, value float64) {
		v.meanings[w], v.values[w] = m, value
		v.longest = max(v.longest, len(w))
	}
	for i, w := range strings.Fields(numbers) {
		add(w, cardinal, float64(i+2))
	}
	for w := range strings.FieldsSeq(months) {
		add(w, calendar, 0)
	}
	if all := strings.Fields(months); len(all) >= 12 {
		v.months = all[:12]
	}
	for w := range strings.FieldsSeq(clocks) {
		add(w, clock, 0)
	}
	for w, x := range multipliers {
		add(w, multiplier, x)
	}
	return v
}

// vocabularies by language code.
var vocabularies = sync.OnceValue(func() map[string]*vocabulary {
	en := language("two three four five six seven eight nine ten eleven twelve",
		`January February March April May June July August September October November December Jan Feb Mar Apr Jun Jul Aug Sept Sep Oct Nov Dec
		Monday Tuesday Wednesday Thursday Friday Saturday Sunday`,
		"a.m p.m am pm AM PM EST EDT GMT UTC CET CST PST PDT", map[string]float64{"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9})
	for _, end := range []string{"st", "nd", "rd", "th"} {
		en.meanings[end] = ordinalEnd
	}
	ja := language("", "年 月 日", "時 分 秒", map[string]float64{"万": 1e4, "億": 1e8})
	return map[string]*vocabulary{
		"en": en,
		"de": language("zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
			`Januar Februar März April Mai Juni Juli August September Oktober November Dezember Jänner
			Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonnabend Sonntag`,
			"uhr", map[string]float64{"hundert": 1e2, "tausend": 1e3, "million": 1e6, "millionen": 1e6, "mio": 1e6, "milliarde": 1e9, "milliarden": 1e9, "mrd": 1e9}),
		"fr": language("deux trois quatre cinq six sept huit neuf dix onze douze",
			`janvier février mars avril mai juin juillet août septembre octobre novembre décembre
			lundi mardi mercredi jeudi vendredi samedi dimanche`,
			"h heures heure", map[string]float64{"mille": 1e3, "million": 1e6, "millions": 1e6, "milliard": 1e9, "milliards": 1e9}),
		"nl": language("twee drie vier vijf zes zeven acht negen tien elf twaalf",
			`januari februari maart april mei juni juli augustus september oktober november december
			maandag dinsdag woensdag donderdag vrijdag zaterdag zondag`,
			"uur", map[string]float64{"honderd": 1e2, "duizend": 1e3, "miljoen": 1e6, "miljard": 1e9}),
		"es": language("dos tres cuatro cinco seis siete ocho nueve diez once doce",
			`enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre setiembre
			lunes martes miércoles jueves viernes sábado domingo`,
			"horas", map[string]float64{"mil": 1e3, "millón": 1e6, "millones": 1e6}),
		"ja": ja,
	}
})
