package extract

import "strings"

// Chunk is a piece of a line that stands in one element.
type Chunk struct {
	Node  int32  // the chunk's node; its Parent is the element
	Text  string // not empty
	Space bool   // a space stands between it and the chunk before
}

// Spans returns the chunks of each line, in the order of Lines: joined as Space
// says they are the line's text.
func (p *Page) Spans() [][]Chunk {
	out := make([][]Chunk, len(p.Lines))
	line, at := 0, int32(0) // the line and the offset in the text that come next
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if n.Tag != "" {
			continue
		}
		for rest, more := n.Text, true; more; {
			var text string
			if text, rest, more = strings.Cut(rest, "\n"); text == "" {
				continue
			}
			for line < len(p.Lines) && at >= p.Lines[line].End {
				line++
				if line < len(p.Lines) {
					at = p.Lines[line].Start
				}
			}
			if line == len(p.Lines) {
				return out
			}
			// Chunks are trimmed, so a space here joins this one to the one before.
			space := at > p.Lines[line].Start && p.text[at] == ' '
			if space {
				at++
			}
			out[line] = append(out[line], Chunk{Node: int32(i), Text: text, Space: space})
			at += int32(len(text))
		}
	}
	return out
}
