package snapshot

import (
	"cmp"
	"container/heap"

	"github.com/strandlinehq/strandline/crawler/frontier"
	"github.com/strandlinehq/strandline/store"
)

// A crawl may have hosts by the hundred thousand, most of which wait. So nothing walks all
// of them for a batch: those of which the database may have more URLs stand in a heap, those
// that are closed in a list until their URLs are dropped, and then only why is kept.

// lowHost is a host in the heap of those to be asked for; tried is as it was when it came.
type lowHost struct {
	*host
	tried int64
}

// lowHosts is a heap: who has been tried least comes first.
type lowHosts []lowHost

func (l lowHosts) Len() int { return len(l) }
func (l lowHosts) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(l[i].tried, l[j].tried), cmp.Compare(l[i].ID, l[j].ID)) < 0
}
func (l lowHosts) Swap(i, j int) { l[i], l[j] = l[j], l[i] }
func (l *lowHosts) Push(x any)   { *l = append(*l, x.(lowHost)) }

func (l *lowHosts) Pop() any {
	n := len(*l) - 1
	h := (*l)[n]
	(*l)[n] = lowHost{}
	*l = (*l)[:n]
	return h
}

// need notes that the database may have URLs of a host that are not in memory: to be taken,
// or dropped where the host is closed.
func (c *crawl) need(h *host) {
	h.more = true
	switch {
	case h.closed != "":
		if !h.inShut {
			h.inShut = true
			c.shut = append(c.shut, h)
		}
	case !h.inLow:
		h.inLow = true
		heap.Push(&c.low, lowHost{h, h.Tried})
	}
}

// all lets every host be asked for again.
func (c *crawl) all() {
	for _, h := range c.hosts {
		if h.closed != "" {
			continue
		}
		h.more = true
		if !h.inLow {
			h.inLow = true
			c.low = append(c.low, lowHost{h, h.Tried})
		}
	}
	heap.Init(&c.low)
}

// lowest takes up to n hosts out of the heap that may be asked for now. Of the others it
// is noted again when that changes: a URL is taken out of a queue, a fetch is stored, a
// lease is had and the hosts are read.
func (c *crawl) lowest(n int) []*host {
	var out []*host
	for len(out) < n && len(c.low) > 0 {
		h := heap.Pop(&c.low).(lowHost).host
		h.inLow = false
		if h.more && h.closed == "" && h.Queued() < least/2 && c.hasShare(h) && c.leases.Hold(h.Bucket) {
			c.leases.Free(h.Bucket) // ours; Hold is asked again when a fetch begins
			out = append(out, h)
		}
	}
	return out
}

// closing takes some of the hosts that are closed and may have URLs in the database.
func (c *crawl) closing() []*host {
	n := min(64, len(c.shut))
	out := c.shut[:n:n]
	c.shut = c.shut[n:]
	for _, h := range out {
		h.more, h.inShut = false, false
	}
	return out
}

// forget drops hosts that are closed and have nothing left; why is kept.
func (c *crawl) forget(hosts []*host) {
	for _, h := range hosts {
		if !h.more && h.unstored == 0 && h.Running() == 0 && h.Queued() == 0 {
			delete(c.hosts, store.HostID(h.ID))
			c.left[store.HostID(h.ID)] = h.closed
		}
	}
}

// recall takes a host that was forgotten back, to drop what the database has of it again.
func (c *crawl) recall(id store.HostID) *host {
	h := &host{Host: frontier.Host{ID: int64(id), Bucket: id.Bucket()}, closed: c.left[id]}
	delete(c.left, id)
	c.hosts[id] = h
	return h
}

// again notes hosts whose URLs could not be had.
func (c *crawl) again(hosts []*host) {
	for _, h := range hosts {
		c.need(h)
	}
}
