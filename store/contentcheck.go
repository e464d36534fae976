package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// The names of contents are hashes, so those behind any place in their order are
// a fair sample.
var (
	qBodiesBehind = statement{all, `
		select b.bucket, b.sha256 from core.body b where (b.sha256, b.bucket) > ($1::bytea, $2::int) order by b.sha256, b.bucket limit $3`}
	qRecordsBehind = statement{all, `
		select b.bucket, b.sha256 from core.record b where (b.sha256, b.bucket) > ($1::bytea, $2::int) order by b.sha256, b.bucket limit $3`}
	qBodilessVersions = statement{all, `
		select p.url, v.version from core.version v join core.page p on p.bucket = v.bucket and p.page_id = v.page_id
		where v.thinned_at is null and not exists (select from core.body b where b.bucket = v.bucket and b.sha256 = v.sha256)
		order by p.url, v.version limit $1`}
	qBodyVersions = statement{routed, `
		select p.url, v.version from core.version v join core.page p on p.bucket = v.bucket and p.page_id = v.page_id
		where v.bucket = $1 and p.bucket = $1 and v.sha256 = $2 and v.thinned_at is null order by p.url, v.version limit $3`}
	qRecordVersions = statement{routed, `
		select p.url, v.version from core.version v join core.page p on p.bucket = v.bucket and p.page_id = v.page_id
		where v.bucket = $1 and p.bucket = $1 and v.record = $2 and v.thinned_at is null order by p.url, v.version limit $3`}
)

const checkBatch = 256

// ContentFault is a stored content that does not read back.
type ContentFault struct {
	Key ContentKey
	Err error
	// Of are the first versions that have it, such as "https://example.org/ version 3".
	Of []string
}

// faultVersions is how many versions of a damaged content are named.
const faultVersions = 3

// Error names versions and what is wrong with their content.
func (f ContentFault) Error() string {
	switch {
	case len(f.Of) == 0:
		return fmt.Sprintf("no version: %v", f.Err)
	case len(f.Of) > faultVersions:
		return fmt.Sprintf("%s and others: %v", strings.Join(f.Of[:faultVersions], ", "), f.Err)
	}
	return fmt.Sprintf("%s: %v", strings.Join(f.Of, ", "), f.Err)
}

// CheckContents reads bodies and records back, from a place in their order on and
// round to it again, up to limit of each (zero: all), and compares every one with
// its hash. It returns how many were read and those that failed.
func (db *DB) CheckContents(ctx context.Context, from SHA256, limit int) (read int, faults []ContentFault, err error) {
	for _, t := range []blobTable{bodyTable, recordTable} {
		n, bad, err := db.checkBlobs(ctx, t, from, limit)
		read += n
		faults = append(faults, bad...)
		if err != nil {
			return read, faults, fmt.Errorf("check contents: %w", err)
		}
	}
	return read, faults, nil
}

func (db *DB) checkBlobs(ctx context.Context, t blobTable, from SHA256, limit int) (read int, faults []ContentFault, err error) {
	behind := qBodiesBehind
	if t == recordTable {
		behind = qRecordsBehind
	}
	place, wrapped := ContentKey{-1, from}, false
	for limit == 0 || read < limit {
		rows, err := db.pool.Query(ctx, behind.sql, place.Hash[:], place.Bucket, checkBatch)
		if err != nil {
			return read, faults, err
		}
		keys, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (ContentKey, error) {
			var k ContentKey
			var hash []byte
			err := row.Scan(&k.Bucket, &hash)
			copy(k.Hash[:], hash)
			return k, err
		})
		if err != nil {
			return read, faults, err
		}
		end := len(keys) < checkBatch
		for _, k := range keys {
			if wrapped && string(k.Hash[:]) >= string(from[:]) || limit > 0 && read == limit {
				return read, faults, nil
			}
			read++
			if _, err := db.contents(ctx, db.pool, t, []ContentKey{k}); err != nil {
				if ctx.Err() != nil {
					return read, faults, ctx.Err()
				}
				of, oerr := db.versionsOf(ctx, t, k)
				if oerr != nil {
					return read, faults, oerr
				}
				faults = append(faults, ContentFault{k, err, of})
			}
			place = k
		}
		if end {
			if wrapped {
				return read, faults, nil
			}
			place, wrapped = ContentKey{Bucket: -1}, true
		}
	}
	return read, faults, nil
}

// BodilessVersions names up to limit versions whose payload is not stored.
func (db *DB) BodilessVersions(ctx context.Context, limit int) ([]string, error) {
	return db.versionNames(ctx, qBodilessVersions, limit)
}

// versionsOf names the first versions that have a content, one more than are told of.
func (db *DB) versionsOf(ctx context.Context, t blobTable, k ContentKey) ([]string, error) {
	q := qBodyVersions
	if t == recordTable {
		q = qRecordVersions
	}
	return db.versionNames(ctx, q, k.Bucket, k.Hash[:], faultVersions+1)
}

func (db *DB) versionNames(ctx context.Context, q statement, args ...any) ([]string, error) {
	rows, err := db.pool.Query(ctx, q.sql, args...)
	if err != nil {
		return nil, fmt.Errorf("check versions: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
		var url string
		var n int32
		err := row.Scan(&url, &n)
		return fmt.Sprintf("%s version %d", url, n), err
	})
	if err != nil {
		return nil, fmt.Errorf("check versions: %w", err)
	}
	return out, nil
}
