package chart

import (
	"cmp"
	"math"
	"slices"
)

// BlockMap draws the outline of a page as boxes within boxes in reading order,
// coloured by how long the content of each block stayed (paper A Figure 7;
// SCIENCE A29, A30).
type BlockMap struct {
	Page   string
	Blocks []Block
}

// Block is an element of a page with what is in it.
type Block struct {
	Words    string  // the first words of the block
	Path     string  // of the element, for hovering
	Hours    float64 // mean life of a content of this block; NaN: not measured
	Children []Block
}

// What is drawn at most; more is said in words.
const (
	maxBlocks = 64 // some 1,500 px
	maxDepth  = 10
)

// Life spans at the two ends of the colours, in hours: at most an hour, at least
// five weeks (the window of the paper).
const (
	shortLife = 1.0
	longLife  = 5 * week
)

// Geometry of the boxes, in px.
const (
	blockLine   = 20.0
	blockIndent = 14.0
	blockBar    = 7.0
	blockPad    = 3.0
)

// lifePart is where a life lies on the sequential scale: 0 long, 1 short, by its
// logarithm.
func lifePart(hours float64) float64 {
	h := min(max(hours, shortLife), longLife)
	return 1 - math.Log(h/shortLife)/math.Log(longLife/shortLife)
}

// SVG draws the figure.
func (f BlockMap) SVG(opt Options) []byte {
	return f.render(opt).finish(opt, blockTitle, "The blocks of the page in reading order, nested as in the page, coloured by how long their content stays. "+f.Page)
}

const blockTitle = "Which parts of the page change soon, and which stay?"

func (f BlockMap) render(opt Options) *canvas {
	opt.Height = 0
	heights := chosen(f.Blocks)
	total := 0.0
	for i := range f.Blocks {
		total += measure(&f.Blocks[i], heights)
	}
	c := newCanvas(opt, defWidth, 220)
	note := ""
	if hidden := countBlocks(f.Blocks, 0) - len(heights); hidden > 0 {
		note = plural(hidden, "block is", "blocks are") + " not drawn: deep ones, and those of which no life is known."
	}
	top := c.head(blockTitle, f.Page, note)
	if len(heights) == 0 {
		c.h = max(c.h, top+90)
		c.blank(top, "No blocks yet: they are compared from the second version of the page on.")
		return c
	}
	top = f.legend(c, top)
	c.h = top + 12 + total + edge
	y := top + 12
	for i := range f.Blocks {
		y += drawBlock(c, &f.Blocks[i], box{edge, y, c.w - 2*edge, 0}, heights)
	}
	return c
}

// legend shows the colours with the lives they stand for.
func (f BlockMap) legend(c *canvas, y float64) float64 {
	y += 24
	w := 22.0
	x := edge
	before, after, unknown := "content stays: 1 h or less ", "5 weeks or more", "not known"
	if c.w < 520 {
		before, after, w = "1 h or less ", "5 wk or more", 9
	}
	c.text(x, y-4, sizeLabel, start, "muted", before)
	x += textWidth(before, sizeLabel, false) + 4
	for i := ramp - 1; i >= 0; i-- {
		c.el("rect", span(longLife*math.Pow(shortLife/longLife, (float64(i)+.5)/ramp)), "x", x, "y", y-15, "width", w, "height", 13.0, "class", step((float64(i)+.5)/ramp))
		x += w
	}
	c.text(x+6, y-4, sizeLabel, start, "muted", after)
	x += 6 + textWidth(after, sizeLabel, false) + 16
	if x+w+6+textWidth(unknown, sizeLabel, false) < c.w-edge {
		c.el("rect", "", "x", x+.5, "y", y-14.5, "width", w, "height", 12.0, "fill", "none", "class", "s-axis")
		c.text(x+w+6, y-4, sizeLabel, start, "muted", unknown)
	}
	return y
}

// chosen gives the blocks that are drawn, at most maxBlocks with those around them: first those
// whose life is known, from the outermost inwards, then others.
func chosen(blocks []Block) map[*Block]float64 {
	type candidate struct {
		*Block
		parent, depth int
	}
	var all []candidate
	var walk func(blocks []Block, parent, depth int)
	walk = func(blocks []Block, parent, depth int) {
		for i := range blocks {
			all = append(all, candidate{&blocks[i], parent, depth})
			if depth < maxDepth {
				walk(blocks[i].Children, len(all)-1, depth+1)
			}
		}
	}
	walk(blocks, -1, 1)
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	unknown := func(b *Block) int {
		if finite(b.Hours) && b.Hours >= 0 {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(unknown(all[a].Block), unknown(all[b].Block)), cmp.Compare(all[a].depth, all[b].depth))
	})
	out := map[*Block]float64{}
	for _, i := range order {
		var path []*Block
		for k := i; k >= 0; k = all[k].parent {
			if _, ok := out[all[k].Block]; !ok {
				path = append(path, all[k].Block)
			}
		}
		if len(out)+len(path) <= maxBlocks {
			for _, b := range path {
				out[b] = 0
			}
		}
	}
	return out
}

// measure is the height of a block with its children, remembered in heights, which has the
// blocks that are drawn.
func measure(b *Block, heights map[*Block]float64) float64 {
	if _, ok := heights[b]; !ok {
		return 0
	}
	h := blockLine + 2
	inner := 0.0
	for i := range b.Children {
		inner += measure(&b.Children[i], heights)
	}
	if inner > 0 {
		h += inner + blockPad
	}
	heights[b] = h
	return h
}

// countBlocks counts all blocks, to a depth that no page reaches.
func countBlocks(blocks []Block, depth int) int {
	if depth > 1000 {
		return 0
	}
	n := len(blocks)
	for i := range blocks {
		n += countBlocks(blocks[i].Children, depth+1)
	}
	return n
}

// drawBlock draws b at the top left of at and returns its height: a tinted box, a
// bar in the full colour at its left, its first words, and its children.
func drawBlock(c *canvas, b *Block, at box, heights map[*Block]float64) float64 {
	h, ok := heights[b]
	if !ok {
		return 0
	}
	words, life := b.Path, "not known"
	color := "f-ground"
	if finite(b.Hours) && b.Hours >= 0 {
		life = span(b.Hours)
		color = step(lifePart(b.Hours))
	}
	words += " stays " + life + ": " + b.Words
	known := color != "f-ground"
	c.open("g", words, "data-hours", dataHours(b.Hours), "data-path", b.Path)
	c.el("rect", "", "x", at.x, "y", at.y, "width", at.w, "height", h-2, "class", "f-ground")
	if known {
		c.el("rect", "", "x", at.x, "y", at.y, "width", at.w, "height", h-2, "class", color, "fill-opacity", ".22")
		c.el("rect", "", "x", at.x, "y", at.y, "width", blockBar, "height", h-2, "class", color)
	}
	c.el("rect", "", "x", at.x, "y", at.y, "width", at.w, "height", h-2, "fill", "none", "class", "s-axis", "stroke-width", ".5")
	room := at.w - blockBar - 14
	if known {
		w := textWidth(life, sizeSmall, false)
		if w+80 < room {
			c.text(at.right()-6, at.y+13.5, sizeSmall, end, "muted", life)
			room -= w + 10
		}
	}
	shown := b.Words
	class := "ink"
	if clean(shown) == "" {
		shown, class = "(no words)", "muted"
	}
	c.text(at.x+blockBar+6, at.y+13.5, sizeLabel, start, class, fit(clean(shown), room, sizeLabel, false))
	y := at.y + blockLine
	for i := range b.Children {
		y += drawBlock(c, &b.Children[i], box{at.x + blockIndent, y, at.w - blockIndent - blockPad, 0}, heights)
	}
	c.close("g")
	return h
}

func dataHours(h float64) string {
	if !finite(h) {
		return ""
	}
	return raw(h)
}
