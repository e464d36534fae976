package simweb

// foreignTopic is the smaller vocabulary of a topic outside English. The facts of its events are put together from
// the labels of their numbers and phrases that the language shares between topics.
type foreignTopic struct {
	name, category       string
	nouns, plurals, acts string // acts: what somebody wants to do, in the form that the phrases ask for
	title, what          []string
	labels               [3]string // of the numbers a, b, c
}

// foreignPhrases are the wordings that join the words of a topic.
type foreignPhrases struct {
	titles []string
	count  []string // # stands for the number, % for its label
	who    []string
	firm   []string
}

// topic builds the words of a topic. The ranges of the numbers are those of the English topic, as all
// languages tell the same events.
func (f foreignPhrases) topic(t foreignTopic) topicWords {
	facts := []factWords{{0, t.what}}
	for i, letter := range []byte("abc") {
		fact := factWords{number: letter}
		for _, phrase := range f.count {
			fact.says = append(fact.says, fillLabel(phrase, letter, t.labels[i]))
		}
		facts = append(facts, fact)
	}
	facts = append(facts, factWords{0, f.who}, factWords{0, f.firm})
	return topicWords{
		name: t.name, category: t.category,
		lists:  map[string]string{"noun": t.nouns, "plural": t.plurals, "verb": t.acts},
		titles: f.titles,
		event:  eventWords{titles: t.title, facts: facts},
	}
}

func fillLabel(phrase string, letter byte, label string) string {
	out := make([]byte, 0, len(phrase)+len(label))
	for i := 0; i < len(phrase); i++ {
		switch {
		case phrase[i] == '#':
			out = append(out, '{', letter, '}')
		case phrase[i] == '%':
			out = append(out, label...)
		default:
			out = append(out, phrase[i])
		}
	}
	return string(out)
}
