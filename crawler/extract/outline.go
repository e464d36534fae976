package extract

import (
	"strconv"
	"strings"
)

// FullPath returns the path of element i, "/html[0]/body[0]/div[2]": each index
// counts the siblings of the same tag from zero (SCIENCE A26). A chunk of text
// has the path of its element. The time is linear in the outline; who needs all
// paths counts siblings while walking Nodes.
func (p *Page) FullPath(i int) string {
	var chain []int
	for k := int32(i); k >= 0; k = p.Nodes[k].Parent {
		if p.Nodes[k].Tag != "" {
			chain = append(chain, int(k))
		}
	}
	var b strings.Builder
	for c := len(chain) - 1; c >= 0; c-- {
		k := chain[c]
		n := &p.Nodes[k]
		same := 0
		if n.Parent >= 0 {
			for sib := int(n.Parent) + 1; sib < k; sib = int(p.Nodes[sib].End) {
				if p.Nodes[sib].Tag == n.Tag {
					same++
				}
			}
		}
		b.WriteByte('/')
		b.WriteString(n.Tag)
		b.WriteByte('[')
		b.WriteString(strconv.Itoa(same))
		b.WriteByte(']')
	}
	return b.String()
}

// OwnText returns the text chunks that are children of element i, joined by one
// space (SCIENCE A26).
func (p *Page) OwnText(i int) string {
	var b []byte
	for k := i + 1; k < int(p.Nodes[i].End); k = int(p.Nodes[k].End) {
		b = appendChunk(b, &p.Nodes[k])
	}
	return string(b)
}

// SubtreeText returns all text chunks below element i in document order, joined
// by one space (SCIENCE A26).
func (p *Page) SubtreeText(i int) string {
	var b []byte
	for k := i + 1; k < int(p.Nodes[i].End); k++ {
		b = appendChunk(b, &p.Nodes[k])
	}
	return string(b)
}

func appendChunk(b []byte, n *Node) []byte {
	if n.Tag != "" {
		return b
	}
	if len(b) > 0 {
		b = append(b, ' ')
	}
	from := len(b)
	b = append(b, n.Text...)
	for k := from; k < len(b); k++ {
		if b[k] == '\n' {
			b[k] = ' '
		}
	}
	return b
}
