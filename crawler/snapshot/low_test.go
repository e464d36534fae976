package snapshot

import (
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/crawler/frontier"
	"github.com/strandlinehq/strandline/store"
)

// heldBuckets are leases of some buckets.
type heldBuckets map[int32]bool

func (h heldBuckets) Buckets() []int32  { return nil }
func (h heldBuckets) Hold(b int32) bool { return h[b] }
func (h heldBuckets) Free(int32)        {}
func idsOf(hosts []*host) (out []int64) {
	for _, h := range hosts {
		out = append(out, h.ID)
	}
	return out
}

// TestLowHosts: hosts are asked for by how often they were tried, each once for each time
// that there is a reason to; those that are closed are dropped, forgotten and recalled.
func TestLowHosts(t *testing.T) {
	t.Parallel()
	c := &crawl{
		parts: parts{leases: heldBuckets{0: true}, opt: Options{Logger: slog.New(slog.DiscardHandler)}}, series: &Series{},
		queue: frontier.New(frontier.Options{}), hosts: map[store.HostID]*host{}, left: map[store.HostID]string{}, held: map[store.PageID]bool{},
	}
	hosts := make([]*host, 6)
	for i, tried := range []int64{5, 1, 3, 0, 3, 2} {
		hosts[i] = &host{Host: frontier.Host{ID: int64(i)}, Tally: store.Tally{Tried: tried}}
		if i == 3 {
			hosts[i].Bucket = 1 // another daemon's
		}
		c.hosts[store.HostID(i)] = hosts[i]
		c.need(hosts[i])
		c.need(hosts[i])
	}
	c.close(hosts[5], "unreachable")
	want := func(what string, got []*host, ids ...int64) {
		t.Helper()
		if diff := cmp.Diff(ids, idsOf(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	want("the first two", c.lowest(2), 1, 2)
	want("the rest", c.lowest(9), 4, 0)
	want("nobody is left", c.lowest(9))
	c.queue.Push(&hosts[0].Host, &frontier.URL{Page: 1}, &frontier.URL{Page: 2}, &frontier.URL{Page: 3}, &frontier.URL{Page: 4})
	c.all()
	want("who has URLs is not asked", c.lowest(9), 1, 2, 4)

	shut := c.closing()
	want("closed", shut, 5)
	want("closed, once", c.closing())
	c.forget(shut)
	if c.hosts[5] != nil || c.left[5] != "unreachable" {
		t.Errorf("the closed host is not forgotten: %v, %v", c.hosts[5], c.left)
	}
	c.hear(store.Added{Page: 9, Host: 5}, "http://a.test/")
	want("closed, and heard of again", c.closing(), 5)
	if len(c.left) > 0 || c.hosts[5].closed != "unreachable" {
		t.Errorf("it came back as %+v", c.hosts[5])
	}
}
