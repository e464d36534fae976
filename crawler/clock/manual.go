package clock

import (
	"container/heap"
	"sync"
	"time"
)

// Manual is a clock that moves only when it is told to. Timers fire in the order of their times,
// those of one time in the order of their making, and the clock shows a timer's time when it
// fires.
type Manual struct {
	mu      sync.Mutex
	now     time.Time
	waiting timers
	made    int           // timers ever made
	changed chan struct{} // closed when a timer is added; nil when nobody waits for that
}

// NewManual returns a clock that stands at a moment.
func NewManual(at time.Time) *Manual { return &Manual{now: at.Round(0)} }

// Now returns the moment at which the clock stands.
func (m *Manual) Now() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

// NewTimer returns a timer that fires when the clock has been moved by d.
func (m *Manual) NewTimer(d time.Duration) *Timer {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := &manualTimer{c: make(chan time.Time, 1), at: m.now.Add(d), made: m.made}
	m.made++
	if d <= 0 {
		t.index = -1
		t.c <- m.now
	} else {
		heap.Push(&m.waiting, t)
	}
	if m.changed != nil {
		close(m.changed)
		m.changed = nil
	}
	return &Timer{C: t.c, stop: func() bool { return m.remove(t) }}
}

func (m *Manual) remove(t *manualTimer) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if t.index < 0 {
		return false
	}
	heap.Remove(&m.waiting, t.index)
	return true
}

// Advance moves the clock forward by d and fires the timers on the way. It does not wait for
// those whom they wake; a timer that they start is counted from where the clock then stands.
func (m *Manual) Advance(d time.Duration) { m.AdvanceTo(m.Now().Add(d)) }

// AdvanceTo moves the clock forward to a moment and fires the timers on the way. It does nothing
// if the moment has passed.
func (m *Manual) AdvanceTo(at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for len(m.waiting) > 0 && !m.waiting[0].at.After(at) {
		m.fire()
	}
	if at.After(m.now) {
		m.now = at.Round(0)
	}
}

// Step moves the clock to the first timer and fires it alone. It reports false, and moves nothing,
// if there is none.
func (m *Manual) Step() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.waiting) == 0 {
		return false
	}
	m.fire()
	return true
}

// Next returns when the first timer fires, and whether there is one.
func (m *Manual) Next() (time.Time, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.waiting) == 0 {
		return time.Time{}, false
	}
	return m.waiting[0].at, true
}

// AwaitTimers returns when at least n timers wait for the clock to move. It is how a test knows
// that the goroutines it started have come to rest.
func (m *Manual) AwaitTimers(n int) {
	for {
		m.mu.Lock()
		if len(m.waiting) >= n {
			m.mu.Unlock()
			return
		}
		if m.changed == nil {
			m.changed = make(chan struct{})
		}
		changed := m.changed
		m.mu.Unlock()
		<-changed
	}
}

// fire fires the first timer. The lock is held.
func (m *Manual) fire() {
	t := heap.Pop(&m.waiting).(*manualTimer)
	if t.at.After(m.now) {
		m.now = t.at
	}
	t.c <- m.now
}

type manualTimer struct {
	c     chan time.Time
	at    time.Time
	made  int
	index int // in the heap; -1 outside
}

// timers is a heap by time.
type timers []*manualTimer

func (t timers) Len() int { return len(t) }

func (t timers) Less(i, j int) bool {
	if !t[i].at.Equal(t[j].at) {
		return t[i].at.Before(t[j].at)
	}
	return t[i].made < t[j].made
}

func (t timers) Swap(i, j int) {
	t[i], t[j] = t[j], t[i]
	t[i].index, t[j].index = i, j
}

func (t *timers) Push(x any) {
	timer := x.(*manualTimer)
	timer.index = len(*t)
	*t = append(*t, timer)
}

func (t *timers) Pop() any {
	old := *t
	timer := old[len(old)-1]
	old[len(old)-1] = nil
	*t = old[:len(old)-1]
	timer.index = -1
	return timer
}
