package linkfile

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/strandlinehq/strandline/monitor/novelty"
)

// Pages reads the classes of all pages. Each id has to come once, and none may be
// missing below the highest.
func Pages(path string, format Format) ([]novelty.Class, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	stat, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !stat.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	r := bufio.NewReaderSize(f, 1<<20)
	p := &pageReader{path: path, size: stat.Size()}
	if format == Binary {
		head, err := r.Peek(512)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		if len(head) == 0 || bytes.IndexByte(head, 0) >= 0 {
			err = p.binary(r)
			return p.done(err)
		}
	}
	return p.done(p.text(r))
}

type pageReader struct {
	path    string
	size    int64
	offset  int64
	line    int64
	count   int
	classes []novelty.Class
}

func (p *pageReader) fault(format string, args ...any) error {
	return &SyntaxError{Path: p.path, Line: p.line, Offset: p.offset, Msg: fmt.Sprintf(format, args...)}
}

// shortestLine is "0\tO\n".
const shortestLine = 4

func (p *pageReader) text(r *bufio.Reader) error {
	for {
		line, err := r.ReadSlice('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return nil
		}
		p.line++
		if errors.Is(err, bufio.ErrBufferFull) {
			return p.fault("a line of more than %d bytes", r.Size())
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		id, name, ok := bytes.Cut(trimEnd(line), []byte{'\t'})
		n, isNumber := number(id)
		if !ok || !isNumber {
			return p.fault("%s is not id<TAB>class", shorten(trimEnd(line)))
		}
		var class novelty.Class
		switch string(name) {
		case "L2":
			class = novelty.L2
		case "O":
			class = novelty.Old
		case "U":
			class = novelty.Unidentified
		case "":
			return p.fault("page %d has no class: it must be L2, O or U", n)
		default:
			return p.fault("page %d has class %s: it must be L2, O or U", n, shorten(name))
		}
		if err := p.set(n, class, p.size/(shortestLine-1)+1); err != nil {
			return err
		}
		p.offset += int64(len(line))
	}
}

func (p *pageReader) binary(r *bufio.Reader) error {
	if p.size%pairBytes != 0 {
		p.offset = p.size - p.size%pairBytes
		return p.fault("the file ends within a pair of uint32")
	}
	var pair [pairBytes]byte
	for {
		if _, err := io.ReadFull(r, pair[:]); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		id, code := binary.LittleEndian.Uint32(pair[:]), binary.LittleEndian.Uint32(pair[4:])
		classes := [...]novelty.Class{novelty.Old, novelty.L2, novelty.Unidentified}
		if code >= uint32(len(classes)) {
			return p.fault("page %d has class %d: it must be 0 (O), 1 (L2) or 2 (U)", id, code)
		}
		if err := p.set(id, classes[code], p.size/pairBytes); err != nil {
			return err
		}
		p.offset += pairBytes
	}
}

// set notes a page. A file of so many bytes cannot hold more than most pages.
func (p *pageReader) set(id uint32, class novelty.Class, most int64) error {
	if int64(id) >= most {
		return p.fault("page %d: ids must be dense from 0, and the file has at most %d pages", id, most)
	}
	if int(id) >= len(p.classes) {
		p.classes = append(p.classes, make([]novelty.Class, int(id)+1-len(p.classes))...)
	}
	if p.classes[id] != novelty.Absent {
		return p.fault("page %d comes twice", id)
	}
	p.classes[id] = class
	p.count++
	return nil
}

func (p *pageReader) done(err error) ([]novelty.Class, error) {
	var syntax *SyntaxError
	switch {
	case errors.As(err, &syntax):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", p.path, err)
	}
	if p.count < len(p.classes) {
		missing := 0
		for p.classes[missing] != novelty.Absent {
			missing++
		}
		return nil, fmt.Errorf("%s: page %d has no class: %d pages are missing below page %d, and ids must be dense from 0",
			p.path, missing, len(p.classes)-p.count, len(p.classes)-1)
	}
	return p.classes, nil
}

// trimEnd cuts the end of the line off.
func trimEnd(line []byte) []byte {
	line = bytes.TrimSuffix(line, []byte{'\n'})
	return bytes.TrimSuffix(line, []byte{'\r'})
}
