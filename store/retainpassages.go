package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

// Lines that no version shows whose content is kept are not found any more. Which passages
// that are is found once for all versions of a page that are to go: a passage goes with the last
// of them that has it, unless one that stays has it too. So the transactions that
// thin look at each passage once, however many versions the page has.
var (
	qKeptVersions = statement{routed, `
		select v.page_id, v.version from core.version v
		where v.bucket = $1 and v.page_id = any($2::bigint[]) and v.thinned_at is null
		order by v.page_id, v.version`}
	// The last passages have no end and belong to the last version, which stays.
	qEndedPassages = statement{routed, `
		select p.page_id, p.from_version, p.part, p.to_version from core.passage p
		where p.bucket = $1 and p.page_id = any($2::bigint[]) and p.to_version is not null`}
	// Asked again under the lock, since the page may have been laid anew meanwhile. A passage lies between
	// the times at which the versions of its ends were first seen; that leaves out partitions, and the limit
	// has the versions of each passage looked up rather than joined.
	qThinPassages = statement{routed, `
		delete from core.passage p
		using unnest($2::bigint[], $3::int[], $4::int[]) d(page_id, from_version, part)
		where p.bucket = $1 and p.page_id = d.page_id and p.from_version = d.from_version and p.part = d.part and p.to_version is not null
		  and (select v.version from core.version v
		       where v.bucket = $1 and v.page_id = p.page_id and v.version >= p.from_version and v.version < p.to_version
		         and v.first_seen >= p.from_at and v.first_seen < p.to_at and v.thinned_at is null
		       order by v.version limit 1) is null`}
)

// passageKey names a passage.
type passageKey struct {
	page PageID
	from int32
	part int32
}

// endings returns, for each of the versions that are to go, the passages that go with it.
// The versions are of one bucket and sorted by page and number.
func (r *retention) endings(ctx context.Context, bucket int32, old []oldVersion) ([][]passageKey, error) {
	var pages []PageID
	place := map[PageID]int{} // of the page's first version in old
	for i, v := range old {
		if n := len(pages); n == 0 || pages[n-1] != v.page {
			pages = append(pages, v.page)
			place[v.page] = i
		}
	}
	stay, err := r.staying(ctx, bucket, pages, old)
	if err != nil {
		return nil, err
	}
	rows, err := r.db.pool.Query(ctx, qEndedPassages.sql, bucket, pages)
	if err != nil {
		return nil, fmt.Errorf("read passages: %w", err)
	}
	out := make([][]passageKey, len(old))
	var k passageKey
	var to int32
	_, err = pgx.ForEachRow(rows, []any{&k.page, &k.from, &k.part, &to}, func() error {
		if holdsNumber(stay[k.page], k.from, to) {
			return nil
		}
		from := place[k.page]
		n, _ := slices.BinarySearchFunc(old[from:], to, func(v oldVersion, to int32) int {
			if v.page != k.page || v.number >= to {
				return 1
			}
			return -1
		})
		if n > 0 && old[from+n-1].number >= k.from {
			out[from+n-1] = append(out[from+n-1], k)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read passages: %w", err)
	}
	return out, nil
}

// staying returns the numbers of the versions that keep their contents, ascending.
func (r *retention) staying(ctx context.Context, bucket int32, pages []PageID, old []oldVersion) (map[PageID][]int32, error) {
	rows, err := r.db.pool.Query(ctx, qKeptVersions.sql, bucket, pages)
	if err != nil {
		return nil, fmt.Errorf("read versions: %w", err)
	}
	out := map[PageID][]int32{}
	var page PageID
	var number int32
	_, err = pgx.ForEachRow(rows, []any{&page, &number}, func() error {
		for len(old) > 0 && (old[0].page < page || old[0].page == page && old[0].number < number) {
			old = old[1:]
		}
		if len(old) == 0 || old[0].page != page || old[0].number != number {
			out[page] = append(out[page], number)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read versions: %w", err)
	}
	return out, nil
}

// holdsNumber reports whether one of the ascending numbers is at least from and below to.
func holdsNumber(numbers []int32, from, to int32) bool {
	i, _ := slices.BinarySearch(numbers, from)
	return i < len(numbers) && numbers[i] < to
}

// thinPassages deletes passages whose last versions have gone in the transaction.
func thinPassages(ctx context.Context, tx pgx.Tx, bucket int32, keys []passageKey) error {
	if len(keys) == 0 {
		return nil
	}
	pages, from, part := make([]PageID, len(keys)), make([]int32, len(keys)), make([]int32, len(keys))
	for i, k := range keys {
		pages[i], from[i], part[i] = k.page, k.from, k.part
	}
	if _, err := tx.Exec(ctx, qThinPassages.sql, bucket, pages, from, part); err != nil {
		return fmt.Errorf("thin the index of texts: %w", err)
	}
	return nil
}
