package report

import (
	"bytes"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func sample() *Table {
	x := .25
	t := &Table{Name: "demo", Title: "A table", Columns: []string{"name", "dice", "hours", "at"}}
	t.Add("a,b", &x, 3, time.Date(2026, 3, 1, 2, 0, 0, 0, time.FixedZone("", 3600)))
	t.Add("c\x1b[2J", math.NaN(), (*float64)(nil), nil)
	t.Add("d", .00123, math.Inf(1), time.Time{})
	t.Note("%d pages left out", 2)
	return t
}

// TestTable prints what is undefined as nothing, and no control characters.
func TestTable(t *testing.T) {
	t.Parallel()
	var text, csv, notes, json bytes.Buffer
	for _, err := range []error{sample().Text(&text), sample().CSV(&csv, &notes), sample().JSON(&json)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	want := "A table\nname   dice     hours  at\na,b    0.250    3      2026-03-01T01:00:00Z\nc\uFFFD[2J                  \n" +
		"d      0.00123         \n2 pages left out\n"
	if diff := cmp.Diff(want, text.String()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	want = "name,dice,hours,at\n\"a,b\",0.25,3,2026-03-01T01:00:00Z\nc\x1b[2J,,,\nd,0.00123,,\n"
	if diff := cmp.Diff(want, csv.String()); diff != "" {
		t.Errorf("csv (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff("2 pages left out\n", notes.String()); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	want = `{"columns":["name","dice","hours","at"],"notes":["2 pages left out"],"report":"demo","rows":[` +
		`{"at":"2026-03-01T01:00:00Z","dice":0.25,"hours":3,"name":"a,b"},{"at":null,"dice":null,"hours":null,"name":"c\u001b[2J"},` +
		`{"at":null,"dice":0.00123,"hours":null,"name":"d"}],"title":"A table"}` + "\n"
	if diff := cmp.Diff(want, json.String()); diff != "" {
		t.Errorf("json (-want +got):\n%s", diff)
	}
}
