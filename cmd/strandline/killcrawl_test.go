package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/crawler/simweb"
	"github.com/strandlinehq/strandline/crawler/snapshot"
	"github.com/strandlinehq/strandline/store"
)

// crawlSpeed is how fast the daemons' clock runs, so that leases of a killed one run
// out within seconds.
const crawlSpeed = 60

// crawlPair is two daemons, processes of their own, on one database and one
// simulated web.
type crawlPair struct {
	db    *store.DB
	world *simweb.World
	now   func() time.Time
	cmds  [2]*exec.Cmd
	seeds []string
}

func startPair(t *testing.T) *crawlPair {
	t.Helper()
	dir := t.TempDir()
	program := programPath(t)
	begin, epoch := time.Now(), time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	p := &crawlPair{now: func() time.Time { return epoch.Add(time.Since(begin) * crawlSpeed) }}
	var err error
	p.world, err = simweb.New(p.now, simweb.Options{
		Hosts: 12, PagesPerHost: 40, Epoch: epoch, Births: -1, Deaths: -1, ArticlesPerDay: .01, LogPerURL: 16, Size: 4096, PlainRobots: true, Latency: 30 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	server, err := p.world.Serve(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	p.seeds = p.world.Homes()
	url := newDatabase(t)
	for i := range p.cmds {
		own := filepath.Join(dir, fmt.Sprint(i))
		file := own + ".yaml"
		text := fmt.Sprintf("state_dir: %s\ncrawler: {user_agent: test/1.0, workers: 4, host: {delay: 0s}, proxy: %q, allow_networks: ['0.0.0.0/0', '::/0']}\n"+
			"http: {listen: '127.0.0.1:0'}\nseries: [{name: web, seeds: [%s], scope: {sites: [test], exclude: [/account]}}]\n", own, server.Proxy, strings.Join(p.seeds, ", "))
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		p.cmds[i] = exec.CommandContext(t.Context(), program, "--config", file, "--database", url, "run", "--at", p.now().Format(time.RFC3339Nano), "--speed", fmt.Sprint(crawlSpeed))
		p.cmds[i].Stderr = io.Discard
		if err := p.cmds[i].Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = p.cmds[i].Process.Kill(); _ = p.cmds[i].Wait() })
	}
	if p.db, err = store.Open(t.Context(), url, store.Options{MaxConns: 4, Now: p.now}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.db.Close)
	return p
}

// until asks the database until a condition holds.
func (p *crawlPair) until(t *testing.T, what, condition string, args ...any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	for holds := false; !holds; <-tick.C {
		if err := p.db.Pool().QueryRow(ctx, "select "+condition, args...).Scan(&holds); err != nil {
			t.Fatalf("until %s: %v", what, err)
		}
	}
}

// begin starts a snapshot, as the command crawl does where daemons run.
func (p *crawlPair) begin(t *testing.T) store.SnapshotID {
	t.Helper()
	row, err := p.db.SeriesByName(t.Context(), "web")
	if err != nil {
		t.Fatal(err)
	}
	clk := clock.NewManual(p.now())
	starter := snapshot.New(p.db, nil, nil, intake.New(canonical.New(canonical.Options{})), clk, nil, snapshot.Options{})
	id, err := starter.StartOnly(t.Context(), row.ID, snapshot.Series{Name: "web", Seeds: p.seeds})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// tried are the URLs of which a snapshot knows what became of them.
func (p *crawlPair) tried(t *testing.T, id store.SnapshotID) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	if err := p.db.SnapshotPages(t.Context(), id, func(s store.SnapshotPage) error { out[s.URL] = true; return nil }); err != nil {
		t.Fatal(err)
	}
	return out
}

// asked counts on the side of the simulated web how often it was asked for a URL from
// a time on.
func (p *crawlPair) asked(url string, from time.Time) (n int) {
	_, times := p.world.Requests(url)
	for _, at := range times {
		if !at.Before(from) {
			n++
		}
	}
	return n
}

// TestTwoDaemonsShareSnapshot: two daemons take a snapshot together and ask for no
// page twice. In the next one, one of them is killed in the middle: the other brings
// it to its end, no URL is lost, and none is asked for again that was stored.
func TestTwoDaemonsShareSnapshot(t *testing.T) {
	t.Parallel()
	p := startPair(t)
	const half = store.Buckets / 2
	p.until(t, "both daemons have half of the buckets", `count(*) = 2 and min(n) = $1 from (select count(*) n from core.bucket_lease where owner is not null group by owner) o`, half)
	from := p.now()
	first := p.begin(t)
	p.until(t, "the first snapshot is done", `status = 'done' from core.snapshot where snapshot_id = $1`, first)
	whole := p.tried(t, first)
	for u := range whole {
		if n := p.asked(u, from); n != 1 {
			t.Errorf("%s was asked for %d times", u, n)
		}
	}
	daemons := 0
	if err := p.db.Pool().QueryRow(t.Context(), `select count(distinct owner) from core.bucket_lease b join core.snapshot_host h using (bucket) where h.snapshot_id = $1 and h.crawled > 0`, first).Scan(&daemons); err != nil {
		t.Fatal(err)
	}
	if len(whole) < 250 || daemons != 2 {
		t.Fatalf("%d URLs by %d daemons: want 250 or more, by both", len(whole), daemons)
	}

	from = p.now()
	second := p.begin(t)
	p.until(t, "a third of the second snapshot is stored", `count(*) >= $2 from core.snapshot_page where snapshot_id = $1`, second, len(whole)/3)
	stored := p.tried(t, second)
	if err := p.cmds[1].Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.cmds[1].Wait() // until then the process is there, and the other daemon sees it
	if len(stored) >= len(whole) {
		t.Fatalf("%d of %d URLs were stored when the daemon was killed: it was not in the middle", len(stored), len(whole))
	}
	p.until(t, "the second snapshot is done", `status = 'done' from core.snapshot where snapshot_id = $1`, second)
	if diff := cmp.Diff(whole, p.tried(t, second)); diff != "" {
		t.Errorf("URLs of the two snapshots (-first +second):\n%s", diff)
	}
	twice := 0
	for u := range whole {
		n := p.asked(u, from)
		if stored[u] && n != 1 || n < 1 || n > 2 {
			t.Errorf("%s, stored %t at the kill, was asked for %d times", u, stored[u], n)
		}
		twice += n - 1
	}
	t.Logf("%d URLs, %d stored at the kill; %d were in flight and asked for again", len(whole), len(stored), twice)
}
