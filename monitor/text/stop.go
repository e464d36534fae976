package text

import (
	"strings"
	"sync"

	"github.com/blevesearch/bleve/v2/analysis/lang/ar"
	"github.com/blevesearch/bleve/v2/analysis/lang/bg"
	"github.com/blevesearch/bleve/v2/analysis/lang/ca"
	"github.com/blevesearch/bleve/v2/analysis/lang/ckb"
	"github.com/blevesearch/bleve/v2/analysis/lang/cs"
	"github.com/blevesearch/bleve/v2/analysis/lang/da"
	"github.com/blevesearch/bleve/v2/analysis/lang/de"
	"github.com/blevesearch/bleve/v2/analysis/lang/el"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/analysis/lang/es"
	"github.com/blevesearch/bleve/v2/analysis/lang/eu"
	"github.com/blevesearch/bleve/v2/analysis/lang/fa"
	"github.com/blevesearch/bleve/v2/analysis/lang/fi"
	"github.com/blevesearch/bleve/v2/analysis/lang/fr"
	"github.com/blevesearch/bleve/v2/analysis/lang/ga"
	"github.com/blevesearch/bleve/v2/analysis/lang/gl"
	"github.com/blevesearch/bleve/v2/analysis/lang/hi"
	"github.com/blevesearch/bleve/v2/analysis/lang/hr"
	"github.com/blevesearch/bleve/v2/analysis/lang/hu"
	"github.com/blevesearch/bleve/v2/analysis/lang/hy"
	"github.com/blevesearch/bleve/v2/analysis/lang/id"
	"github.com/blevesearch/bleve/v2/analysis/lang/it"
	"github.com/blevesearch/bleve/v2/analysis/lang/nl"
	"github.com/blevesearch/bleve/v2/analysis/lang/no"
	"github.com/blevesearch/bleve/v2/analysis/lang/pt"
	"github.com/blevesearch/bleve/v2/analysis/lang/ro"
	"github.com/blevesearch/bleve/v2/analysis/lang/ru"
	"github.com/blevesearch/bleve/v2/analysis/lang/sv"
	"github.com/blevesearch/bleve/v2/analysis/lang/tr"
)

// StopListVersion names the stop lists. Results that depend on them are kept
// with it, since another list gives other scores.
func StopListVersion() string { return "bleve v2.5.0, pieces 1, further 1" }

// Stop reports whether a word given in lower case, as EachWord yields it, is
// on the stop list of the language. Lists write contractions whole, EachWord
// cuts them at the apostrophe; so the pieces of a listed contraction are on
// the list too ("don", "ll", "qu"), except "can" and "won". A language without
// a list has no stop words, except Japanese: there, what is written in Hiragana
// alone is taken for grammar.
func Stop(word, lang string) bool {
	lang = Base(lang)
	if lang == "ja" {
		return isHiragana(word)
	}
	list := stopLists[lang]
	return list != nil && (list()[word] || furtherStops()[lang][word])
}

// HasStopList reports whether the language has a list; Japanese has a rule
// instead.
func HasStopList(lang string) bool { return stopLists[Base(lang)] != nil }

// furtherStops are function words that Snowball's lists leave out, some of which head
// every list of the terms of a period. "may" is a month as well and stays a term.
var furtherStops = sync.OnceValue(func() map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for lang, words := range map[string]string{
		"en": "will might must shall one now also therefore however among non",
		"de": "mehr immer ab bereits schon sowie seit beim dabei",
	} {
		out[lang] = map[string]bool{}
		for w := range strings.FieldsSeq(words) {
			out[lang][w] = true
		}
	}
	return out
})

var stopLists = map[string]func() map[string]bool{
	"ar": stopList(ar.ArabicStopWords), "bg": stopList(bg.BulgarianStopWords), "ca": stopList(ca.CatalanStopWords),
	"ckb": stopList(ckb.SoraniStopWords), "cs": stopList(cs.CzechStopWords), "da": stopList(da.DanishStopWords),
	"de": stopList(de.GermanStopWords), "el": stopList(el.GreekStopWords), "en": stopList(en.EnglishStopWords),
	"es": stopList(es.SpanishStopWords), "eu": stopList(eu.BasqueStopWords), "fa": stopList(fa.PersianStopWords),
	"fi": stopList(fi.FinnishStopWords), "fr": stopList(fr.FrenchStopWords), "ga": stopList(ga.IrishStopWords),
	"gl": stopList(gl.GalicianStopWords), "hi": stopList(hi.HindiStopWords), "hr": stopList(hr.CroatianStopWords),
	"hu": stopList(hu.HungarianStopWords), "hy": stopList(hy.ArmenianStopWords), "id": stopList(id.IndonesianStopWords),
	"it": stopList(it.ItalianStopWords), "nl": stopList(nl.DutchStopWords), "no": stopList(no.NorwegianStopWords),
	"pt": stopList(pt.PortugueseStopWords), "ro": stopList(ro.RomanianStopWords),
	"ru": stopList(ru.RussianStopWords), "sv": stopList(sv.SwedishStopWords), "tr": stopList(tr.TurkishStopWords),
}

// stopList reads a list in Snowball's format when it is first asked for: words
// separated by white space, comments from | or # to the end of the line.
func stopList(data []byte) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		list := map[string]bool{}
		for line := range strings.Lines(string(data)) {
			if i := strings.IndexAny(line, "|#"); i >= 0 {
				line = line[:i]
			}
			for entry := range strings.FieldsSeq(line) {
				EachWord(entry, func(w []byte) {
					if s := string(w); s != "can" && s != "won" || s == entry {
						list[s] = true
					}
				})
			}
		}
		return list
	})
}
