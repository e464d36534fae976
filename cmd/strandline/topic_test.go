package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/crawler/warc"
)

// topicArchive writes five days of four hosts that tell of a flood: on the first day
// what is known, on the second news that three hosts reword, on the third the same
// news on the fourth host and other figures, on the fourth nothing; the fifth page is
// in German.
func topicArchive(t *testing.T, file string) {
	t.Helper()
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out, err := warc.NewWriter(f, warc.WriterOptions{Reproducible: true, Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	const known = "<p>The flood of the river is watched by all of the towns. It has been high since the rain of the week before. Help comes from the towns around.</p>"
	days := map[string][]string{
		"https://one.test/":   {known, known + "<p>The flood killed 26 people in the town of Kirkdale on Monday.</p>", known + "<p>The flood killed 31 people in the town of Kirkdale on Monday.</p>"},
		"https://two.test/":   {known + "<p>Two.</p>", known + "<p>In the town of Kirkdale 26 people were killed by the flood.</p>", ""},
		"https://three.test/": {known + "<p>Three says it.</p>", known + "<table><tr><td>Total homes in the flood</td><td>1,200</td></tr></table>", known + "<table><tr><td>Total homes in the flood</td><td>1,350</td></tr></table>"},
		"https://four.test/":  {known + "<p>Four has more of it.</p>", "", known + "<p>On Monday the flood killed 26 people in the town of Kirkdale.</p>"},
		"https://five.test/":  {"<html lang=de><p>Die Flut (flood) des Flusses wird von allen Orten der Gegend beobachtet. Sie ist seit dem Regen der letzten Woche sehr hoch und steigt noch.</p>"},
	}
	at := time.Date(2021, 3, 1, 6, 0, 0, 0, time.UTC)
	for url, pages := range days {
		last := ""
		for d := range 3 {
			if d < len(pages) && pages[d] != "" {
				last = pages[d]
			}
			body := []byte("<title>Flood</title><h1>" + url + "</h1>" + last)
			if _, err := out.Response(url, at.AddDate(0, 0, d), []byte("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"), body, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestTopic(t *testing.T) {
	t.Parallel()
	database, dir := newDatabase(t), t.TempDir()
	file, config := filepath.Join(dir, "flood.warc"), filepath.Join(dir, "c.yaml")
	topicArchive(t, file)
	configure := func(topics string) {
		t.Helper()
		if err := os.WriteFile(config, []byte(topics), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	call := func(want int, args ...string) string {
		t.Helper()
		var stdout, stderr bytes.Buffer
		args = append([]string{"--config", config, "--database", database, "--state-dir", dir}, args...)
		if got := Main(t.Context(), args, strings.NewReader(""), &stdout, &stderr); got != want {
			t.Fatalf("%v: status %d, want %d\n%s%s", args, got, want, &stdout, &stderr)
		}
		return stdout.String() + stderr.String()
	}
	configure("topics:\n  - {name: flood, query: flood, language: en, period: \"@daily\", summary: {context: 0}}\n  - {name: none, query: zeppelin, period: \"@daily\"}\n")
	if got := call(1, "topic", "flood"); !strings.Contains(got, `there is no topic "flood"`) {
		t.Errorf("before the first run: %s", got)
	}
	call(0, "import", file)
	all := call(0, "topic", "flood", "--run", "--period", "2021-03-01..2021-03-05")
	if !strings.Contains(all, "No page was fetched in this period.") {
		t.Errorf("a period without fetches says: %s", all)
	}
	type summary struct {
		Checked   int `json:"pages_checked"`
		Sentences []struct {
			Rank            int
			Label, Sentence string
			Earlier         string
			Hosts           int
		}
		Figures []struct{ Sentence, Earlier string }
	}
	day := func(d int) (s summary, raw string) {
		t.Helper()
		raw = call(0, "--json", "topic", "flood", "--period", fmt.Sprintf("2021-03-%02d", d))
		if err := json.Unmarshal([]byte(raw), &s); err != nil {
			t.Fatal(err)
		}
		return s, raw
	}
	if s, raw := day(1); len(s.Sentences) != 0 || !strings.Contains(raw, "read for the first time") {
		t.Errorf("the first day: %s", raw)
	}
	if s, raw := day(2); s.Checked != 4 || len(s.Sentences) == 0 || s.Sentences[0].Hosts != 2 || s.Sentences[0].Label != "new" || !strings.Contains(s.Sentences[0].Sentence, "26") {
		t.Errorf("the second day: %s", raw)
	}
	s, raw := day(3)
	if len(s.Sentences) != 1 || s.Sentences[0].Label != "update" || !strings.Contains(s.Sentences[0].Sentence, "31") || !strings.Contains(s.Sentences[0].Earlier, "26") {
		t.Errorf("the third day tells of more than the other figure: %s", raw)
	}
	if len(s.Figures) != 1 || s.Figures[0].Sentence != "Total homes in the flood: 1,350" || s.Figures[0].Earlier != "1,200" {
		t.Errorf("figures of the third day: %+v", s.Figures)
	}
	// Once more gives the same, also of a period in the middle.
	call(0, "topic", "flood", "--run", "--period", "2021-03-02..2021-03-03")
	if _, again := day(3); again != raw {
		t.Errorf("after the day before was computed anew:\n%s", cmp.Diff(raw, again))
	}
	call(0, "topic", "flood", "--run", "--period", "2021-03-03")
	if _, again := day(3); again != raw {
		t.Errorf("computed anew:\n%s", cmp.Diff(raw, again))
	}
	for _, form := range []string{"--markdown", "--html"} {
		if got := call(0, "topic", "flood", form, "--period", "2021-03-03"); !strings.Contains(got, "31 people") {
			t.Errorf("%s: %s", form, got)
		}
	}
	checkFigures(t, database)
	if got := call(1, "topic", "none", "--run"); !strings.Contains(got, "the search found no page") {
		t.Errorf("no results: %s", got)
	}
	if got := call(1, "topic", "flood", "--period", "2019-01-01"); !strings.Contains(got, "has no period at") {
		t.Errorf("a period that is not: %s", got)
	}
	configure("{}\n")
	if got := call(0, "topic", "flood", "--period", "2021-03-02"); !strings.Contains(got, "Kirkdale") {
		t.Errorf("a topic that is not configured any more keeps its history: %s", got)
	}
	if got := call(2, "topic", "flood", "--run"); !strings.Contains(got, "is not in the configuration") {
		t.Errorf("it is computed all the same: %s", got)
	}
	if got := call(0, "topic", "list"); !strings.Contains(got, "flood") || !strings.Contains(got, "zeppelin") {
		t.Errorf("list: %s", got)
	}
	for _, name := range []string{"topic"} {
		if got := call(0, "report", name, "flood"); !strings.Contains(got, "Kirkdale") {
			t.Errorf("report: %s", got)
		}
	}
}

// checkFigures computes S and D from what the views show (SCIENCE J1, J3, J4).
func checkFigures(t *testing.T, database string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var wrong, rows int
	var most float64
	err = conn.QueryRow(t.Context(), `
		with t as (
			select s.*, row_number() over (partition by page_id order by period_start) as n from api_v1.topic_score s where topic = 'flood'
		), d as (
			select a.page_id, a.n, a.up_to_date, sum((b.score + b.linked) / (a.n - b.n + 1)) as want
			from t a join t b on b.page_id = a.page_id and b.n <= a.n group by 1, 2, 3
		)
		select (select count(*) from t where abs(score - case when terms > 0 then weights * (1 + ln(terms)) / terms else 0 end) > 1e-9)
		     + (select count(*) from d where abs(up_to_date - want) > 1e-9)
		     + (select count(*) from api_v1.topic_term w join api_v1.topic_period p using (topic, period_start)
		        where abs(w.weight - w.occurrences * exp(w.pages::float8 / p.pages_checked)) > 1e-9),
		       (select count(*) from t), (select max(up_to_date) from t)`).Scan(&wrong, &rows, &most)
	if err != nil {
		t.Fatal(err)
	}
	if wrong != 0 || rows < 12 || !(most > 0) || math.IsInf(most, 0) {
		t.Errorf("%d of %d figures do not follow from the others; the highest D is %v", wrong, rows, most)
	}
	var german int
	if err := conn.QueryRow(t.Context(), `select count(*) from api_v1.topic_page where url like '%five%'`).Scan(&german); err != nil || german != 0 {
		t.Errorf("the page in German is in the collection: %d, %v", german, err)
	}
}
