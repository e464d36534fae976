package figures

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/crawler/extract"
)

func page(t testing.TB, html string) *extract.Page {
	t.Helper()
	var x extract.Extractor
	return x.Extract(extract.Input{Body: []byte(html), ContentType: "text/html; charset=utf-8"})
}

func names(fs []Figure) []string {
	var out []string
	for _, f := range fs {
		out = append(out, f.Name()+" = "+f.Value)
	}
	return out
}

const table = `<title>Floods</title><h1>Floods</h1>
<table><tr><th>County</th><th>Homes flooded</th><th>Date</th></tr>
<tr><td>Lund</td><td>1,200</td><td>3</td></tr><tr><td><p>Marwick <b>East</b></p></td><td>7*</td><td>4</td></tr><tr><td>Total:</td><td>1,207</td><td></td></tr></table>
<table><tr><td>March 3</td><td>12</td></tr><tr><td>Wells</td><td>5</td></tr><tr><td>A</td><td>1</td><td>2</td></tr><tr><td>Bridges</td><td>about 9</td></tr></table>
<p>Roads closed: 31</p><p>Updated: 12</p><p>Call 555: 12</p><p>The water rose: 12 homes.</p><p>Boats: 4</p><p>Boats: 5</p>`

func TestOf(t *testing.T) {
	t.Parallel()
	want := []string{
		"Lund, Homes flooded = 1,200", "Marwick East, Homes flooded = 7*", "Total, Homes flooded = 1,207", "Wells = 5", "Roads closed = 31", "Call 555 = 12",
	}
	if diff := cmp.Diff(want, names(Of(page(t, table)))); diff != "" {
		t.Errorf("figures (-want +got):\n%s", diff)
	}
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]float64{
		"421": 421, "1,234,567": 1234567, "1.234": 1234, "12.5": 12.5, "12,5 %": 12.5, "-3": -3, "+4*": 4, "1 200": 1200, "2020": 2020, "0.125": 0.125, "0,125": 0.125,
	} {
		if got, ok := number(s); !ok || got != want {
			t.Errorf("number(%q) = %v, %v, want %v", s, got, ok, want)
		}
	}
	for _, s := range []string{"", "-", "3/15", "12:30", "five", "1,2,3", "555-1234", "$5", strings.Repeat("1", 40)} {
		if n, ok := number(s); ok {
			t.Errorf("number(%q) = %v", s, n)
		}
	}
}

func TestChanged(t *testing.T) {
	t.Parallel()
	before := Of(page(t, table))
	after := Of(page(t, strings.NewReplacer("1,200", "1,350", "1,207", "1,357", "31", "32", "<td>5</td>", "<td>5 </td>").Replace(table)))
	got := Changed(before, after)
	Sort(got, func(name string) bool { return strings.Contains(name, "Homes") })
	var list []string
	for _, c := range got {
		list = append(list, c.Name()+" = "+c.Value+", before "+c.Before)
	}
	want := []string{"Total, Homes flooded = 1,357, before 1,207", "Lund, Homes flooded = 1,350, before 1,200", "Roads closed = 32, before 31"}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	if n := Changed(nil, after); len(n) != 0 {
		t.Errorf("new rows are no changes: %v", n)
	}
}

func FuzzNumber(f *testing.F) {
	f.Add("1,234.5 %")
	f.Add("−1 000")
	f.Fuzz(func(t *testing.T, s string) {
		if n, ok := number(s); ok && n != n {
			t.Fatalf("number(%q) = %v", s, n)
		}
		ofLine(s)
	})
}
