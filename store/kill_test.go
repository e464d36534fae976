package store_test

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/store"
)

// killVar, set to a database's URL, makes TestKilledWriter the writer itself;
// killFrom says at which batch it begins.
const (
	killVar  = "STRANDLINE_TEST_KILLED_WRITER"
	killFrom = "STRANDLINE_TEST_KILLED_WRITER_FROM"
)

const (
	killRounds = 5
	killPages  = 6
	killEach   = 27 // captures of a page
)

// killCapture is capture number i of a page: a content that stays for three
// captures, but for every fifth, which is one that was there before.
func killCapture(p, i int) *store.Capture {
	n := i / 3
	if i%5 == 4 {
		n = 0
	}
	return capture(fmt.Sprintf("http://k%d.test/%d", p%3, p), i*60, strings.Repeat(fmt.Sprintf("page %d says %d ", p, n), 30))
}

// killOrder is the order in which captures are written: mostly by time.
func killOrder() []int {
	rng := rand.New(rand.NewPCG(5, 6))
	order := make([]int, killEach)
	for i := range order {
		order[i] = i
	}
	for range killEach / 4 {
		i := rng.IntN(killEach - 3)
		order[i], order[i+3] = order[i+3], order[i]
	}
	return order
}

func killBatch(i int) []*store.Capture {
	var caps []*store.Capture
	for p := range killPages {
		caps = append(caps, killCapture(p, i))
	}
	return caps
}

// TestKilledWriter kills writers at random moments with SIGKILL, writes
// everything again, and wants exactly the rows that a writer gives which was
// never killed.
func TestKilledWriter(t *testing.T) {
	if url := os.Getenv(killVar); url != "" {
		writeUntilKilled(t, url)
		return
	}
	t.Parallel()
	url, db := openURL(t)
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	batches := 0
	for range killRounds {
		batches += killOne(t, url, batches, rng)
		noOrphans(t, db) // what is there is whole at every moment
	}
	t.Logf("%d writers were killed after %d batches in all", killRounds, batches)

	_, calm := openURL(t)
	for _, i := range killOrder() {
		write(t, db, killBatch(i)...)
		write(t, calm, killBatch(i)...)
	}
	for _, i := range killOrder() {
		for _, s := range write(t, db, killBatch(i)...) {
			if !s.Duplicate {
				t.Fatalf("capture %d written once more: %+v, want a duplicate", i, s)
			}
		}
	}
	noOrphans(t, db)
	if diff := cmp.Diff(timelines(t, calm), timelines(t, db)); diff != "" {
		t.Errorf("versions (-never killed +killed):\n%s", diff)
	}
	for p := range killPages {
		url := killCapture(p, 0).URL
		if diff := cmp.Diff(fetchesOf(t, calm, url), fetchesOf(t, db, url)); diff != "" {
			t.Errorf("fetches of %s (-never killed +killed):\n%s", url, diff)
		}
	}
}

// killOne starts a writer at a batch, kills it some milliseconds after one of its first
// batches, and returns how many of them it had written.
func killOne(t *testing.T, url string, from int, rng *rand.Rand) int {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledWriter$", "-test.v=false") //nolint:gosec // this binary
	cmd.Env = append(os.Environ(), killVar+"="+url, fmt.Sprintf("%s=%d", killFrom, from))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	wait, n := 1+rng.IntN(10), 0
	for n < wait && lines.Scan() {
		if strings.HasPrefix(lines.Text(), "wrote ") {
			n++
		} else {
			t.Errorf("writer: %s", lines.Text())
		}
	}
	if n == 0 {
		t.Fatal("the writer wrote nothing")
	}
	// The moment within a batch is left to chance: a fraction of what one takes.
	time.AfterFunc(time.Duration(rng.IntN(15_000))*time.Microsecond, func() { _ = cmd.Process.Kill() })
	_, _ = io.Copy(io.Discard, out) // until it is dead
	if err := cmd.Wait(); err == nil {
		t.Error("the writer ended by itself; it should have been killed")
	}
	return n
}

// writeUntilKilled writes the captures over and over, beginning where the writer
// before it was killed.
func writeUntilKilled(t *testing.T, url string) {
	db, err := store.Open(t.Context(), url, store.Options{MaxConns: 4})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	from, err := strconv.Atoi(os.Getenv(killFrom))
	if err != nil {
		t.Fatal(err)
	}
	order := killOrder()
	for n := from; ; n++ {
		i := order[n%len(order)]
		if _, err := db.Write(t.Context(), killBatch(i)); err != nil {
			t.Fatal(err)
		}
		fmt.Printf("wrote %d\n", i)
	}
}
