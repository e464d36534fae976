// Package topicweb is a simulated web on one topic that knows its own news, for
// tests of summaries. Events happen in periods; several hosts tell of each in
// words of their own (other synonyms, another order, other forms of numbers);
// pages also repeat old news, verbatim or reworded, and carry a template whose
// date moves on, and advertisements that change.
//
// Make builds it from a seed. Every Sentence says which event it tells of and
// whether that was news then, so that a summary can be held against the truth.
package topicweb

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Options of Make. Zero fields take the values in brackets.
type Options struct {
	Seed    uint64
	Periods int // [10]
	Hosts   int // [12]
	Pages   int // per host [2]
	Events  int // new events a period [4]
	Filler  int // more sentences a page and period that repeat old news [4]
}

// Kind of a sentence.
type Kind uint8

// Kinds.
const (
	News     Kind = iota // an event of this period
	OldNews              // an event of an earlier period
	Template             // the same on all pages of a host, but for dates
	Advert
)

// Sentence is a sentence of a page in a period.
type Sentence struct {
	Text  string
	Kind  Kind
	Event int // -1 without
}

// Page is a page in one period, top to bottom.
type Page struct {
	URL, Host string
	Sentences []Sentence
}

// Period is all pages at one time.
type Period struct {
	Pages  []Page
	Events []int // those that happened in it
}

// Web is the whole of it.
type Web struct {
	Periods []Period
	events  []event
	r       *rand.Rand
}

// event is what happened: a kind of happening with its facts.
type event struct {
	kind         int
	place, other string
	number       int
}

// Make builds a web; equal options give equal webs.
func Make(opt Options) *Web {
	set := func(p *int, usual int) {
		if *p == 0 {
			*p = usual
		}
	}
	set(&opt.Periods, 10)
	set(&opt.Hosts, 12)
	set(&opt.Pages, 2)
	set(&opt.Events, 4)
	set(&opt.Filler, 4)
	w := &Web{r: rand.New(rand.NewPCG(opt.Seed, 77))}
	for t := range opt.Periods {
		w.Periods = append(w.Periods, w.period(t, opt))
	}
	return w
}

func (w *Web) period(t int, opt Options) Period {
	var p Period
	for range opt.Events {
		p.Events = append(p.Events, len(w.events))
		w.events = append(w.events, w.newEvent())
	}
	for h := range opt.Hosts {
		host := fmt.Sprintf("www.%s%d.example", pick(w.r, hostNames), h)
		if t > 0 {
			host = w.Periods[0].Pages[h*opt.Pages].Host
		}
		for n := range opt.Pages {
			p.Pages = append(p.Pages, Page{URL: fmt.Sprintf("http://%s/%d", host, n), Host: host, Sentences: w.page(t, h, n, opt, p.Events)})
		}
	}
	return p
}

// page writes one page of a period. The stories of the period before stay on it,
// as on most pages of news.
func (w *Web) page(t, h, n int, opt Options, events []int) []Sentence {
	out := []Sentence{
		{"Welcome to the pages of the river association, updated on " + day(t) + ".", Template, -1},
		{pick(w.r, adverts), Advert, -1},
	}
	for _, e := range events {
		if w.r.Float64() < 0.5 { // half of the pages tell of an event
			out = append(out, Sentence{w.Tell(e), News, e})
		}
	}
	old := len(w.events) - len(events)
	for range opt.Filler {
		if old == 0 {
			break
		}
		// Old matters that many still talk about: the first ones most.
		e := int(float64(old) * w.r.Float64() * w.r.Float64())
		out = append(out, Sentence{w.Tell(e), OldNews, e})
	}
	if t > 0 {
		for _, s := range w.Periods[t-1].Pages[h*opt.Pages+n].Sentences {
			if s.Kind == News || s.Kind == OldNews && w.r.Float64() < 0.5 {
				out = append(out, Sentence{s.Text, OldNews, s.Event})
			}
		}
	}
	return append(out,
		Sentence{"Subscribe to our weekly letter on the river and the flood.", Template, -1},
		Sentence{pick(w.r, adverts), Advert, -1},
		Sentence{fmt.Sprintf("Copyright %s by the river association, all rights reserved.", day(t)), Template, -1})
}

func day(t int) string { return fmt.Sprintf("March %d, 2021", 1+t%28) }

func (w *Web) newEvent() event {
	e := event{kind: w.r.IntN(len(happenings)), place: pick(w.r, places), other: pick(w.r, places), number: 3 + w.r.IntN(97)}
	switch w.r.IntN(3) {
	case 0:
		e.number *= 100
	case 1:
		e.number += 7 * w.r.IntN(200)
	}
	return e
}

// Tell words an event anew.
func (w *Web) Tell(e int) string {
	ev := w.events[e]
	frame := pick(w.r, happenings[ev.kind])
	s := expand(w.r, frame)
	s = strings.NewReplacer("$place", ev.place, "$other", ev.other, "$num", number(w.r, ev.number)).Replace(s)
	if w.r.Float64() < 0.4 {
		s = strings.TrimSuffix(s, ".") + expand(w.r, "{, officials said|, the mayor said|, according to the police|, witnesses told us| on {Monday|Tuesday|Friday}}") + "."
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// Fresh makes an event that no page tells of, and words it.
func (w *Web) Fresh() string {
	w.events = append(w.events, w.newEvent())
	return w.Tell(len(w.events) - 1)
}

// Events returns the number of events so far.
func (w *Web) Events() int { return len(w.events) }

// number writes n in one of the usual ways.
func number(r *rand.Rand, n int) string {
	words := []string{"", "", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}
	switch {
	case n < len(words) && r.IntN(2) == 0:
		return words[n]
	case n >= 1000 && r.IntN(2) == 0:
		return fmt.Sprintf("%d,%03d", n/1000, n%1000)
	case n >= 1000 && n%100 == 0 && r.IntN(2) == 0:
		return fmt.Sprintf("%d.%d thousand", n/1000, n%1000/100)
	}
	return fmt.Sprint(n)
}

// expand chooses one of the alternatives in braces, which may be nested.
func expand(r *rand.Rand, s string) string {
	for {
		end := strings.IndexByte(s, '}')
		if end < 0 {
			return s
		}
		start := strings.LastIndexByte(s[:end], '{')
		s = s[:start] + pick(r, strings.Split(s[start+1:end], "|")) + s[end+1:]
	}
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }
