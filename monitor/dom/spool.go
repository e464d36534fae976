package dom

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"math"
)

// A line in a spool: its hashes and version, 8 bytes each, and its strings,
// each with its length as uvarint before it.
func appendLine(b []byte, l *Line) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(l.Node))
	b = binary.LittleEndian.AppendUint64(b, uint64(l.Subtree))
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(l.Version))
	for _, s := range [...]string{l.FullPath, l.TypePath, l.NodeText, l.SubtreeText} {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	return b
}

// readLine reads a line. A string that equals that of the line before takes no
// new memory.
func readLine(r *bufio.Reader, last Line) (Line, error) {
	var fixed [24]byte
	if _, err := io.ReadFull(r, fixed[:]); err != nil {
		return Line{}, err
	}
	l := Line{
		Node:    Hash(binary.LittleEndian.Uint64(fixed[:])),
		Subtree: Hash(binary.LittleEndian.Uint64(fixed[8:])),
		Version: math.Float64frombits(binary.LittleEndian.Uint64(fixed[16:])),
	}
	for _, s := range [...]struct{ to, old *string }{
		{&l.FullPath, &last.FullPath}, {&l.TypePath, &last.TypePath}, {&l.NodeText, &last.NodeText}, {&l.SubtreeText, &last.SubtreeText},
	} {
		n, err := binary.ReadUvarint(r)
		if err != nil {
			return Line{}, noEOF(err)
		}
		if b, err := r.Peek(int(min(n, 64<<10))); err == nil && string(b) == *s.old && uint64(len(b)) == n {
			*s.to = *s.old
			_, _ = r.Discard(len(b))
			continue
		}
		b := make([]byte, n)
		if _, err := io.ReadFull(r, b); err != nil {
			return Line{}, noEOF(err)
		}
		*s.to = string(b)
	}
	return l, nil
}

func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
