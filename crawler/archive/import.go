package archive

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/crawler/warc"
	"github.com/strandlinehq/strandline/store"
)

// ImportOptions for Import. The zero value is good.
type ImportOptions struct {
	// MaxPayload bounds a payload; a longer one is kept up to there and flagged
	// truncated. Zero means 10 MiB.
	MaxPayload int64
	// Series, where not zero, gets every capture as well, stored before or not;
	// store.CutSnapshots makes snapshots of them.
	Series store.SeriesID
	// Progress is called now and then with the bytes of the file read so far.
	Progress func(file string, done, size int64)
	// Damaged is called for each damage, with the file and what is wrong.
	Damaged func(file string, d *warc.Damage)
}

const (
	defaultMaxPayload = 10 << 20
	lanes             = 2       // batches written side by side
	batchCaptures     = 128     // of one lane
	batchBytes        = 3 << 20 // of one lane's payloads; two batches a lane are in memory
	writingBytes      = 8 << 20 // of payloads that all lanes write at a time
)

// Report counts what an import met.
type Report struct {
	Records  int // of all types
	Captures int // responses and revisits, those stored before included
	New      int // captures that made a page's first version
	Changed  int
	Same     int
	Failed   int // answers that made no version: redirects, errors, missing payloads
	Stored   int // captures that were stored before
	// Completed counts captures without payload, of this import or earlier ones,
	// whose payload came.
	Completed int
	Skipped   int // records that are no captures of web pages
	Bytes     int64
	Damage    map[warc.Kind]int // records, or parts of files, that were left out
	Mended    map[warc.Kind]int // faults of records that were taken all the same
}

// Import reads WARC files into the store: responses and revisits become fetches
// and versions with their own times. What is damaged is counted and left out,
// the rest is taken. It may be repeated, and stopped at any time: what was
// stored is stored, and the next import completes it.
//
// An error is returned for a file that cannot be read at all and for a database
// that fails; the report tells what was done until then.
func Import(ctx context.Context, db *store.DB, reader *intake.Reader, files []string, opt ImportOptions) (Report, error) {
	if opt.MaxPayload == 0 {
		opt.MaxPayload = defaultMaxPayload
	}
	im := &importer{db: db, reader: reader, opt: opt, report: Report{Damage: map[warc.Kind]int{}, Mended: map[warc.Kind]int{}}}
	for _, name := range files {
		if err := im.file(ctx, name); err != nil {
			return im.report, fmt.Errorf("%s: %w", name, err)
		}
	}
	return im.report, im.complete(ctx)
}

// Read calls f with the captures of WARC files in the order of the files, and
// returns what was met; nothing is stored. What is damaged is left out.
func Read(ctx context.Context, reader *intake.Reader, files []string, opt ImportOptions, f func(*store.Capture) error) (Report, error) {
	if opt.MaxPayload == 0 {
		opt.MaxPayload = defaultMaxPayload
	}
	im := &importer{reader: reader, opt: opt, report: Report{Damage: map[warc.Kind]int{}, Mended: map[warc.Kind]int{}}}
	for _, name := range files {
		err := im.open(name, func(file *os.File, size int64) error {
			return im.records(ctx, name, file, size, func(c *store.Capture) error {
				im.report.Captures++
				return f(c)
			})
		})
		if err != nil {
			return im.report, fmt.Errorf("%s: %w", name, err)
		}
	}
	return im.report, nil
}

type importer struct {
	db     *store.DB
	reader *intake.Reader
	opt    ImportOptions

	mu     sync.Mutex // guards report
	report Report
}

func (im *importer) open(name string, f func(file *os.File, size int64) error) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	stat, err := file.Stat()
	if err != nil {
		return err
	}
	return f(file, stat.Size())
}

// file reads one file and feeds the lanes. Captures of one page go to one lane,
// so that they are stored in the order of the file, which is the cheap one; the
// versions are the same in any.
func (im *importer) file(ctx context.Context, name string) error {
	return im.open(name, func(f *os.File, size int64) error { return im.feed(ctx, name, f, size) })
}

func (im *importer) feed(ctx context.Context, name string, f *os.File, size int64) error {
	g, ctx := errgroup.WithContext(ctx)
	var queues [lanes]chan batch
	writing := semaphore.NewWeighted(writingBytes)
	for i := range queues {
		queues[i] = make(chan batch)
		g.Go(func() error { return im.lane(ctx, queues[i], writing) })
	}
	g.Go(func() error {
		defer func() {
			for _, q := range queues {
				close(q)
			}
		}()
		var open [lanes]batch
		send := func(i int) error {
			select {
			case queues[i] <- open[i]:
				open[i] = batch{}
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		err := im.records(ctx, name, f, size, func(c *store.Capture) error {
			i := laneOf(c)
			if open[i].add(c) {
				return send(i)
			}
			return nil
		})
		// What was read before a fault of the file is stored all the same.
		for i := range open {
			if len(open[i].captures) > 0 {
				if serr := send(i); serr != nil && err == nil {
					err = serr
				}
			}
		}
		return err
	})
	return g.Wait()
}

// batch is what one transaction stores.
type batch struct {
	captures []*store.Capture
	bytes    int // of payloads
}

// add reports whether the batch is full with c.
func (b *batch) add(c *store.Capture) bool {
	b.captures = append(b.captures, c)
	b.bytes += len(c.Payload)
	return len(b.captures) >= batchCaptures || b.bytes >= batchBytes
}

// laneOf sends a revisit behind the capture whose payload it repeats.
func laneOf(c *store.Capture) int {
	h := canonical.HashOf(cmp.Or(c.RefersTo, c.URL))
	return int(h[15]) % lanes
}

// lane stores batches one after the other while the next one is being read.
// Reading and compressing a page takes many times its size, so batches of huge
// pages wait for each other.
func (im *importer) lane(ctx context.Context, queue <-chan batch, writing *semaphore.Weighted) error {
	for b := range queue {
		weight := min(int64(b.bytes), writingBytes)
		if err := writing.Acquire(ctx, weight); err != nil {
			return err
		}
		stored, err := im.write(ctx, b.captures)
		writing.Release(weight)
		if err != nil {
			return err
		}
		im.count(stored, b.bytes)
	}
	return nil
}

func (im *importer) count(stored []store.Stored, size int) {
	im.mu.Lock()
	defer im.mu.Unlock()
	r := &im.report
	r.Captures += len(stored)
	r.Bytes += int64(size)
	for _, s := range stored {
		switch {
		case s.Duplicate:
			r.Stored++
		case s.Outcome == store.New:
			r.New++
		case s.Outcome == store.Changed:
			r.Changed++
		case s.Outcome == store.Same, s.Outcome == store.NotModified:
			r.Same++
		default:
			r.Failed++
		}
	}
}

// records reads a file and emits its captures.
func (im *importer) records(ctx context.Context, name string, f *os.File, size int64, emit func(*store.Capture) error) error {
	r, err := warc.NewReader(f, warc.Options{Verify: true})
	if err != nil {
		return err
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		rec, err := r.Next()
		var damage *warc.Damage
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &damage):
			im.damaged(name, damage)
			continue
		case err != nil:
			return err
		}
		im.mu.Lock()
		im.report.Records++
		im.mu.Unlock()
		if im.opt.Progress != nil {
			im.opt.Progress(name, rec.Offset, size)
		}
		for _, flaw := range rec.Flaws {
			im.mended(name, flaw)
		}
		c, err := im.capture(name, rec)
		if err != nil {
			return err
		}
		if c == nil {
			continue
		}
		if err := emit(c); err != nil {
			return err
		}
	}
}

// mended counts a fault that leaves the record readable. Without a date a capture
// has no place in time, and is left out.
func (im *importer) mended(name string, d *warc.Damage) {
	if d.Kind == warc.BadDate {
		im.damaged(name, d)
		return
	}
	im.mu.Lock()
	im.report.Mended[d.Kind]++
	im.mu.Unlock()
	if im.opt.Damaged != nil {
		im.opt.Damaged(name, d)
	}
}

func (im *importer) damaged(name string, d *warc.Damage) {
	im.mu.Lock()
	im.report.Damage[d.Kind]++
	im.mu.Unlock()
	if im.opt.Damaged != nil {
		im.opt.Damaged(name, d)
	}
}

func (im *importer) skip() {
	im.mu.Lock()
	im.report.Skipped++
	im.mu.Unlock()
}

// recordNote is what else is kept of a record.
type recordNote struct {
	Redirect string `json:"redirect,omitempty"` // where the answer leads
	URI      string `json:"uri,omitempty"`      // as recorded, where the canonical form differs
}

func (n recordNote) detail() json.RawMessage {
	b, err := json.Marshal(n)
	if err != nil {
		return nil
	}
	return b
}
