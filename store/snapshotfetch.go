package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// What the snapshot saw is the version of the fetch's time; its links are shared.
var qPutSnapshotPages = statement{routed, `
	insert into core.snapshot_page (snapshot_id, page_id, bucket, crawled_at, crawled, status, depth, alias_of, last_modified, last_modified_valid, links_hash)
	select distinct on (v.page_id) $1, v.page_id, (v.page_id >> 40)::int, v.at, v.crawled, v.status, v.depth, v.alias_of, v.last_modified, v.valid, r.links_hash
	from unnest($2::bigint[], $3::timestamptz[], $4::boolean[], $5::smallint[], $6::smallint[], $7::bigint[], $8::timestamptz[], $9::boolean[])
	     v(page_id, at, crawled, status, depth, alias_of, last_modified, valid)
	left join core.version r on r.bucket = any($10::int[]) and r.bucket = (v.page_id >> 40)::int and r.page_id = v.page_id
	     and r.first_seen <= v.at and r.last_seen >= v.at and v.crawled
	order by v.page_id, r.version desc
	on conflict (snapshot_id, page_id, bucket) do nothing`}

// SnapshotFetch is one attempt on a URL of a snapshot, or a capture that was
// imported into a series.
type SnapshotFetch struct {
	Page    PageID
	At      time.Time
	Crawled bool   // it gave content, be it unchanged
	Status  int    // 0: no answer
	Depth   int    // links from the nearest seed; negative: not known
	Alias   PageID // the page that it redirected to; 0: none
	// LastModified is what the server said; zero: nothing. Valid tells that it may
	// be trusted (SCIENCE T2).
	LastModified time.Time
	Valid        bool
}

// snapshotColumns are fetches as arrays, a column each.
type snapshotColumns struct {
	pages          []PageID
	at             []time.Time
	crawled, valid []bool
	status, depths []*int16
	aliases        []*int64
	modified       []*time.Time
}

func columnsOf(fetches []SnapshotFetch) snapshotColumns {
	var c snapshotColumns
	for _, f := range fetches {
		var depth *int16
		if f.Depth >= 0 {
			d := int16(min(f.Depth, 1<<15-1))
			depth = &d
		}
		var alias *int64
		if f.Alias != 0 && f.Alias != f.Page {
			a := int64(f.Alias)
			alias = &a
		}
		c.pages, c.at, c.crawled = append(c.pages, f.Page), append(c.at, f.At.Truncate(time.Microsecond)), append(c.crawled, f.Crawled)
		c.status, c.depths, c.aliases = append(c.status, statusOrNil(f.Status)), append(c.depths, depth), append(c.aliases, alias)
		c.modified, c.valid = append(c.modified, orNil(f.LastModified)), append(c.valid, f.Valid)
	}
	return c
}

// distinctFetches keeps one fetch of each page and moment: the one with content,
// then the one with the lower status, and so on as the statement has it.
func distinctFetches(fetches []SnapshotFetch) []SnapshotFetch {
	worse := func(f SnapshotFetch) int {
		if f.Crawled {
			return 0
		}
		return 1
	}
	late := func(f SnapshotFetch) int64 {
		if f.LastModified.IsZero() {
			return 1<<63 - 1
		}
		return f.LastModified.UnixMicro()
	}
	out := slices.Clone(fetches)
	slices.SortFunc(out, func(a, b SnapshotFetch) int {
		return cmp.Or(cmp.Compare(a.Page, b.Page), a.At.Truncate(time.Microsecond).Compare(b.At.Truncate(time.Microsecond)),
			cmp.Compare(worse(a), worse(b)), cmp.Compare(a.Status, b.Status), cmp.Compare(late(a), late(b)), cmp.Compare(a.Alias, b.Alias))
	})
	return slices.CompactFunc(out, func(a, b SnapshotFetch) bool {
		return a.Page == b.Page && a.At.Truncate(time.Microsecond).Equal(b.At.Truncate(time.Microsecond))
	})
}

// PutSnapshotPages says what became of URLs of a running snapshot; the first word
// on a page stands. It goes behind what stores the captures in the same
// transaction, since it looks up the versions that they made.
func (t *Tx) PutSnapshotPages(ctx context.Context, id SnapshotID, fetches []SnapshotFetch) error {
	if len(fetches) == 0 {
		return nil
	}
	c := columnsOf(distinctFetches(fetches))
	_, err := t.tx.Exec(ctx, qPutSnapshotPages.sql, id, c.pages, c.at, c.crawled, c.status, c.depths, c.aliases, c.modified, c.valid, bucketsOf(c.pages))
	if err != nil {
		return fmt.Errorf("store pages of a snapshot: %w", err)
	}
	return nil
}
