package localpg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

const (
	startLock = "start.lock" // held exclusively while starting, leaving, stopping
	usersLock = "users.lock" // held shared by every user of the server
)

// lock opens a file of the folder and takes a flock(2) on it. Closing the file
// gives the lock back, as does the end of the process. Each call has a lock of
// its own, also within one process. Go opens files close-on-exec, so that the
// server does not inherit the lock, which would make it a user of itself.
func (f *folder) lock(ctx context.Context, name string, how int) (*os.File, error) {
	file, err := f.create(name, os.O_RDWR)
	if err != nil {
		return nil, err
	}
	// A blocking flock could not be called off by ctx.
	for wait := time.Millisecond; ; wait = min(2*wait, 20*time.Millisecond) {
		err := syscall.Flock(int(file.Fd()), how|syscall.LOCK_NB)
		if err == nil {
			return file, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			file.Close()
			return nil, fmt.Errorf("lock %s: %w", name, err)
		}
		if err := pause(ctx, wait); err != nil {
			file.Close()
			return nil, fmt.Errorf("wait for another program to let go of %s: %w", name, err)
		}
	}
}

// pause waits for d, or until ctx ends and then returns why.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
