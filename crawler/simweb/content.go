package simweb

import "time"

// Sentence is one sentence of a page's text, or one row of a table with its cells joined by spaces.
type Sentence struct {
	Text string
	// Event is the id of the event that the sentence tells of, or empty. Fact is the number of the
	// fact among the event's, and Status says whether it was news when the page took it up.
	Event  string
	Fact   int
	Status Status
}

// A report is what an article is about: events that it is the host's first to tell, or one that it follows up,
// or none.
type report struct {
	topic  int
	events []int
}

// mostEvents bounds how many events are looked at for one choice, whatever the options say of their number.
const mostEvents = 64

func (h *host) report(n int) report {
	w := h.w
	before, at := h.birth(n-1), h.birth(n)
	var r report
	for _, k := range w.eventsIn(before-maxLag, at, mostEvents) {
		lag, ok := w.covers(k, h)
		if first := w.eventStart(k) + lag; ok && first > before && first <= at {
			r.events = append(r.events, k)
		}
	}
	d := dice{mix(h.seed, forArticle, uint64(n), 1)}
	if len(r.events) == 0 && d.chance(0.4) {
		if known := h.known(at, eventActive, -1); len(known) > 0 {
			r.events = append(r.events, known[d.intn(len(known))])
		}
	}
	if r.topic = h.topics[d.intn(sections)]; len(r.events) > 0 {
		e := w.event(r.events[0])
		r.topic = e.topic
	}
	return r
}

// known lists the events of the last while that the host has heard of, newest first; of one topic, or of
// all when topic is -1.
func (h *host) known(at, while time.Duration, topic int) []int {
	all := h.w.eventsIn(at-while, at, mostEvents)
	kept := all[:0]
	for _, k := range all {
		if lag, ok := h.w.covers(k, h); !ok || h.w.eventStart(k)+lag > at {
			continue
		}
		if topic >= 0 {
			if e := h.w.event(k); e.topic != topic {
				continue
			}
		}
		kept = append(kept, k)
	}
	return kept
}

// slotCount is how many sentences the page has when none is missing.
func (p *page) slotCount(u float64) int {
	switch p.kind {
	case Home:
		return 8
	case Section, About:
		return 4
	case Live:
		return 12
	case Archive, ArchiveMonth, PrivateIndex, Login:
		return 1
	case Redirect:
		return 0
	}
	// Three tenths of the size is style, some 4 KB links, and a sentence takes 108 bytes with its markup.
	text := p.size*7/10 - 4000
	return max(text/108, 3+int(u*4))
}

// sentenceRoom is where most sentences fit while they are written.
const sentenceRoom = 320

// sentence is what change c puts into a slot; the zero change is the birth of the page. The first slot that a
// change hits is plain, which makes sure that it does not repeat what stood there.
func (p *page) sentence(slot int, c tick, plain bool) Sentence {
	at := p.born
	if c.id != 0 {
		at = c.at
	}
	seed := mix(p.seed, forSlot, uint64(slot), c.id)
	var room [sentenceRoom]byte
	l := p.h.lang
	t := l.teller(seed)
	switch {
	case p.kind == Login:
		return Sentence{Text: l.login}
	case p.kind == Product && slot == 0:
		return Sentence{Text: l.finish(t.write(room[:0], l.price))}
	case p.isRow(slot):
		return Sentence{Text: l.finish(t.write(room[:0], l.row))}
	}
	if k, which, ok := p.eventFor(slot, c, at, plain, &t.dice); ok {
		e := p.h.w.event(k)
		return p.h.w.tell(p.h, e, which, at, seed)
	}
	says := l.topics[p.topic].says
	if p.kind == Home || p.kind == Live {
		says = l.topics[p.h.topics[t.intn(sections)]].says
	}
	return Sentence{Text: l.finish(raise(t.write(room[:0], says[t.intn(len(says))]), 0))}
}

// eventFor decides whether a slot tells of an event, and which of its facts.
func (p *page) eventFor(slot int, c tick, at time.Duration, plain bool, d *dice) (k, which int, ok bool) {
	h := p.h
	if p.kind == Article {
		const facts = 6 // of every topic, checked by a test
		events := p.report.events
		switch {
		case plain:
		case c.id == 0 && slot < facts*len(events) && (slot == 0 || d.chance(0.85)):
			return events[slot/facts], slot % facts, true
		case c.id != 0 && len(events) > 0 && d.chance(0.7):
			return events[0], d.intn(facts), true
		case d.chance(0.1):
			if old := h.known(at-newsLasts, eventMemory, p.topic); len(old) > 0 {
				return old[d.intn(len(old))], d.intn(facts), true
			}
		}
		return 0, 0, false
	}
	if plain && p.kind != Live || c.id == 0 || p.kind == Product || !d.chance(0.6) {
		return 0, 0, false
	}
	topic := p.topic
	if p.kind == Home || p.kind == Live {
		topic = -1
	}
	if known := h.known(at, eventActive, topic); len(known) > 0 {
		return known[d.intn(len(known))], d.intn(6), true
	}
	return 0, 0, false
}

// isRow says whether a slot is the row of a table: every second block of a page of tables.
func (p *page) isRow(slot int) bool { return p.kind == Table && slot/p.perBlock%2 == 1 }

// An edition is the state of a page's slots at a time.
type edition struct {
	shown    tick // the change whose state is seen: an earlier one after a return to old content
	last     tick // the last change
	slots    []slotState
	rotation int // how far the blocks behind the first have moved round
}

type slotState struct {
	set   tick // the change that wrote the slot
	plain bool
	empty bool
}

// current finds the change that is the last at t, and the one whose state is seen. A return to old content shows the
// state of two changes ago, once; none of the two is a return itself.
func (p *page) current(t time.Duration) (c cursor, last tick, ok bool) {
	c, ok = p.proc.at(t)
	if !ok {
		return c, tick{}, false
	}
	last = c.tick()
	if p.reverts && p.returning(last) {
		two := c
		if two.back() && !p.returning(two.tick()) && two.back() && !p.returning(two.tick()) {
			return two, last, true
		}
	}
	return c, last, true
}

func (p *page) returning(c tick) bool { return mix(p.seed, forRevert, c.id)%3 == 0 }

// edition walks back from the change that is shown until every slot that ever changes has met the last change that
// hit it. A change hits one to six of them, so the walk is short.
func (p *page) edition(t time.Duration) edition {
	e := edition{slots: make([]slotState, p.slots)}
	c, last, ok := p.current(t)
	if !ok {
		return e
	}
	e.shown, e.last = c.tick(), last
	open, moving := p.hot, p.moves
	for more := true; more && (open > 0 || moving); more = c.back() {
		change := c.tick()
		if moving && mix(p.seed, forMove, change.id)%4 == 0 {
			e.rotation, moving = 1+int(mix(p.seed, forMove, change.id, 1)%8), false
		}
		d := dice{mix(p.seed, forHit, change.id)}
		for j, n := 0, d.between(1, 6); j < n && open > 0; j++ {
			slot := (p.hotOff + d.intn(p.hot)*p.hotStep) % p.slots
			empties := j > 0 && d.chance(0.15)
			if p.kind == Product && j == 0 {
				slot = p.hotOff % p.slots
			}
			if s := &e.slots[slot]; s.set.id == 0 {
				*s = slotState{set: change, plain: j == 0, empty: empties && p.kind != Product}
				open--
			}
		}
	}
	return e
}

// A block is a part of a page's text with its heading.
type block struct {
	number    int
	rows      bool
	sentences []Sentence
}

// blocks writes the text of an edition, in reading order.
func (p *page) blocks(t time.Duration) []block {
	if p.rolling {
		return []block{p.rollingBlock(t)}
	}
	e := p.edition(t)
	n := (p.slots + p.perBlock - 1) / p.perBlock
	out := make([]block, 0, n)
	for i := range n {
		number := i
		if i > 0 {
			number = 1 + (i-1+e.rotation)%(n-1)
		}
		b := block{number: number, rows: p.isRow(number * p.perBlock)}
		for slot := number * p.perBlock; slot < min((number+1)*p.perBlock, p.slots); slot++ {
			if s := e.slots[slot]; !s.empty {
				b.sentences = append(b.sentences, p.sentence(slot, s.set, s.plain))
			}
		}
		out = append(out, b)
	}
	return out
}

// rollingBlock is a list whose newest entry pushes the oldest out.
func (p *page) rollingBlock(t time.Duration) block {
	var b block
	c, _, more := p.current(t)
	for more && len(b.sentences) < p.slots {
		b.sentences = append(b.sentences, p.sentence(0, c.tick(), false))
		more = c.back()
	}
	for slot := 1; len(b.sentences) < p.slots; slot++ {
		b.sentences = append(b.sentences, p.sentence(slot, tick{}, false))
	}
	return b
}
