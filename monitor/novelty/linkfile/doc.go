// Package linkfile reads snapshots from files: the pages with their classes and the
// links between them, for the novelty of data that never was in the database.
//
// There are two formats. In [Text], lines of two fields parted by a tab:
//
//	pages   id<TAB>class        class is L2, O or U; ids dense from 0, in any order
//	links   source<TAB>target
//
// In [Binary], pairs of uint32, little-endian, without a header: source and target
// for links; id and class for pages, the class being 0 for O, 1 for L2, 2 for U. A
// pages file without a zero byte near its beginning is taken for text in either
// format, since pairs never are without.
//
// [Pages] reads the classes into memory. [Open] gives the links as novelty.Links:
// the file is read in parts, several at once, and never held. A fault is a
// [SyntaxError] with the line, or the offset in a binary file.
package linkfile

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// Format is how a file is written.
type Format uint8

// The formats.
const (
	Text Format = iota
	Binary
)

// pairBytes is the length of a pair in Binary.
const pairBytes = 8

// SyntaxError is a fault of a file.
type SyntaxError struct {
	Path   string
	Line   int64 // from 1; 0 in binary files
	Offset int64 // of the line or the pair, in bytes
	Msg    string
}

func (e *SyntaxError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.Msg)
	}
	return fmt.Sprintf("%s: at byte %d: %s", e.Path, e.Offset, e.Msg)
}

// lineAt gives the number of the line that begins at an offset.
func lineAt(path string, offset int64) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	line := int64(1)
	buffer := make([]byte, 1<<16)
	for r := io.LimitReader(f, offset); ; {
		n, err := r.Read(buffer)
		line += int64(bytes.Count(buffer[:n], []byte{'\n'}))
		if err == io.EOF {
			return line, nil
		}
		if err != nil {
			return 0, err
		}
	}
}

// number reads a page id from decimal digits alone.
func number(s []byte) (uint32, bool) {
	if len(s) == 0 || len(s) > 10 {
		return 0, false
	}
	var n uint64
	for _, c := range s {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	return uint32(n), n <= 1<<32-1
}

// shorten quotes what stands in a file for a message.
func shorten(s []byte) string {
	if len(s) > 40 {
		return fmt.Sprintf("%q...", s[:40])
	}
	return fmt.Sprintf("%q", s)
}
