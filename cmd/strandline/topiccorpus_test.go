package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/warc"
	"github.com/strandlinehq/strandline/internal/need"
)

// thinned copies the responses of an archive from one time to another, those of each page at least so far apart.
func thinned(t *testing.T, from, to string, first, last time.Time, apart time.Duration) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	file, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, err := warc.NewReader(in, warc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := warc.NewWriter(file, warc.WriterOptions{Reproducible: true, Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	taken := map[string]time.Time{}
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if rec.Type != warc.TypeResponse || rec.Date.Before(first) || !rec.Date.Before(last) || rec.Date.Sub(taken[rec.TargetURI]) < apart {
			continue
		}
		taken[rec.TargetURI] = rec.Date
		block, _, err := rec.AppendBlock(nil, 64<<20)
		if err != nil {
			t.Fatal(err)
		}
		head, body, ok := bytes.Cut(block, []byte("\r\n\r\n"))
		if !ok {
			continue
		}
		if _, err := out.Response(rec.TargetURI, rec.Date, append(head, "\r\n\r\n"...), body, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTopicReadsTheStates reads what a topic tells of five days of health authorities in March 2020: on the
// 25th Maine began to ration its tests; on no day is a sentence told twice, and no update is of a count that a later
// one has brought up to date since.
func TestTopicReadsTheStates(t *testing.T) {
	t.Parallel()
	file := need.Corpus(t, "gov-us-states-2020")[0]
	w := newTopicWorld(t)
	day := func(n int) time.Time { return time.Date(2020, 3, n, 0, 0, 0, 0, time.UTC) }
	thin := filepath.Join(w.dir, "states.warc")
	thinned(t, file, thin, day(22), day(29), 5*time.Hour)
	w.configure("topics:\n  - {name: corona, query: coronavirus cases deaths, language: en, period: '@daily', summary: {sentences: 5}, grow: {links: 0, clicks: 0, top: 0}}\n")
	w.call("import", thin)
	w.call("topic", "corona", "--run", "--period", "2020-03-24..2020-03-29")
	var all string
	for _, tt := range []struct {
		day    string
		fewest int
		parts  []string
	}{
		{"2020-03-24", 3, []string{"30 reported cases in Wyoming"}},
		{"2020-03-25", 5, []string{"limited national supply of laboratory materials inhibits Maine", "44 reported cases in Wyoming"}},
		{"2020-03-26", 5, []string{"two public health orders"}},
		{"2020-03-27", 3, []string{"70 reported cases in Wyoming"}},
	} {
		var s struct {
			Sentences []struct{ Label, Sentence, Earlier, Before, After string }
		}
		raw := w.call("--json", "topic", "corona", "--period", tt.day)
		if err := json.Unmarshal([]byte(raw), &s); err != nil {
			t.Fatal(err)
		}
		if len(s.Sentences) < tt.fewest {
			t.Errorf("%s: %d sentences, want %d at least: %+v", tt.day, len(s.Sentences), tt.fewest, s.Sentences)
		}
		text := w.call("topic", "corona", "--period", tt.day)
		for _, part := range tt.parts {
			if !strings.Contains(strings.Join(strings.Fields(text), " "), part) {
				t.Errorf("%s does not tell %q:\n%s", tt.day, part, text)
			}
		}
		for _, x := range s.Sentences {
			if strings.Count(strings.Join(strings.Fields(text), " "), x.Sentence) != 1 {
				t.Errorf("%s tells %q not just once:\n%s", tt.day, x.Sentence, text)
			}
			if strings.Contains(all, x.Sentence) {
				t.Errorf("%s tells again what a day before told: %q", tt.day, x.Sentence)
			}
			if x.Label == "update" && strings.Contains(x.Earlier, "28 reported") && tt.day != "2020-03-24" {
				t.Errorf("%s: %q is called an update of %q", tt.day, x.Sentence, x.Earlier)
			}
		}
		all += raw
	}
}
