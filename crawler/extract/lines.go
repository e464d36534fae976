package extract

import "strings"

// Join tells how a chunk of text joins the visible text before it.
type Join uint8

const (
	JoinNone  Join = iota // directly, or a block element ended the line
	JoinSpace             // by a space
	JoinLine              // on a new line, though no element of the outline ends the last one (Folded)
)

// lineBuilder gathers the lines of the visible text (SCIENCE C3).
type lineBuilder struct {
	text  []byte
	lines []Line
	open  bool // the last line may grow
}

func (l *lineBuilder) reset() { l.text, l.lines, l.open = l.text[:0], l.lines[:0], false }

// end makes the next text begin a line.
func (l *lineBuilder) end() { l.open = false }

// addLine appends b, which is not empty and holds no line end, to the open line or
// begins one that stands in the given block element.
func addLine[S string | []byte](l *lineBuilder, b S, space bool, block int32) {
	if !l.open {
		if len(l.text) > 0 {
			l.text = append(l.text, '\n')
		}
		l.lines = append(l.lines, Line{Start: int32(len(l.text)), Node: block})
		l.open = true
	} else if space {
		l.text = append(l.text, ' ')
	}
	l.text = append(l.text, b...)
	l.lines[len(l.lines)-1].End = int32(len(l.text))
}

// linesOf computes the lines of an outline. It is what the sink does while the
// outline grows, for pages that come from a record.
func linesOf(nodes []Node, size int) (string, []Line) {
	l := lineBuilder{text: make([]byte, 0, size)}
	var open []openElement
	pop := func() {
		e := open[len(open)-1]
		open = open[:len(open)-1]
		if e.class&block != 0 {
			l.end()
		}
	}
	for i := range nodes {
		n := &nodes[i]
		for len(open) > 0 && int32(i) >= nodes[open[len(open)-1].node].End {
			pop()
		}
		if n.Tag != "" {
			e := openElement{node: int32(i), block: -1, class: classOfName(n.Tag)}
			if len(open) > 0 {
				e.block = open[len(open)-1].block
			}
			if e.class&block != 0 {
				e.block = int32(i)
				l.end()
			}
			open = append(open, e)
			continue
		}
		if n.Join == JoinLine {
			l.end()
		}
		space := n.Join == JoinSpace
		for rest, more := n.Text, true; more; {
			var line string
			if line, rest, more = strings.Cut(rest, "\n"); line != "" {
				addLine(&l, line, space, open[len(open)-1].block)
			}
			if more {
				l.end()
			}
		}
	}
	return string(l.text), l.lines
}
