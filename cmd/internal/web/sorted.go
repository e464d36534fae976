package web

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"
)

// column is a column of a table that stands on one page as a whole.
type column[T any] struct {
	key    string // in addresses
	name   string
	note   string // on hover
	number bool   // its cells stand at the right
	// order compares two rows; nil: the table is not sorted by the column.
	order func(a, b T) int
	// rises is for columns that are sorted from the least at first, such as names;
	// numbers and times are from the greatest.
	rises bool
}

// heads sorts the rows of a table as the parameter of an address asks, in place, and
// returns the heads of its columns, which link to the other orders. The parameter
// holds the key of a column, with a minus before it for the reversed order; without
// it the rows keep theirs, which is that of the column named natural. Rows that are equal
// by the column keep their order. A key that no column has is the reader's mistake.
func heads[T any](at *url.URL, parameter, natural string, rows []T, columns []column[T]) ([]head, error) {
	asked := at.Query().Get(parameter)
	key, reversed := strings.CutPrefix(asked, "-")
	var out []head
	known := asked == ""
	for _, c := range columns {
		h := head{Name: c.name, Note: c.note, Number: c.number}
		if c.order == nil {
			out = append(out, h)
			continue
		}
		falls := !c.rises
		chosen := c.key == key || asked == "" && c.key == natural
		value := c.key
		if chosen {
			known = true
			if falls = falls != reversed; falls {
				h.Sorted = "descending"
			} else {
				h.Sorted = "ascending"
			}
			if !reversed {
				value = "-" + c.key
			}
			if asked != "" {
				slices.SortStableFunc(rows, func(a, b T) int {
					if falls {
						return c.order(b, a)
					}
					return c.order(a, b)
				})
			}
		}
		q := at.Query()
		q.Set(parameter, value)
		h.Href = at.EscapedPath() + "?" + q.Encode()
		out = append(out, h)
	}
	if !known {
		keys := make([]string, 0, len(columns))
		for _, c := range columns {
			if c.order != nil {
				keys = append(keys, c.key)
			}
		}
		return nil, badRequest("The table can be sorted by " + strings.Join(keys, ", ") + ", each also with a minus before it.")
	}
	return out, nil
}

// by compares rows by a value of theirs.
func by[T any, V cmp.Ordered](value func(T) V) func(a, b T) int {
	return func(a, b T) int { return cmp.Compare(value(a), value(b)) }
}

// byTime compares rows by a time of theirs.
func byTime[T any](value func(T) time.Time) func(a, b T) int {
	return func(a, b T) int { return value(a).Compare(value(b)) }
}
