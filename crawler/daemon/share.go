package daemon

import (
	"sync"
	"time"

	"github.com/strandlinehq/strandline/store"
)

// shared is the daemon's leases as others of the process use them: what takes
// snapshots crawls the hosts of the same buckets.
type shared struct {
	mu    sync.Mutex
	mine  [store.Buckets]bool // owned and not to be given back
	until time.Time
	inUse [store.Buckets]int32
}

// share makes the leases known to others.
func (d *Daemon) share(l *leases) {
	s := &d.shared
	s.mu.Lock()
	defer s.mu.Unlock()
	s.until = l.until
	for b := range s.mine {
		s.mine[b] = l.owned[b] && !l.leaving[b]
	}
}

// Buckets returns the buckets in which work may begin, rising. They change as
// daemons come and go.
func (d *Daemon) Buckets() []int32 {
	s := &d.shared
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []int32{}
	for b, mine := range s.mine {
		if mine {
			out = append(out, int32(b))
		}
	}
	return out
}

// Hold says that work begins in a bucket, and reports whether it may. Until Free is
// called the bucket is not given to another daemon.
func (d *Daemon) Hold(bucket int32) bool {
	s := &d.shared
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.mine[bucket] || !d.clock.Now().Before(s.until) {
		return false
	}
	s.inUse[bucket]++
	return true
}

// Free says that what Hold began has ended.
func (d *Daemon) Free(bucket int32) {
	s := &d.shared
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inUse[bucket]--
}

// free reports whether nobody else of the process works in a bucket.
func (d *Daemon) free(bucket int32) bool {
	s := &d.shared
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.inUse[bucket] == 0
}
