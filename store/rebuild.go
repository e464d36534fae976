package store

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"
)

// Everything that was read out of payloads can be read again: when the rules of
// extraction have changed, or what was extracted is damaged. Rebuild walks over
// all versions in the order of their pages' ids, which is bucket by bucket, in
// batches of a bounded size, one transaction each. Payloads are read and extracted
// without the transaction; the page's state is locked while results are written.
const (
	rebuildVersions = 64       // versions a batch
	rebuildBytes    = 24 << 20 // of payload a batch, unless one version alone has more
)

var qBucketsInUse = statement{all, `select distinct bucket from core.host where bucket >= $1 order by bucket`}

// RebuildOptions say what Rebuild reads payloads by. Read is required.
type RebuildOptions struct {
	// Read extracts what a payload says. It is called from several goroutines.
	Read func(Origin, []byte) Extract
	// Rules leaves versions as they are that were read by these rules; 0 reads all again.
	Rules int
	// After leaves out all pages up to this one: where an earlier Rebuild came to.
	After PageID
	// Progress is told after each batch up to which page everything is done, and
	// what was done so far; nil means nobody is.
	Progress func(PageID, RebuildReport)
	// Lost is told of each version whose payload is missing or damaged, which
	// stays as it is; nil means nobody is.
	Lost func(error)
}

// Origin is where a payload came from, as it was stored with its version.
type Origin struct {
	URL       string // canonical, of the page
	Head      []byte // status line and header fields as received
	MediaType string
	Coding    string
	Detail    []byte   // JSON, of the version's first fetch: redirects; nil when there is none or the fetch was dropped
	Flags     []string // of the version as it stands
}

// RebuildReport counts what a Rebuild did.
type RebuildReport struct {
	Versions int // looked at
	Changed  int // versions whose rows were written anew
	Records  int // records stored, because they were missing or the version has another one now
	Repaired int // damaged records stored anew in their place
	Lost     int // versions whose payload cannot be read
	Thinned  int // versions whose payload retention gave up, which stay as they were read
	Deleted  int // records that no version refers to any more
}

// Rebuild reads all payloads again and puts what they say in the place of what
// was stored: records, hashes, titles, languages, counts and links of versions,
// and the pages' states. It queues all versions for the later stages, and in the end
// drops the language model to be made anew and deletes the records that nothing
// refers to any more.
//
// What is right already is left untouched, so that it may be stopped anywhere and
// started again, from the beginning or from where Progress said it was. Writers
// may go on meanwhile. Memory is bounded by a batch, and by some hundred bytes
// for each page of the largest bucket.
func (db *DB) Rebuild(ctx context.Context, opt RebuildOptions) (RebuildReport, error) {
	// A cache of its own: what others remember may be damaged in the database.
	fresh := *db
	fresh.blobs = newBlobCache(16 << 20)
	r := rebuild{db: &fresh, opt: opt}
	rows, err := db.pool.Query(ctx, qBucketsInUse.sql, opt.After.Bucket())
	if err != nil {
		return r.report, fmt.Errorf("rebuild: %w", err)
	}
	buckets, err := pgx.CollectRows(rows, pgx.RowTo[int32])
	if err != nil {
		return r.report, fmt.Errorf("rebuild: %w", err)
	}
	for _, bucket := range buckets {
		if err := r.bucket(ctx, bucket); err != nil {
			return r.report, fmt.Errorf("rebuild: bucket %d: %w", bucket, err)
		}
	}
	if err := db.forgetModel(ctx); err != nil {
		return r.report, fmt.Errorf("rebuild: language model: %w", err)
	}
	if err := r.sweep(ctx); err != nil {
		return r.report, fmt.Errorf("rebuild: delete records: %w", err)
	}
	return r.report, nil
}

// rebuild is one Rebuild on its way.
type rebuild struct {
	db     *DB
	opt    RebuildOptions
	report RebuildReport

	// before is the version that was looked at last, with what it says now.
	before *rebuiltVersion
	// restarted is the page whose chain of records was begun anew last, hosts are
	// those of this bucket whose templates were: records that are about to be
	// deleted must not serve as bases of those that take their place.
	restarted PageID
	hosts     map[int64]bool
}

func (r *rebuild) bucket(ctx context.Context, bucket int32) error {
	r.hosts = map[int64]bool{}
	page, number := PageID(bucket)<<bucketShift, int32(0)
	if r.opt.After > page {
		page, number = r.opt.After, 1<<31-1
	}
	for moved := 0; ; {
		batch, err := r.read(ctx, bucket, page, number)
		if err != nil {
			return err
		}
		if len(batch) == 0 {
			r.progress(PageID(bucket+1)<<bucketShift - 1)
			return nil
		}
		err = r.batch(ctx, batch)
		if errors.Is(err, errMoved) && moved < 10 {
			moved++
			continue
		}
		if err != nil {
			return err
		}
		moved = 0
		last := batch[len(batch)-1]
		r.progress(last.page - 1) // it may have more versions
		page, number, r.before = last.page, last.was.number, last
	}
}

func (r *rebuild) progress(done PageID) {
	if r.opt.Progress != nil {
		r.opt.Progress(done, r.report)
	}
}

// read returns the next versions of a bucket with their payloads.
func (r *rebuild) read(ctx context.Context, bucket int32, page PageID, number int32) ([]*rebuiltVersion, error) {
	rows, err := r.db.pool.Query(ctx, qVersionsBehind.sql, bucket, page, number, PageID(bucket+1)<<bucketShift, rebuildVersions)
	if err != nil {
		return nil, fmt.Errorf("read versions: %w", err)
	}
	all, err := pgx.CollectRows(rows, scanRebuilt)
	if err != nil {
		return nil, fmt.Errorf("read versions: %w", err)
	}
	var size int64
	var keys []ContentKey
	batch := all[:0]
	for _, v := range all {
		if size += v.was.bytes; size > rebuildBytes && len(batch) > 0 {
			break
		}
		batch = append(batch, v)
		if r.wants(v) {
			keys = append(keys, ContentKey{bucket, v.was.hash})
		}
	}
	payloads, bad, err := r.db.readBlobs(ctx, r.db.pool, bodyTable, keys)
	if err != nil {
		return nil, err
	}
	for _, v := range batch {
		if v.was.thinned != nil {
			r.report.Thinned++
		}
		if !r.wants(v) {
			continue
		}
		key := ContentKey{bucket, v.was.hash}
		if p, ok := payloads[key]; ok {
			v.payload = p
			continue
		}
		if err = bad[key]; err == nil {
			err = fmt.Errorf("body %s: %w", v.was.hash, ErrNotFound)
		}
		r.report.Lost++
		if r.opt.Lost != nil {
			r.opt.Lost(fmt.Errorf("version %d of %s: %w", v.was.number, v.origin.URL, err))
		}
	}
	return batch, nil
}

// wants reports whether a version is to be read again.
func (r *rebuild) wants(v *rebuiltVersion) bool {
	return v.was.thinned == nil && (r.opt.Rules == 0 || v.was.rules != r.opt.Rules)
}

// batch extracts what the versions say and writes it.
func (r *rebuild) batch(ctx context.Context, batch []*rebuiltVersion) error {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, v := range batch {
		if v.payload == nil {
			continue
		}
		g.Go(func() error {
			e := r.opt.Read(v.origin, v.payload)
			v.extract = &e
			return ctx.Err()
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	if err := r.resolve(ctx, batch); err != nil {
		return err
	}
	before := r.before
	for _, v := range batch {
		v.take(before)
		before = v
	}
	for try := 0; ; try++ {
		w := rebuildWrite{rebuild: r, versions: batch}
		err := r.db.inTx(ctx, func(tx pgx.Tx) error { return w.write(ctx, tx) })
		if err == nil {
			w.done()
			return nil
		}
		if try == 3 || !worthRetry(err) {
			return err
		}
	}
}

// resolve finds or makes the pages that versions link to.
func (r *rebuild) resolve(ctx context.Context, batch []*rebuiltVersion) error {
	var seen []Sighting
	for _, v := range batch {
		if v.extract != nil {
			for _, l := range v.extract.Links {
				seen = append(seen, Sighting{l.URL, v.was.first})
			}
		}
	}
	ids, err := r.db.ResolvePages(ctx, seen)
	if err != nil {
		return err
	}
	for _, v := range batch {
		if v.extract != nil {
			for _, l := range v.extract.Links {
				if id := ids[l.URL]; id != 0 {
					v.targets = append(v.targets, Target{Page: id, NoFollow: l.NoFollow})
				}
			}
		}
	}
	return nil
}

// errMoved means that a page's versions were laid anew while they were read.
var errMoved = errors.New("the versions have changed meanwhile")
