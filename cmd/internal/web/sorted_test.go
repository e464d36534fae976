package web

import (
	"math"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/cmd/internal/compare"
	"github.com/strandlinehq/strandline/monitor/text/diff"
)

type sortedRow struct {
	name string
	size int
}

func TestHeads(t *testing.T) {
	t.Parallel()
	columns := []column[sortedRow]{
		{key: "name", name: "Name", rises: true, order: by(func(r sortedRow) string { return r.name })},
		{key: "size", name: "Size", number: true, order: by(func(r sortedRow) int { return r.size })},
		{name: "Note"},
	}
	for _, tt := range []struct {
		asked, order, sorted string
		hrefs                []string
	}{
		{"", "b c a", "ascending", []string{"/x?a=1&order=-name", "/x?a=1&order=size", ""}},
		{"name", "a b c", "ascending", []string{"/x?a=1&order=-name", "/x?a=1&order=size", ""}},
		{"-name", "c b a", "descending", []string{"/x?a=1&order=name", "/x?a=1&order=size", ""}},
		{"size", "c b a", "descending", []string{"/x?a=1&order=name", "/x?a=1&order=-size", ""}},
		{"-size", "b a c", "ascending", []string{"/x?a=1&order=name", "/x?a=1&order=size", ""}},
	} {
		rows := []sortedRow{{"b", 1}, {"c", 2}, {"a", 1}}
		at, err := url.Parse("/x?a=1&order=" + tt.asked)
		if err != nil {
			t.Fatal(err)
		}
		got, err := heads(at, "order", "name", rows, columns)
		if err != nil {
			t.Errorf("%q: %v", tt.asked, err)
			continue
		}
		var names, hrefs []string
		sorted := ""
		for _, r := range rows {
			names = append(names, r.name)
		}
		for _, h := range got {
			hrefs = append(hrefs, h.Href)
			sorted += h.Sorted
		}
		if d := cmp.Diff([]any{tt.order, tt.sorted, tt.hrefs}, []any{strings.Join(names, " "), sorted, hrefs}); d != "" {
			t.Errorf("%q (-want +got):\n%s", tt.asked, d)
		}
	}
	for _, asked := range []string{"note", "-", "--name", "Name", "size,name"} {
		if _, err := heads(&url.URL{Path: "/x", RawQuery: "order=" + asked}, "order", "name", slices.Clone([]sortedRow{{"b", 1}}), columns); err == nil || !strings.Contains(err.Error(), "name, size") {
			t.Errorf("%q: %v", asked, err)
		}
	}
}

func TestDue(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for ago, want := range map[time.Duration]string{
		-2 * time.Hour: ">in 2 h<", 0: ">just now<", 5 * time.Minute: "due <time", 2 * time.Hour: `<span class="late">late, due <time`,
	} {
		if got := string(due(now, now.Add(-ago))); !strings.Contains(got, want) {
			t.Errorf("due %s ago: %s, want %q", ago, got, want)
		}
	}
}

// TestRewritten calls a text rewritten if less than half of its words stayed, and it has
// enough of them.
func TestRewritten(t *testing.T) {
	t.Parallel()
	words := func(op diff.Op, n int) compare.Piece { return compare.Piece{Op: op, Text: strings.Repeat("word ", n)} }
	for _, tt := range []struct {
		kept, gone, came int
		want             *rewritten
	}{
		{100, 0, 0, nil},
		{50, 50, 50, nil},
		{49, 51, 51, &rewritten{51, 100, 51, 100}},
		{20, 10, 200, &rewritten{10, 30, 200, 220}},
		{1, 20, 20, nil},
	} {
		got := rewrittenOf([]compare.Piece{words(diff.Keep, tt.kept), words(diff.Delete, tt.gone), words(diff.Insert, tt.came)})
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%d kept, %d gone, %d came (-want +got):\n%s", tt.kept, tt.gone, tt.came, d)
		}
	}
}

// TestTitled finds nothing to be seen in titles of spaces, controls and broken letters.
func TestTitled(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"": "", "  \n ": "", "\ufffd": "", "\u200b\u202e\ufeff": "", "\x00": "", " A\u202eB ": "AB", "…": "…", "潮": "潮", "\ufffdx": "\ufffdx", "☂": "☂",
	} {
		if got := titled(title); got != want {
			t.Errorf("titled(%q) = %q, want %q", title, got, want)
		}
	}
}

// TestHostileScores draws whatever numbers a database may hold.
func TestHostileScores(t *testing.T) {
	t.Parallel()
	for _, v := range []float64{0, -1, 1e300, math.Inf(1), math.NaN()} {
		if got := string(noveltyBar(v)); !strings.HasPrefix(got, "<svg") {
			t.Errorf("bar of %v: %s", v, got)
		}
	}
}
