package measure

import (
	"math"
	"time"

	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/robots"
	"github.com/strandlinehq/strandline/monitor/dice"
	"github.com/strandlinehq/strandline/monitor/text"
)

// diceOf is A8: {"a":[words],"b":[words]} gives a number.
func diceOf(in value) any {
	in.object("a", "b")
	return number(wordSet(in.get("a")).Dice(wordSet(in.get("b"))))
}

// wordSet takes the words as they are given: they are a set already made by
// whatever rule the caller follows.
func wordSet(v value) dice.WordSet {
	var b dice.Builder
	for _, w := range v.texts() {
		b.Add([]byte(w))
	}
	return b.Set()
}

// events is A9: {"versions":[{"t":hours,"words":[..]}]} gives the changes with
// the hours since the one before and their Dice.
func events(in value) any {
	in.object("versions")
	var tracker dice.Tracker
	out := []any{}
	last := math.Inf(-1)
	for _, v := range in.get("versions").list() {
		v.object("t", "words")
		t := v.get("t").number()
		if t < last {
			v.get("t").fail("is before the version above it")
		}
		last = t
		words := wordSet(v.get("words"))
		e, ok := tracker.Add(dice.Version{At: hours(v.get("t"), t), Text: setKey(words), Words: words})
		if ok {
			out = append(out, map[string]any{"elapsed": number(e.Elapsed.Hours()), "dice": number(e.Dice)})
		}
	}
	return map[string]any{"events": out}
}

// hours is a moment as the measures know it, in whole nanoseconds.
func hours(v value, h float64) time.Time {
	const most = 250 * 365 * 24
	if math.Abs(h) > most {
		v.fail("must lie within 250 years")
	}
	return time.Unix(0, 0).UTC().Add(time.Duration(math.Round(h * float64(time.Hour))))
}

// setKey tells word sets apart, where only the words of a version are known.
func setKey(s dice.WordSet) string {
	b := make([]byte, 0, 8*len(s))
	for _, h := range s {
		for i := range 8 {
			b = append(b, byte(h>>(8*i)))
		}
	}
	return string(b)
}

// sentences is C3, 2.5: {"text":"..","language":"en"} gives the sentences. A line
// feed ends a sentence, as the end of a block does on a page.
func sentences(in value) any {
	in.object("text", "language")
	lang := ""
	if v, ok := in.opt("language"); ok {
		lang = v.text()
	}
	out := text.Sentences(in.get("text").text(), lang)
	if out == nil {
		out = []string{}
	}
	return out
}

// newSentences is J7: {"old":[..],"new":[..]} gives the new ones, each once.
func newSentences(in value) any {
	in.object("old", "new")
	out := text.NewSentences(in.get("old").texts(), in.get("new").texts())
	if out == nil {
		out = []string{}
	}
	return out
}

// robotsAllowed is A3: {"robots":"..","agent":"..","urls":[..]} gives a truth
// value a URL.
func robotsAllowed(in value) any {
	in.object("robots", "agent", "urls")
	file := robots.Parse([]byte(in.get("robots").text()))
	agent := in.get("agent").text()
	out := []bool{}
	for _, url := range in.get("urls").texts() {
		out = append(out, file.Allowed(agent, url))
	}
	return out
}

// canonicalURLs is C5: {"base":"..","urls":[..]} gives the canonical form of
// each, null where it has none.
func canonicalURLs(in value) any {
	in.object("base", "urls")
	base := ""
	if v, ok := in.opt("base"); ok && !v.null() {
		base = v.text()
	}
	former := canonical.New(canonical.Options{})
	out := []any{}
	for _, url := range in.get("urls").texts() {
		c, err := former.URL(base, url)
		if err != nil {
			out = append(out, nil)
			continue
		}
		out = append(out, c)
	}
	return out
}
