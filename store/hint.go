package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// Claimed is the date that a sitemap or feed gives a page.
type Claimed struct {
	URL string // canonical
	At  time.Time
}

// Hint is what a date came to.
type Hint struct {
	Rate Rate // with Kind, ClaimedAt, HintedAt and Moved as they shall be
	// Due, unless zero, is when the page is due at the latest; a page that is due
	// before stays so.
	Due time.Time
}

// hintChunk is how many pages one transaction dates: it holds the schedule's lock.
const hintChunk = 500

// SetHints takes the dates that a sitemap or feed gives to pages of a watch. Judge is
// called for each page of the watch, with what is known of it, the signals of its host
// for that kind, and when the watch wants it; it says what becomes of both. It may be
// called again for the same page when the transaction has to be repeated. SetHints
// returns how many pages were brought forward.
func (db *DB) SetHints(ctx context.Context, watch int32, kind string, claims []Claimed,
	judge func(r Rate, signals []byte, w WatchDue, claimed time.Time) Hint,
) (int, error) {
	moved := 0
	for part := range slices.Chunk(claims, hintChunk) {
		urls := make([]string, len(part))
		at := make(map[PageID]time.Time, len(part))
		for i, c := range part {
			urls[i] = c.URL
		}
		ids, err := db.resolveInOrder(ctx, urls, db.now())
		if err != nil {
			return moved, fmt.Errorf("take hints: %w", err)
		}
		for i, c := range part {
			at[ids[i]] = c.At
		}
		slices.Sort(ids)
		n := 0
		if err := db.inTxAgain(ctx, func(tx pgx.Tx) (err error) {
			n, err = (&Tx{db: db, tx: tx}).setHints(ctx, watch, kind, slices.Compact(ids), at, judge)
			return err
		}); err != nil {
			return moved, fmt.Errorf("take hints: %w", err)
		}
		moved += n
	}
	return moved, nil
}

func (t *Tx) setHints(ctx context.Context, watch int32, kind string, pages []PageID, at map[PageID]time.Time,
	judge func(Rate, []byte, WatchDue, time.Time) Hint,
) (int, error) {
	if _, err := t.tx.Exec(ctx, qAloneSchedule.sql); err != nil {
		return 0, err
	}
	rates, err := t.Rates(ctx, pages)
	if err != nil {
		return 0, err
	}
	for id, r := range rates {
		r.Kind = kind
		rates[id] = r
	}
	signals, err := t.signals(ctx, rates, qReadSignals)
	if err != nil {
		return 0, err
	}
	rows, err := t.tx.Query(ctx, qWatchDues.sql, pages, bucketsOf(pages), watch)
	if err != nil {
		return 0, err
	}
	dues := map[PageID]WatchDue{}
	var page PageID
	var slot, due *time.Time
	if _, err := pgx.ForEachRow(rows, []any{&page, &slot, &due}, func() error {
		dues[page] = WatchDue{Watch: watch, Slot: deref(slot), Due: deref(due)}
		return nil
	}); err != nil {
		return 0, err
	}
	var in struct {
		pages           []PageID
		claimed, hinted []*time.Time
		moved           []bool
	}
	var forward []PageID
	var when []time.Time
	for _, id := range pages {
		w, ok := dues[id]
		if !ok {
			continue
		}
		h := judge(rates[id], signals[SignalKey{rates[id].HostID, kind}], w, at[id])
		in.pages = append(in.pages, id)
		in.claimed = append(in.claimed, orNil(h.Rate.ClaimedAt))
		in.hinted = append(in.hinted, orNil(h.Rate.HintedAt))
		in.moved = append(in.moved, h.Rate.Moved)
		if !h.Due.IsZero() && h.Due.Before(w.Due) {
			forward, when = append(forward, id), append(when, h.Due)
		}
	}
	if len(in.pages) > 0 {
		if _, err := t.tx.Exec(ctx, qPutClaims.sql, in.pages, in.claimed, in.hinted, in.moved, bucketsOf(in.pages), kind); err != nil {
			return 0, err
		}
	}
	return len(forward), t.advance(ctx, watch, forward, when)
}

// advance brings due times of a watch forward.
func (t *Tx) advance(ctx context.Context, watch int32, pages []PageID, due []time.Time) error {
	if len(pages) == 0 {
		return nil
	}
	buckets := bucketsOf(pages)
	if _, err := t.tx.Exec(ctx, qAdvance.sql, pages, due, buckets, watch); err != nil {
		return err
	}
	_, err := t.tx.Exec(ctx, qSettlePages.sql, pages, buckets)
	return err
}
