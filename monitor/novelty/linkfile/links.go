package linkfile

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// partBytes is about how much of the file is a part; a multiple of pairBytes.
const partBytes = 64 << 20

// batch is how many links of one source are handed over at a time.
const batch = 1024

// Links is a file of links. It is opened anew for each part that is read, so that
// it need not be closed. It implements novelty.Links.
type Links struct {
	path   string
	format Format
	pages  uint32
	size   int64
	part   int64
}

// Open looks at a file of links between the pages 0 .. pages-1. Links from or to
// other pages are faults that reading finds.
func Open(path string, format Format, pages int) (*Links, error) {
	stat, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !stat.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file: links are read more than once", path)
	}
	l := &Links{path: path, format: format, pages: uint32(pages), size: stat.Size(), part: partBytes}
	if format == Binary && l.size%pairBytes != 0 {
		return nil, &SyntaxError{Path: path, Offset: l.size - l.size%pairBytes, Msg: "the file ends within a pair of uint32"}
	}
	return l, nil
}

// Parts is the number of parts.
func (l *Links) Parts() int { return int((l.size + l.part - 1) / l.part) }

// Part reads part i. Lines belong to the part in which they begin.
func (l *Links) Part(i int, yield func(source uint32, targets []uint32) error) error {
	f, err := os.Open(l.path)
	if err != nil {
		return err
	}
	defer f.Close()
	from := int64(i) * l.part
	run := &run{links: l, yield: yield, targets: make([]uint32, 0, batch)}
	if l.format == Binary {
		err = run.binary(bufio.NewReaderSize(io.NewSectionReader(f, from, min(l.part, l.size-from)), 1<<20), from)
	} else {
		err = run.text(f, from)
	}
	if err != nil {
		return err
	}
	return run.flush()
}

// run gathers links of one source that follow each other.
type run struct {
	links   *Links
	yield   func(uint32, []uint32) error
	source  uint32
	targets []uint32
}

func (r *run) flush() error {
	if len(r.targets) == 0 {
		return nil
	}
	err := r.yield(r.source, r.targets)
	r.targets = r.targets[:0]
	return err
}

// add takes the link that stands at an offset.
func (r *run) add(source, target uint32, offset int64) error {
	if pages := r.links.pages; source >= pages || target >= pages {
		unknown := source
		if source < pages {
			unknown = target
		}
		return r.links.fault(offset, "link from page %d to page %d: page %d is not in the pages file", source, target, unknown)
	}
	if source != r.source || len(r.targets) == batch {
		if err := r.flush(); err != nil {
			return err
		}
		r.source = source
	}
	r.targets = append(r.targets, target)
	return nil
}

func (r *run) binary(in *bufio.Reader, offset int64) error {
	for {
		pair, err := in.Peek(pairBytes)
		if errors.Is(err, io.EOF) && len(pair) == 0 {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", r.links.path, err)
		}
		if err := r.add(binary.LittleEndian.Uint32(pair), binary.LittleEndian.Uint32(pair[4:]), offset); err != nil {
			return err
		}
		if _, err := in.Discard(pairBytes); err != nil {
			return err
		}
		offset += pairBytes
	}
}

func (r *run) text(f *os.File, from int64) error {
	end := min(from+r.links.part, r.links.size)
	offset := max(from-1, 0) // a line that begins at from has its predecessor's end before it
	in := bufio.NewReaderSize(io.NewSectionReader(f, offset, r.links.size-offset), 1<<20)
	skip := from > 0
	for offset < end {
		line, err := in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return r.links.fault(offset, "a line of more than %d bytes", in.Size())
		case err != nil && !errors.Is(err, io.EOF):
			return fmt.Errorf("read %s: %w", r.links.path, err)
		}
		if !skip {
			if err := r.line(trimEnd(line), offset); err != nil {
				return err
			}
		}
		skip = false
		offset += int64(len(line))
		if err != nil {
			return nil
		}
	}
	return nil
}

func (r *run) line(line []byte, offset int64) error {
	tab := bytes.IndexByte(line, '\t')
	if tab < 0 {
		return r.links.fault(offset, "%s is not source<TAB>target", shorten(line))
	}
	source, ok := number(line[:tab])
	target, fine := number(line[tab+1:])
	if !ok || !fine {
		return r.links.fault(offset, "%s is not source<TAB>target, two page ids", shorten(line))
	}
	return r.add(source, target, offset)
}

// fault describes what is wrong at an offset.
func (l *Links) fault(offset int64, format string, args ...any) error {
	e := &SyntaxError{Path: l.path, Offset: offset, Msg: fmt.Sprintf(format, args...)}
	if l.format == Text {
		line, err := lineAt(l.path, offset)
		if err != nil {
			return err
		}
		e.Line = line
	}
	return e
}
