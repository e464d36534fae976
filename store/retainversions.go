package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/store/thin"
)

// Bounds of what is looked at together.
const (
	retainPages    = 500   // pages
	retainVersions = 20000 // versions, unless one page alone has more
)

var (
	qRetainPages = statement{routed, `
		select s.page_id, s.version from core.page_state s
		where s.bucket = $1 and s.page_id > $2 and s.page_id < $3 and s.version > 2
		order by s.page_id limit $4`}
	qRetainVersions = statement{routed, `
		select v.page_id, v.version, v.first_seen, v.last_seen, v.sha256, v.record, v.thinned_at is not null
		from core.version v where v.bucket = $1 and v.page_id = any($2::bigint[])
		order by v.page_id, v.version`}
	// What a snapshot saw of a page belongs to the snapshot.
	qSnapshotSights = statement{routed, `
		select s.page_id, s.crawled_at from core.snapshot_page s
		where s.bucket = $1 and s.snapshot_id = any($2::int[]) and s.page_id = any($3::bigint[]) and s.crawled`}
	qAllSnapshots = statement{local, `select snapshot_id from core.snapshot`}
	qUnmeasured   = statement{routed, `
		select distinct t.page_id from core.monitor_todo t
		where t.bucket = $1 and t.page_id = any($2::bigint[]) and t.stage = any($3::text[])`}
	// The head goes with the content that it came with. An older number than the
	// page's last is asked again, since the page may have been laid anew.
	qThinVersions = statement{routed, `
		update core.version t set thinned_at = $6, head = ''
		from unnest($2::bigint[], $3::int[], $4::timestamptz[], $5::bytea[]) v(page_id, version, first_seen, sha256)
		join core.page_state s on s.bucket = $1 and s.page_id = v.page_id and s.version > v.version
		where t.bucket = $1 and t.page_id = v.page_id and t.version = v.version and t.first_seen = v.first_seen and t.sha256 = v.sha256
		  and t.thinned_at is null and t.first_seen >= $7 and t.first_seen <= $8
		returning t.sha256, t.record`}
	qNoteLoose = statement{routed, `
		insert into core.loose_blob (bucket, sha256, kind)
		select distinct $1::int, h, $3::smallint from unnest($2::bytea[]) h
		on conflict (sha256, bucket, kind) do nothing`}
	qFrameBytes = statement{routed, `
		select (coalesce((select sum(octet_length(b.data)) from core.body b where b.bucket = $1 and b.sha256 = any($2::bytea[])), 0)
		      + coalesce((select sum(octet_length(b.data)) from core.record b where b.bucket = $1 and b.sha256 = any($3::bytea[])), 0))::bigint`}
)

// oldVersion is a version that is to lose its content.
type oldVersion struct {
	page   PageID
	number int32
	first  time.Time
	hash   SHA256
	record SHA256
}

// thinVersions gives up contents by age, bucket by bucket and page by page.
func (r *retention) thinVersions(ctx context.Context) error {
	buckets, err := r.buckets(ctx, qBucketsInUse, 0)
	if err != nil {
		return err
	}
	snapshots, err := r.snapshots(ctx)
	if err != nil {
		return err
	}
	for _, bucket := range buckets {
		after := PageID(bucket) << bucketShift
		for {
			pages, err := r.pages(ctx, bucket, after)
			if err != nil {
				return err
			}
			if len(pages) == 0 {
				break
			}
			old, err := r.choose(ctx, bucket, pages, snapshots)
			if err != nil {
				return err
			}
			if err := r.giveUp(ctx, bucket, old); err != nil {
				return err
			}
			after = pages[len(pages)-1]
			r.tell()
		}
	}
	return nil
}

func (r *retention) buckets(ctx context.Context, q statement, args ...any) ([]int32, error) {
	rows, err := r.db.pool.Query(ctx, q.sql, args...)
	if err != nil {
		return nil, fmt.Errorf("read buckets: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowTo[int32])
	if err != nil {
		return nil, fmt.Errorf("read buckets: %w", err)
	}
	return out, nil
}

func (r *retention) snapshots(ctx context.Context) ([]int32, error) {
	rows, err := r.db.pool.Query(ctx, qAllSnapshots.sql)
	if err != nil {
		return nil, fmt.Errorf("read snapshots: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowTo[int32])
	if err != nil {
		return nil, fmt.Errorf("read snapshots: %w", err)
	}
	return out, nil
}

// pages returns the next pages of a bucket that have a version which is neither their
// first nor their last.
func (r *retention) pages(ctx context.Context, bucket int32, after PageID) ([]PageID, error) {
	rows, err := r.db.pool.Query(ctx, qRetainPages.sql, bucket, after, PageID(bucket+1)<<bucketShift, retainPages)
	if err != nil {
		return nil, fmt.Errorf("read pages: %w", err)
	}
	var out []PageID
	var page PageID
	var versions, sum int32
	_, err = pgx.ForEachRow(rows, []any{&page, &versions}, func() error {
		if sum += versions; sum <= retainVersions || len(out) == 0 {
			out = append(out, page)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read pages: %w", err)
	}
	return out, nil
}

// choose returns the versions of pages that are to lose their content, by page and number.
func (r *retention) choose(ctx context.Context, bucket int32, pages []PageID, snapshots []int32) ([]oldVersion, error) {
	lines, err := r.lines(ctx, bucket, pages)
	if err != nil {
		return nil, err
	}
	var asked []PageID // pages with something to give up
	for _, l := range lines {
		if len(r.opt.Versions.Drop(r.now, l.versions)) > 0 {
			asked = append(asked, l.page)
		}
	}
	if len(asked) == 0 {
		return nil, nil
	}
	if err := r.pin(ctx, bucket, asked, lines, snapshots); err != nil {
		return nil, err
	}
	var out []oldVersion
	for _, l := range lines {
		for _, i := range r.opt.Versions.Drop(r.now, l.versions) {
			out = append(out, oldVersion{l.page, l.numbers[i], l.versions[i].First, l.versions[i].Hash, l.records[i]})
		}
	}
	return out, nil
}

// pageLine is the timeline of a page.
type pageLine struct {
	page     PageID
	numbers  []int32
	versions []thin.Version
	records  []SHA256
}

func (r *retention) lines(ctx context.Context, bucket int32, pages []PageID) ([]*pageLine, error) {
	rows, err := r.db.pool.Query(ctx, qRetainVersions.sql, bucket, pages)
	if err != nil {
		return nil, fmt.Errorf("read versions: %w", err)
	}
	var out []*pageLine
	var page PageID
	var number int32
	var v thin.Version
	var hash, record []byte
	_, err = pgx.ForEachRow(rows, []any{&page, &number, &v.First, &v.Last, &hash, &record, &v.Thinned}, func() error {
		if len(out) == 0 || out[len(out)-1].page != page {
			out = append(out, &pageLine{page: page})
		}
		l := out[len(out)-1]
		copy(v.Hash[:], hash)
		l.numbers, l.versions, l.records = append(l.numbers, number), append(l.versions, v), append(l.records, SHA256(record))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read versions: %w", err)
	}
	return out, nil
}

// pin marks the versions of pages that others need. Pages of which versions are still
// to be measured are pinned as a whole.
func (r *retention) pin(ctx context.Context, bucket int32, asked []PageID, lines []*pageLine, snapshots []int32) error {
	byPage := make(map[PageID]*pageLine, len(lines))
	for _, l := range lines {
		byPage[l.page] = l
	}
	waiting, err := r.waiting(ctx, r.db.pool, bucket, asked)
	if err != nil {
		return err
	}
	for _, page := range waiting {
		r.report.Waiting++
		byPage[page].pinAll()
	}
	rows, err := r.db.pool.Query(ctx, qSnapshotSights.sql, bucket, snapshots, asked)
	if err != nil {
		return fmt.Errorf("read what snapshots saw: %w", err)
	}
	var page PageID
	var at time.Time
	_, err = pgx.ForEachRow(rows, []any{&page, &at}, func() error {
		l := byPage[page]
		if i := l.at(at); i >= 0 {
			l.versions[i].Pinned = true
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read what snapshots saw: %w", err)
	}
	if r.opt.Pins == nil {
		return nil
	}
	pins, err := r.opt.Pins(ctx, asked)
	if err != nil {
		return err
	}
	for page, numbers := range pins {
		for _, n := range numbers {
			if i, ok := slices.BinarySearch(byPage[page].numbers, n); ok {
				byPage[page].versions[i].Pinned = true
			}
		}
	}
	return nil
}

func (l *pageLine) pinAll() {
	for i := range l.versions {
		l.versions[i].Pinned = true
	}
}

// at returns the index of the version that stood at a time, -1 for none.
func (l *pageLine) at(t time.Time) int {
	i, exact := slices.BinarySearchFunc(l.versions, t, func(v thin.Version, t time.Time) int { return v.First.Compare(t) })
	if !exact {
		i--
	}
	return i
}

// waiting returns those of pages of which versions are still to be measured.
func (r *retention) waiting(ctx context.Context, q queryer, bucket int32, pages []PageID) ([]PageID, error) {
	rows, err := q.Query(ctx, qUnmeasured.sql, bucket, pages, stages)
	if err != nil {
		return nil, fmt.Errorf("read what is to be measured: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowTo[PageID])
	if err != nil {
		return nil, fmt.Errorf("read what is to be measured: %w", err)
	}
	return out, nil
}

// giveUp takes their content from versions of one bucket, in batches.
func (r *retention) giveUp(ctx context.Context, bucket int32, old []oldVersion) error {
	if r.opt.Dry {
		return r.measure(ctx, bucket, old)
	}
	endings, err := r.endings(ctx, bucket, old)
	if err != nil {
		return err
	}
	for len(old) > 0 {
		n := min(r.size, len(old))
		batch, passages := old[:n], slices.Concat(endings[:n]...)
		old, endings = old[n:], endings[n:]
		var done int64
		took, ok, err := r.short(ctx, func(tx pgx.Tx) (err error) {
			done, err = r.giveUpSome(ctx, tx, bucket, batch, passages)
			return err
		})
		if err != nil {
			return err
		}
		if !ok {
			r.report.Waiting += int64(n)
			continue
		}
		r.report.Versions += done
		r.resize(took)
	}
	return nil
}

// giveUpSome takes their content from some versions, and from the search the passages that
// go with them. It returns how many versions that were.
func (r *retention) giveUpSome(ctx context.Context, tx pgx.Tx, bucket int32, batch []oldVersion, passages []passageKey) (int64, error) {
	var pages []PageID
	for _, v := range batch {
		pages = append(pages, v.page)
	}
	pages = slices.Compact(pages) // they are sorted
	if _, err := tx.Exec(ctx, qHoldBlobs.sql); err != nil {
		return 0, err
	}
	if _, err := tx.Exec(ctx, qLockStates.sql, pages, []int32{bucket}); err != nil {
		return 0, fmt.Errorf("lock page states: %w", err)
	}
	waiting, err := r.waiting(ctx, tx, bucket, pages)
	if err != nil {
		return 0, err
	}
	var in struct {
		pages   []PageID
		numbers []int32
		first   []time.Time
		hashes  [][]byte
	}
	earliest, latest := batch[0].first, batch[0].first
	for _, v := range batch {
		if slices.Contains(waiting, v.page) {
			continue
		}
		in.pages, in.numbers = append(in.pages, v.page), append(in.numbers, v.number)
		in.first, in.hashes = append(in.first, v.first), append(in.hashes, v.hash[:])
		if v.first.Before(earliest) {
			earliest = v.first
		}
		if v.first.After(latest) {
			latest = v.first
		}
	}
	rows, err := tx.Query(ctx, qThinVersions.sql, bucket, in.pages, in.numbers, in.first, in.hashes, r.now, earliest, latest)
	if err != nil {
		return 0, fmt.Errorf("thin versions: %w", err)
	}
	var bodies, records [][]byte
	var body, record []byte
	if _, err := pgx.ForEachRow(rows, []any{&body, &record}, func() error {
		bodies, records = append(bodies, slices.Clone(body)), append(records, slices.Clone(record))
		return nil
	}); err != nil {
		return 0, fmt.Errorf("thin versions: %w", err)
	}
	for t, hashes := range [][][]byte{bodies, records} {
		if _, err := tx.Exec(ctx, qNoteLoose.sql, bucket, hashes, t); err != nil {
			return 0, fmt.Errorf("note contents that are free: %w", err)
		}
	}
	return int64(len(bodies)), thinPassages(ctx, tx, bucket, passages)
}

// measure counts what a dry run would give up.
func (r *retention) measure(ctx context.Context, bucket int32, old []oldVersion) error {
	r.report.Versions += int64(len(old))
	hashes, records := make([][]byte, len(old)), make([][]byte, len(old))
	for i := range old {
		r.would = append(r.would, old[i].first)
		hashes[i], records[i] = old[i].hash[:], old[i].record[:]
	}
	var n int64
	if err := r.db.pool.QueryRow(ctx, qFrameBytes.sql, bucket, hashes, records).Scan(&n); err != nil {
		return fmt.Errorf("measure contents: %w", err)
	}
	r.report.Bytes += n
	return nil
}
