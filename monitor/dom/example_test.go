package dom_test

import (
	"fmt"

	"github.com/strandlinehq/strandline/monitor/dom"
)

// The example of paper A section 5.1.
func ExampleLines() {
	for l := range dom.Lines(dom.Parse([]byte("<a>foo<b>bar</b></a>")), 7, true) {
		fmt.Printf("%s %s %q %q %v\n", l.FullPath, l.TypePath, l.NodeText, l.SubtreeText, l.Version)
	}
	// Output:
	// /a[0]/b[0] (/a/b)[0] "bar" "bar" 7
	// /a[0] (/a)[0] "foo" "foo bar" 7
}

// Sorting and reducing by path gives lifespans.
func ExampleLifespans() {
	s := dom.NewSorter(dom.SortOptions{}, dom.FullPath, dom.Version)
	defer s.Close()
	for hour, page := range []string{"<p>a</p><p>b</p>", "<p>a</p><p>c</p>", "<p>d</p>"} {
		for l := range dom.Lines(dom.Parse([]byte(page)), float64(hour), false) {
			if err := s.Add(l); err != nil {
				fmt.Println(err)
				return
			}
		}
	}
	for l := range dom.Lifespans(s.Lines()) {
		fmt.Println(l.Path, l.First, l.Last)
	}
	// Output:
	// /p[0] 0 2
	// /p[1] 0 1
}
