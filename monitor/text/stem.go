package text

import (
	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/irish"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/porter"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/tamil"
	"github.com/blevesearch/snowballstem/turkish"
)

// stemmers are keyed by language; porter and english name the two English
// ones. English pages get Porter's stemmer of 1980, the one the paper used
// (SCIENCE J8: its Table 3 prints "cooki" and "hogwart").
var stemmers = map[string]func(*snowballstem.Env) bool{
	"ar": arabic.Stem, "da": danish.Stem, "de": german.Stem, "en": porter.Stem, "es": spanish.Stem,
	"fi": finnish.Stem, "fr": french.Stem, "ga": irish.Stem, "hu": hungarian.Stem, "it": italian.Stem,
	"nl": dutch.Stem, "no": norwegian.Stem, "pt": portuguese.Stem, "ro": romanian.Stem, "ru": russian.Stem,
	"sv": swedish.Stem, "ta": tamil.Stem, "tr": turkish.Stem,
	"porter": porter.Stem, "english": english.Stem,
}

// Stem returns the Snowball stem of a word given in lower case, as EachWord
// yields it. lang is a language code; "english" chooses Snowball's revised
// English stemmer ("porter2") instead of Porter's own. A language without
// a stemmer, and a word over 64 bytes (no word of any language), come back
// unchanged.
func Stem(word, lang string) string {
	const longest = 64
	stem := stemmers[Base(lang)]
	if stem == nil || len(word) > longest {
		return word
	}
	env := snowballstem.NewEnv(word)
	stem(env)
	return env.Current()
}
