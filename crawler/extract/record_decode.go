package extract

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// ErrRecord is wrapped by the errors of DecodeRecord.
var ErrRecord = errors.New("extract: damaged record")

// DecodeRecord reads a record that AppendRecord wrote. The page has no links.
// Any bytes may be given: what is not a record is an error that wraps
// ErrRecord. Time and memory are linear in len(b).
func DecodeRecord(b []byte) (*Page, error) {
	if len(b) == 0 || len(b) > maxRecord {
		return nil, fmt.Errorf("%w: %d bytes", ErrRecord, len(b))
	}
	if b[0] != recordVersion {
		return nil, fmt.Errorf("%w: version %d", ErrRecord, b[0])
	}
	r := reader{s: string(b), at: 1}
	p := &Page{}
	flags := r.uvarint()
	if flags > uint64(knownFlags) {
		r.fail("flags")
	}
	p.Flags = Flags(flags)
	p.Charset = r.str()
	p.CharsetFrom = CharsetSource(r.byte())
	p.Lang, p.ContentLanguage, p.Detected, p.Title = r.str(), r.str(), r.str(), r.str()
	r.dates(p)
	size := r.nodes(p)
	if r.err == nil {
		p.text, p.Lines = linesOf(p.Nodes, size)
	}
	r.sentences(p)
	if r.err == nil && r.at != len(r.s) {
		r.fail("end")
	}
	if r.err != nil {
		return nil, r.err
	}
	return p, nil
}

// reader reads a record. After an error it reads nothing but zeros.
type reader struct {
	s   string
	at  int
	err error
}

func (r *reader) fail(what string) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s at byte %d", ErrRecord, what, r.at)
	}
	r.at = len(r.s)
}

func (r *reader) byte() byte {
	if r.at >= len(r.s) {
		r.fail("short")
		return 0
	}
	r.at++
	return r.s[r.at-1]
}

// uvarint reads a number in its shortest form.
func (r *reader) uvarint() uint64 {
	if r.at < len(r.s) && r.s[r.at] < 0x80 {
		r.at++
		return uint64(r.s[r.at-1])
	}
	var v uint64
	for shift := 0; shift < 64; shift += 7 {
		c := r.byte()
		v |= uint64(c&0x7F) << shift
		if c < 0x80 {
			if c == 0 || shift == 63 && c > 1 {
				break
			}
			return v
		}
	}
	r.fail("number")
	return 0
}

func (r *reader) str() string {
	n := r.uvarint()
	if n > uint64(len(r.s)-r.at) {
		r.fail("string")
		return ""
	}
	s := r.s[r.at : r.at+int(n)]
	r.at += int(n)
	if !utf8.ValidString(s) {
		r.fail("encoding")
		return ""
	}
	return s
}

func (r *reader) dates(p *Page) {
	for {
		kind := DateKind(r.byte())
		if kind == 0 {
			return
		}
		if kind > Mentioned || len(p.Dates) == maxDates {
			r.fail("date")
			return
		}
		p.Dates = append(p.Dates, Date{kind, r.str()})
	}
}

// nodes reads the tree and returns the size of its text.
func (r *reader) nodes(p *Page) (size int) {
	nodes := make([]Node, 0, (len(r.s)-r.at)/24+8)
	open := int32(-1)
	for r.err == nil {
		op := r.byte()
		switch {
		case op == 0:
			if open < 0 {
				r.fail("tree")
				return
			}
			nodes[open].End = int32(len(nodes))
			if open = nodes[open].Parent; open < 0 {
				p.Nodes = nodes
				return size
			}
		case op <= firstChunk+byte(JoinLine) && open >= 0:
			n := Node{Text: r.str(), Parent: open, End: int32(len(nodes) + 1), Join: Join(op - firstChunk)}
			size += len(n.Text) + 1
			nodes = append(nodes, n)
		case op&^0xF == opElement && (open >= 0 || len(nodes) == 0):
			n := Node{Parent: open, End: int32(len(nodes) + 1)}
			if op&opName != 0 {
				n.Tag = r.str()
			} else if c := int(r.byte()); c < len(tagCodes) {
				n.Tag = tagCodes[c].String()
			}
			if n.Tag == "" {
				r.fail("tag")
			}
			if op&opID != 0 {
				n.ID = r.str()
			}
			if op&opClass != 0 {
				n.Class = r.str()
			}
			nodes = append(nodes, n)
			if op&opLeaf == 0 {
				open = int32(len(nodes) - 1)
			} else if open < 0 {
				p.Nodes = nodes
				return size
			}
		default:
			r.fail("node")
		}
	}
	return 0
}

func (r *reader) sentences(p *Page) {
	if r.err != nil {
		return
	}
	out := make([]Sentence, 0, len(p.Lines)+len(p.Lines)/2)
	for i, l := range p.Lines {
		n, size := r.uvarint(), uint64(l.End-l.Start)
		switch {
		case r.err != nil:
			return
		case n == 0:
		case n == 1:
			out = append(out, Sentence{int32(i), 0, int32(size)})
		default:
			at := uint64(0)
			for ; n > 1 && r.err == nil; n-- {
				gap, length := r.uvarint(), r.uvarint()
				if gap > size-at {
					r.fail("sentence")
					return
				}
				at += gap
				if length == 0 {
					length = size - at
				}
				if length > size-at {
					r.fail("sentence")
					return
				}
				out = append(out, Sentence{int32(i), int32(at), int32(at + length)})
				at += length
			}
		}
	}
	p.Sentences = out
}
