package novel

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/strandlinehq/strandline/monitor/text"
)

// cue is what the wording of a sentence says of its use to a reader who has only this sentence.
type cue uint16

// Cues.
const (
	toReader    cue = 1 << iota // it asks, invites or advises its reader
	ought                       // it says what should or may be done
	conditional                 // it says what holds on a condition
	ofPage                      // it is about the page that it stands on: when it is brought up to date, what its table shows
	ofHouse                     // its publisher speaks of himself
	back                        // it cannot be understood without the one before
	piece                       // it is no whole sentence: its subject or its verb is missing
	event                       // it tells of something that happens, happened or will happen
	present                     // a form of "to be" in the present
	verb                        // a form that nothing but a verb has where it stands
	link                        // a preposition or conjunction
)

func (c cue) has(x cue) bool { return c&x != 0 }

// lexicon holds the words of a language that are cues: wherever they stand, at the start, or among the
// first words.
type lexicon struct {
	lang              string
	known             bool // the language has a list
	any, first, early map[string]cue
	moments           map[string]bool // "this week" points at no sentence before
}

// firstWords is how many words of a sentence count as its start: "On Monday they said".
const firstWords = 4

// lexiconOf gives the lexicon of a language, an empty one where there is none.
func lexiconOf(lang string) *lexicon {
	w, ok := cueWords(lang)
	l := &lexicon{lang: lang, known: ok || lang == "ja", any: map[string]cue{}, first: map[string]cue{}, early: map[string]cue{}, moments: map[string]bool{}}
	for _, list := range []struct {
		to    map[string]cue
		words string
		cue   cue
	}{
		{l.any, w.reader, toReader},
		{l.first, w.invites, toReader},
		{l.any, w.ought, ought},
		{l.first, w.conditions, conditional},
		{l.any, w.page, ofPage},
		{l.any, w.house, ofHouse},
		{l.first, w.back, back},
		{l.early, w.pronouns, back},
		{l.first, w.fragments, piece},
		{l.any, w.events, event},
		{l.any, w.present, present},
		{l.any, w.links, link},
	} {
		for word := range strings.FieldsSeq(list.words) {
			list.to[word] |= list.cue
		}
	}
	for word := range strings.FieldsSeq(w.moments) {
		l.moments[word] = true
	}
	return l
}

// of reads a sentence.
func (l *lexicon) of(s string) cue {
	var found cue
	quoted := strings.ContainsAny(s, "\"“„«»”")
	n, lastPresent, pointed, wasS := 0, -9, false, false
	text.EachWord(s, func(w []byte) {
		c := l.any[string(w)]
		if n == 0 {
			c |= l.first[string(w)]
			pointed = c.has(back)
		}
		if n < firstWords {
			c |= l.early[string(w)]
		}
		if n == 1 && pointed && l.moments[string(w)] {
			found &^= back
		}
		if l.lang == "en" {
			c |= english(w, n-lastPresent)
			if c.has(present) {
				lastPresent = n
			}
		}
		found |= c
		if wasS && !c.has(link) {
			found |= verb
		}
		wasS = n > 0 && thirdPerson(w)
		n++
	})
	if l.lang == "en" && found&(verb|event|ought|present) == 0 {
		found |= piece // "Total cases as of March 26."
	}
	if quoted {
		found &^= ofHouse // others speak
		if strings.IndexAny(s, "\"“„«»”") == 0 {
			found &^= back // whom they mean
		}
		if l.first[firstWord(s)]&toReader == 0 {
			found &^= toReader
		}
	}
	return l.marks(s, quoted, found)
}

// english finds the forms of verbs that tell of events: "closed" and "is closing", but not "is closed",
// which is how things are or are done. since is the distance to the last "is" or "are".
func english(w []byte, since int) cue {
	n := len(w)
	switch {
	case n > 4 && string(w[n-2:]) == "ed" && since > 2, n > 4 && string(w[n-3:]) == "ing" && since <= 2:
		return event
	}
	return 0
}

// thirdPerson reports a word in -s: a noun, or a verb if no preposition follows ("attacks the town").
func thirdPerson(w []byte) bool {
	n := len(w)
	return n > 3 && w[n-1] == 's' && w[n-2] != 's' && w[n-2] != 'u' && w[n-2] != 'i'
}

// marks adds the cues that are no words to those found.
func (l *lexicon) marks(s string, quoted bool, found cue) cue {
	end := strings.TrimRight(s, " \u00a0\"'”“»«)")
	if strings.HasSuffix(end, "?") || strings.HasSuffix(end, "？") {
		found |= toReader
	}
	if strings.HasPrefix(s, "(") || strings.HasPrefix(s, "（") || strings.HasPrefix(s, "[") {
		found |= piece // a remark on something else
	}
	switch l.lang {
	case "ja":
		found |= event
		if strings.Contains(s, "ください") || strings.Contains(s, "下さい") {
			found |= toReader
		}
		for _, w := range []string{"これ", "それ", "この", "その", "また", "しかし", "そして", "なお", "ただし", "さらに"} {
			if strings.HasPrefix(s, w) {
				found |= back
			}
		}
	case "de":
		if strings.Contains(s, " Sie ") && !strings.Contains(s, " sie ") {
			found &^= back // the polite form
			if !quoted {
				found |= toReader
			}
		}
	case "en":
		if strings.Contains(s, " may ") { // and not the month
			found |= ought
		}
		if first := firstWord(s); len(first) > 5 && strings.HasSuffix(first, "ing") && !strings.Contains(s, ",") {
			found |= piece // "Guaranteeing protection for those who were sick."
		}
	}
	return found
}

// firstWord is the first word in lower case.
func firstWord(s string) string {
	s = strings.TrimLeftFunc(s, func(c rune) bool { return !unicode.IsLetter(c) })
	if i := strings.IndexFunc(s, func(c rune) bool { return !unicode.IsLetter(c) }); i >= 0 {
		s = s[:i]
	}
	return strings.ToLower(s)
}

// contact is a telephone number of three groups or more, or an address.
var contact = regexp.MustCompile(`\d{3}\)?[-. ]{1,2}\d{3}-\d{4}|\d-\d{3}-|@\w|www\.|https?:`)
