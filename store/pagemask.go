package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// MaskRule is a part of a page that is noise, for people.
type MaskRule struct {
	Rule       string  `json:"rule"`
	Kind       string  `json:"kind"`
	Pairs      int     `json:"pairs"`
	Confidence float64 `json:"confidence"` // 0 to 1
	Counts     bool    `json:"counts"`     // now; else it has too few pairs or too old ones
}

// Mask is what pairs taught of a page.
type Mask struct {
	Page      PageID
	Watch     int32
	Mask      []byte // packed by monitor/mask
	Rules     []MaskRule
	Pairs     int
	LearnedAt time.Time
	Active    bool // the watch passes over masked changes
}

var (
	qPutMasks = statement{routed, `
		insert into core.page_mask as m (page_id, bucket, watch_id, mask, rules, pairs, learned_at, active)
		select v.page_id, (v.page_id >> 40)::int, v.watch_id, v.mask, v.rules, v.pairs, v.learned_at, v.active
		from unnest($1::bigint[], $2::int[], $3::bytea[], $4::jsonb[], $5::int[], $6::timestamptz[], $7::bool[])
		     v(page_id, watch_id, mask, rules, pairs, learned_at, active)
		on conflict (page_id, bucket) do update set
		    watch_id = excluded.watch_id, mask = excluded.mask, rules = excluded.rules, pairs = excluded.pairs,
		    learned_at = excluded.learned_at, active = excluded.active,
		    -- Other rules count: what they say of earlier changes is to be found out.
		    stale = m.stale or m.active <> excluded.active
		        or jsonb_path_query_array(m.rules, '$[*] ? (@.counts == true).rule') <> jsonb_path_query_array(excluded.rules, '$[*] ? (@.counts == true).rule'),
		    flagged_to = case when m.active <> excluded.active
		        or jsonb_path_query_array(m.rules, '$[*] ? (@.counts == true).rule') <> jsonb_path_query_array(excluded.rules, '$[*] ? (@.counts == true).rule')
		        then 0 else m.flagged_to end`}
	qSwitchMasks = statement{all, `
		update core.page_mask m set active = not m.active, stale = true, flagged_to = 0
		where m.active and m.watch_id = any($2::int[]) or not m.active and m.watch_id = any($1::int[])`}
	qActiveMasks = statement{routed, `
		select m.page_id, m.mask from core.page_mask m
		where m.bucket = any($2::int[]) and m.page_id = any($1::bigint[]) and m.active`}
	qMasks = statement{routed, `
		select m.page_id, m.mask from core.page_mask m
		where m.bucket = any($2::int[]) and m.page_id = any($1::bigint[])`}
)

// PutMasks stores what was learned.
func (t *Tx) PutMasks(ctx context.Context, masks []Mask) error {
	if len(masks) == 0 {
		return nil
	}
	var in struct {
		pages          []PageID
		watches, pairs []int32
		masks, rules   [][]byte
		at             []time.Time
		active         []bool
	}
	for _, m := range masks {
		rules := m.Rules
		if rules == nil {
			rules = []MaskRule{}
		}
		for i := range rules {
			rules[i].Rule = cleanText(rules[i].Rule)
		}
		list, err := json.Marshal(rules)
		if err != nil {
			return fmt.Errorf("store masks: %w", err)
		}
		in.pages = append(in.pages, m.Page)
		in.watches = append(in.watches, m.Watch)
		in.masks = append(in.masks, m.Mask)
		in.rules = append(in.rules, list)
		in.pairs = append(in.pairs, int32(m.Pairs))
		in.at = append(in.at, m.LearnedAt)
		in.active = append(in.active, m.Active)
	}
	if _, err := t.tx.Exec(ctx, qPutMasks.sql, in.pages, in.watches, in.masks, in.rules, in.pairs, in.at, in.active); err != nil {
		return fmt.Errorf("store masks: %w", err)
	}
	return nil
}

// SwitchMasks switches the masks of watches on and off, by their ids.
func (db *DB) SwitchMasks(ctx context.Context, on, off []int32) error {
	if on == nil {
		on = []int32{}
	}
	if off == nil {
		off = []int32{}
	}
	if _, err := db.pool.Exec(ctx, qSwitchMasks.sql, on, off); err != nil {
		return fmt.Errorf("switch masks: %w", err)
	}
	return nil
}

// ActiveMasks returns the packed masks of those pages that have one and whose watch
// has masks switched on.
func (t *Tx) ActiveMasks(ctx context.Context, pages []PageID) (map[PageID][]byte, error) {
	return masks(ctx, t.tx, qActiveMasks, pages)
}

// Masks returns the packed masks of those pages that have one, switched on or not.
func (db *DB) Masks(ctx context.Context, pages []PageID) (map[PageID][]byte, error) {
	return masks(ctx, db.pool, qMasks, pages)
}

func masks(ctx context.Context, q queryer, s statement, pages []PageID) (map[PageID][]byte, error) {
	rows, err := q.Query(ctx, s.sql, pages, bucketsOf(pages))
	if err != nil {
		return nil, fmt.Errorf("read masks: %w", err)
	}
	out := map[PageID][]byte{}
	var page PageID
	var mask []byte
	_, err = pgx.ForEachRow(rows, []any{&page, &mask}, func() error { out[page] = append([]byte(nil), mask...); return nil })
	if err != nil {
		return nil, fmt.Errorf("read masks: %w", err)
	}
	return out, nil
}
