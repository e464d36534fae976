// Package tablefile writes the rows of a view as CSV, as one JSON object a line,
// or as Parquet.
//
// The main type is Writer; New makes one for a format. Rows come in PostgreSQL's
// binary format, as store.ReadView gives them, and leave at once: a Writer holds
// one row, that of Parquet one row group of at most groupRows rows.
//
// It does not choose rows, name files or decide whether a file is whole.
package tablefile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/strandlinehq/strandline/store"
)

// Writer takes a table row by row.
type Writer interface {
	// Begin is called once, first.
	Begin(columns []store.ViewColumn) error
	// Row writes a row: a value a column, nil for null. It keeps none of them.
	Row(values [][]byte) error
	// Close writes what is left over, also of a table without rows. It does not
	// close the file.
	Close() error
}

// Format is a format of files.
type Format string

// The formats.
const (
	CSV     Format = "csv"
	NDJSON  Format = "ndjson"
	Parquet Format = "parquet"
)

// New makes a Writer of the format to w, which should be buffered.
func New(format Format, w io.Writer) (Writer, error) {
	switch format {
	case CSV:
		return &textWriter{out: w, line: csvLine}, nil
	case NDJSON:
		return &textWriter{out: w, line: jsonLine}, nil
	case Parquet:
		return &parquetWriter{out: w}, nil
	}
	return nil, fmt.Errorf("no format %q for tables", format)
}

var errValue = errors.New("value is not of its column's type")

// size is the length of a value of the type in bytes; 0 for any.
func size(t store.ColumnType) int {
	switch t {
	case store.Bool:
		return 1
	case store.Int16:
		return 2
	case store.Int32, store.Float32:
		return 4
	case store.Int64, store.Float64, store.Timestamp:
		return 8
	}
	return 0
}

// checkRow wants every value to have the length of its type.
func checkRow(columns []store.ViewColumn, values [][]byte) error {
	if len(values) != len(columns) {
		return fmt.Errorf("row of %d values for %d columns", len(values), len(columns))
	}
	for i, v := range values {
		if n := size(columns[i].Type); n != 0 && v != nil && len(v) != n {
			return fmt.Errorf("column %s: %w", columns[i].Name, errValue)
		}
	}
	return nil
}

// integer reads a value of one of the integer types.
func integer(v []byte) int64 {
	switch len(v) {
	case 2:
		return int64(int16(binary.BigEndian.Uint16(v)))
	case 4:
		return int64(int32(binary.BigEndian.Uint32(v)))
	}
	return int64(binary.BigEndian.Uint64(v))
}

// float reads a value of one of the types of floating point.
func float(v []byte) float64 {
	if len(v) == 4 {
		return float64(math.Float32frombits(binary.BigEndian.Uint32(v)))
	}
	return math.Float64frombits(binary.BigEndian.Uint64(v))
}

// epochShift is the year 2000, from which PostgreSQL counts, in microseconds of Unix time.
const epochShift = 946_684_800_000_000

// unixMicros reads a time as microseconds of Unix time. The infinite times of
// PostgreSQL become the first and the last that 64 bits hold.
func unixMicros(v []byte) int64 {
	us := int64(binary.BigEndian.Uint64(v))
	if us > math.MaxInt64-epochShift || us == math.MinInt64 {
		return us
	}
	return us + epochShift
}

// appendTime writes a time as RFC 3339 in UTC.
func appendTime(b, v []byte) []byte {
	return time.UnixMicro(unixMicros(v)).UTC().AppendFormat(b, time.RFC3339Nano)
}

// list calls each for the items of an array of one dimension; nil is null.
func list(v []byte, each func(item []byte)) error {
	const head = 12 // dimensions, whether there are nulls, type
	if len(v) < head {
		return errValue
	}
	dimensions := binary.BigEndian.Uint32(v)
	if v = v[head:]; dimensions == 0 {
		return nil
	}
	if dimensions != 1 || len(v) < 8 {
		return errValue
	}
	n := binary.BigEndian.Uint32(v)
	v = v[8:]
	for range n {
		if len(v) < 4 {
			return errValue
		}
		length := int32(binary.BigEndian.Uint32(v))
		v = v[4:]
		if length < 0 {
			each(nil)
			continue
		}
		if int(length) > len(v) {
			return errValue
		}
		each(v[:length:length])
		v = v[length:]
	}
	return nil
}
