package novelty

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// Links is the links of a snapshot as a stream in parts. It is read as often as
// it takes, and has to give the same links each time.
type Links interface {
	// Parts is the number of parts, which may be read at the same time.
	Parts() int
	// Part calls yield for pages of part i with pages that they link to, and
	// returns the first error of its own or of yield. The targets are only read
	// during the call. A source may come several times.
	Part(i int, yield func(source uint32, targets []uint32) error) error
}

// Chooser is links of which those of some sources can be left out for less than it
// costs to read them.
type Chooser interface {
	Links
	// Choose is Part without the pages that are not wanted.
	Choose(i int, wanted func(source uint32) bool, yield func(source uint32, targets []uint32) error) error
}

// Pairs is links in memory, as pairs of source and target.
type Pairs [][2]uint32

// Parts is one.
func (p Pairs) Parts() int { return 1 }

// Part yields the pairs in their order.
func (p Pairs) Part(_ int, yield func(uint32, []uint32) error) error {
	for i := range p {
		if err := yield(p[i][0], p[i][1:]); err != nil {
			return err
		}
	}
	return nil
}

// Lists is links in memory: the pages that each page links to.
type Lists [][]uint32

// Parts is one.
func (l Lists) Parts() int { return 1 }

// Part yields the lists in the order of their pages.
func (l Lists) Part(_ int, yield func(uint32, []uint32) error) error {
	for source, targets := range l {
		if err := yield(uint32(source), targets); err != nil {
			return err
		}
	}
	return nil
}

// UnknownPageError is a link from or to a page that does not exist.
type UnknownPageError struct {
	Source, Target uint32
	Pages          int // how many there are
}

func (e *UnknownPageError) Error() string {
	return fmt.Sprintf("link from page %d to page %d: there are only the pages 0 to %d", e.Source, e.Target, e.Pages-1)
}

func inRange(pages int, source uint32, targets []uint32) error {
	if uint64(source) >= uint64(pages) {
		e := &UnknownPageError{Source: source, Pages: pages}
		if len(targets) > 0 {
			e.Target = targets[0]
		}
		return e
	}
	for _, t := range targets {
		if uint64(t) >= uint64(pages) {
			return &UnknownPageError{Source: source, Target: t, Pages: pages}
		}
	}
	return nil
}

// eachPart reads all parts, up to workers of them at once, and tells use which
// worker calls it. Sources that are not wanted may be left out; a nil wanted wants all.
func eachPart(ctx context.Context, links Links, workers int, wanted func(uint32) bool, use func(worker int, source uint32, targets []uint32) error) error {
	chooser, chooses := links.(Chooser)
	return parallel(ctx, workers, links.Parts(), func(worker, part int) error {
		yield := func(source uint32, targets []uint32) error { return use(worker, source, targets) }
		if chooses && wanted != nil {
			return chooser.Choose(part, wanted, yield)
		}
		return links.Part(part, yield)
	})
}

// numWorkers turns the number asked for into the number used.
func numWorkers(workers int) int {
	if workers > 0 {
		return workers
	}
	return runtime.GOMAXPROCS(0)
}

// parallel does the tasks 0 .. n-1, each once, on up to workers goroutines, and
// returns the error of the lowest task that failed. After an error, or when ctx is
// done, no further task is begun.
func parallel(ctx context.Context, workers, n int, do func(worker, task int) error) error {
	workers = min(numWorkers(workers), n)
	var (
		next   atomic.Int64
		stop   atomic.Bool
		wait   sync.WaitGroup
		mu     sync.Mutex // guards failed and first
		failed = n
		first  error
	)
	for w := range workers {
		wait.Go(func() {
			for !stop.Load() {
				task := int(next.Add(1) - 1)
				if task >= n {
					return
				}
				err := ctx.Err()
				if err == nil {
					err = do(w, task)
				}
				if err != nil {
					stop.Store(true)
					mu.Lock()
					if task < failed {
						failed, first = task, err
					}
					mu.Unlock()
				}
			}
		})
	}
	wait.Wait()
	return first
}
