package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds of what is taken from a table that is too wide.
const (
	columnGap   = 2
	leastColumn = 14 // letters that a shortened cell keeps at least
)

// Fit prints the table for a person whose terminal is so many letters wide; 0 is any
// width. What is too wide is made narrower in this order, as far as it takes: heads are
// broken between words, the longest cells are shortened in their middle, and at last
// each row becomes a paragraph with a cell a line. Files and pipes want Text.
func (t *Table) Fit(w io.Writer, width int) error {
	if width <= 0 || len(t.Rows) == 0 {
		return t.Text(w)
	}
	rows := t.Strings(len(t.Rows))
	widths := make([]int, len(t.Columns))
	for _, cells := range rows {
		for i, c := range cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(c))
		}
	}
	whole := make([]int, len(widths)) // with heads on one line
	for i, c := range t.Columns {
		whole[i] = max(widths[i], utf8.RuneCountInString(c))
		for word := range strings.FieldsSeq(c) {
			widths[i] = max(widths[i], utf8.RuneCountInString(word))
		}
	}
	if total(whole) <= width {
		return t.Text(w)
	}
	least := slices.Clone(widths)
	widen(widths, whole, width)
	for i, c := range t.Columns { // what no line of the head needs is given back
		used := least[i]
		for _, l := range lines(c, widths[i]) {
			used = max(used, utf8.RuneCountInString(l))
		}
		widths[i] = min(widths[i], used)
	}
	if !narrow(widths, width) {
		return t.paragraphs(w, rows)
	}
	var b strings.Builder
	t.title(&b)
	t.heads(&b, widths)
	for _, cells := range rows {
		line(&b, widths, func(i int) string { return middle(cells[i], widths[i]) })
	}
	t.notes(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func total(widths []int) int {
	n := -columnGap
	for _, v := range widths {
		n += v + columnGap
	}
	return n
}

// widen gives columns room for their heads on fewer lines while there is some.
func widen(widths, whole []int, width int) {
	for free := width - total(widths); free > 0; {
		best := -1
		for i := range widths {
			if widths[i] < whole[i] && (best < 0 || whole[i]-widths[i] > whole[best]-widths[best]) {
				best = i
			}
		}
		if best < 0 {
			return
		}
		widths[best]++
		free--
	}
}

// narrow takes from the widest columns until all fit, and reports whether they do.
func narrow(widths []int, width int) bool {
	for total(widths) > width {
		widest := 0
		for i := range widths {
			if widths[i] > widths[widest] {
				widest = i
			}
		}
		if len(widths) == 0 || widths[widest] <= leastColumn {
			return false
		}
		widths[widest]--
	}
	return true
}

// heads writes the heads, broken into as many lines as they take; what stands lower
// stands nearer to its cells.
func (t *Table) heads(b *strings.Builder, widths []int) {
	broken := make([][]string, len(t.Columns))
	most := 0
	for i, c := range t.Columns {
		broken[i] = lines(c, widths[i])
		most = max(most, len(broken[i]))
	}
	for at := range most {
		line(b, widths, func(i int) string {
			if k := at - (most - len(broken[i])); k >= 0 {
				return middle(broken[i][k], widths[i])
			}
			return ""
		})
	}
}

// lines breaks a head between its words.
func lines(head string, width int) []string {
	var out []string
	for word := range strings.FieldsSeq(head) {
		if n := len(out); n > 0 && utf8.RuneCountInString(out[n-1])+1+utf8.RuneCountInString(word) <= width {
			out[n-1] += " " + word
		} else {
			out = append(out, word)
		}
	}
	return out
}

// line writes the cells of a line, and no space behind the last one.
func line(b *strings.Builder, widths []int, cell func(int) string) {
	var out strings.Builder
	for i, width := range widths {
		c := cell(i)
		out.WriteString(c)
		if i < len(widths)-1 {
			out.WriteString(strings.Repeat(" ", max(0, width-utf8.RuneCountInString(c))+columnGap))
		}
	}
	b.WriteString(strings.TrimRight(out.String(), " ") + "\n")
}

// middle shortens a cell in its middle to n letters.
func middle(s string, n int) string {
	r := []rune(s)
	if len(r) <= n || n < 1 {
		return s
	}
	head := n * 6 / 10
	return string(r[:head]) + "…" + string(r[len(r)-(n-head-1):])
}

// paragraphs writes each row as lines of a head and a cell; cells without a value are
// left out.
func (t *Table) paragraphs(w io.Writer, rows [][]string) error {
	var b strings.Builder
	t.title(&b)
	for _, cells := range rows {
		b.WriteString("\n")
		for i, c := range cells {
			if c != "" {
				fmt.Fprintf(&b, "%s: %s\n", t.Columns[i], c)
			}
		}
	}
	if len(t.Notes) > 0 {
		b.WriteString("\n")
	}
	t.notes(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (t *Table) title(b *strings.Builder) {
	if t.Title != "" {
		b.WriteString(t.Title + "\n")
	}
}

func (t *Table) notes(b *strings.Builder) {
	for _, n := range t.Notes {
		b.WriteString(printable(n) + "\n")
	}
}
