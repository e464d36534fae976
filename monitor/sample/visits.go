package sample

import (
	"bufio"
	"cmp"
	"container/heap"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"

	"github.com/zeebo/xxh3"
)

// Hash stands for an address or a user. Two different ones share a hash with
// probability 2^-64.
func Hash(s string) uint64 { return xxh3.HashString(s) }

// Visit is a row of the log.
type Visit struct {
	Page, User uint64 // Hash
	At         int64  // seconds
}

func compare(a, b Visit) int {
	return cmp.Or(cmp.Compare(a.Page, b.Page), cmp.Compare(a.User, b.User), cmp.Compare(a.At, b.At))
}

// Stats is what the log says of a page.
type Stats struct {
	Page     uint64
	Visitors int
	Visits   int
	// Between is the sum of the times between a visitor's successive visits, in
	// seconds, over all visitors.
	Between int64
}

// Revisits is the mean number of times that a visitor returned.
func (s Stats) Revisits() float64 {
	if s.Visitors == 0 {
		return 0
	}
	return float64(s.Visits-s.Visitors) / float64(s.Visitors)
}

// Gap is the mean time between a visitor's successive visits. ok is false if
// nobody returned.
func (s Stats) Gap() (gap time.Duration, ok bool) {
	n := s.Visits - s.Visitors
	if n <= 0 {
		return 0, false
	}
	const limit = 1 << 33 // seconds, what a Duration can hold
	return time.Duration(min(float64(s.Between)/float64(n), limit) * float64(time.Second)), true
}

// Spool is where a Counter puts visits that do not fit in memory; an *os.File is
// one. It is written once, rewound, read once and closed.
type Spool interface {
	io.Reader
	io.Writer
	io.Seeker
	io.Closer
}

// CounterOptions for NewCounter. The zero value counts in memory.
type CounterOptions struct {
	// Visits is how many are held in memory, at 24 bytes each; zero means a million.
	Visits int
	// Spool opens a new spool each time they are reached. If it is nil all visits
	// are held in memory.
	Spool func() (Spool, error)
}

// Counter computes the Stats of pages from visits in any order: an external sort.
type Counter struct {
	opt    CounterOptions
	held   []Visit
	spools []Spool
	err    error
}

// NewCounter returns a Counter without visits.
func NewCounter(opt CounterOptions) *Counter {
	opt.Visits = cmp.Or(max(opt.Visits, 0), 1<<20)
	return &Counter{opt: opt}
}

const visitSize = 24

// Add takes a visit.
func (c *Counter) Add(v Visit) error {
	if c.err != nil {
		return c.err
	}
	c.held = append(c.held, v)
	if len(c.held) >= c.opt.Visits && c.opt.Spool != nil {
		if err := c.spill(); err != nil {
			c.err = fmt.Errorf("put visits aside: %w", err)
		}
	}
	return c.err
}

func (c *Counter) spill() error {
	s, err := c.opt.Spool()
	if err != nil {
		return err
	}
	c.spools = append(c.spools, s)
	slices.SortFunc(c.held, compare)
	w := bufio.NewWriterSize(s, 1<<16)
	var b [visitSize]byte
	for _, v := range c.held {
		binary.LittleEndian.PutUint64(b[:], v.Page)
		binary.LittleEndian.PutUint64(b[8:], v.User)
		binary.LittleEndian.PutUint64(b[16:], uint64(v.At))
		if _, err := w.Write(b[:]); err != nil {
			return err
		}
	}
	c.held = c.held[:0]
	if err := w.Flush(); err != nil {
		return err
	}
	_, err = s.Seek(0, io.SeekStart)
	return err
}

// Pages returns the pages in the order of their hashes. It can be gone through
// once; Err then tells whether it was complete.
func (c *Counter) Pages() iter.Seq[Stats] {
	return func(yield func(Stats) bool) {
		var s Stats
		var last Visit
		for v := range c.sorted() {
			switch {
			case s.Visits == 0 || v.Page != s.Page:
				if s.Visits > 0 && !yield(s) {
					return
				}
				s = Stats{Page: v.Page, Visitors: 1}
			case v.User != last.User:
				s.Visitors++
			default:
				s.Between += v.At - last.At
			}
			s.Visits++
			last = v
		}
		if s.Visits > 0 && c.err == nil {
			yield(s)
		}
	}
}

// Err returns the first error of Add and Pages.
func (c *Counter) Err() error { return c.err }

// Close closes the spools.
func (c *Counter) Close() error {
	var errs []error
	for _, s := range c.spools {
		errs = append(errs, s.Close())
	}
	c.spools = nil
	return errors.Join(errs...)
}

// sorted merges the spools and what is held.
func (c *Counter) sorted() iter.Seq[Visit] {
	return func(yield func(Visit) bool) {
		slices.SortFunc(c.held, compare)
		var m merge
		for _, s := range c.spools {
			m = append(m, &stream{read: bufio.NewReaderSize(s, 1<<16)})
		}
		m = append(m, &stream{held: c.held})
		for i := 0; i < len(m); {
			if m[i].next() {
				i++
				continue
			}
			if c.err = m[i].err; c.err != nil {
				return
			}
			m = slices.Delete(m, i, i+1)
		}
		heap.Init(&m)
		for len(m) > 0 {
			if !yield(m[0].head) {
				return
			}
			if m[0].next() {
				heap.Fix(&m, 0)
				continue
			}
			if c.err = m[0].err; c.err != nil {
				return
			}
			heap.Pop(&m)
		}
	}
}

// stream is a sorted run of visits, in a spool or in memory.
type stream struct {
	read *bufio.Reader
	held []Visit
	head Visit
	err  error
}

func (s *stream) next() bool {
	if s.read == nil {
		if len(s.held) == 0 {
			return false
		}
		s.head, s.held = s.held[0], s.held[1:]
		return true
	}
	var b [visitSize]byte
	if _, err := io.ReadFull(s.read, b[:]); err != nil {
		if !errors.Is(err, io.EOF) {
			s.err = fmt.Errorf("read visits put aside: %w", err)
		}
		return false
	}
	s.head = Visit{binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:]), int64(binary.LittleEndian.Uint64(b[16:]))}
	return true
}

// merge is a heap of streams by their heads.
type merge []*stream

func (m merge) Len() int           { return len(m) }
func (m merge) Less(i, j int) bool { return compare(m[i].head, m[j].head) < 0 }
func (m merge) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }
func (m *merge) Push(x any)        { *m = append(*m, x.(*stream)) }
func (m *merge) Pop() any {
	last := (*m)[len(*m)-1]
	*m = (*m)[:len(*m)-1]
	return last
}
