// Package frontier holds, in memory, the part of a snapshot's frontier that is
// fetched next: a short queue of URLs for each host, and which host comes next.
//
// The main type is [Queue]. Of the hosts that take a request now it gives the one
// whose first URL comes first: the lowest depth, then the highest priority; with
// Options.Best the highest priority alone. A host that waits, for the delay that
// it wants or because it failed, holds nobody up. The whole frontier is in the
// database (store.TakeFrontier); from there the queues are filled.
//
// Left out: when a host takes a request (crawler/gate), and what came of one.
package frontier

import (
	"cmp"
	"container/heap"
	"slices"
	"time"
)

// URL is a URL that waits to be fetched.
type URL struct {
	Page     int64
	URL      string // canonical
	Depth    int    // links from the nearest seed
	Priority float32
	Tries    int
	Trap     bool
	Heard    time.Time // when the page was first heard of
	// What is known of the page, for a conditional request.
	Version            int32
	ETag, LastModified string
}

// Options are the choices of a Queue.
type Options struct {
	// Connections is how many requests a host takes at once; zero means 1.
	Connections int
	// Best asks for the highest priority first, whatever the depth.
	Best bool
}

// Host is a host with the URLs that are queued for it.
type Host struct {
	ID     int64
	Name   string // as crawler/gate knows it
	Site   string
	Bucket int32

	queue   []*URL // in the order in which they are fetched
	readyAt time.Time
	running int
	heap    *hostHeap // that it is in; nil: none
	index   int
}

// Queued returns how many URLs wait in memory, and Running how many are fetched.
func (h *Host) Queued() int  { return len(h.queue) }
func (h *Host) Running() int { return h.running }

// Queue is the hosts of a snapshot. It is not safe for concurrent use.
type Queue struct {
	opt     Options
	ready   hostHeap // by their first URL
	waiting hostHeap // by readyAt
	queued  int
	running int
}

// New returns an empty queue.
func New(opt Options) *Queue {
	opt.Connections = max(opt.Connections, 1)
	q := &Queue{opt: opt}
	q.ready.before = func(a, b *Host) bool {
		return cmp.Or(q.compare(a.queue[0], b.queue[0]), cmp.Compare(a.ID, b.ID)) < 0
	}
	q.waiting.before = func(a, b *Host) bool { return a.readyAt.Before(b.readyAt) }
	return q
}

// Len returns how many URLs wait, and Running how many are fetched.
func (q *Queue) Len() int     { return q.queued }
func (q *Queue) Running() int { return q.running }

// compare orders URLs: what comes first is less.
func (q *Queue) compare(a, b *URL) int {
	depth := cmp.Compare(a.Depth, b.Depth)
	if q.opt.Best {
		depth = 0
	}
	return cmp.Or(depth, cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.Page, b.Page))
}

// Push queues URLs of a host.
func (q *Queue) Push(h *Host, urls ...*URL) {
	if len(urls) == 0 {
		return
	}
	h.queue = append(h.queue, urls...)
	slices.SortFunc(h.queue, q.compare)
	q.queued += len(urls)
	q.place(h)
}

// Next takes the URL that comes next of the hosts that take a request now; nil if
// there is none. The caller says by End when the request is over.
func (q *Queue) Next(now time.Time) (*Host, *URL) {
	for len(q.waiting.hosts) > 0 && !q.waiting.hosts[0].readyAt.After(now) {
		h := q.waiting.hosts[0]
		q.move(h, &q.ready)
	}
	if len(q.ready.hosts) == 0 {
		return nil, nil
	}
	h := q.ready.hosts[0]
	u := h.queue[0]
	h.queue[0] = nil
	h.queue = h.queue[1:]
	h.running++
	q.queued--
	q.running++
	q.place(h)
	return h, u
}

// Hold says that a host takes no request before a time.
func (q *Queue) Hold(h *Host, until time.Time) {
	h.readyAt = until
	q.place(h)
}

// End says that a request to a host is over, and when it takes the next one.
func (q *Queue) End(h *Host, readyAt time.Time) {
	h.running--
	q.running--
	h.readyAt = readyAt
	q.place(h)
}

// Drop takes all queued URLs of a host out.
func (q *Queue) Drop(h *Host) []*URL {
	out := h.queue
	h.queue = nil
	q.queued -= len(out)
	q.place(h)
	return out
}

// WakeAt returns when Next may give something, should nothing else happen; ok is
// false when only Push or End can bring that about.
func (q *Queue) WakeAt(now time.Time) (at time.Time, ok bool) {
	if len(q.ready.hosts) > 0 {
		return now, true
	}
	if len(q.waiting.hosts) > 0 {
		return q.waiting.hosts[0].readyAt, true
	}
	return time.Time{}, false
}

// place puts a host where it belongs: among those that wait for their time, which
// Next looks at first, or nowhere while it has no URL or no connection left.
func (q *Queue) place(h *Host) {
	if len(h.queue) == 0 || h.running >= q.opt.Connections {
		q.move(h, nil)
		return
	}
	q.move(h, &q.waiting)
}

func (q *Queue) move(h *Host, to *hostHeap) {
	if h.heap != nil {
		heap.Remove(h.heap, h.index)
		h.heap = nil
	}
	if to != nil {
		h.heap = to
		heap.Push(to, h)
	}
}

type hostHeap struct {
	hosts  []*Host
	before func(a, b *Host) bool
}

func (h *hostHeap) Len() int           { return len(h.hosts) }
func (h *hostHeap) Less(i, j int) bool { return h.before(h.hosts[i], h.hosts[j]) }
func (h *hostHeap) Swap(i, j int) {
	h.hosts[i], h.hosts[j] = h.hosts[j], h.hosts[i]
	h.hosts[i].index, h.hosts[j].index = i, j
}

func (h *hostHeap) Push(x any) {
	e := x.(*Host)
	e.index = len(h.hosts)
	h.hosts = append(h.hosts, e)
}

func (h *hostHeap) Pop() any {
	n := len(h.hosts) - 1
	e := h.hosts[n]
	h.hosts[n] = nil
	h.hosts = h.hosts[:n]
	return e
}
