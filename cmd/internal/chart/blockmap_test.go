package chart

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestBlockMapIsBounded draws a page with a list of thousands of entries before the part that
// changes: the figure stays of a size that can be looked at, and has that part.
func TestBlockMapIsBounded(t *testing.T) {
	t.Parallel()
	list := Block{Words: "languages", Hours: math.NaN()}
	for i := range 5000 {
		list.Children = append(list.Children, Block{Words: fmt.Sprint("language ", i), Hours: math.NaN()})
	}
	news := Block{Words: "news of the day", Hours: 3}
	page := Block{Words: "page", Hours: 1, Children: []Block{list, {Words: "outer", Hours: math.NaN(), Children: []Block{news}}}}
	c := BlockMap{Page: "http://a.test/", Blocks: []Block{page}}.render(Options{})
	if c.h > 1800 {
		t.Errorf("the figure is %v px high", c.h)
	}
	svg := string(BlockMap{Page: "http://a.test/", Blocks: []Block{page}}.SVG(Options{}))
	if !strings.Contains(svg, "news of the day") {
		t.Error("the part that changes is not drawn")
	}
	if n := len(chosen([]Block{page})); n != maxBlocks {
		t.Errorf("%d blocks are drawn, want %d", n, maxBlocks)
	}
	if want := "4,940 blocks are not drawn"; !strings.Contains(svg, want) {
		t.Errorf("the figure does not say that %s", want)
	}
}
