package tablefile_test

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"github.com/strandlinehq/strandline/cmd/internal/tablefile"
	"github.com/strandlinehq/strandline/store"
)

// columns has one column of each type.
var columns = []store.ViewColumn{
	{Name: "text", Type: store.Text},
	{Name: "truth", Type: store.Bool},
	{Name: "small", Type: store.Int16},
	{Name: "middle", Type: store.Int32},
	{Name: "big", Type: store.Int64},
	{Name: "single", Type: store.Float32},
	{Name: "double", Type: store.Float64},
	{Name: "at", Type: store.Timestamp},
	{Name: "flags", Type: store.TextList},
}

// values is a row of columns.
func values(text string, n int64, f float64, flags ...string) [][]byte {
	be := binary.BigEndian
	return [][]byte{
		[]byte(text),
		{1},
		be.AppendUint16(nil, uint16(n)), be.AppendUint32(nil, uint32(n)), be.AppendUint64(nil, uint64(n)),
		be.AppendUint32(nil, math.Float32bits(float32(f))), be.AppendUint64(nil, math.Float64bits(f)), be.AppendUint64(nil, 1_500_000), array(flags),
	}
}

// array is a list as PostgreSQL sends it.
func array(items []string) []byte {
	be := binary.BigEndian
	if len(items) == 0 {
		return make([]byte, 12)
	}
	b := be.AppendUint32(nil, 1)
	b = be.AppendUint32(b, 1)
	b = be.AppendUint32(b, 25)
	b = be.AppendUint32(b, uint32(len(items)))
	b = be.AppendUint32(b, 1)
	for _, s := range items {
		if s == "NULL" {
			b = be.AppendUint32(b, math.MaxUint32)
			continue
		}
		b = append(be.AppendUint32(b, uint32(len(s))), s...)
	}
	return b
}

func write(t testing.TB, format tablefile.Format, rows ...[][]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := tablefile.New(format, &out)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Begin(columns); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if err := w.Row(r); err != nil {
			t.Fatal(err)
		}
		for _, v := range r { // values are only lent
			clear(v)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestText(t *testing.T) {
	t.Parallel()
	nulls := make([][]byte, len(columns))
	tests := []struct {
		format tablefile.Format
		row    [][]byte
		want   string
	}{
		{tablefile.CSV, values("a,\"b\"\n", -7, 0.1, "x", "NULL"), "\"a,\"\"b\"\"\n\",true,-7,-7,-7,0.1,0.1,2000-01-01T00:00:01.5Z,\"[\"\"x\"\",null]\"\n"},
		{tablefile.CSV, values("", 1, 2), "\"\",true,1,1,1,2,2,2000-01-01T00:00:01.5Z,[]\n"},
		{tablefile.CSV, nulls, ",,,,,,,,\n"},
		{tablefile.NDJSON, values("a\t\"\\\x01", 7, math.Inf(1), "x"), `{"text":"a\t\"\\\u0001","truth":true,"small":7,"middle":7,"big":7,"single":null,"double":null,"at":"2000-01-01T00:00:01.5Z","flags":["x"]}` + "\n"},
		{tablefile.NDJSON, nulls, `{"text":null,"truth":null,"small":null,"middle":null,"big":null,"single":null,"double":null,"at":null,"flags":null}` + "\n"},
	}
	for _, test := range tests {
		got := string(write(t, test.format, test.row))
		if test.format == tablefile.CSV {
			head := "text,truth,small,middle,big,single,double,at,flags\n"
			var ok bool
			if got, ok = strings.CutPrefix(got, head); !ok {
				t.Errorf("no head line: %s", got)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.format, diff)
		}
	}
}

// TestTextReadsBack holds the writers of text against the readers of the standard library.
func TestTextReadsBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.String().Draw(r, "text")
		var object map[string]any
		if err := json.Unmarshal(write(t, tablefile.NDJSON, values(text, 1, 2)), &object); err != nil || object["text"] != text {
			r.Errorf("JSON: %q, %v", object["text"], err)
		}
		lines, err := csv.NewReader(bytes.NewReader(write(t, tablefile.CSV, values(text, 1, 2)))).ReadAll()
		want := strings.ReplaceAll(text, "\r\n", "\n") // as that reader has it
		if err != nil || lines[1][0] != want {
			r.Errorf("CSV: %q, %v", lines, err)
		}
	})
}

// row is what a reader of Parquet sees.
type row struct {
	Text   *string  `parquet:"text,optional"`
	Truth  *bool    `parquet:"truth,optional"`
	Small  *int16   `parquet:"small,optional"`
	Middle *int32   `parquet:"middle,optional"`
	Big    *int64   `parquet:"big,optional"`
	Single *float32 `parquet:"single,optional"`
	Double *float64 `parquet:"double,optional"`
	At     *int64   `parquet:"at,optional,timestamp(microsecond)"`
	Flags  []string `parquet:"flags,optional,list"`
}

func TestParquet(t *testing.T) {
	t.Parallel()
	const n = 300_000 // of several row groups
	var out bytes.Buffer
	w, err := tablefile.New(tablefile.Parquet, &out)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Begin(columns); err != nil {
		t.Fatal(err)
	}
	texts := []string{"one", "two", "", "three"}
	for i := range n {
		v := values(texts[i%4], int64(i), float64(i)/3, texts[:i%3]...)
		if i%5 == 0 {
			v = make([][]byte, len(columns))
		}
		if err := w.Row(v); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	want := `message row {
	optional binary text (STRING);
	optional boolean truth;
	optional int32 small (INT(16,true));
	optional int32 middle (INT(32,true));
	optional int64 big (INT(64,true));
	optional float single;
	optional double double;
	optional int64 at (TIMESTAMP(isAdjustedToUTC=true,unit=MICROS));
	optional group flags (LIST) {
		repeated group list {
			optional binary element (STRING);
		}
	}
}`
	if diff := cmp.Diff(want, f.Schema().String()); diff != "" {
		t.Errorf("schema (-want +got):\n%s", diff)
	}
	if got := len(f.RowGroups()); got != 3 {
		t.Errorf("%d row groups, want 3", got)
	}
	r := parquet.NewGenericReader[row](bytes.NewReader(out.Bytes()))
	defer r.Close()
	i, buf := 0, make([]row, 1000)
	for {
		k, err := r.Read(buf)
		for _, got := range buf[:k] {
			if i%5 == 0 {
				if got.Text != nil || got.Big != nil || got.At != nil || len(got.Flags) != 0 {
					t.Fatalf("row %d: %+v, want nulls", i, got)
				}
			} else if *got.Text != texts[i%4] || *got.Big != int64(i) || *got.Small != int16(i) || *got.Middle != int32(i) || *got.Double != float64(i)/3 ||
				*got.Single != float32(float64(i)/3) || !*got.Truth || *got.At != 946684801500000 || !cmp.Equal(got.Flags, append([]string{}, texts[:i%3]...)) {
				t.Fatalf("row %d: %+v %q", i, got, *got.Text)
			}
			i++
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if i != n {
		t.Errorf("%d rows, want %d", i, n)
	}
}

// TestBadValues gives the writers values that are not of their type.
func TestBadValues(t *testing.T) {
	t.Parallel()
	for _, format := range []tablefile.Format{tablefile.CSV, tablefile.NDJSON, tablefile.Parquet} {
		for i := 1; i < len(columns); i++ {
			w, err := tablefile.New(format, io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Begin(columns); err != nil {
				t.Fatal(err)
			}
			v := values("a", 1, 2, "x")
			v[i] = v[i][:len(v[i])-1]
			if err := w.Row(v); err == nil || !strings.Contains(err.Error(), columns[i].Name) {
				t.Errorf("%s, column %s cut short: error %v", format, columns[i].Name, err)
			}
		}
	}
}

func BenchmarkParquet(b *testing.B) {
	w, err := tablefile.New(tablefile.Parquet, io.Discard)
	if err != nil {
		b.Fatal(err)
	}
	if err := w.Begin(columns); err != nil {
		b.Fatal(err)
	}
	v := values("https://a.test/some/page", 1, 2, "x")
	b.ReportAllocs()
	for b.Loop() {
		if err := w.Row(v); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
}
