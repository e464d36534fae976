package simweb

// topicWords is what one topic has to say in one language.
type topicWords struct {
	name     string // the same in every language
	category string
	lists    map[string]string // see newGrammar
	says     []string          // sentences of any day
	titles   []string          // headlines of articles and names of standing pages
	event    eventWords
}

// eventWords tells the planted events of a topic. Each fact has several wordings; a fact that carries a
// number is news again whenever the number moves.
type eventWords struct {
	titles  []string
	facts   []factWords
	numbers [3]numberRange
}

type factWords struct {
	number byte // 'a', 'b', 'c', or 0 for a fact that never changes
	says   []string
}

// numberRange is where a number of an event starts (a multiple of step) and the most it is
// multiplied by from one stage to the next; below 1 it shrinks.
type numberRange struct {
	lo, hi, step int
	growth       float64
}

// languageWords is everything that is said in one language.
type languageWords struct {
	code     string
	thousand string
	point    byte
	noSpaces bool // sentences follow each other without a space
	lists    map[string]string
	says     []string // sentences for any topic, over its lists
	repeats  []string // what may stand before a fact that is told again
	topics   []topicWords
	furniture
}

// furniture is the wording of a page around its text.
type furniture struct {
	home, about, archive, live, seeAlso, elsewhere, latest, all, month string
	login, private, price, notFound, advert, visits, updated, imprint  string
	adverts                                                            []string
	sections                                                           [len(topicNames)]string // in the order of topicNames
}

// topicNames fixes the order of the topics in every language.
var topicNames = [...]string{"harbour", "vaccination", "chips", "flood", "election", "wildlife", "prices", "railway"}

func languages() []languageWords {
	return []languageWords{englishWords(), germanWords(), frenchWords(), japaneseWords()}
}
