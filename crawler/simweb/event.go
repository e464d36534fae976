package simweb

import (
	"fmt"
	"time"
)

// Status says what a sentence about an event was worth when it was written. It goes by the event's own
// clock, not by what the page had said before: for one day a fact is new, and when its number
// moves the new number is an update for a day; anything later is a repeat.
type Status uint8

const (
	StatusNone Status = iota
	StatusNew
	StatusUpdate
	StatusRepeat
)

func (s Status) String() string { return [...]string{"", "new", "update", "repeat"}[s&3] }

const (
	newsLasts   = 24 * time.Hour
	eventActive = 5 * 24 * time.Hour  // how long hosts report an event
	eventMemory = 40 * 24 * time.Hour // how long they look back to it
	eventsPast  = 40                  // events before the epoch
	maxStages   = 6
	maxLag      = 10 * time.Hour // from an event to the last first report
)

// An event is something that happens in the world. Its numbers move at the stages.
type event struct {
	k      int
	topic  int
	stages [maxStages]time.Duration // stages[0] is the start
	n      int                      // number of stages
	told   [maxStages]telling
	since  [maxStages][3]int // at each stage, the stage at which each number last moved
}

// Event is the public account of an event.
type Event struct {
	ID    string
	Topic string
	Start time.Time
	// Stages are the times from which each set of numbers holds; the first is Start.
	Stages []time.Time
	// Numbers are the three numbers at each stage, as the sentences give them.
	Numbers          [][3]int
	Who, Where, Firm string
	Headline         string   // in English
	Reporters        []string // hosts that report it while it is fresh
}

func (e *event) id() string { return fmt.Sprintf("ev-%04d-%s", e.k, topicNames[e.topic]) }

func (w *World) eventStart(k int) time.Duration {
	d := dice{mix(w.seed, forEvent, uint64(k))}
	every := w.opts.EventEvery
	return (time.Duration(k-eventsPast)*every + time.Duration(d.float()*0.9*float64(every))).Truncate(time.Second)
}

// lastEvent is the number of the latest event that started at or before t, or -1.
func (w *World) lastEvent(t time.Duration) int {
	k := int(t/w.opts.EventEvery) + eventsPast
	for k++; k >= 0; k-- {
		if w.eventStart(k) <= t {
			return k
		}
	}
	return -1
}

// event returns event number k, from the cache if it is there.
func (w *World) event(k int) *event {
	slot := &w.events[k%len(w.events)]
	if e := slot.Load(); e != nil && e.k == k {
		return e
	}
	e := w.layOut(k)
	slot.Store(&e)
	return &e
}

// layOut works out an event. Eight events in a row have eight topics.
func (w *World) layOut(k int) event {
	block := mix(w.seed, forEvent, 1<<40, uint64(k/len(topicNames)))
	e := event{k: k, topic: int((uint64(k)*5 + block) % uint64(len(topicNames)))}
	d := dice{mix(w.seed, forStage, uint64(k))}
	english := &w.languages[0]
	t := english.teller(d.next())
	names := [3]string{
		english.finish(t.write(nil, w.names.who)),
		english.finish(t.write(nil, w.names.where)),
		english.finish(t.write(nil, w.names.firm)),
	}
	e.n = d.between(3, maxStages)
	at := w.eventStart(k)
	ranges := english.languageWords.topics[w.englishTopic[e.topic]].event.numbers
	now := telling{who: names[0], where: names[1], firm: names[2]}
	for i, r := range ranges {
		now.numbers[i] = r.lo + r.step*d.intn((r.hi-r.lo)/r.step+1)
	}
	for s := range e.n {
		if s > 0 {
			at += d.span(time.Duration(5+6*s)*time.Hour, time.Duration(12+9*s)*time.Hour)
			e.since[s] = e.since[s-1]
			// One number moves at every stage, a second one at some.
			for i, first := 0, d.intn(3); i < 1+d.intn(2); i++ {
				j := (first + i) % 3
				r := ranges[j]
				more := int(float64(now.numbers[j]) * (r.growth - 1) * (0.3 + 0.7*d.float()))
				now.numbers[j] += max(more/r.step, 1) * r.step
				e.since[s][j] = s
			}
		}
		e.stages[s], e.told[s] = at, now
	}
	return e
}

// stage is the stage that holds at t.
func (e *event) stage(t time.Duration) int {
	s := 0
	for s+1 < e.n && e.stages[s+1] <= t {
		s++
	}
	return s
}

// status judges a fact that is told at t.
func (e *event) status(f fact, t time.Duration) Status {
	since := 0
	if f.number >= 0 {
		since = e.since[e.stage(t)][f.number]
	}
	switch {
	case t >= e.stages[since]+newsLasts:
		return StatusRepeat
	case since == 0:
		return StatusNew
	}
	return StatusUpdate
}

// covers says whether the host reports the event, and how long after its start. Three news hosts always do, and
// soon; so every event is in the news where there are that many.
func (w *World) covers(k int, h *host) (lag time.Duration, ok bool) {
	d := dice{mix(w.seed, forCover, uint64(k), uint64(h.index))}
	for i := range 3 {
		if n := len(w.newsHosts); n > 0 && w.newsHosts[(3*k+i)%n] == h.index {
			return d.span(10*time.Minute, 3*time.Hour), true
		}
	}
	return d.span(30*time.Minute, maxLag), d.chance(0.55)
}

// eventsIn lists the numbers of the events that start in (from, to], newest first, at most limit of them.
func (w *World) eventsIn(from, to time.Duration, limit int) []int {
	var out []int
	for k := w.lastEvent(to); k >= 0 && len(out) < limit && w.eventStart(k) > from; k-- {
		out = append(out, k)
	}
	return out
}

// tell writes one fact of an event as it stood at t. The wording is the host's.
func (w *World) tell(h *host, e *event, which int, t time.Duration, seed uint64) Sentence {
	l := h.lang
	f := l.topics[e.topic].facts[which%len(l.topics[e.topic].facts)]
	s := Sentence{Event: e.id(), Fact: which % len(l.topics[e.topic].facts), Status: e.status(f, t)}
	teller := l.teller(mix(seed, forWording))
	teller.told = &e.told[e.stage(t)]
	var room [sentenceRoom]byte
	b := room[:0]
	if s.Status == StatusRepeat {
		b = teller.write(b, l.repeats[teller.intn(len(l.repeats))])
	}
	// The host leans to one wording of each fact, so that hosts differ from each other.
	i := mix(h.seed, forWording, uint64(e.k), uint64(which))
	if teller.chance(0.3) {
		i = teller.next()
	}
	b = teller.write(b, f.says[i%uint64(len(f.says))])
	s.Text = l.finish(raise(b, 0))
	return s
}
