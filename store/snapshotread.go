package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// What computations read of whole snapshots is streamed over all buckets in no
// order, and handed over row by row: a snapshot may have more links than memory.

var (
	qSnapshotPages = statement{all, `
		select s.page_id, s.crawled_at, s.crawled, coalesce(s.status, 0), coalesce(s.depth, -1), coalesce(s.alias_of, 0), s.last_modified,
		       s.last_modified_valid, p.url, p.trap is not null
		from core.snapshot_page s
		join core.page p using (bucket, page_id)
		where s.snapshot_id = $1`}
	qSnapshotLinks = statement{all, `
		select s.page_id, k.targets
		from core.snapshot_page s
		join core.link_set k using (bucket, links_hash)
		where s.snapshot_id = $1 and s.crawled`}
	qSnapshotRecords = statement{routed, `
		select s.page_id, r.bucket, r.record
		from core.snapshot_page s
		join core.version r on r.bucket = s.bucket and r.page_id = s.page_id and r.first_seen <= s.crawled_at and r.last_seen >= s.crawled_at
		where s.snapshot_id = $1 and s.page_id = any($2::bigint[]) and s.bucket = any($3::int[]) and r.bucket = any($3::int[]) and s.crawled
		order by s.page_id, r.version`}
	// Times that two versions share belong to the later.
	qSnapshotVersions = statement{routed, `
		select distinct on (r.page_id) r.page_id, r.version, r.first_seen, r.bucket, r.record
		from core.snapshot_page s
		join core.version r on r.bucket = s.bucket and r.page_id = s.page_id and r.first_seen <= s.crawled_at and r.last_seen >= s.crawled_at
		where s.snapshot_id = $1 and s.page_id = any($2::bigint[]) and s.bucket = any($3::int[]) and r.bucket = any($3::int[]) and s.crawled
		order by r.page_id, r.version desc`}
	// Versions that were read by other rules since may have other links.
	qRelink = statement{all, `
		update core.snapshot_page s set links_hash = r.links_hash
		from core.version r
		where s.snapshot_id = any($1::int[]) and s.crawled and r.bucket = s.bucket and r.page_id = s.page_id
		  and r.first_seen <= s.crawled_at and r.last_seen >= s.crawled_at and s.links_hash is distinct from r.links_hash`}
	qKnownPages = statement{all, `
		select k.pages, k.targets from core.snapshot_known k
		where k.snapshot_id = any($1::int[])`}
)

// SnapshotPage is a row of a snapshot with what is known of its page.
type SnapshotPage struct {
	SnapshotFetch
	URL  string
	Trap bool // the URL looks like a crawler trap
}

// SnapshotPages calls f with every URL that a snapshot tried, in no order.
func (db *DB) SnapshotPages(ctx context.Context, id SnapshotID, f func(SnapshotPage) error) error {
	rows, err := db.pool.Query(ctx, qSnapshotPages.sql, id)
	if err != nil {
		return fmt.Errorf("read pages of a snapshot: %w", err)
	}
	var p SnapshotPage
	var modified *time.Time
	_, err = pgx.ForEachRow(rows, []any{
		&p.Page, &p.At, &p.Crawled, &p.Status, &p.Depth, &p.Alias, &modified, &p.Valid, &p.URL, &p.Trap,
	}, func() error {
		p.LastModified = deref(modified)
		return f(p)
	})
	if err != nil {
		return fmt.Errorf("read pages of a snapshot: %w", err)
	}
	return nil
}

// SnapshotLinks calls f with the packed links of each page that a snapshot
// crawled and that has any, in no order; NextLink reads them. The bytes are only
// good during the call.
func (db *DB) SnapshotLinks(ctx context.Context, id SnapshotID, f func(source PageID, packed []byte) error) error {
	rows, err := db.pool.Query(ctx, qSnapshotLinks.sql, pgx.QueryResultFormats{pgx.BinaryFormatCode}, id)
	if err != nil {
		return fmt.Errorf("read links of a snapshot: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		// The bytes as they came: a million rows cost no allocation.
		raw := rows.RawValues()
		if len(raw) != 2 || len(raw[0]) != 8 {
			return fmt.Errorf("read links of a snapshot: %w", errLinksDamaged)
		}
		if err := f(PageID(binary.BigEndian.Uint64(raw[0])), raw[1]); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read links of a snapshot: %w", err)
	}
	return nil
}

// PageRecords returns, of pages of a snapshot, the extracted records of the versions
// that it saw. Pages whose record is damaged or gone are left out.
func (db *DB) PageRecords(ctx context.Context, id SnapshotID, pages []PageID) (map[PageID][]byte, error) {
	if len(pages) == 0 {
		return nil, nil
	}
	rows, err := db.pool.Query(ctx, qSnapshotRecords.sql, id, pages, bucketsOf(pages))
	if err != nil {
		return nil, fmt.Errorf("look up records of a snapshot: %w", err)
	}
	keys := make(map[PageID]ContentKey, len(pages))
	seen := map[ContentKey]bool{}
	var wanted []ContentKey
	var page PageID
	var bucket int32
	var hash []byte
	_, err = pgx.ForEachRow(rows, []any{&page, &bucket, &hash}, func() error {
		key := ContentKey{Bucket: bucket}
		copy(key.Hash[:], hash)
		if !seen[key] {
			seen[key] = true
			wanted = append(wanted, key)
		}
		keys[page] = key
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look up records of a snapshot: %w", err)
	}
	contents, _, err := db.readBlobs(ctx, db.pool, recordTable, wanted)
	if err != nil {
		return nil, fmt.Errorf("read records of a snapshot: %w", err)
	}
	out := make(map[PageID][]byte, len(keys))
	for page, key := range keys {
		if raw, ok := contents[key]; ok {
			out[page] = raw
		}
	}
	return out, nil
}

// SnapshotVersions returns, of pages of a snapshot, the versions that it saw.
func (db *DB) SnapshotVersions(ctx context.Context, id SnapshotID, pages []PageID) ([]VersionRef, error) {
	rows, err := db.pool.Query(ctx, qSnapshotVersions.sql, id, pages, bucketsOf(pages))
	if err != nil {
		return nil, fmt.Errorf("look up versions of a snapshot: %w", err)
	}
	out, err := pgx.CollectRows(rows, scanVersionRef)
	if err != nil {
		return nil, fmt.Errorf("look up versions of a snapshot: %w", err)
	}
	return out, nil
}

// Relink gives pages of snapshots the links that their versions have now: they may
// have been read by other rules since. It returns how many it changed.
func (db *DB) Relink(ctx context.Context, ids []SnapshotID) (int64, error) {
	tag, err := db.pool.Exec(ctx, qRelink.sql, ids)
	if err != nil {
		return 0, fmt.Errorf("renew the links of snapshots: %w", err)
	}
	return tag.RowsAffected(), nil
}

// NextLink reads the first target off packed links, which follow the target
// before, 0 at the start. It returns what is left, and false where the bytes are
// damaged.
func NextLink(packed []byte, before PageID) (target PageID, rest []byte, ok bool) {
	v, n := binary.Uvarint(packed)
	if n <= 0 {
		return 0, nil, false
	}
	id := before + PageID(v>>1)
	return id, packed[n:], id > before
}

// KnownPages calls f with every page that a series first heard of in one of the
// snapshots, each once, in no order.
func (db *DB) KnownPages(ctx context.Context, ids []SnapshotID, f func(PageID)) error {
	if len(ids) == 0 {
		return nil
	}
	rows, err := db.pool.Query(ctx, qKnownPages.sql, ids)
	if err != nil {
		return fmt.Errorf("read known pages: %w", err)
	}
	var n int32
	var packed []byte
	_, err = pgx.ForEachRow(rows, []any{&n, &packed}, func() error {
		var page PageID
		var ok bool
		for rest := packed; len(rest) > 0; {
			if page, rest, ok = NextLink(rest, page); !ok {
				return errLinksDamaged
			}
			f(page)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read known pages: %w", err)
	}
	return nil
}

// packKnown packs pages, a row a bucket.
func packKnown(id SnapshotID, pages []PageID) [][]any {
	pages = slices.Compact(slices.Sorted(slices.Values(pages)))
	var rows [][]any
	for len(pages) > 0 {
		n := 1
		for n < len(pages) && pages[n].Bucket() == pages[0].Bucket() {
			n++
		}
		packed := make([]byte, 0, 3*n)
		var before PageID
		for _, p := range pages[:n] {
			packed = binary.AppendUvarint(packed, uint64(p-before)<<1)
			before = p
		}
		rows = append(rows, []any{id, pages[0].Bucket(), int32(n), packed})
		pages = pages[n:]
	}
	return rows
}
