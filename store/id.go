package store

import (
	"context"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Ids of pages and hosts are made by the program:
//
//	id = bucket << 40 | number
//
// Numbers come in blocks of 1,000 from a sequence, so that no insert asks the
// database for one, and are nearly dense over all buckets, so that an engine
// can index arrays by them.
const (
	bucketShift = 40
	idBlock     = 1000
	numberMask  = 1<<bucketShift - 1
)

var (
	qNextPageBlock = statement{local, `select nextval('core.page_no')`}
	qNextHostBlock = statement{local, `select nextval('core.host_no')`}
	qLastPageBlock = statement{local, `select last_value from core.page_no`}
)

// PageID is the id of a page for all time; it carries the bucket of its host.
type PageID int64

// Bucket returns the bucket that the id carries, 0..4095.
func (id PageID) Bucket() int32 { return int32(id >> bucketShift) }

// Number returns the lower part of the id, nearly dense over all pages.
func (id PageID) Number() int64 { return int64(id) & numberMask }

// blockAllocator hands out numbers from blocks. It is safe for concurrent use.
type blockAllocator struct {
	sequence statement

	mu        sync.Mutex // guards the rest, held while a block is fetched
	next, end int64
}

// take returns n numbers.
func (a *blockAllocator) take(ctx context.Context, pool *pgxpool.Pool, n int) ([]int64, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := make([]int64, 0, n)
	for len(out) < n {
		if a.next == a.end {
			if err := pool.QueryRow(ctx, a.sequence.sql).Scan(&a.next); err != nil {
				return nil, fmt.Errorf("take a block of ids: %w", err)
			}
			a.end = a.next + idBlock
		}
		out = append(out, a.next)
		a.next++
	}
	return out, nil
}

// PageNumbers returns a bound of the numbers of pages that were handed out: all are
// below it.
func (db *DB) PageNumbers(ctx context.Context) (int64, error) {
	var last int64
	if err := db.pool.QueryRow(ctx, qLastPageBlock.sql).Scan(&last); err != nil {
		return 0, fmt.Errorf("look up the numbers of pages: %w", err)
	}
	return last + idBlock, nil
}
