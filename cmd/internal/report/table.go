// Package report prints the papers' tables as text, CSV or JSON.
//
// A Table has columns, rows and notes. The notes say what the numbers rest on: bin
// edges, counts, and what was left out and why. A value that is not defined is nil
// and printed as nothing, or null; a number that is not finite counts as nil, so
// that no report has NaN.
//
// Left out: computing the values, and figures (cmd/internal/chart).
package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"
)

// Table is a report.
type Table struct {
	Name    string   // of the report
	Title   string   // empty: none is printed
	Columns []string // unit in brackets where there is one
	Rows    [][]any  // strings, numbers, times, pointers to numbers, nil
	Notes   []string
}

// Add appends a row.
func (t *Table) Add(values ...any) { t.Rows = append(t.Rows, values) }

// Note appends a note.
func (t *Table) Note(format string, args ...any) {
	t.Notes = append(t.Notes, fmt.Sprintf(format, args...))
}

// plain turns a value into a string, a number or nil.
func plain(v any) any {
	switch v := v.(type) {
	case *float64:
		if v == nil {
			return nil
		}
		return plain(*v)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
	case time.Time:
		if v.IsZero() {
			return nil
		}
		return v.UTC().Format(time.RFC3339)
	}
	return v
}

// Text prints the table for a person: title, columns, rows, notes.
func (t *Table) Text(w io.Writer) error {
	if t.Title != "" {
		fmt.Fprintln(w, t.Title)
	}
	if len(t.Rows) > 0 {
		tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(tw, strings.Join(t.Columns, "\t"))
		for _, cells := range t.Strings(len(t.Rows)) {
			fmt.Fprintln(tw, strings.Join(cells, "\t"))
		}
		if err := tw.Flush(); err != nil {
			return err
		}
	}
	var err error
	for _, n := range t.Notes {
		_, err = fmt.Fprintln(w, printable(n))
	}
	return err
}

// Strings gives the first n rows, or all, as a person reads them.
func (t *Table) Strings(n int) [][]string {
	out := make([][]string, 0, min(n, len(t.Rows)))
	for _, row := range t.Rows[:min(n, len(t.Rows))] {
		cells := make([]string, len(row))
		for i, v := range row {
			switch v := plain(v).(type) {
			case nil:
			case float64:
				cells[i] = short(v)
			default:
				cells[i] = printable(fmt.Sprint(v))
			}
		}
		out = append(out, cells)
	}
	return out
}

// short prints a number with three decimals, or more where it is small.
func short(v float64) string {
	if v != 0 && math.Abs(v) < .01 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

// printable keeps control characters of the web off the terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '\uFFFD'
		}
		return r
	}, s)
}

// CSV prints columns and rows. The notes go to a writer of their own.
func (t *Table) CSV(w, notes io.Writer) error {
	c := csv.NewWriter(w)
	if err := c.Write(t.Columns); err != nil {
		return err
	}
	for _, row := range t.Rows {
		cells := make([]string, len(row))
		for i, v := range row {
			switch v := plain(v).(type) {
			case nil:
			case float64:
				cells[i] = strconv.FormatFloat(v, 'g', -1, 64)
			default:
				cells[i] = fmt.Sprint(v)
			}
		}
		if err := c.Write(cells); err != nil {
			return err
		}
	}
	c.Flush()
	for _, n := range t.Notes {
		fmt.Fprintln(notes, printable(n))
	}
	return c.Error()
}

// JSON prints one document with the rows as objects.
func (t *Table) JSON(w io.Writer) error {
	rows := make([]map[string]any, len(t.Rows))
	for i, row := range t.Rows {
		rows[i] = make(map[string]any, len(row))
		for j, v := range row {
			rows[i][t.Columns[j]] = plain(v)
		}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(map[string]any{"report": t.Name, "title": t.Title, "columns": t.Columns, "rows": rows, "notes": t.Notes})
}
