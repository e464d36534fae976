package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func wide() *Table {
	t := &Table{Title: "Misses", Columns: []string{"url", "pages judged novel", "of them new"}}
	t.Add("https://example.org/a/long/way/to/go.html", 12, 7)
	t.Add("https://example.org/", 3, nil)
	t.Note("Two pages.")
	return t
}

func TestFit(t *testing.T) {
	t.Parallel()
	for width, want := range map[int]string{
		0: "Misses\nurl                                        pages judged novel  of them new\n" +
			"https://example.org/a/long/way/to/go.html  12                  7\nhttps://example.org/                       3                   \nTwo pages.\n",
		60: "Misses\n                                           pages   of\n                                           judged  them\n" +
			"url                                        novel   new\n" +
			"https://example.org/a/long/way/to/go.html  12      7\nhttps://example.org/                       3\nTwo pages.\n",
		20: "Misses\n\nurl: https://example.org/a/long/way/to/go.html\npages judged novel: 12\nof them new: 7\n\nurl: https://example.org/\npages judged novel: 3\n\nTwo pages.\n",
	} {
		var got bytes.Buffer
		if err := wide().Fit(&got, width); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got.String()); d != "" {
			t.Errorf("width %d (-want +got):\n%s", width, d)
		}
	}
}

// TestFitWidth wants a table in no line wider than it may be, or in paragraphs.
func TestFitWidth(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		cell := rapid.StringMatching(`[a-zäöü/.]{0,60}`)
		table := &Table{Title: "T"}
		columns := rapid.IntRange(1, 8).Draw(r, "columns")
		for i := range columns {
			table.Columns = append(table.Columns, fmt.Sprintf("c%d %s", i, rapid.StringMatching(`[a-z]{1,9}( [a-z]{1,9}){0,3}`).Draw(r, "head")))
		}
		for range rapid.IntRange(1, 4).Draw(r, "rows") {
			row := make([]any, columns)
			for i := range row {
				row[i] = cell.Draw(r, "cell")
			}
			table.Add(row...)
		}
		width := rapid.IntRange(1, 200).Draw(r, "width")
		var b bytes.Buffer
		if err := table.Fit(&b, width); err != nil {
			r.Fatal(err)
		}
		if strings.HasPrefix(b.String(), "T\n\n") {
			return // paragraphs are broken by the terminal itself
		}
		for l := range strings.Lines(b.String()) {
			if n := utf8.RuneCountInString(strings.TrimRight(l, " \n")); n > width {
				r.Fatalf("a line of %d letters at width %d: %q", n, width, l)
			}
		}
	})
}
