package dom

import (
	"bufio"
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
)

// Column names a part of a Line to sort or reduce by.
type Column uint8

const (
	FullPath Column = iota
	TypePath
	NodeHash
	SubtreeHash
	Version
)

// Compare orders two lines by the given columns in turn.
func Compare(a, b *Line, columns ...Column) int {
	for _, c := range columns {
		n := 0
		switch c {
		case FullPath:
			n = cmp.Compare(a.FullPath, b.FullPath)
		case TypePath:
			n = cmp.Compare(a.TypePath, b.TypePath)
		case NodeHash:
			n = cmp.Compare(a.Node, b.Node)
		case SubtreeHash:
			n = cmp.Compare(a.Subtree, b.Subtree)
		case Version:
			n = cmp.Compare(a.Version, b.Version)
		}
		if n != 0 {
			return n
		}
	}
	return 0
}

// Spool is where a Sorter puts lines that do not fit in memory; an *os.File is
// one. It is written once, rewound, read once and closed.
type Spool interface {
	io.Reader
	io.Writer
	io.Seeker
	io.Closer
}

// SortOptions for NewSorter. The zero value sorts in memory.
type SortOptions struct {
	// Memory is how many bytes of lines are held at most; zero means 32 MiB.
	Memory int
	// Spool opens a new spool each time they are reached. If it is nil all lines
	// are held in memory.
	Spool func() (Spool, error)
}

// Sorter sorts lines by columns, the paper's sort(...) (section 5.1; SCIENCE
// A27). Lines that are equal in the named columns come in the order of the
// others, so the outcome does not depend on the order of the input. Its memory
// is bounded by SortOptions.Memory and a buffer for each spool.
type Sorter struct {
	columns []Column
	opt     SortOptions
	lines   []Line
	size    int
	spools  []Spool
	err     error
}

// NewSorter returns a Sorter for the given columns.
func NewSorter(opt SortOptions, columns ...Column) *Sorter {
	if opt.Memory <= 0 {
		opt.Memory = 32 << 20
	}
	all := slices.Clone(columns)
	for c := FullPath; c <= Version; c++ {
		if !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return &Sorter{columns: all, opt: opt}
}

// Add takes a line.
func (s *Sorter) Add(l Line) error {
	const fixed = 128 // of a Line and its slice
	s.lines = append(s.lines, l)
	s.size += fixed + len(l.FullPath) + len(l.TypePath) + len(l.NodeText) + len(l.SubtreeText)
	if s.size > s.opt.Memory && s.opt.Spool != nil {
		s.err = errors.Join(s.err, s.spill())
	}
	return s.err
}

func (s *Sorter) sort() {
	slices.SortFunc(s.lines, func(a, b Line) int { return Compare(&a, &b, s.columns...) })
}

// spill writes the lines in memory to a new spool, sorted.
func (s *Sorter) spill() error {
	s.sort()
	f, err := s.opt.Spool()
	if err != nil {
		return fmt.Errorf("open spool: %w", err)
	}
	s.spools = append(s.spools, f)
	w := bufio.NewWriterSize(f, 64<<10)
	var b []byte
	for i := range s.lines {
		b = appendLine(b[:0], &s.lines[i])
		if _, err := w.Write(b); err != nil {
			return fmt.Errorf("write spool: %w", err)
		}
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write spool: %w", err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("rewind spool: %w", err)
	}
	clear(s.lines)
	s.lines, s.size = s.lines[:0], 0
	return nil
}

// Lines returns the sorted lines. It can be gone through once; Err then tells
// whether it was complete.
func (s *Sorter) Lines() iter.Seq[Line] {
	return func(yield func(Line) bool) {
		if s.err != nil {
			return
		}
		s.sort()
		m := merge{columns: s.columns}
		for _, f := range s.spools {
			r := bufio.NewReaderSize(f, 64<<10)
			m.add(&run{next: func(last Line) (Line, error) { return readLine(r, last) }})
		}
		rest := s.lines
		m.add(&run{next: func(Line) (Line, error) {
			if len(rest) == 0 {
				return Line{}, io.EOF
			}
			l := rest[0]
			rest = rest[1:]
			return l, nil
		}})
		for len(m.runs) > 0 && m.err == nil {
			if !yield(m.runs[0].line) {
				return
			}
			m.advance()
		}
		s.err = m.err
	}
}

// Err returns the first error of Add and Lines.
func (s *Sorter) Err() error { return s.err }

// Close closes the spools.
func (s *Sorter) Close() error {
	var err error
	for _, f := range s.spools {
		err = errors.Join(err, f.Close())
	}
	s.spools, s.lines = nil, nil
	return err
}

// merge is a heap of runs by their first line.
type merge struct {
	columns []Column
	runs    []*run
	err     error
}

type run struct {
	line Line
	next func(last Line) (Line, error) // io.EOF at the end
}

func (m *merge) Len() int { return len(m.runs) }
func (m *merge) Less(i, j int) bool {
	return Compare(&m.runs[i].line, &m.runs[j].line, m.columns...) < 0
}
func (m *merge) Swap(i, j int) { m.runs[i], m.runs[j] = m.runs[j], m.runs[i] }
func (m *merge) Push(x any)    { m.runs = append(m.runs, x.(*run)) }
func (m *merge) Pop() any {
	r := m.runs[len(m.runs)-1]
	m.runs = m.runs[:len(m.runs)-1]
	return r
}

func (m *merge) add(r *run) {
	if m.read(r) {
		heap.Push(m, r)
	}
}

func (m *merge) read(r *run) bool {
	l, err := r.next(r.line)
	if err != nil {
		if !errors.Is(err, io.EOF) {
			m.err = errors.Join(m.err, fmt.Errorf("read spool: %w", err))
		}
		return false
	}
	r.line = l
	return true
}

func (m *merge) advance() {
	if m.read(m.runs[0]) {
		heap.Fix(m, 0)
	} else {
		heap.Pop(m)
	}
}
