package tablefile

import (
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"github.com/strandlinehq/strandline/store"
)

const (
	// groupRows bounds a row group, and with it what is held in memory.
	groupRows = 1 << 17
	// groupBytes bounds the text of a row group, for rows that are large.
	groupBytes = 64 << 20
	// batchRows is how many rows are turned into columns at once.
	batchRows = 512
)

// parquetWriter writes Parquet with types that readers of Arrow take: integers
// and floating point of their width, times as microseconds in UTC, text as UTF-8,
// lists in the three-level form. Every column may be null. Texts have
// dictionaries, since most of them repeat.
type parquetWriter struct {
	out     io.Writer
	file    *parquet.GenericWriter[any]
	columns []store.ViewColumn
	batch   [][]parquet.Value // by column
	text    []byte            // what the values of the batch point into
	rows    int               // in the batch
	group   int               // rows of the group that are written to columns
	bytes   int               // text of the group
}

// Begin lays out the columns in the order given.
func (w *parquetWriter) Begin(columns []store.ViewColumn) error {
	w.columns = columns
	root := ordered{Group: parquet.Group{}}
	for _, c := range columns {
		root.Group[c.Name] = node(c.Type)
		root.names = append(root.names, c.Name)
	}
	w.file = parquet.NewGenericWriter[any](w.out, parquet.NewSchema("row", root),
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}),
		parquet.PageBufferSize(256<<10), parquet.WriteBufferSize(0), parquet.CreatedBy("strandline", "", ""))
	w.batch = make([][]parquet.Value, len(columns))
	return nil
}

func node(t store.ColumnType) parquet.Node {
	switch t {
	case store.Bool:
		return parquet.Optional(parquet.Leaf(parquet.BooleanType))
	case store.Int16:
		return parquet.Optional(parquet.Int(16))
	case store.Int32:
		return parquet.Optional(parquet.Int(32))
	case store.Int64:
		return parquet.Optional(parquet.Int(64))
	case store.Float32:
		return parquet.Optional(parquet.Leaf(parquet.FloatType))
	case store.Float64:
		return parquet.Optional(parquet.Leaf(parquet.DoubleType))
	case store.Timestamp:
		return parquet.Optional(parquet.Timestamp(parquet.Microsecond))
	case store.TextList:
		return parquet.Optional(parquet.List(parquet.Optional(text())))
	default:
		return parquet.Optional(text())
	}
}

func text() parquet.Node { return parquet.Encoded(parquet.String(), &parquet.RLEDictionary) }

// Row adds a row to the batch.
func (w *parquetWriter) Row(values [][]byte) error {
	if err := checkRow(w.columns, values); err != nil {
		return err
	}
	for i, v := range values {
		if err := w.add(i, v); err != nil {
			return fmt.Errorf("column %s: %w", w.columns[i].Name, err)
		}
	}
	if w.rows++; w.rows == batchRows || len(w.text) >= groupBytes {
		return w.writeBatch()
	}
	return nil
}

// add puts a value into its column with its levels of repetition and definition.
func (w *parquetWriter) add(i int, v []byte) error {
	t := w.columns[i].Type
	if v == nil {
		w.batch[i] = append(w.batch[i], parquet.NullValue().Level(0, 0, i))
		return nil
	}
	if t == store.TextList {
		return w.addList(i, v)
	}
	w.batch[i] = append(w.batch[i], w.value(t, v).Level(0, 1, i))
	return nil
}

// addList writes a list by the levels of its three-level form, an optional group
// of a repeated group of an optional text: 0 no list, 1 an empty one, 2 a null
// in it, 3 a text.
func (w *parquetWriter) addList(i int, v []byte) error {
	n := 0
	err := list(v, func(item []byte) {
		again := min(n, 1)
		n++
		if item == nil {
			w.batch[i] = append(w.batch[i], parquet.NullValue().Level(again, 2, i))
			return
		}
		w.batch[i] = append(w.batch[i], w.value(store.Text, item).Level(again, 3, i))
	})
	if n == 0 {
		w.batch[i] = append(w.batch[i], parquet.NullValue().Level(0, 1, i))
	}
	return err
}

func (w *parquetWriter) value(t store.ColumnType, v []byte) parquet.Value {
	switch t {
	case store.Bool:
		return parquet.BooleanValue(v[0] != 0)
	case store.Int16, store.Int32:
		return parquet.Int32Value(int32(integer(v)))
	case store.Int64:
		return parquet.Int64Value(integer(v))
	case store.Float32:
		return parquet.FloatValue(float32(float(v)))
	case store.Float64:
		return parquet.DoubleValue(float(v))
	case store.Timestamp:
		return parquet.Int64Value(unixMicros(v))
	default:
		// The bytes are only lent. Where the buffer grows, earlier values keep the old one.
		from := len(w.text)
		w.text = append(w.text, v...)
		return parquet.ByteArrayValue(w.text[from:len(w.text):len(w.text)])
	}
}

// writeBatch hands the batch to the columns, and ends a group that is full.
func (w *parquetWriter) writeBatch() error {
	writers := w.file.ColumnWriters()
	for i := range w.batch {
		if len(w.batch[i]) == 0 {
			continue
		}
		if _, err := writers[i].WriteRowValues(w.batch[i]); err != nil {
			return fmt.Errorf("write column %s: %w", w.columns[i].Name, err)
		}
		w.batch[i] = w.batch[i][:0]
	}
	w.group += w.rows
	w.bytes += len(w.text)
	w.rows, w.text = 0, w.text[:0]
	if w.group >= groupRows || w.bytes >= groupBytes {
		w.group, w.bytes = 0, 0
		if err := w.file.Flush(); err != nil {
			return fmt.Errorf("write a row group: %w", err)
		}
	}
	return nil
}

// Close writes the last group and the footer.
func (w *parquetWriter) Close() error {
	if w.file == nil {
		return nil
	}
	if err := w.writeBatch(); err != nil {
		return err
	}
	if err := w.file.Close(); err != nil {
		return fmt.Errorf("write the footer: %w", err)
	}
	return nil
}

// ordered is a group whose fields keep their order; a plain one sorts them by name.
type ordered struct {
	parquet.Group
	names []string
}

// Fields gives the fields in order.
func (o ordered) Fields() []parquet.Field {
	byName := map[string]parquet.Field{}
	for _, f := range o.Group.Fields() {
		byName[f.Name()] = f
	}
	out := make([]parquet.Field, len(o.names))
	for i, name := range o.names {
		out[i] = byName[name]
	}
	return out
}
