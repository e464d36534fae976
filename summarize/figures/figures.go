// Package figures reads the numbers that pages give in tables and in lines such as
// "Cases: 421", and tells which of them changed. A count in a table is no sentence
// (SCIENCE J6), yet often it is all the news of a page.
//
// Of lists the figures of a page by name, Changed compares two lists. Left out:
// what a figure means beyond its row, its column and its page.
package figures

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/strandlinehq/strandline/crawler/extract"
)

// Figure is a number with the name that its page gives to it.
type Figure struct {
	Row    string // label of its row or line
	Column string // head of its column, "" without
	Value  string // as written
	Number float64
}

// Name is the label with the head of the column.
func (f *Figure) Name() string {
	if f.Column == "" {
		return f.Row
	}
	return f.Row + ", " + f.Column
}

// bounds of what is taken for a figure's name.
const (
	longestLabel  = 80 // bytes
	longestColumn = 50
	fewestLetters = 3
)

// Of returns the figures of a page in document order. A name that stands twice on
// the page names nothing, and is left out.
func Of(p *extract.Page) []Figure {
	var out []Figure
	var table, row, cell int32 = -1, -1, -1
	var cells []string
	var head []string
	flush := func() {
		out = append(out, figuresOf(cells, &head)...)
		cells = nil
	}
	for i := range p.Lines {
		t, r, c := place(p, p.Lines[i].Node)
		if r != row {
			flush()
			row, cell = r, -1
		}
		if t != table {
			table, head = t, nil
		}
		line := strings.TrimSpace(p.LineText(i))
		switch {
		case r < 0:
			if f, ok := ofLine(line); ok {
				out = append(out, f)
			}
		case c == cell:
			cells[len(cells)-1] += " " + line
		default:
			for range column(p, r, c) - len(cells) {
				cells = append(cells, "") // a cell without text has no line
			}
			cells, cell = append(cells, line), c
		}
	}
	flush()
	count := map[string]int{}
	for i := range out {
		count[out[i].Name()]++
	}
	return slices.DeleteFunc(out, func(f Figure) bool { return count[f.Name()] > 1 })
}

// place finds the table, row and cell that an element stands in, -1 outside.
func place(p *extract.Page, node int32) (table, row, cell int32) {
	row, cell = -1, -1
	for n := node; n >= 0; n = p.Nodes[n].Parent {
		switch tag := p.Nodes[n].Tag; {
		case (tag == "td" || tag == "th") && cell < 0:
			cell = n
		case tag == "tr" && row < 0 && cell >= 0:
			row = n
		case tag == "table" && row >= 0:
			return n, row, cell
		}
	}
	return -1, -1, -1
}

// column counts the cells of a row before one of them.
func column(p *extract.Page, row, cell int32) int {
	n := 0
	for i := row + 1; i < cell; i = p.Nodes[i].End {
		if tag := p.Nodes[i].Tag; tag == "td" || tag == "th" {
			n++
		}
	}
	return n
}

// figuresOf reads a row. One without any number is the head of those below it.
func figuresOf(cells []string, head *[]string) []Figure {
	if len(cells) < 2 {
		return nil
	}
	numbers := 0
	for _, c := range cells {
		if _, ok := number(c); ok {
			numbers++
		}
	}
	if numbers == 0 {
		*head = cells
		return nil
	}
	label := strings.TrimSpace(strings.TrimRight(cells[0], ":* "))
	if !isLabel(label) {
		return nil
	}
	var out []Figure
	for i, c := range cells[1:] {
		n, ok := number(c)
		if !ok {
			continue
		}
		f := Figure{Row: label, Value: strings.TrimSpace(c), Number: n}
		if i+1 < len(*head) {
			f.Column = strings.TrimRight((*head)[i+1], ":* ")
		}
		if len(f.Column) > longestColumn || ofTime(f.Column) || numbers > 1 && f.Column == "" {
			continue
		}
		out = append(out, f)
	}
	return out
}

var labelled = regexp.MustCompile(`^([^:：|]{2,80}?)\s*[:：]\s*([0-9][0-9.,\x{00a0} ]*%?)\*{0,2}\.?$`)

// ofLine reads a line such as "Total cases: 421".
func ofLine(line string) (Figure, bool) {
	if len(line) > longestLabel+20 {
		return Figure{}, false
	}
	m := labelled.FindStringSubmatch(line)
	if m == nil || !isLabel(m[1]) {
		return Figure{}, false
	}
	n, ok := number(m[2])
	return Figure{Row: strings.TrimSpace(m[1]), Value: strings.TrimSpace(m[2]), Number: n}, ok
}

func isLabel(s string) bool {
	letters := 0
	for _, c := range s {
		if unicode.IsLetter(c) {
			letters++
		}
	}
	return letters >= fewestLetters && len(s) <= longestLabel && !ofTime(s)
}

var timeWords = regexp.MustCompile(`(?i)^(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|mär|mai|okt|dez)[a-zä]*\.?[\s\d,/.-]*$|` +
	`updated|copyright|phone|fax|telephone|\bzip\b|\byear\b|\btime\b|\bdate\b|stand:|telefon|\buhr\b|\bjahr\b|\bdatum\b|\bnotes?\b|\bpage\b|\bseite\b|version`)

// ofTime reports a name of a day, a month or a moment, and other numbers that count
// nothing.
func ofTime(s string) bool { return timeWords.MatchString(strings.TrimSpace(s)) }

var numeral = regexp.MustCompile(`^[-+−]?\d{1,3}(?:[,. \x{00a0}'’]\d{3})*(?:[.,]\d{1,2})?\s?%?\*{0,3}$|^[-+−]?\d+(?:[.,]\d{1,2})?\s?%?\*{0,3}$`)

// number reads a cell that holds nothing but a number. A separator before exactly
// three digits sets thousands apart, but for "0.125": no thousand starts with a zero.
func number(s string) (float64, bool) {
	s = strings.TrimSpace(s)
	if len(s) == 0 || len(s) > 24 || !numeral.MatchString(s) {
		return 0, false
	}
	sign := 1.0
	if strings.HasPrefix(s, "-") || strings.HasPrefix(s, "−") {
		sign = -1
	}
	var groups []string
	for g := range strings.FieldsFuncSeq(s, func(c rune) bool { return c < '0' || c > '9' }) {
		groups = append(groups, g)
	}
	whole, part := groups, ""
	if last := groups[len(groups)-1]; len(groups) > 1 && (len(last) < 3 || len(groups) == 2 && groups[0] == "0") {
		whole, part = groups[:len(groups)-1], last
	}
	n, err := strconv.ParseFloat(strings.Join(whole, "")+"."+part+"0", 64)
	return sign * n, err == nil
}

// Change is a figure that has another value than before.
type Change struct {
	Figure
	Before string  // as written
	Was    float64 // its number
}

// Changed returns the figures of new that have another number than in old. Those
// whose name old has not are left out: a new row is no change of a count.
func Changed(old, new []Figure) []Change {
	was := make(map[string]Figure, len(old))
	for _, f := range old {
		was[f.Name()] = f
	}
	var out []Change
	for _, f := range new {
		if o, ok := was[f.Name()]; ok && o.Number != f.Number {
			out = append(out, Change{f, o.Value, o.Number})
		}
	}
	return out
}

var totals = regexp.MustCompile(`(?i)\b(total|totals|statewide|overall|sum|gesamt|insgesamt|summe|ensemble|totaal)\b|合計|総数`)

// Weigh says how much a reader learns from a change: 2 for a figure whose name has
// a word of the query, by about, 1 for a total, and below 1 by its size,
//
//	log10(1 + |difference|) / 10
//
// so that a change of a hundred goes before one of three.
func Weigh(c Change, about func(name string) bool) float64 {
	w := min(math.Log10(1+math.Abs(c.Number-c.Was))/10, 0.99)
	if about(c.Name()) {
		w += 2
	}
	if totals.MatchString(c.Row) {
		w++
	}
	return w
}

// Sort orders changes by their weight, equal ones as they stand on the page.
func Sort(list []Change, about func(name string) bool) {
	slices.SortStableFunc(list, func(a, b Change) int { return cmp.Compare(Weigh(b, about), Weigh(a, about)) })
}
