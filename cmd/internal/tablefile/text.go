package tablefile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/strandlinehq/strandline/store"
)

// textWriter writes a line a row.
type textWriter struct {
	out     io.Writer
	line    func(b []byte, columns []field, values [][]byte) ([]byte, error)
	fields  []field
	columns []store.ViewColumn
	buf     []byte
}

// field is a column with its name as JSON and a colon.
type field struct {
	store.ViewColumn
	key []byte
}

// Begin writes the head line of CSV.
func (w *textWriter) Begin(columns []store.ViewColumn) error {
	w.columns = columns
	names := make([][]byte, len(columns))
	heads := make([]field, len(columns))
	for i, c := range columns {
		key, err := json.Marshal(c.Name)
		if err != nil {
			return err
		}
		w.fields = append(w.fields, field{c, append(key, ':')})
		names[i], heads[i] = []byte(c.Name), field{ViewColumn: store.ViewColumn{Name: c.Name}}
	}
	head, err := w.line(nil, heads, names)
	if err != nil || head[0] == '{' {
		return err
	}
	_, err = w.out.Write(head)
	return err
}

// Row writes a line.
func (w *textWriter) Row(values [][]byte) error {
	if err := checkRow(w.columns, values); err != nil {
		return err
	}
	var err error
	if w.buf, err = w.line(w.buf[:0], w.fields, values); err != nil {
		return err
	}
	_, err = w.out.Write(w.buf)
	return err
}

// Close does nothing: every line is written.
func (w *textWriter) Close() error { return nil }

// csvLine is RFC 4180 with line feeds. Null is nothing, an empty text is "".
func csvLine(b []byte, columns []field, values [][]byte) ([]byte, error) {
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		if v == nil {
			continue
		}
		switch columns[i].Type {
		case store.Text:
			b = csvText(b, v)
		case store.TextList:
			text, err := jsonList(nil, v)
			if err != nil {
				return nil, fmt.Errorf("column %s: %w", columns[i].Name, err)
			}
			b = csvText(b, text)
		case store.Timestamp:
			b = appendTime(b, v)
		default:
			b = plain(b, columns[i].Type, v, false)
		}
	}
	return append(b, '\n'), nil
}

func csvText(b, v []byte) []byte {
	if len(v) > 0 && !bytes.ContainsAny(v, ",\"\r\n") && v[0] != ' ' && v[len(v)-1] != ' ' {
		return append(b, v...)
	}
	b = append(b, '"')
	for {
		i := bytes.IndexByte(v, '"')
		if i < 0 {
			return append(append(b, v...), '"')
		}
		b = append(append(b, v[:i+1]...), '"')
		v = v[i+1:]
	}
}

func jsonLine(b []byte, columns []field, values [][]byte) ([]byte, error) {
	b = append(b, '{')
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, columns[i].key...)
		if v == nil {
			b = append(b, "null"...)
			continue
		}
		switch columns[i].Type {
		case store.Text:
			b = jsonText(b, v)
		case store.TextList:
			var err error
			if b, err = jsonList(b, v); err != nil {
				return nil, fmt.Errorf("column %s: %w", columns[i].Name, err)
			}
		case store.Timestamp:
			b = append(appendTime(append(b, '"'), v), '"')
		default:
			b = plain(b, columns[i].Type, v, true)
		}
	}
	return append(b, '}', '\n'), nil
}

func jsonList(b, v []byte) ([]byte, error) {
	b = append(b, '[')
	n := 0
	err := list(v, func(item []byte) {
		if n++; n > 1 {
			b = append(b, ',')
		}
		if item == nil {
			b = append(b, "null"...)
			return
		}
		b = jsonText(b, item)
	})
	return append(b, ']'), err
}

// plain writes a truth value or a number. JSON has no word for what is no number:
// it becomes null there.
func plain(b []byte, t store.ColumnType, v []byte, isJSON bool) []byte {
	switch t {
	case store.Bool:
		return strconv.AppendBool(b, v[0] != 0)
	case store.Float32, store.Float64:
		f := float(v)
		if isJSON && (math.IsNaN(f) || math.IsInf(f, 0)) {
			return append(b, "null"...)
		}
		return strconv.AppendFloat(b, f, 'g', -1, 8*len(v))
	default:
		return strconv.AppendInt(b, integer(v), 10)
	}
}

// jsonText writes a JSON string: quotes, backslashes and control characters
// escaped, bytes that are not UTF-8 replaced.
func jsonText(b, v []byte) []byte {
	const hex = "0123456789abcdef"
	if !utf8.Valid(v) {
		v = bytes.ToValidUTF8(v, []byte("\uFFFD"))
	}
	b = append(b, '"')
	from := 0
	for i, c := range v {
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, v[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(append(b, v[from:]...), '"')
}
