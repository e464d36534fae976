// Package repeat tells what is new from what was said before: the "history
// representation" that paper J asks for in its last section (SCIENCE 2.6, 3.3).
//
// An Index holds the past sentences of a topic. Nearest finds the one most like
// a sentence by the cosine over stems with idf, in which amounts and names weigh
// more (package feature); Judge makes a label of it: New, Update, which brings
// other figures or more words on a known matter, or Repeat. Retracted lists what
// a page took back.
//
// The index grows by Add and is written by Append and read by Decode; the same
// sentences in the same order give the same answers, whether it was stored
// between or not. It is not safe for concurrent use.
//
// Left out: the texts, which the caller keeps under the keys that it gives, and
// synonyms: a rewrite that shares no content word is new here.
package repeat
