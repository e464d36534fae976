// Package text turns the stripped text of a page into the units that the rest
// of the program counts and compares: words, sentences, content terms.
//
//   - EachWord and Normal define what a word and what "the same sentence" is
//     (SCIENCE C4, J7).
//   - AppendSentences, Sentences and IsSentence cut a block of text into
//     sentences and tell which of them are sentences (SCIENCE J6).
//   - NewSentences and NewFuzzy list what one version says that the one
//     before did not (SCIENCE J7).
//   - Detect, JapaneseShare and Kana tell the language (SCIENCE T12).
//   - Stem, Stop and Terms give the terms that weights are computed on
//     (SCIENCE J8).
//
// Everything here is a plain function of its arguments: no state, no I/O, none
// of our other packages, and no panic whatever the bytes. Invalid UTF-8 reads
// as U+FFFD, which is a separator. Languages are named by their ISO 639-1
// code; a region is ignored ("en-US" is "en") and an unknown code means the
// rules that hold for most languages.
//
// Left out: a dictionary segmenter. Chinese and Japanese are cut into
// character bigrams; Thai, Lao, Khmer and Burmese runs stay whole.
package text
