package archive

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/strandlinehq/strandline/crawler/warc/cdxj"
)

// maxIndex is how many lines of an index are taken; they are held in memory.
const maxIndex = 5_000_000

// BadLine is a line of an index that cannot be read.
type BadLine struct {
	Number int // from 1
	Err    error
}

func (b BadLine) Error() string { return fmt.Sprintf("line %d: %v", b.Number, b.Err) }

func (b BadLine) Unwrap() error { return b.Err }

// ReadIndex reads a CDXJ index, plain or gzip, and returns its entries in the
// order of keys and times with the lines that are none. An error is returned for
// what is no index at all: what cannot be read, is too long, or has no entry.
func ReadIndex(r io.Reader) ([]cdxj.Entry, []BadLine, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	if magic, _ := in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, nil, fmt.Errorf("read index: %w", err)
		}
		in = bufio.NewReaderSize(z, 64<<10)
	}
	var entries []cdxj.Entry
	var bad []BadLine
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, cdxj.MaxLine)
	for n := 1; lines.Scan(); n++ {
		e, err := cdxj.Parse(lines.Bytes())
		switch {
		case errors.Is(err, cdxj.ErrHeader):
		case err != nil:
			bad = append(bad, BadLine{n, err})
		case e.URL == "":
			bad = append(bad, BadLine{n, errors.New("the entry has no url")})
		case len(entries) == maxIndex:
			return nil, bad, fmt.Errorf("read index: more than %d entries: cut the file into parts", maxIndex)
		default:
			entries = append(entries, e)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, bad, fmt.Errorf("read index: %w", err)
	}
	if len(entries) == 0 {
		if len(bad) > 0 {
			return nil, bad, fmt.Errorf("read index: no line is an entry of CDXJ; the first mistake: %w", bad[0])
		}
		return nil, bad, errors.New("read index: the file has no entry")
	}
	slices.SortStableFunc(entries, cdxj.Compare)
	return entries, bad, nil
}
