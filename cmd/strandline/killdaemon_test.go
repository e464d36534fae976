package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/crawler/simweb"
)

// TestKilledDaemon kills the daemon several times while it fetches, starts it again
// each time, and compares what the simulated web was asked with what is stored:
// nothing that was once seen in the database is lost, and no page was asked for
// twice within three quarters of its interval.
func TestKilledDaemon(t *testing.T) {
	t.Parallel()
	const speed = 360 // an hour in ten seconds
	dir := t.TempDir()
	program := programPath(t)
	begin := time.Now()
	epoch := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	now := func() time.Time { return epoch.Add(time.Since(begin) * speed) }
	world, err := simweb.New(now, simweb.Options{Hosts: 20, PagesPerHost: 60, Epoch: epoch, Births: -1, Deaths: -1, LogPerURL: 100, Size: 4096, PlainRobots: true})
	if err != nil {
		t.Fatal(err)
	}
	server, err := world.Serve(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	urls := schedulePages(world, 120, epoch)
	url := newDatabase(t)
	file := filepath.Join(dir, "strandline.yaml")
	text := fmt.Sprintf("state_dir: %s\ncrawler: {user_agent: test/1.0, workers: 16, host: {delay: 10ms}, proxy: %q, allow_networks: ['0.0.0.0/0', '::/0']}\n"+
		"http: {listen: '127.0.0.1:0'}\nwatches: [{name: pages, schedule: '@every 15m', jitter: 0s, urls: [%s]}]\n", dir, server.Proxy, strings.Join(urls, ", "))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	seen := map[fetchRow]int{} // rows that were once in the database, and in which life they came
	var lives []time.Time      // when they began
	look := func() int {
		t.Helper()
		rows, err := conn.Query(t.Context(), `select url, started_at, outcome::text from api_v1.fetch_log where outcome <> 'skipped'`)
		if err != nil {
			t.Fatal(err)
		}
		all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[fetchRow])
		if err != nil {
			t.Fatal(err)
		}
		stored := make(map[fetchRow]bool, len(all))
		for _, row := range all {
			row.At = row.At.UTC()
			stored[row] = true
			if _, known := seen[row]; !known {
				seen[row] = len(lives) - 1
			}
		}
		for row := range seen {
			if !stored[row] {
				t.Fatalf("%v was stored, and is lost", row)
			}
		}
		return len(all)
	}
	for life := range 4 {
		lives = append(lives, now())
		ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
		cmd := exec.CommandContext(ctx, program, "--config", file, "--database", url, "run", "--at", now().Format(time.RFC3339Nano), "--speed", fmt.Sprint(speed))
		stderr, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		said := make(chan string, 1)
		go func() {
			var all strings.Builder
			for s := bufio.NewScanner(stderr); s.Scan(); {
				fmt.Fprintln(&all, s.Text())
			}
			said <- all.String()
		}()
		// At different points of the work: after more and more fetches of this life.
		before := look()
		for n := before; n < before+10+25*life; n = look() {
			if ctx.Err() != nil {
				t.Fatalf("life %d: %d fetches are stored, %d before", life, n, before)
			}
		}
		if life < 3 {
			_ = cmd.Process.Kill()
			<-said
			_ = cmd.Wait()
			look()
		} else {
			_ = cmd.Process.Signal(os.Interrupt)
			if text := <-said; !strings.Contains(text, "fetches stored") {
				t.Errorf("at its end the daemon said %q", text)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("the daemon ended with %v", err)
			}
		}
		cancel()
	}
	look()
	asked := 0
	requests := map[string][]time.Time{}
	for _, u := range urls {
		n, times := world.Requests(u)
		asked += n
		requests[u] = times
	}
	for u, times := range byDaemonsClock(requests, seen, lives) {
		for i := 1; i < len(times); i++ {
			// Of a request that a kill left without a row only the time at the server is known, which may be
			// a third of a second late.
			if gap := times[i].Sub(times[i-1]); gap < 15*time.Minute*3/4-speed*time.Second/3 {
				t.Errorf("%s was asked for twice within %s", u, gap)
			}
		}
	}
	if asked < 200 {
		t.Errorf("only %d requests came", asked)
	}
}

// fetchRow is a stored fetch.
type fetchRow struct {
	URL     string
	At      time.Time
	Outcome string
}

// byDaemonsClock gives the times of requests by the clocks of the daemons that made them. Each life's
// clock is behind the simulated web's by what its process took to start: by the least time that any
// stored fetch of the life reached the server after it. A request that is stored has the time of its row.
func byDaemonsClock(requests map[string][]time.Time, rows map[fetchRow]int, lives []time.Time) map[string][]time.Time {
	lifeOf := func(at time.Time) int {
		n, _ := slices.BinarySearchFunc(lives, at, time.Time.Compare)
		return max(0, n-1)
	}
	behind := make([]time.Duration, len(lives))
	stored := map[string][]fetchRow{}
	for row, life := range rows {
		stored[row.URL] = append(stored[row.URL], row)
		for _, at := range requests[row.URL] {
			if d := at.Sub(row.At); lifeOf(at) == life && d >= 0 && (behind[life] == 0 || d < behind[life]) {
				behind[life] = d
			}
		}
	}
	out := map[string][]time.Time{}
	for u, times := range requests {
		for _, at := range times {
			at = at.Add(-behind[lifeOf(at)])
			best := at
			for _, row := range stored[u] {
				// The row of a request lies before it by less than the interval that is to be shown.
				if d := at.Sub(row.At); d >= -time.Second && d < 10*time.Minute && (best.Equal(at) || row.At.After(best)) {
					best = row.At
				}
			}
			out[u] = append(out[u], best)
		}
	}
	return out
}
