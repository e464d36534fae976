package novel

import (
	"math"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/strandlinehq/strandline/monitor/text"
	"github.com/strandlinehq/strandline/summarize/feature"
)

// interest is what a sentence is worth to a reader apart from its popularity and
// novelty: whether it is about the query, on what many speak of, and tells what
// happened rather than what is or should be.
type interest struct {
	sentences []Sentence
	lang      string
	query     map[uint64]bool
	words     []string           // of the query, where they are Chinese or Japanese
	speak     map[uint64]float64 // share of hosts that use a term in new text
	near      *feature.Days      // around the period
}

func newInterest(sentences []Sentence, kept []int, opt Options) *interest {
	in := &interest{sentences: sentences, lang: text.Base(opt.Language), query: map[uint64]bool{}, speak: map[uint64]float64{}}
	for _, t := range feature.Of(opt.Query, opt.Language) {
		in.query[t.Hash] = true
	}
	for w := range strings.FieldsSeq(opt.Query) {
		if !strings.ContainsFunc(w, func(c rune) bool { return !unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana) }) {
			in.words = append(in.words, w)
		}
	}
	var last time.Time
	hosts := map[string]bool{}
	users := map[uint64]map[string]bool{}
	for _, i := range kept {
		s := &sentences[i]
		hosts[s.Host] = true
		if s.At.After(last) {
			last = s.At
		}
		for _, t := range s.Terms {
			if users[t.Hash] == nil {
				users[t.Hash] = map[string]bool{}
			}
			users[t.Hash][s.Host] = true
		}
	}
	in.near = feature.NewDays(last, daysBefore, daysAfter, in.lang)
	for h, u := range users {
		if len(hosts) >= fewestHosts {
			in.speak[h] = float64(len(u)) / float64(len(hosts))
		}
	}
	return in
}

// fewestHosts is the number of hosts from which on what half of them say shows
// what the topic is about.
const fewestHosts = 4

// A sentence that names a day is on the period if the day lies so many days
// before or after the last fetch of it; otherwise its date says that it is old
// (SCIENCE 2.10), or far off.
const (
	daysBefore = 4
	daysAfter  = 45
)

// of gives the interest of a sentence: 1 for one on the topic that tells nothing
// in particular and is long enough, times
//
//	1 + share of the query's terms that it has · 2
//	1 + mean share of hosts that use its terms
//	1.6 for a figure, 1.4 for a date, 1.15 for two names or more
//	.6 without figure and date, .25 where it has no word of the topic
//	.3 where it addresses its reader, .6 where it says what ought to be
//	.4 where it speaks of its own page, .4 where it names another day
//	.6 where it begins by pointing back ("This", "Therefore")
func (in *interest) of(i int) float64 {
	s := &in.sentences[i]
	asked, spoken, names := 0, 0.0, 0
	figure, dated, topical := false, false, len(in.query) == 0
	for _, t := range s.Terms {
		if in.query[t.Hash] {
			asked++
			topical = true
		}
		share := in.speak[t.Hash]
		spoken += share
		topical = topical || share >= 0.5 && t.Kind != feature.Date
		switch t.Kind {
		case feature.Number:
			figure = true
		case feature.Name:
			names++
		case feature.Date:
			dated = true
		}
	}
	for _, w := range in.words { // a text without spaces has them in bigrams with what stands around
		if strings.Contains(s.Text, w) {
			asked++
			topical = true
		}
	}
	asked = min(asked, len(in.query))
	out := (1 + spoken/float64(len(s.Terms))) * (1 + 2*float64(asked)/float64(max(len(in.query), 1)))
	for _, f := range []struct {
		holds  bool
		factor float64
	}{
		{figure, 1.6},
		{dated, 1.4},
		{names > 1, 1.15},
		{!figure && !dated, 0.6},
		{!topical, 0.25},
		{addresses(s.Text, in.lang), 0.3},
		{prescribes(s.Text, in.lang), 0.6},
		{ofItself(s.Text, in.lang), 0.4},
		{in.near.Elsewhere(s.Terms), 0.4},
		{pointsBack(s.Text, in.lang), 0.6},
	} {
		if f.holds {
			out *= f.factor
		}
	}
	return out * lengthFactor(len(s.Terms))
}

// lengthFactor favours sentences that say enough to be understood alone: full
// weight from seven content terms on.
func lengthFactor(terms int) float64 { return math.Sqrt(min(1, float64(terms)/7)) }

// addresses reports a sentence that asks or advises its reader rather than tells
// what happened: a question, one with a word for "you" that is not quoted, or one
// with a telephone number or an address to write to.
func addresses(s, lang string) bool {
	end := strings.TrimRight(s, " \u00a0\"'”“»«)")
	switch {
	case strings.HasSuffix(end, "?"), strings.HasSuffix(end, "？"):
		return true
	case contact.MatchString(s):
		return true
	case lang == "ja":
		return strings.Contains(s, "ください") || strings.Contains(s, "下さい")
	case strings.ContainsAny(s, "\"“„«»”"):
		return false
	}
	if lang == "de" && strings.Contains(s, " Sie ") {
		return true
	}
	return invites(s, lang) || hasWord(s, lang, map[string]string{
		"en": " you your yours yourself please click ",
		"de": " du dein deine dich ihnen bitte ",
		"fr": " vous votre vos cliquez ",
		"nl": " u uw je jouw jij klik ",
		"es": " usted ustedes tu tus haga ",
	})
}

// invites reports a sentence that begins with what a page asks its reader to do.
func invites(s, lang string) bool {
	first, _, _ := strings.Cut(s, " ")
	return hasWord(first, lang, map[string]string{
		"en": " sign subscribe get call visit apply learn read see find stay wash avoid use check follow contact view download note watch listen ",
		"de": " lesen lies jetzt abonnieren melden hier sehen hören entdecken ",
		"fr": " lisez lire inscrivez abonnez découvrez voir ",
		"nl": " lees bekijk meld volg ",
		"es": " lea vea suscríbase lee descubre ",
	})
}

// contact is a telephone number of three groups or more, or an address.
var contact = regexp.MustCompile(`\d{3}\)?[-. ]{1,2}\d{3}-\d{4}|\d-\d{3}-|@\w|www\.|https?:`)

// prescribes reports a sentence on what should or may be done.
func prescribes(s, lang string) bool {
	return hasWord(s, lang, map[string]string{
		"en": " should must may might recommend recommends recommended can apply ",
		"de": " sollte sollten empfiehlt empfohlen ",
		"fr": " devrait devraient doivent recommande recommandé ",
		"nl": " moeten zouden aanbevolen ",
		"es": " debe deben debería deberían recomienda ",
	})
}

// ofItself reports a sentence on the page that it stands on rather than on the
// world: when it is brought up to date, what its table shows.
func ofItself(s, lang string) bool {
	return hasWord(s, lang, map[string]string{
		"en": " update updated updates website webpage webpages page pages table below above dashboard map document documents links translation translations ",
		"de": " aktualisiert webseite website seite tabelle newsletter newsticker webcast unten ",
		"fr": " page site tableau dessous jour ",
		"nl": " bijgewerkt website pagina tabel hieronder ",
		"es": " actualizado página sitio tabla ",
	})
}

// pointsBack reports a sentence that cannot be understood without the one before.
func pointsBack(s, lang string) bool {
	first, _, _ := strings.Cut(s, " ")
	return hasWord(first, lang, map[string]string{
		"en": " this these those it they he she therefore however also ",
		"de": " dies diese dieser dieses dabei doch außerdem damit daher deshalb dazu derweil dort er sie ",
		"fr": " il elle ils elles cela ces cette mais ",
		"nl": " dit deze dat hij zij ze daarom maar ",
		"es": " esto este esta estos estas ello pero además ",
	})
}

// hasWord reports whether s has one of the words of a language, listed between
// spaces.
func hasWord(s, lang string, words map[string]string) bool {
	list, found := words[lang], false
	if list == "" {
		return false
	}
	text.EachWord(s, func(w []byte) { found = found || strings.Contains(list, " "+string(w)+" ") })
	return found
}
