package main

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/warc"
	"github.com/strandlinehq/strandline/summarize"
)

// topicWorld is a database with captures, and daemons on it whose clock is held: each look at the topics
// is a call of the test. Nothing is fetched.
type topicWorld struct {
	*testing.T
	database, dir, config string
	clock                 *clock.Manual
	captures              []capture
	log                   bytes.Buffer
}

type capture struct {
	url    string
	at     time.Time
	status int
	body   string
}

var topicEpoch = time.Date(2021, 3, 1, 0, 0, 0, 0, time.UTC)

func newTopicWorld(t *testing.T) *topicWorld {
	t.Helper()
	dir := t.TempDir()
	return &topicWorld{T: t, database: newDatabase(t), dir: dir, config: filepath.Join(dir, "c.yaml"), clock: clock.NewManual(topicEpoch)}
}

// at is a time of a day, counted from 0.
func at(day, hour int) time.Time {
	return topicEpoch.AddDate(0, 0, day).Add(time.Duration(hour) * time.Hour)
}

func (w *topicWorld) capture(url string, at time.Time, status int, body string) {
	w.captures = append(w.captures, capture{url, at, status, body})
}

// known is what all pages say from the start.
const known = "<p>The flood of the river is watched by all of the towns. It has been high since the rain of the week before. Help comes from the towns around.</p>"

// bring imports what was captured.
func (w *topicWorld) bring() {
	w.Helper()
	file := filepath.Join(w.dir, "w.warc")
	f, err := os.Create(file)
	if err != nil {
		w.Fatal(err)
	}
	defer f.Close()
	out, err := warc.NewWriter(f, warc.WriterOptions{Reproducible: true, Plain: true})
	if err != nil {
		w.Fatal(err)
	}
	for _, c := range w.captures {
		head := fmt.Sprintf("HTTP/1.1 %d %s\r\nContent-Type: text/html; charset=utf-8\r\n\r\n", c.status, http.StatusText(c.status))
		if _, err := out.Response(c.url, c.at, []byte(head), []byte("<html lang=en><title>Flood</title><h1>"+c.url+"</h1>"+c.body), nil); err != nil {
			w.Fatal(err)
		}
	}
	w.captures = nil
	w.call("import", file)
}

func (w *topicWorld) call(args ...string) string {
	w.Helper()
	var stdout, stderr bytes.Buffer
	args = append([]string{"--config", w.config, "--database", w.database, "--state-dir", w.dir}, args...)
	if got := Main(w.Context(), args, strings.NewReader(""), &stdout, &stderr); got != 0 {
		w.Fatalf("%v: status %d\n%s%s", args, got, &stdout, &stderr)
	}
	return stdout.String()
}

func (w *topicWorld) configure(text string) {
	w.Helper()
	if err := os.WriteFile(w.config, []byte(text), 0o600); err != nil {
		w.Fatal(err)
	}
}

// topicDaemon is a daemon that looks at its topics when it is told to.
type topicDaemon struct {
	*service
	*topicWorld
	runner *summarize.Runner
	said   map[string]string
}

// daemon starts one on the configuration.
func (w *topicWorld) daemon() *topicDaemon {
	w.Helper()
	a := &app{flags: globals{Config: w.config, Database: w.database, StateDir: w.dir}, stdout: io.Discard, stderr: io.Discard, log: slog.New(slog.NewTextHandler(&w.log, nil))}
	o, err := a.open(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(o.Close)
	s, err := a.newService(o, w.clock, nil)
	if err != nil {
		w.Fatal(err)
	}
	p, err := s.plan(s.config)
	if err != nil {
		w.Fatal(err)
	}
	if _, err := s.apply(w.Context(), p); err != nil {
		w.Fatal(err)
	}
	return &topicDaemon{s, w, summarize.New(s.DB, summarize.Options{Now: w.clock.Now, Logger: a.log, Patience: -1}), map[string]string{}}
}

func (d *topicDaemon) look() {
	d.topicWorld.Helper()
	d.lookAtTopics(d.Context(), d.runner, d.said)
	if len(d.said) > 0 {
		d.topicWorld.Errorf("a look at the topics failed: %v", d.said)
	}
}

// rows reads one column of texts.
func (d *topicDaemon) rows(query string, args ...any) []string {
	d.topicWorld.Helper()
	out := []string{}
	rows, err := d.Pool().Query(d.Context(), query, args...)
	if err != nil {
		d.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			d.Fatal(err)
		}
		out = append(out, s)
	}
	if err := rows.Err(); err != nil {
		d.Fatal(err)
	}
	return out
}

func (d *topicDaemon) want(what string, want []string, query string, args ...any) {
	d.topicWorld.Helper()
	if diff := cmp.Diff(want, d.rows(query, args...)); diff != "" {
		d.topicWorld.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

const (
	periodsOf = `select to_char(period_start at time zone 'UTC', 'DD HH24') || ' to ' || to_char(period_end at time zone 'UTC', 'DD HH24') || ': '
		|| pages_checked || ' read, ' || pages_changed || ' new' from api_v1.topic_period where topic = $1 order by period_start`
	wantedBy = `select p.url from core.watch w join core.watch_page x using (watch_id) join core.page p using (page_id) where w.name = $1 and x.due_at is not null order by 1`
	inOutbox = `select target || ' ' || title from core.outbox order by 1, outbox_id`
)

const floodTopic = "http: {listen: '127.0.0.1:8080'}\ntargets: [{name: desk, file: %[1]s/desk.ndjson}, {name: log, file: %[1]s/log.ndjson}]\ntopics:\n" +
	"  - name: flood\n    query: flood\n    language: en\n    period: '@daily'\n    track: 2\n    search: {seeds: ['https://one.test/', 'https://two.test/', 'https://three.test/']}\n" +
	"    grow: {links: 0, clicks: 0, top: 0}\n    notify: {to: [desk, log]}\n"

// floodPages brings ten days: news on the second and third, then a day without fetches, one with nothing new, one on
// which all fails, and again news.
func (w *topicWorld) floodPages() {
	w.Helper()
	last := map[string]string{}
	for day := range 8 {
		for i, name := range []string{"one", "two", "three"} {
			url := "https://" + name + ".test/"
			body := known + "<p>Here is " + name + ".</p>"
			if last[url] != "" {
				body = last[url]
			}
			status := http.StatusOK
			switch {
			case day == 3:
				continue
			case day == 5:
				status = http.StatusNotFound
			case day == 1 && i < 2:
				body += "<p>The flood killed 26 people in the town of Kirkdale on Tuesday.</p>"
			case day == 2 && i == 1:
				body += "<p>A dam near Oakham burst in the flood and 40 people were brought to safety.</p>"
			case day == 6 && i == 0:
				body += "<p>The ferry to Lund sank in the flood with 19 people on board.</p>"
			}
			if status == http.StatusOK {
				last[url] = body
			}
			w.capture(url, at(day, 6), status, body)
		}
	}
	w.bring()
}
