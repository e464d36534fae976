package classes

import (
	"cmp"
	"strconv"

	"github.com/strandlinehq/strandline/crawler/canonical"
)

// Labels put a page into classes (SCIENCE A11). What is empty or negative is not
// known, and the page is in no class of that kind.
type Labels struct {
	TLD      string // last label of the host
	Site     string // registrable domain
	Depth    int    // non-empty path segments
	Visitors int
	Category string
	Genre    string
}

// LabelsOf gives the labels that a canonical URL shows; the others are unknown.
func LabelsOf(url string) (Labels, error) {
	f, err := canonical.FactsOf(url)
	if err != nil {
		return Labels{}, err
	}
	return Labels{TLD: f.TLD, Site: f.Site, Depth: f.Depth, Visitors: -1}, nil
}

// Kind is a way to put pages into classes.
type Kind string

// The kinds of classes.
const (
	TLD      Kind = "tld"
	Site     Kind = "site"
	Depth    Kind = "depth"    // 0, 1, 2, 3, 4, 5+
	Visitors Kind = "visitors" // 2, 3-6, 7-38, 39+; pages with one visitor are in none
	Category Kind = "category"
	Genre    Kind = "genre"
)

// Kinds lists every Kind.
func Kinds() []Kind { return []Kind{TLD, Site, Depth, Visitors, Category, Genre} }

// Of gives the page's class of kind k, "" if it is in none.
func (l Labels) Of(k Kind) string {
	switch k {
	case TLD:
		return l.TLD
	case Site:
		return l.Site
	case Depth:
		return depthBin(l.Depth)
	case Visitors:
		return visitorsBin(l.Visitors)
	case Category:
		return l.Category
	case Genre:
		return l.Genre
	}
	return ""
}

func depthBin(depth int) string {
	const deepest = 5
	switch {
	case depth < 0:
		return ""
	case depth >= deepest:
		return strconv.Itoa(deepest) + "+"
	}
	return strconv.Itoa(depth)
}

func visitorsBin(n int) string {
	switch {
	case n < 2:
		return ""
	case n < 3:
		return "2"
	case n < 7:
		return "3-6"
	case n < 39:
		return "7-38"
	}
	return "39+"
}

// CompareNames puts classes of one kind in order: depths and visitors ascending, the
// others by name.
func CompareNames(k Kind, a, b string) int {
	if k == Depth || k == Visitors {
		return cmp.Compare(order(a), order(b))
	}
	return cmp.Compare(a, b)
}

// order is the place of a class among those of its kind, for kinds whose classes
// are ranges of numbers.
func order(class string) int {
	n := 0
	for _, c := range class {
		if c < '0' || c > '9' {
			break
		}
		n = 10*n + int(c-'0')
	}
	return n
}
