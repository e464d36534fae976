package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

var qSourcePages = statement{all, `
	select p.url
	from core.watch_page m
	join core.page p using (bucket, page_id)
	where m.watch_id = $1 and m.source = $2 and m.left_at is null
	order by p.url`}

// SourcePages returns the pages that a sitemap or feed has brought to a watch and
// that have not left it.
func (db *DB) SourcePages(ctx context.Context, watch int32, source string) ([]string, error) {
	rows, err := db.pool.Query(ctx, qSourcePages.sql, watch, source)
	if err != nil {
		return nil, fmt.Errorf("read pages of source %s: %w", source, err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("read pages of source %s: %w", source, err)
	}
	return out, nil
}
