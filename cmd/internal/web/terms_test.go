package web_test

import (
	"encoding/csv"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestTermsFigure holds the terms over the periods to what the database has of them.
func TestTermsFigure(t *testing.T) {
	t.Parallel()
	fx := fill(t, open(t))
	s := newServer(t, fx.DB, nil)
	const base = "/topics/the%20hours/terms"
	type cell struct {
		word  string
		start string
	}
	hosts, changed := map[cell]int{}, map[string]int{}
	rows, err := fx.Pool().Query(t.Context(), `
		select l.word, d.period_start, coalesce(x.hosts, 0), d.hosts_changed
		from core.topic_period d
		cross join (select term, word from core.topic_term where period_start = $1) l
		left join core.topic_term x on x.topic_id = d.topic_id and x.period_start = d.period_start and x.term = l.term`, noon.Add(-2*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var word string
		var at time.Time
		var n, of int
		if err := rows.Scan(&word, &at, &n, &of); err != nil {
			t.Fatal(err)
		}
		start := at.UTC().Format(time.RFC3339)
		hosts[cell{word, start}], changed[start] = n, of
	}
	if rows.Err() != nil || len(changed) != 4 {
		t.Fatalf("%d periods: %v", len(changed), rows.Err())
	}
	_, data, _ := strings.Cut(bodyOf(t, get(t, s, base+".csv")), "\n")
	table, err := csv.NewReader(strings.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(table) < 8 || len(table)%4 != 0 {
		t.Fatalf("%d rows, want one a term and period", len(table))
	}
	bursts := map[string]int{}
	bars := 0
	for i, r := range table {
		n := hosts[cell{r[0], r[1]}]
		if r[3] != fmt.Sprint(n) || r[4] != fmt.Sprint(changed[r[1]]) {
			t.Errorf("%q from %s: %s of %s hosts, want %d of %d", r[0], r[1], r[3], r[4], n, changed[r[1]])
		}
		if n > 0 {
			bars++
		}
		if r[6] == "true" {
			bursts[r[0]]++
			if i >= 8 {
				t.Errorf("%q, in a burst, stands behind what is in none", r[0])
			}
		}
	}
	if len(bursts) != 2 {
		t.Errorf("bursts of %v, want two terms", bursts)
	}
	for word, n := range bursts {
		if n != 2 {
			t.Errorf("the burst of %q has %d periods, want 2", word, n)
		}
	}
	bar := regexp.MustCompile(`M[\d.]+ [\d.]+V[\d.]+H[\d.]+V[\d.]+z`)
	page := bodyOf(t, get(t, s, "/topics/the%20hours"))
	_, inPage, found := strings.Cut(page, `id="figure-terms"`)
	inPage, _, _ = strings.Cut(inPage, "</svg>")
	if !found || !strings.Contains(page, `href="`+base+`.csv?period=20260310T100000Z"`) {
		t.Error("the topic has no figure of its terms with its data")
	}
	for name, svg := range map[string]string{"in the page": inPage, "alone": bodyOf(t, get(t, s, base+".svg")), "on a phone": bodyOf(t, get(t, s, base+".svg?width=390"))} {
		if n := len(bar.FindAllString(svg, -1)); n != bars {
			t.Errorf("%s: %d bars, want %d", name, n, bars)
		}
		if n := strings.Count(svg, "data-burst="); n != 2 || !strings.Contains(svg, ": burst from 2026-03-10 09:00 UTC to 2026-03-10 11:00 UTC") || !strings.Contains(svg, "2 terms are in a burst") {
			t.Errorf("%s: %d bursts", name, n)
		}
	}
	if strings.Contains(bodyOf(t, get(t, s, "/topics/the%20hours/20260310T070000Z")), "figure-terms") {
		t.Error("the first period has a figure of terms over periods")
	}
	weigh(t, s, "/topics/the%20hours")
}
