package text

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// kind says how an abbreviation's point is to be read.
type kind uint8

const (
	notAbbreviation kind = iota
	title                // stands before a name, never ends a sentence
	never                // never ends a sentence
	reference            // does not end one before a number
	final                // ends one if a typical opening word follows
)

// rules are what the splitter knows of one language.
type rules struct {
	abbreviations map[string]kind // in lower case
	capital       map[string]bool // those that must be capitalised: "Wash."
	openers       map[string]bool // words that often open a sentence, capitalised
	said          map[string]bool // verbs of a speech tag after a capital: Anna "asked"
	ordinals      bool            // a number with a point is an ordinal
	months        map[string]bool // what may follow an ordinal
	determiners   map[string]bool // what stands before an ordinal, in lower case
	labelled      map[string]bool // "plan" B, "vitamin" C: a letter that is no initial
	articles      map[string]bool // in lower case
	clock         map[string]bool // what may follow the time of a day, capitalised
}

// lists is the readable source of rules: words separated by spaces. An
// abbreviation written here with a capital counts only with a capital, a small
// single letter only when small.
type lists struct {
	title, never, reference, final string
	openers, said                  string
	months, determiners, labelled  string
	articles, clock                string
}

// rulesFor returns the rules of a language, or the general ones.
func rulesFor(lang string) *rules {
	all := allRules()
	if r := all[Base(lang)]; r != nil {
		return r
	}
	return all[""]
}

var allRules = sync.OnceValue(func() map[string]*rules {
	all := map[string]*rules{"": general.compile(lists{})}
	for lang, l := range languageLists {
		all[lang] = l.compile(general)
	}
	return all
})

// compile builds the rules from l and what all languages share.
func (l lists) compile(shared lists) *rules {
	r := &rules{
		abbreviations: map[string]kind{},
		capital:       map[string]bool{},
		openers:       set(l.openers),
		said:          set(l.said),
		months:        set(l.months),
		determiners:   set(l.determiners),
		labelled:      set(l.labelled),
		articles:      set(l.articles),
		clock:         set(l.clock),
		ordinals:      l.months != "",
	}
	for _, from := range []lists{shared, l} { // the language's own reading wins
		for _, group := range []struct {
			kind  kind
			words string
		}{{title, from.title}, {never, from.never}, {reference, from.reference}, {final, from.final}} {
			words := set(group.words)
			for w := range words {
				low := strings.ToLower(w)
				r.abbreviations[low] = group.kind
				if delete(r.capital, low); low != w && !words[low] { // what is given in both forms needs none
					r.capital[low] = true
				}
			}
		}
	}
	return r
}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// abbreviation looks up a word without its last point.
func (r *rules) abbreviation(word string) kind {
	low := strings.ToLower(word)
	k := r.abbreviations[low]
	if k == notAbbreviation && strings.HasSuffix(low, "°") {
		return reference
	}
	switch first, n := utf8.DecodeRuneInString(word); {
	case r.capital[low] && !unicode.IsUpper(first):
		return notAbbreviation
	case !r.capital[low] && unicode.IsUpper(first) && n == len(word): // "plain C", not "c."
		return notAbbreviation
	}
	if k == notAbbreviation && len(r.openers) > 0 && (unpronounceable(word) || strings.HasSuffix(word, "str")) {
		return final // "approx." cut shorter, and streets of all names: "Hauptstr. 5"
	}
	return k
}

// unpronounceable reports a small word of two to five letters without a vowel, which in the languages
// that have a list is an abbreviation or a unit: "rd.", "bzgl.", "kg".
func unpronounceable(word string) bool {
	if len(word) < 2 || len(word) > 5 {
		return false
	}
	for i := range len(word) {
		if c := word[i]; c < 'a' || 'z' < c || strings.IndexByte("aeiouy", c) >= 0 {
			return false
		}
	}
	return true
}

// zone reports what goes on after the time of a day: a day, a month, or a time zone
// ("9 a.m. Monday", "5 p.m. EST").
func (r *rules) zone(word string) bool {
	return word == "" || len(word) > 1 && strings.ToUpper(word) == word || r.clock[word]
}

// opener reports whether a capitalised word is one that often opens a sentence.
// Of a language without a list every word counts.
func (r *rules) opener(word string) bool {
	return word != "" && (r.openers[word] || len(r.openers) == 0)
}

// Base returns the language of a BCP 47 tag in lower case, without region and
// script: "en" for "en-US". Old codes and names of variants that pages use are
// mapped to the usual one; "" stays "".
func Base(tag string) string {
	tag = strings.TrimSpace(tag)
	if i := strings.IndexAny(tag, "-_"); i >= 0 {
		tag = tag[:i]
	}
	switch tag = strings.ToLower(tag); tag {
	case "nb", "nn":
		return "no"
	case "iw":
		return "he"
	case "jp":
		return "ja"
	case "cn":
		return "zh"
	case "x", "und", "mul", "zxx":
		return ""
	}
	return tag
}
