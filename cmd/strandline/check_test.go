package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/configs"
	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/internal/testdb"
	"github.com/strandlinehq/strandline/store"
)

const checkedBefore = `watches:
  - {name: x, schedule: '@every 10m', urls: ['https://a.test/1', 'https://a.test/2']}
  - {name: y, schedule: '@daily', urls: ['https://b.test/']}
  - {name: z, schedule: '@hourly', urls: ['https://c.test/']}
series: [{name: s, schedule: '0 3 1 * *', seeds: ['https://a.test/']}, {name: t, seeds: ['https://a.test/']}]
topics: [{name: floods, query: flood, period: '0 6 * * *'}, {name: rain, query: rain}]
`

const checkedAfter = `watches:
  - {name: x, schedule: '@every 20m', urls: ['https://a.test/1', 'https://a.test/3', 'https://a.test/4'], bursts: {rounds: 4}}
  - {name: w, schedule: '@hourly', urls: ['https://d.test/']}
  - {name: z, schedule: '@hourly', urls: ['https://c.test/']}
series: [{name: s, schedule: '0 4 1 * *', seeds: ['https://a.test/']}]
topics: [{name: floods, query: flood OR river, period: '0 6 * * *'}, {name: drought, query: drought}]
`

// TestCheckPlans holds the plan that check prints against what a daemon then does, and its due times against
// those in the database.
func TestCheckPlans(t *testing.T) {
	t.Parallel()
	url := testdb.URL(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	file := filepath.Join(t.TempDir(), "strandline.yaml")
	var stdout bytes.Buffer
	a := &app{flags: globals{Config: file, Database: url}, stdout: &stdout, stderr: io.Discard, log: slog.New(slog.DiscardHandler)}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	check := func() string {
		t.Helper()
		stdout.Reset()
		if err := new(checkCmd).Run(ctx, a); err != nil {
			t.Fatal(err)
		}
		return stdout.String()
	}
	apply := func() *store.DB {
		t.Helper()
		o, err := a.create(ctx)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(o.Close)
		s, err := a.newService(o, clock.Real{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.plan(o.config)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.apply(ctx, p); err != nil {
			t.Fatal(err)
		}
		return o.DB
	}
	changes := func() []string {
		t.Helper()
		a.flags.JSON = true
		defer func() { a.flags.JSON = false }()
		var out struct{ Changes []configs.Change }
		if err := json.Unmarshal([]byte(check()), &out); err != nil {
			t.Fatal(err)
		}
		lines := []string{}
		for _, c := range out.Changes {
			lines = append(lines, c.String())
		}
		return lines
	}
	same := func(what string, got, want []string) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}

	write(checkedBefore)
	same("of an empty database", changes(), []string{
		"added watch x", "added watch y", "added watch z", "added series s", "added series t", "added topic floods", "added topic rain",
	})
	db := apply()
	same("of what is in force", changes(), []string{})
	if text := check(); !strings.Contains(text, "nothing would be added, changed or paused\n") {
		t.Errorf("check says:\n%s", text)
	}
	wantDues(t, ctx, a, db, check)

	write(checkedAfter)
	same("of another configuration", changes(), []string{
		`changed watch x: bursts "" -> "{\"every\":\"4h\",\"offsets\":\"[0s 2m 16m 32m]\",\"rounds\":4,\"when\":0.9}", ` +
			`jitter "50s" -> "1m40s", schedule "@every 10m" -> "@every 20m", pages that join "" -> "2", pages that leave "" -> "1"`,
		"added watch w", "paused watch y",
		`changed series s: schedule "0 3 1 * *" -> "0 4 1 * *"`, "paused series t",
		`changed topic floods: query "flood" -> "flood OR river"`, "added topic drought", "paused topic rain",
	})
	apply()
	same("once it is in force", changes(), []string{})
	write(checkedBefore)
	if got := strings.Join(changes(), "\n"); !strings.Contains(got, "resumed watch y") || !strings.Contains(got, "resumed series t") || !strings.Contains(got, "resumed topic rain") {
		t.Errorf("of what was paused:\n%s", got)
	}

	a.flags.Database = "postgres://nobody@127.0.0.1:1/none?connect_timeout=1"
	if text := check(); !strings.Contains(text, "is not known") || !strings.Contains(text, "watch x, 2 pages; next due") {
		t.Errorf("without a database check says:\n%s", text)
	}
}

// wantDues holds the due times of watches against those that the database has for their pages.
func wantDues(t *testing.T, ctx context.Context, a *app, db *store.DB, check func() string) { //nolint:revive // the test comes first
	t.Helper()
	a.flags.JSON = true
	defer func() { a.flags.JSON = false }()
	var out struct {
		Plan []struct {
			Kind, Name string
			Due        []time.Time
		}
	}
	if err := json.Unmarshal([]byte(check()), &out); err != nil {
		t.Fatal(err)
	}
	for _, i := range out.Plan {
		if len(i.Due) != dueTimes {
			t.Errorf("%s %s: %d due times, want %d", i.Kind, i.Name, len(i.Due), dueTimes)
			continue
		}
		if i.Kind != "watch" {
			continue
		}
		rows, err := db.Pool().Query(ctx, `
			select m.due_at from core.watch_page m join core.watch w using (watch_id) where w.name = $1 order by m.due_at`, i.Name)
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; rows.Next(); n++ {
			var due time.Time
			if err := rows.Scan(&due); err != nil {
				t.Fatal(err)
			}
			if !due.Equal(i.Due[n]) {
				t.Errorf("watch %s is due at %s, want %s", i.Name, i.Due[n], due)
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		for n := 1; n < dueTimes; n++ {
			if i.Due[n].Before(i.Due[n-1]) {
				t.Errorf("watch %s: due times %s are not in order", i.Name, i.Due)
			}
		}
	}
}

// TestCheckSaysRefused warns of addresses that will never be fetched, at their place in the file.
func TestCheckSaysRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "a.yaml")
	text := "crawler: {user_agent: test/1.0, allow_networks: ['10.0.0.0/8']}\nwatches:\n  - name: one\n    schedule: '@daily'\n    urls_file: more.txt\n" +
		"    urls:\n      - https://example.org/\n      - http://169.254.169.254/latest\n      - http://10.1.2.3/\n    feeds: ['http://[::1]/feed']\n" +
		"series:\n  - name: web\n    seeds: ['http://localhost/']\n"
	if err := errors.Join(os.WriteFile(file, []byte(text), 0o600), os.WriteFile(filepath.Join(dir, "more.txt"), []byte("https://example.org/b\nhttp://192.168.1.1/\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	var told bytes.Buffer
	a := &app{flags: globals{Config: file, StateDir: filepath.Join(dir, "none")}, stdout: io.Discard, stderr: &told, log: slog.New(slog.DiscardHandler)}
	if err := (&checkCmd{}).Run(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`a.yaml:8:9: watches[0].urls[1]: "http://169.254.169.254/latest" will be refused`, `a.yaml:10:13: watches[0].feeds[0]: "http://[::1]/feed" will be refused`,
		`a.yaml:5:16: watches[0].urls_file: "http://192.168.1.1/" will be refused`, `a.yaml:13:13: series[0].seeds[0]: "http://localhost/" will be refused`,
	} {
		if !strings.Contains(told.String(), want) {
			t.Errorf("no warning %q", want)
		}
	}
	if n := strings.Count(told.String(), "warning:"); n != 4 || t.Failed() {
		t.Errorf("%d warnings, want 4:\n%s", n, told.String())
	}
}
