package simweb

import (
	"iter"
	"math"
	"slices"
	"time"
)

// Page is the public account of a page: what never changes about it.
type Page struct {
	URL      string
	Host     string
	Title    string
	Kind     Kind
	Rate     Rate
	Period   time.Duration // mean time between changes of the page's own text; 0: it has none
	Poisson  bool          // changes are a Poisson process; otherwise one falls in every period
	Topic    string
	Category string // of the topic, "Health" ...
	Genre    string // of the host, "news" ...
	Language string
	Born     time.Time // the page answers from here on
	Died     time.Time // to here; zero: for good
	Death    Death     // what it answers afterwards
	Private  bool      // its path is under /private/
	Reverts  bool      // it returns to old content at times
	Moves    bool      // its blocks change places at times
	Noise    []string  // parts that change without being content, see Noises
	Validator
	// Redirect is where the page sends its reader, as long as it is alive; empty for others.
	Redirect string
}

// Change is a step of a page's content. Sentences are compared with their numbers: one that appears a second time is
// added. A move of blocks has neither added nor removed.
type Change struct {
	At                       time.Time
	Added, Removed           []Sentence
	LinksAdded, LinksRemoved []string
	Moved                    bool
}

// Pages yields the pages that exist at some time in [from, to), host by host, in order of their index. Archive
// lists and further lists of a section come last of each host.
func (w *World) Pages(from, to time.Time) iter.Seq[Page] {
	a, b := w.offset(from), w.offset(to)
	return func(yield func(Page) bool) {
		for _, h := range w.hosts {
			for p := range h.pages(b) {
				if p.born < b && a < p.died && !yield(p.public()) {
					return
				}
			}
		}
	}
}

// pages yields the host's pages that are born before the time, and perhaps some more.
func (h *host) pages(before time.Duration) iter.Seq[page] {
	return func(yield func(page) bool) {
		for idx := range h.standing + h.newest(before) + 1 {
			if !yield(h.page(idx, 0)) {
				return
			}
		}
		for _, l := range h.months(before) {
			if p, ok := h.monthPage(l.part); ok && !yield(p) {
				return
			}
		}
		for s := range sections {
			for part := 1; part < h.parts(s); part++ {
				if !yield(h.page(firstSection+s, part)) {
					return
				}
			}
		}
	}
}

func (p *page) public() Page {
	h := p.h
	out := Page{
		URL: p.url(), Host: h.Name, Title: h.title(p.idx), Kind: p.kind, Rate: p.rate, Period: p.period(), Poisson: p.proc.mean > 0,
		Topic: topicNames[p.topic], Category: h.lang.topics[p.topic].category, Genre: h.Kind.String(), Language: h.Language,
		Born: h.w.time(p.born), Died: h.w.time(p.died), Death: p.death, Private: p.private,
		Reverts: p.reverts && p.proc.cell > 0 && !p.rolling, Moves: p.moves && p.proc.cell > 0 && p.slots > 2*p.perBlock, Noise: p.noise.names(), Validator: p.validator,
	}
	if p.kind == Redirect {
		out.Redirect = "http://" + h.Name + h.path(p.target, 0)
	}
	return out
}

// Page tells about the page of a URL, whether or not it exists now; false if there is never such a page.
func (w *World) Page(url string) (Page, bool) {
	p, ok := w.find(url)
	if !ok {
		return Page{}, false
	}
	return p.public(), true
}

// Alive says whether the page exists at that time. A page that does not answers 404, or as its Death says.
func (w *World) Alive(url string, at time.Time) bool {
	p, ok := w.find(url)
	return ok && p.alive(w.offset(at))
}

// Sentences lists the text of a page at a time in reading order: teasers of lists, then its own. Titles,
// headings, link texts and noise are not among them. It is empty for a page that does not exist then.
func (w *World) Sentences(url string, at time.Time) []Sentence {
	p, ok := w.find(url)
	if !ok {
		return nil
	}
	return p.sentences(w.offset(at))
}

func (p *page) sentences(t time.Duration) []Sentence {
	if !p.alive(t) {
		return nil
	}
	var out []Sentence
	for _, l := range p.list(t) {
		if l.teaser {
			out = append(out, p.h.teaser(l.idx))
		}
	}
	for _, b := range p.blocks(t) {
		out = append(out, b.sentences...)
	}
	for i := range out {
		out[i].Text = rowText(out[i].Text)
	}
	return out
}

// teaser is the first sentence of an article, as it was published.
func (h *host) teaser(idx int) Sentence {
	p := h.page(idx, 0)
	return p.sentence(0, tick{}, false)
}

// Links lists the URLs that a page links to at a time, each once, in document order. Links that are noise (a session
// id) are not among them, nor are those of the link element. It is empty for a page that does not exist.
func (w *World) Links(url string, at time.Time) []string {
	p, ok := w.find(url)
	if !ok {
		return nil
	}
	return p.links(w.offset(at))
}

func (p *page) links(t time.Duration) []string {
	if !p.alive(t) || p.kind == Redirect {
		return nil
	}
	own, others := p.recommended(t)
	var out []string
	seen := make(map[string]bool)
	for _, group := range [][]link{p.h.navigation(), p.list(t), own, others} {
		for _, l := range group {
			if u := l.url(); !seen[u] {
				seen[u] = true
				out = append(out, u)
			}
		}
	}
	return out
}

// StableUntil is a time up to which nothing of the page changes after at; it may be earlier than the next
// change, but never later. The zero time means for ever.
func (w *World) StableUntil(url string, at time.Time) time.Time {
	p, ok := w.find(url)
	if !ok {
		return time.Time{}
	}
	return w.time(p.nextChange(w.offset(at)))
}

// Changes lists the changes of a page in (from, to]: its birth and death, its text and its links. It costs as
// much as writing the page once for every change.
func (w *World) Changes(url string, from, to time.Time) []Change {
	p, ok := w.find(url)
	if !ok {
		return nil
	}
	var out []Change
	t, end := w.offset(from), w.offset(to)
	text, links := p.sentences(t), p.links(t)
	for t = p.nextChange(t); t <= end; t = p.nextChange(t) {
		text2, links2 := p.sentences(t), p.links(t)
		c := Change{At: w.time(t)}
		c.Added, c.Removed = missing(text2, text, Sentence.text), missing(text, text2, Sentence.text)
		c.LinksAdded, c.LinksRemoved = missing(links2, links, itself), missing(links, links2, itself)
		c.Moved = c.Added == nil && c.Removed == nil && !sameText(text, text2)
		if c.Moved || c.Added != nil || c.Removed != nil || c.LinksAdded != nil || c.LinksRemoved != nil {
			out = append(out, c)
		}
		text, links = text2, links2
	}
	return out
}

// missing lists what is in a more often than in b, by its key and in the order of a.
func missing[T any](a, b []T, key func(T) string) []T {
	count := make(map[string]int, len(b))
	for _, x := range b {
		count[key(x)]++
	}
	var out []T
	for _, x := range a {
		if count[key(x)]--; count[key(x)] < 0 {
			out = append(out, x)
		}
	}
	return out
}

func itself(s string) string    { return s }
func (s Sentence) text() string { return s.Text }
func sameText(a, b []Sentence) bool {
	return slices.EqualFunc(a, b, func(x, y Sentence) bool { return x.Text == y.Text })
}

// IsNoiseOnly says whether a page that carries noise has the same content at both times, so that
// whatever differs between two fetches is noise.
func (w *World) IsNoiseOnly(url string, t1, t2 time.Time) bool {
	p, ok := w.find(url)
	if !ok || p.noise == 0 {
		return false
	}
	a, b := w.offset(t1), w.offset(t2)
	return p.alive(a) && p.alive(b) && sameText(p.sentences(a), p.sentences(b)) && slices.Equal(p.links(a), p.links(b))
}

// Events lists the events that start in [from, to), oldest first.
func (w *World) Events(from, to time.Time) []Event {
	var out []Event
	for _, k := range w.eventsIn(w.offset(from)-1, w.offset(to)-1, math.MaxInt) {
		e := w.event(k)
		pub := Event{ID: e.id(), Topic: topicNames[e.topic], Start: w.time(e.stages[0]), Who: e.told[0].who, Where: e.told[0].where, Firm: e.told[0].firm}
		for s := range e.n {
			pub.Stages = append(pub.Stages, w.time(e.stages[s]))
			pub.Numbers = append(pub.Numbers, e.told[s].numbers)
		}
		english := &w.languages[0]
		t := english.teller(mix(w.seed, forTitle, uint64(k)))
		t.told = &e.told[0]
		pub.Headline = english.finish(t.write(nil, english.topics[e.topic].eventTitles[0]))
		for _, h := range w.hosts {
			if _, ok := w.covers(k, h); ok {
				pub.Reporters = append(pub.Reporters, h.Name)
			}
		}
		out = append(out, pub)
	}
	slices.Reverse(out)
	return out
}
