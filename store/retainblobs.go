package store

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/store/body"
)

// A frame goes when no version and no fetch names its content, the next body of a page
// or host will not be based on it, and none that stays is based on it. Where some are,
// they are first written anew without it (retainbase.go).
//
// Writers may find at any moment that a content is stored and refer to it. They lock
// what they found (qHaveBodies) until they commit. So a frame is locked first, what is
// locked by others is passed over, and only then it is asked, by statements that see
// what was committed before, whether it is named. A writer that comes later waits for
// the one transaction, finds nothing, and stores the content again.
const (
	looseAtOnce  = 50000 // contents of a bucket in memory
	deleteAtOnce = 2000  // frames a transaction
)

// blobSQL is SQL on one of the two tables of blobs.
type blobSQL [2]statement

var (
	qLooseBuckets = statement{all, `select distinct bucket from core.loose_blob order by bucket`}
	qLooseBlobs   = statement{routed, `
		select l.sha256 from core.loose_blob l where l.bucket = $1 and l.kind = $2 and l.sha256 > $3 order by l.sha256 limit $4`}
	qStrikeLoose = statement{routed, `
		delete from core.loose_blob l where l.bucket = $1 and l.kind = $2 and l.sha256 = any($3::bytea[])`}
	qNamedBodies = statement{routed, `
		select distinct v.sha256 from core.version v
		where v.bucket = $1 and v.page_id >= $2 and v.page_id < $3 and v.thinned_at is null and v.sha256 = any($4::bytea[])
		union
		select f.sha256 from core.fetch f
		where f.bucket = $1 and f.page_id >= $2 and f.page_id < $3 and f.sha256 = any($4::bytea[]) and f.sha256 is not null and f.version is null`}
	qNamedRecords = statement{routed, `
		select distinct v.record from core.version v
		where v.bucket = $1 and v.page_id >= $2 and v.page_id < $3 and v.thinned_at is null and v.record = any($4::bytea[])`}
	qBodyChains = statement{routed, `
		select body_chain from core.page_state
		where bucket = $1 and page_id >= $2 and page_id < $3 and body_chain is not null`}
	qBodyTemplates = statement{routed, `
		select body_templates from core.host_state
		where bucket = $1 and host_id >= $2 and host_id < $3 and body_templates is not null`}
	qBodySizes = statement{routed, `
		select b.sha256, b.depth, b.base_sha256, octet_length(b.data) from core.body b where b.bucket = $1 and b.sha256 = any($2::bytea[])`}
	qRecordSizes = statement{routed, `
		select b.sha256, b.depth, b.base_sha256, octet_length(b.data) from core.record b where b.bucket = $1 and b.sha256 = any($2::bytea[])`}
	qOnBodies = statement{routed, `
		select b.sha256, b.depth, b.base_sha256, octet_length(b.data) from core.body b where b.bucket = $1 and b.base_sha256 = any($2::bytea[])`}
	qOnRecords = statement{routed, `
		select b.sha256, b.depth, b.base_sha256, octet_length(b.data) from core.record b where b.bucket = $1 and b.base_sha256 = any($2::bytea[])`}
	qLockBodies = statement{routed, `
		select b.sha256 from core.body b where b.bucket = $1 and b.sha256 = any($2::bytea[]) for update skip locked`}
	qLockRecords = statement{routed, `
		select b.sha256 from core.record b where b.bucket = $1 and b.sha256 = any($2::bytea[]) for update skip locked`}
	qDropBodies = statement{routed, `delete from core.body b where b.bucket = $1 and b.sha256 = any($2::bytea[])`}
	qDropBlobs  = statement{routed, `delete from core.record b where b.bucket = $1 and b.sha256 = any($2::bytea[])`}
)

func (t blobTable) named() statement     { return blobSQL{qNamedBodies, qNamedRecords}[t] }
func (t blobTable) chains() statement    { return blobSQL{qBodyChains, qRecordChains}[t] }
func (t blobTable) templates() statement { return blobSQL{qBodyTemplates, qRecordTemplates}[t] }
func (t blobTable) sizes() statement     { return blobSQL{qBodySizes, qRecordSizes}[t] }
func (t blobTable) on() statement        { return blobSQL{qOnBodies, qOnRecords}[t] }
func (t blobTable) lock() statement      { return blobSQL{qLockBodies, qLockRecords}[t] }
func (t blobTable) delete() statement    { return blobSQL{qDropBodies, qDropBlobs}[t] }

// frameRow is a stored frame without its data.
type frameRow struct {
	hash  SHA256
	depth int
	base  SHA256 // zero at depth 0
	size  int    // of the data
}

// sweepBlobs deletes the frames that are nobody's any more.
func (r *retention) sweepBlobs(ctx context.Context) error {
	if r.opt.Dry {
		return nil
	}
	buckets, err := r.buckets(ctx, qLooseBuckets)
	if err != nil {
		return err
	}
	for _, bucket := range buckets {
		for _, t := range []blobTable{bodyTable, recordTable} {
			// What a frame was based on may be nobody's once it has gone: a level a pass.
			for pass, deleted := 0, 1; deleted > 0 && pass <= body.MaxDepth; pass++ {
				s := sweep{retention: r, bucket: bucket, table: t}
				if deleted, err = s.run(ctx); err != nil {
					return fmt.Errorf("%s of bucket %d: %w", t, bucket, err)
				}
				r.tell()
			}
		}
	}
	return nil
}

// sweep is a pass over the loose contents of one bucket in one table.
type sweep struct {
	*retention
	bucket int32
	table  blobTable
	named  map[SHA256]bool // by the states of chains and hosts
}

// span is the range of page ids, and of host ids, of the bucket.
func (s *sweep) span() (from, to int64) {
	return int64(s.bucket) << bucketShift, int64(s.bucket+1) << bucketShift
}

// run returns how many frames it deleted.
func (s *sweep) run(ctx context.Context) (int, error) {
	if err := s.readNamed(ctx); err != nil {
		return 0, err
	}
	deleted := 0
	for after := []byte{}; ; {
		loose, err := s.hashes(ctx, s.db.pool, qLooseBlobs, s.bucket, s.table, after, looseAtOnce)
		if err != nil || len(loose) == 0 {
			return deleted, err
		}
		after = loose[len(loose)-1][:]
		n, err := s.some(ctx, loose)
		deleted += n
		if err != nil || len(loose) < looseAtOnce {
			return deleted, err
		}
	}
}

// some deletes those of the contents that are nobody's.
func (s *sweep) some(ctx context.Context, loose []SHA256) (int, error) {
	from, to := s.span()
	live, err := s.hashes(ctx, s.db.pool, s.table.named(), s.bucket, from, to, bytesOf(loose))
	if err != nil {
		return 0, err
	}
	if err := s.strike(ctx, live); err != nil {
		return 0, err
	}
	keep := make(map[SHA256]bool, len(live))
	for _, h := range live {
		keep[h] = true
	}
	// One that only a chain names stays noted until the chain has gone on.
	loose = slices.DeleteFunc(loose, func(h SHA256) bool { return keep[h] || s.named[h] })
	frames, err := s.frames(ctx, s.db.pool, s.table.sizes(), loose)
	if err != nil {
		return 0, err
	}
	byDepth := [body.MaxDepth + 1][]frameRow{}
	stored := make(map[SHA256]bool, len(frames))
	for _, f := range frames {
		byDepth[f.depth] = append(byDepth[f.depth], f)
		stored[f.hash] = true
	}
	var gone []SHA256
	for _, h := range loose {
		if !stored[h] {
			gone = append(gone, h)
		}
	}
	if err := s.strike(ctx, gone); err != nil {
		return 0, err
	}
	// Leaves before what they are based on.
	deleted := 0
	for depth := body.MaxDepth; depth >= 0; depth-- {
		for part := range slices.Chunk(byDepth[depth], deleteAtOnce) {
			n, err := s.level(ctx, part)
			deleted += n
			if err != nil {
				return deleted, err
			}
		}
	}
	return deleted, nil
}

// level deletes frames of one depth, or puts others in the place of those that are
// bases still.
func (s *sweep) level(ctx context.Context, frames []frameRow) (int, error) {
	hashes := make([]SHA256, len(frames))
	for i, f := range frames {
		hashes[i] = f.hash
	}
	children, err := s.frames(ctx, s.db.pool, s.table.on(), hashes)
	if err != nil {
		return 0, err
	}
	on := map[SHA256][]frameRow{}
	for _, c := range children {
		on[c.base] = append(on[c.base], c)
	}
	var free []frameRow
	deleted := 0
	for _, f := range frames {
		if len(on[f.hash]) == 0 {
			free = append(free, f)
			continue
		}
		ok, err := s.replace(ctx, f, on[f.hash])
		if err != nil {
			return deleted, err
		}
		if ok {
			deleted++
		}
	}
	n, err := s.remove(ctx, free)
	return deleted + n, err
}

// remove deletes frames that nothing was based on when it was asked.
func (s *sweep) remove(ctx context.Context, frames []frameRow) (int, error) {
	if len(frames) == 0 {
		return 0, nil
	}
	var dropped []SHA256
	_, ok, err := s.short(ctx, func(tx pgx.Tx) (err error) {
		dropped, err = s.removeLocked(ctx, tx, frames)
		return err
	})
	if err != nil {
		return 0, err
	}
	if !ok {
		s.report.Waiting += int64(len(frames))
		return 0, nil
	}
	s.count(dropped, frames)
	return len(dropped), nil
}

// removeLocked deletes, of the frames, those that nobody needs, and notes their bases.
func (s *sweep) removeLocked(ctx context.Context, tx pgx.Tx, frames []frameRow) ([]SHA256, error) {
	if _, err := tx.Exec(ctx, qHoldBlobs.sql); err != nil {
		return nil, err
	}
	byHash := make(map[SHA256]frameRow, len(frames))
	for _, f := range frames {
		byHash[f.hash] = f
	}
	free, err := s.hashes(ctx, tx, s.table.lock(), s.bucket, bytesOf(slices.Collect(maps.Keys(byHash))))
	if err != nil {
		return nil, err
	}
	from, to := s.span()
	live, err := s.hashes(ctx, tx, s.table.named(), s.bucket, from, to, bytesOf(free))
	if err != nil {
		return nil, err
	}
	children, err := s.frames(ctx, tx, s.table.on(), free)
	if err != nil {
		return nil, err
	}
	needed := make(map[SHA256]bool, len(live))
	for _, h := range live {
		needed[h] = true
	}
	for _, c := range children {
		needed[c.base] = true
	}
	free = slices.DeleteFunc(free, func(h SHA256) bool { return needed[h] })
	if len(free) == 0 {
		return nil, nil
	}
	if _, err := tx.Exec(ctx, s.table.delete().sql, s.bucket, bytesOf(free)); err != nil {
		return nil, fmt.Errorf("delete frames: %w", err)
	}
	if _, err := tx.Exec(ctx, qStrikeLoose.sql, s.bucket, s.table, bytesOf(free)); err != nil {
		return nil, fmt.Errorf("strike frames off: %w", err)
	}
	var bases []SHA256
	for _, h := range free {
		if f := byHash[h]; f.depth > 0 {
			bases = append(bases, f.base)
		}
	}
	if len(bases) > 0 {
		if _, err := tx.Exec(ctx, qNoteLoose.sql, s.bucket, bytesOf(bases), s.table); err != nil {
			return nil, fmt.Errorf("note bases: %w", err)
		}
	}
	return free, nil
}

// count adds deleted frames to the report.
func (s *sweep) count(dropped []SHA256, frames []frameRow) {
	gone := make(map[SHA256]bool, len(dropped))
	for _, h := range dropped {
		gone[h] = true
		s.db.blobs.drop(s.table, ContentKey{s.bucket, h})
	}
	for _, f := range frames {
		if gone[f.hash] {
			s.report.Bytes += int64(f.size)
		}
	}
	if s.table == bodyTable {
		s.report.Bodies += int64(len(dropped))
	} else {
		s.report.Records += int64(len(dropped))
	}
}

// strike takes contents off the list of loose ones.
func (s *sweep) strike(ctx context.Context, hashes []SHA256) error {
	if len(hashes) == 0 {
		return nil
	}
	if _, err := s.db.pool.Exec(ctx, qStrikeLoose.sql, s.bucket, s.table, bytesOf(hashes)); err != nil {
		return fmt.Errorf("strike contents off: %w", err)
	}
	return nil
}

// readNamed reads which frames the next ones of pages and hosts may be based on. That
// a frame joins them without being new does not happen.
func (s *sweep) readNamed(ctx context.Context) error {
	s.named = map[SHA256]bool{}
	from, to := s.span()
	add := func(q statement, candidates func([]byte) ([]body.Ref, error)) error {
		rows, err := s.db.pool.Query(ctx, q.sql, s.bucket, from, to)
		if err != nil {
			return fmt.Errorf("read chains: %w", err)
		}
		var stored []byte
		_, err = pgx.ForEachRow(rows, []any{&stored}, func() error {
			refs, err := candidates(stored)
			for _, ref := range refs {
				s.named[ref.Hash] = true
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("read chains: %w", err)
		}
		return nil
	}
	if err := add(s.table.chains(), func(b []byte) ([]body.Ref, error) {
		var c body.State
		err := c.UnmarshalBinary(b)
		return c.Candidates(), err
	}); err != nil {
		return err
	}
	return add(s.table.templates(), func(b []byte) ([]body.Ref, error) {
		var h body.Host
		err := h.UnmarshalBinary(b)
		return h.Candidates(), err
	})
}

// hashes reads a column of hashes.
func (s *sweep) hashes(ctx context.Context, q queryer, st statement, args ...any) ([]SHA256, error) {
	rows, err := q.Query(ctx, st.sql, args...)
	if err != nil {
		return nil, fmt.Errorf("read hashes: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (h SHA256, err error) {
		var b []byte
		err = row.Scan(&b)
		copy(h[:], b)
		return h, err
	})
	if err != nil {
		return nil, fmt.Errorf("read hashes: %w", err)
	}
	return out, nil
}

// frames reads stored frames without their data.
func (s *sweep) frames(ctx context.Context, q queryer, st statement, hashes []SHA256) ([]frameRow, error) {
	if len(hashes) == 0 {
		return nil, nil
	}
	rows, err := q.Query(ctx, st.sql, s.bucket, bytesOf(hashes))
	if err != nil {
		return nil, fmt.Errorf("read frames: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (f frameRow, err error) {
		var hash, base []byte
		err = row.Scan(&hash, &f.depth, &base, &f.size)
		copy(f.hash[:], hash)
		copy(f.base[:], base)
		return f, err
	})
	if err != nil {
		return nil, fmt.Errorf("read frames: %w", err)
	}
	return out, nil
}

func bytesOf(hashes []SHA256) [][]byte {
	out := make([][]byte, len(hashes))
	for i := range hashes {
		out[i] = hashes[i][:]
	}
	return out
}
