package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/strandlinehq/strandline/cmd/internal/bench"
	"github.com/strandlinehq/strandline/store"
	"github.com/strandlinehq/strandline/store/thin"
)

// benchRetentionCmd thins many versions beside a writer: what it costs, how long the
// writer is stopped, and whether all that is left reads back.
type benchRetentionCmd struct {
	Versions int    `help:"How many versions the database holds." default:"1000000"`
	Writers  int    `help:"How many write beside it." default:"2"`
	Pace     int    `help:"Captures a second that they store together." default:"50"`
	Baseline int    `help:"Seconds of writing before, to compare with." default:"20"`
	Dir      string `help:"Keep the database in this directory, and go on with the one that is there; default a temporary one." placeholder:"DIR"`

	Limit time.Duration `help:"Stop retention after this time and tell what was done until then." placeholder:"TIME"`
}

// retentionFigures is what the command prints.
type retentionFigures struct {
	Versions   int64         `json:"versions"`
	Contents   int64         `json:"content_bytes_before"`
	After      int64         `json:"content_bytes_after"`
	Passages   int64         `json:"passages_before"`
	Left       int64         `json:"passages_after"`
	Thinned    int64         `json:"thinned"`
	Deleted    int64         `json:"frames_deleted"`
	Rebased    int64         `json:"frames_rebased"`
	Fetches    int64         `json:"fetches_dropped"`
	Waiting    int64         `json:"passed_over"`
	Seconds    float64       `json:"seconds"`
	Stopped    bool          `json:"stopped,omitempty"` // by Limit
	CPU        float64       `json:"cpu_seconds_of_the_program"`
	Longest    float64       `json:"longest_transaction_seconds"`
	Before     latencyFigure `json:"writer_before"`
	Beside     latencyFigure `json:"writer_beside"`
	Read       int64         `json:"versions_read_back"`
	Unreadable int64         `json:"versions_unreadable"`
	ReadTook   float64       `json:"read_seconds"`
	Load       string        `json:"load"`
}

// latencyFigure tells how long single captures took to be stored.
type latencyFigure struct {
	Writes int     `json:"writes"`
	Median float64 `json:"median_ms"`
	P99    float64 `json:"p99_ms"`
	Max    float64 `json:"max_ms"`
}

// The generated history: pages of one host that change every six hours, copied to
// other hosts by SQL.
const (
	retainPages = 20
	retainEach  = 500
	retainStep  = 6 * time.Hour
	// retainPassages begin with each version.
	retainPassages = 3
)

// Run prints the figures as one JSON document.
func (c *benchRetentionCmd) Run(ctx context.Context, a *app) error {
	if c.Versions < retainPages*retainEach || c.Versions > 20_000_000 || c.Writers < 1 || c.Pace < 1 || c.Pace > 10000 {
		return usagef("want %d to 20000000 versions, at least one writer and 1 to 10000 captures a second", retainPages*retainEach)
	}
	o, err := a.benchDatabase(ctx, c.Dir)
	if err != nil {
		return err
	}
	defer o.Close()
	start := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	var out retentionFigures
	if err := o.Pool().QueryRow(ctx, `select count(*) from core.version`).Scan(&out.Versions); err != nil {
		return err
	}
	if out.Versions == 0 {
		if err := c.fill(ctx, o.DB, start); err != nil {
			return fmt.Errorf("make the versions: %w", err)
		}
	}
	contents := func() (n int64, err error) {
		err = o.Pool().QueryRow(ctx, `select (select sum(octet_length(data)) from core.body) + (select sum(octet_length(data)) from core.record)`).Scan(&n)
		return n, err
	}
	if err := o.Pool().QueryRow(ctx, `select (select count(*) from core.version), (select count(*) from core.passage)`).Scan(&out.Versions, &out.Passages); err != nil {
		return err
	}
	if out.Contents, err = contents(); err != nil {
		return err
	}
	w := retentionWriters{db: o.DB, n: c.Writers, every: time.Duration(c.Writers) * time.Second / time.Duration(c.Pace), start: start}
	// Of a database that is gone on with, behind what was written before.
	var last time.Time
	if err := o.Pool().QueryRow(ctx, `select max(started_at) from core.fetch`).Scan(&last); err != nil {
		return err
	}
	w.round = max(0, int(last.Sub(start.Add(retainEach*retainStep))/time.Minute)+1)
	limited, stop := context.WithTimeout(ctx, time.Duration(c.Baseline)*time.Second)
	out.Before, err = w.run(ctx, limited.Done())
	stop()
	if err != nil {
		return err
	}
	if err := c.thin(ctx, o.DB, &w, start, &out); err != nil {
		return err
	}
	if out.After, err = contents(); err != nil {
		return err
	}
	if err := o.Pool().QueryRow(ctx, `select count(*) from core.passage`).Scan(&out.Left); err != nil {
		return err
	}
	if err := c.read(ctx, o.DB, &out); err != nil {
		return err
	}
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		out.Load = strings.TrimSpace(string(load))
	}
	return a.printJSON(out)
}

// thin runs retention once, with writers beside it.
func (c *benchRetentionCmd) thin(ctx context.Context, db *store.DB, w *retentionWriters, start time.Time, out *retentionFigures) error {
	const day = 24 * time.Hour
	done := make(chan struct{})
	var g errgroup.Group
	g.Go(func() (err error) {
		out.Beside, err = w.run(ctx, done)
		return err
	})
	cpu := bench.Processes()
	before, err := cpu.Process(os.Getpid())
	if err != nil {
		return err
	}
	from := time.Now()
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	if c.Limit > 0 {
		limited, cancel = context.WithTimeout(ctx, c.Limit)
		defer cancel()
	}
	r, rerr := db.Retain(limited, store.RetainOptions{
		Now:      start.Add(retainEach*retainStep + day),
		Versions: &thin.Policy{All: 30 * day, Daily: 60 * day, Monthly: math.MaxInt64},
		Fetches:  60 * day,
	})
	out.Seconds = time.Since(from).Seconds()
	if out.Stopped = rerr != nil && limited.Err() != nil && ctx.Err() == nil; out.Stopped {
		rerr = nil
	}
	after, err := cpu.Process(os.Getpid())
	close(done)
	if err := errors.Join(rerr, err, g.Wait()); err != nil {
		return err
	}
	out.CPU = (after - before).Seconds()
	out.Thinned, out.Deleted, out.Rebased, out.Fetches, out.Waiting, out.Longest = r.Versions, r.Bodies+r.Records, r.Rebased, r.Fetches, r.Waiting, r.Longest.Seconds()
	return nil
}

// read reads every version that is kept.
func (c *benchRetentionCmd) read(ctx context.Context, db *store.DB, out *retentionFigures) error {
	from := time.Now()
	rows, err := db.Pool().Query(ctx, `select distinct page_id from core.version order by 1`)
	if err != nil {
		return err
	}
	var pages []store.PageID
	for rows.Next() {
		var id store.PageID
		if err := rows.Scan(&id); err != nil {
			return err
		}
		pages = append(pages, id)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	var read, bad atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(2)
	for _, page := range pages {
		g.Go(func() error {
			versions, err := db.History(ctx, page)
			if err != nil {
				return err
			}
			for _, v := range versions {
				if !v.ThinnedAt.IsZero() {
					continue
				}
				_, body := db.Body(ctx, v)
				_, record := db.Record(ctx, v)
				if read.Add(1); body != nil || record != nil {
					bad.Add(1)
				}
			}
			return ctx.Err()
		})
	}
	err = g.Wait()
	out.Read, out.Unreadable, out.ReadTook = read.Load(), bad.Load(), time.Since(from).Seconds()
	return err
}

// fill stores the histories of one host and copies them to others.
func (c *benchRetentionCmd) fill(ctx context.Context, db *store.DB, start time.Time) error {
	for p := range retainPages {
		for part := range slices.Chunk(retainHistory(p, start), 100) {
			if _, err := db.Write(ctx, part); err != nil {
				return err
			}
		}
	}
	if _, err := db.Pool().Exec(ctx, `delete from core.monitor_todo`); err != nil {
		return err
	}
	// The index of texts as the monitor would leave it: of each version some passages, that stood for one
	// to 512 versions, or still stand.
	if _, err := db.Pool().Exec(ctx, `
		with p as (select v.*, i, v.version + 1 + (hashint8(v.version * 37 + i) & 7) ^ (1 + i % 3) as until from core.version v, generate_series(1, $1) i)
		insert into core.passage (page_id, bucket, from_version, part, to_version, from_at, to_at, lines, words)
		select p.page_id, p.bucket, p.version, p.i, e.version, p.first_seen, e.first_seen, '', array_to_tsvector(array['w' || p.version % 100, 'p' || p.i])
		from p left join core.version e on e.page_id = p.page_id and e.version = p.until`, retainPassages); err != nil {
		return fmt.Errorf("index the texts: %w", err)
	}
	copies := (c.Versions - 1) / (retainPages * retainEach)
	var seen []store.Sighting
	for n := range copies {
		for p := range retainPages {
			seen = append(seen, store.Sighting{URL: retainURL(n+1, p), At: start})
		}
	}
	ids, err := db.ResolvePages(ctx, seen)
	if err != nil {
		return err
	}
	var from, to []int64
	for p := range retainPages {
		page, err := db.PageByURL(ctx, retainURL(0, p))
		if err != nil {
			return err
		}
		for n := range copies {
			from, to = append(from, int64(page.ID)), append(to, int64(ids[retainURL(n+1, p)]))
		}
	}
	if _, err := db.Pool().Exec(ctx, `create table bench_copy as select a as from_id, b as to_id, (b >> 40)::int as bucket from unnest($1::bigint[], $2::bigint[]) v(a, b)`, from, to); err != nil {
		return err
	}
	for _, table := range []string{"version", "fetch", "page_state", "passage"} {
		sql, err := retainCopy(ctx, db, table, "join bench_copy m on m.from_id = t.page_id", map[string]string{
			"page_id": "m.to_id", "bucket": "m.bucket", "body_chain": "null", "record_chain": "null",
		})
		if err != nil {
			return err
		}
		if _, err := db.Pool().Exec(ctx, sql); err != nil {
			return fmt.Errorf("copy %s: %w", table, err)
		}
	}
	for _, table := range []string{"body", "record"} {
		sql, err := retainCopy(ctx, db, table, "cross join (select distinct bucket from bench_copy) m", map[string]string{"bucket": "m.bucket"})
		if err != nil {
			return err
		}
		if _, err := db.Pool().Exec(ctx, sql); err != nil {
			return fmt.Errorf("copy %s: %w", table, err)
		}
	}
	return db.Analyze(ctx)
}

// retainCopy copies rows of a table, with other values in some columns.
func retainCopy(ctx context.Context, db *store.DB, table, join string, other map[string]string) (string, error) {
	names, _, err := columnsOf(ctx, db.Pool(), table)
	if err != nil {
		return "", err
	}
	exprs := make([]string, len(names))
	for i, name := range names {
		if exprs[i] = other[name]; exprs[i] == "" {
			exprs[i] = "t." + name
		}
	}
	return fmt.Sprintf(`insert into core.%[1]s (%[2]s) select %[3]s from core.%[1]s t %[4]s on conflict do nothing`,
		table, strings.Join(names, ", "), strings.Join(exprs, ", "), join), nil
}

func retainURL(host, page int) string {
	return fmt.Sprintf("http://h%d.bench.test/page-%d", host, page)
}

// retainHistory makes the captures of a page that changes some lines each time, and
// now and then as a whole.
func retainHistory(page int, start time.Time) []*store.Capture {
	r := rand.New(rand.NewPCG(uint64(page), 5))
	lines := make([]string, 80)
	fresh := func() string { return fmt.Sprintf("<p>%x %x %x of page %d", r.Uint64(), r.Uint64(), r.Uint64(), page) }
	for i := range lines {
		lines[i] = fresh()
	}
	out := make([]*store.Capture, 0, retainEach)
	for i := range retainEach {
		for range 1 + r.IntN(3) {
			lines[r.IntN(len(lines))] = fresh()
		}
		if i%200 == 199 {
			for j := range lines {
				lines[j] = fresh()
			}
		}
		out = append(out, retainCapture(retainURL(0, page), start.Add(time.Duration(i)*retainStep), strings.Join(lines, "\n")))
	}
	return out
}

func retainCapture(url string, at time.Time, content string) *store.Capture {
	return &store.Capture{
		URL: url, Kind: store.KindSchedule, StartedAt: at, FinishedAt: at, Status: 200, Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"),
		Payload: []byte(content), MediaType: "text/html",
		Extract: func(p []byte) store.Extract {
			e := store.Extract{Title: "bench", Language: "en", Words: len(p) / 6, Record: append([]byte("record of "), p...), Rules: 1}
			copy(e.TextHash[:], p[len(p)-40:])
			copy(e.WordsHash[:], p[len(p)-40:])
			return e
		},
	}
}

// retentionWriters store captures one by one, each on pages of its own: new texts, and
// each third time one that the page had before, which retention may be deleting.
type retentionWriters struct {
	db    *store.DB
	n     int
	every time.Duration // from one capture of a writer to its next; late ones are left out
	start time.Time
	round int // captures stored so far, on the pages' clocks
}

// run writes until done is closed.
func (w *retentionWriters) run(ctx context.Context, done <-chan struct{}) (latencyFigure, error) {
	times := make([][]float64, w.n)
	var g errgroup.Group
	for i := range w.n {
		r := rand.New(rand.NewPCG(uint64(i), uint64(w.round)))
		old := retainHistory((i+w.n)%retainPages, w.start) // of pages that are thinned meanwhile
		g.Go(func() error {
			tick := time.NewTicker(w.every)
			defer tick.Stop()
			for n := w.round; ; n++ {
				select {
				case <-done:
					return nil
				case <-tick.C:
				}
				at := w.start.Add(retainEach*retainStep + time.Duration(n)*time.Minute)
				c := retainCapture(retainURL(0, i), at, fmt.Sprintf("%s\n<p>%x and %x and %x", old[retainEach-1].Payload, r.Uint64(), r.Uint64(), r.Uint64()))
				if n%3 == 0 {
					c = retainCapture(retainURL(0, i), at, string(old[r.IntN(retainEach)].Payload))
				}
				from := time.Now()
				if _, err := w.db.Write(ctx, []*store.Capture{c}); err != nil {
					return err
				}
				times[i] = append(times[i], float64(time.Since(from).Microseconds())/1000)
			}
		})
	}
	if err := g.Wait(); err != nil {
		return latencyFigure{}, err
	}
	all := slices.Sorted(slices.Values(slices.Concat(times...)))
	if len(all) == 0 {
		return latencyFigure{}, errors.New("nothing was written")
	}
	w.round += len(all) + 1
	return latencyFigure{len(all), all[len(all)/2], all[min(len(all)-1, len(all)*99/100)], all[len(all)-1]}, nil
}
