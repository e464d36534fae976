package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

var qStorageBytes = statement{all, `
	with t as (
		select case c.relname when 'body' then 'bodies' when 'record' then 'records' when 'link_set' then 'links' else 'other' end as kind,
			(core.table_bytes(c.oid::regclass)).*
		from pg_class c
		where c.relnamespace = 'core'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition)
	select kind, sum(heap)::bigint from t group by kind
	union all
	select 'indexes', coalesce(sum(indexes), 0)::bigint from t`}

// StorageBytes returns the bytes of the database's tables by kind: bodies, records,
// links, other, and indexes. It looks at the sizes of files only, so that a metric
// may ask every few minutes; the view api_v1.storage tells more and reads more.
func (db *DB) StorageBytes(ctx context.Context) (map[string]int64, error) {
	rows, err := db.pool.Query(ctx, qStorageBytes.sql)
	if err != nil {
		return nil, fmt.Errorf("measure storage: %w", err)
	}
	out := map[string]int64{}
	var kind string
	var bytes int64
	if _, err = pgx.ForEachRow(rows, []any{&kind, &bytes}, func() error { out[kind] += bytes; return nil }); err != nil {
		return nil, fmt.Errorf("measure storage: %w", err)
	}
	return out, nil
}
