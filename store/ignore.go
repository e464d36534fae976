package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

var qIgnoreRules = statement{routed, `
	select m.page_id, r.rule
	from core.watch_page m
	join core.watch w on w.watch_id = m.watch_id
	cross join lateral jsonb_array_elements_text(coalesce(w.config->'ignore', '[]'::jsonb)) with ordinality r(rule, n)
	where m.bucket = any($2::int[]) and m.page_id = any($1::bigint[]) and m.left_at is null and w.paused_at is null
	order by m.page_id, w.watch_id, r.n`}

// IgnoreRules returns what the watches of each page ask to leave out of
// comparisons, rules of several watches together. Pages without rules have no entry.
func (t *Tx) IgnoreRules(ctx context.Context, pages []PageID) (map[PageID][]string, error) {
	return ignoreRules(ctx, t.tx, pages)
}

// IgnoreRules returns what the watches of each page ask to leave out of
// comparisons, rules of several watches together. Pages without rules have no entry.
func (db *DB) IgnoreRules(ctx context.Context, pages []PageID) (map[PageID][]string, error) {
	return ignoreRules(ctx, db.pool, pages)
}

func ignoreRules(ctx context.Context, q queryer, pages []PageID) (map[PageID][]string, error) {
	rows, err := q.Query(ctx, qIgnoreRules.sql, pages, bucketsOf(pages))
	if err != nil {
		return nil, fmt.Errorf("read ignore rules: %w", err)
	}
	out := map[PageID][]string{}
	var page PageID
	var rule string
	if _, err := pgx.ForEachRow(rows, []any{&page, &rule}, func() error {
		out[page] = append(out[page], rule)
		return nil
	}); err != nil {
		return nil, fmt.Errorf("read ignore rules: %w", err)
	}
	return out, nil
}

// sameIgnored reports whether two configurations of a watch leave out the same.
func sameIgnored(a, b json.RawMessage) bool {
	var in [2]struct {
		Ignore []string `json:"ignore"`
	}
	return json.Unmarshal(a, &in[0]) == nil && json.Unmarshal(b, &in[1]) == nil && slices.Equal(in[0].Ignore, in[1].Ignore)
}
