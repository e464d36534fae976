package simweb

import "fmt"

// A language is languageWords, compiled.
type language struct {
	languageWords
	topics  [len(topicNames)]topic
	repeats []pattern
	price   pattern
	row     pattern
	adverts []pattern
}

// A topic is topicWords in one language, compiled.
type topic struct {
	name, category string
	says, titles   []pattern
	eventTitles    []pattern
	facts          []fact
}

type fact struct {
	number int // 0, 1, 2: the number of the event that it carries; -1: none
	says   []pattern
}

// rowSource is a line of a table; its cells end at the tabs.
const rowSource = "{Place}\t{n:2-980}\t{f:1-90}\t{Last}"

// buildLexicon compiles the vocabularies and checks that the languages tell the same facts.
func buildLexicon() ([]language, error) {
	var out []language
	for _, words := range languages() {
		l, err := compileLanguage(words)
		if err != nil {
			return nil, fmt.Errorf("simweb: words of %s: %w", words.code, err)
		}
		out = append(out, l)
	}
	for _, l := range out {
		for i, t := range l.topics {
			if t.name != topicNames[i] || len(t.facts) != len(out[0].topics[i].facts) {
				return nil, fmt.Errorf("simweb: words of %s: topic %s is missing or has other facts than in English", l.code, topicNames[i])
			}
		}
	}
	return out, nil
}

func compileLanguage(words languageWords) (language, error) {
	l := language{languageWords: words}
	base, err := newGrammar(nil, words.lists)
	if err != nil {
		return l, err
	}
	if l.repeats, err = base.compileAll(words.repeats); err != nil {
		return l, err
	}
	if l.adverts, err = base.compileAll(words.furniture.adverts); err != nil {
		return l, err
	}
	single, err := base.compileAll([]string{words.furniture.price, rowSource})
	if err != nil {
		return l, err
	}
	l.price, l.row = single[0], single[1]
	for _, t := range words.topics {
		compiled, err := compileTopic(base, words.says, t)
		if err != nil {
			return l, fmt.Errorf("topic %s: %w", t.name, err)
		}
		for i, name := range topicNames {
			if name == t.name {
				l.topics[i] = compiled
			}
		}
	}
	return l, nil
}

func compileTopic(base *grammar, common []string, words topicWords) (t topic, err error) {
	t.name, t.category = words.name, words.category
	g, err := newGrammar(base, words.lists)
	if err != nil {
		return t, err
	}
	own, err := g.compileAll(words.says)
	if err != nil {
		return t, err
	}
	shared, err := g.compileAll(common)
	if err != nil {
		return t, err
	}
	// The topic's own sentences are few and say most, so they come up twice as often.
	t.says = append(append(append(t.says, own...), own...), shared...)
	if t.titles, err = g.compileAll(words.titles); err != nil {
		return t, err
	}
	if t.eventTitles, err = g.compileAll(words.event.titles); err != nil {
		return t, err
	}
	for _, f := range words.event.facts {
		says, err := g.compileAll(f.says)
		if err != nil {
			return t, err
		}
		number := -1
		if f.number != 0 {
			number = int(f.number - 'a')
		}
		t.facts = append(t.facts, fact{number: number, says: says})
	}
	return t, nil
}

// teller begins to write with the choices of seed.
func (l *language) teller(seed uint64) teller {
	return teller{dice: dice{seed}, thousand: l.thousand, point: l.point}
}

// finish turns what was written into a string. English needs "an" before a vowel, which no pattern can
// know, as the word behind an article is chosen later.
func (l *language) finish(b []byte) string {
	if l.code == "en" {
		b = fixArticles(b)
	}
	return string(b)
}

func fixArticles(b []byte) []byte {
	for i := 0; i+3 < len(b); i++ {
		if (b[i] != 'a' && b[i] != 'A') || b[i+1] != ' ' || (i > 0 && b[i-1] != ' ' && b[i-1] != '"') {
			continue
		}
		switch next := b[i+2]; next {
		case 'a', 'e', 'i', 'o', 'A', 'E', 'I', 'O', '8':
			if next == 'o' && b[i+3] == 'n' {
				continue // "a one-way street"
			}
			b = append(b, 0)
			copy(b[i+2:], b[i+1:])
			b[i+1] = 'n'
		}
	}
	return b
}
