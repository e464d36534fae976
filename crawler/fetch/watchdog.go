package fetch

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// watchdog calls a request off that takes too long as a whole, or whose body comes too slowly. It
// is one timer, which most requests outrun.
type watchdog struct {
	limits *Timeouts
	cancel context.CancelCauseFunc
	bytes  atomic.Int64 // of the body so far
	// waits tells that bytes are being waited for. While they are being decompressed, which takes
	// long on a busy machine, the host is not slow.
	waits atomic.Bool

	mu       sync.Mutex // guards what follows
	timer    *time.Timer
	deadline time.Time
	inBody   bool
	before   int64 // bytes at the start of the window
	over     bool
}

// watch starts to watch a request that cancel calls off.
func watch(limits *Timeouts, cancel context.CancelCauseFunc) *watchdog {
	d := &watchdog{limits: limits, cancel: cancel, deadline: time.Now().Add(limits.Total)}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.timer = time.AfterFunc(limits.Total, d.look)
	return d
}

// body says that the header has come and the body is being read.
func (d *watchdog) body() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.over {
		d.inBody = true
		d.next()
	}
}

// stop says that the request is over.
func (d *watchdog) stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.over = true
	d.timer.Stop()
}

// look is called by the timer: at the end of a window, or of all time.
func (d *watchdog) look() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over {
		return
	}
	if !time.Now().Before(d.deadline) {
		d.over = true
		d.cancel(errTimeout)
		return
	}
	if d.inBody {
		n := d.bytes.Load()
		if d.waits.Load() && float64(n-d.before) < float64(d.limits.Rate)*d.limits.Window.Seconds() {
			d.over = true
			d.cancel(errSlowBody)
			return
		}
		d.before = n
	}
	d.next()
}

// next sets the timer to the end of the window or the deadline, whichever is first.
func (d *watchdog) next() {
	wait := time.Until(d.deadline)
	if d.inBody {
		wait = min(wait, d.limits.Window)
	}
	d.timer.Reset(max(wait, 0))
}
