package daemon

import (
	"container/heap"
	"slices"
	"time"
)

// hosts are the queues of pages in memory, one a host, in a heap by the time when
// the host's next page may start. A host that is being fetched from is outside of
// the heap, so that no second worker gets to it.
type hosts struct {
	byName map[string]*host
	ready  hostHeap
	queued int // pages
}

type host struct {
	name    string
	jobs    []*job    // by notBefore
	gateAt  time.Time // when the host takes a request, as far as is known
	readyAt time.Time
	busy    bool
	index   int // in the heap; -1 outside
	// tail is when the last page that was put off for want of room comes back.
	tail time.Time
	pace time.Duration // from start to start, as last seen
}

func newHosts() *hosts { return &hosts{byName: map[string]*host{}} }

// push queues a page.
func (q *hosts) push(j *job) {
	h := q.byName[j.Host]
	if h == nil {
		h = &host{name: j.Host, index: -1}
		q.byName[j.Host] = h
	}
	i, _ := slices.BinarySearchFunc(h.jobs, j, func(a, b *job) int {
		if a.notBefore.After(b.notBefore) {
			return 1
		}
		return -1 // behind those of the same time
	})
	h.jobs = slices.Insert(h.jobs, i, j)
	q.queued++
	q.place(h)
}

// length returns how many pages of a host are queued.
func (q *hosts) length(name string) int {
	if h := q.byName[name]; h != nil {
		return len(h.jobs)
	}
	return 0
}

// next returns when the first host is ready.
func (q *hosts) next() (time.Time, bool) {
	if len(q.ready) == 0 {
		return time.Time{}, false
	}
	return q.ready[0].readyAt, true
}

// take takes out the first host that is ready; the caller gives it back by place,
// or starts its first page by pop.
func (q *hosts) take(now time.Time) *host {
	if len(q.ready) == 0 || q.ready[0].readyAt.After(now) {
		return nil
	}
	return heap.Pop(&q.ready).(*host)
}

// pop takes the first page of a host.
func (q *hosts) pop(h *host) *job {
	j := h.jobs[0]
	h.jobs[0] = nil
	h.jobs = h.jobs[1:]
	q.queued--
	return j
}

// place puts a host where it belongs: into the heap by its ready time, or nowhere
// while it is busy or has no pages.
func (q *hosts) place(h *host) {
	switch {
	case h.busy:
	case len(h.jobs) == 0:
		if h.index >= 0 {
			heap.Remove(&q.ready, h.index)
		}
		delete(q.byName, h.name)
	default:
		h.readyAt = h.jobs[0].notBefore
		if h.gateAt.After(h.readyAt) {
			h.readyAt = h.gateAt
		}
		if h.index >= 0 {
			heap.Fix(&q.ready, h.index)
		} else {
			heap.Push(&q.ready, h)
		}
	}
}

type hostHeap []*host

func (h hostHeap) Len() int { return len(h) }

func (h hostHeap) Less(i, j int) bool {
	if !h[i].readyAt.Equal(h[j].readyAt) {
		return h[i].readyAt.Before(h[j].readyAt)
	}
	return h[i].name < h[j].name
}

func (h hostHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *hostHeap) Push(x any) {
	e := x.(*host)
	e.index = len(*h)
	*h = append(*h, e)
}

func (h *hostHeap) Pop() any {
	old := *h
	e := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	e.index = -1
	return e
}
