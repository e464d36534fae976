package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

var (
	qAddYields = statement{routed, `
		insert into core.series_yield as y (series_id, host_id, bucket, folder, fetched, gained)
		select $1, v.host_id, (v.host_id >> 40)::int, v.folder, v.fetched, v.gained
		from unnest($2::bigint[], $3::text[], $4::float8[], $5::float8[]) v(host_id, folder, fetched, gained)
		on conflict (series_id, host_id, folder, bucket) do update set fetched = y.fetched + excluded.fetched, gained = y.gained + excluded.gained
		where y.bucket = any($6::int[])`}
	qYields = statement{all, `
		select y.host_id, y.folder, y.fetched, y.gained from core.series_yield y where y.series_id = $1`}
	qForgetGains = statement{routed, `
		update core.series_yield y set gained = 0 from core.page p
		where p.bucket = any($3::int[]) and p.page_id = any($2::bigint[])
		  and y.series_id = $1 and y.bucket = any($3) and y.bucket = p.bucket and y.host_id = p.host_id`}
	qHalveYields = statement{all, `
		update core.series_yield set fetched = fetched / 2, gained = gained / 2 where series_id = $1`}
)

// Yield is what fetches of a folder of a host gave.
type Yield struct {
	Host            HostID
	Folder          string
	Fetched, Gained float64
}

// AddYields adds to what folders gave, each of which is named once.
func (t *Tx) AddYields(ctx context.Context, series SeriesID, yields []Yield) error {
	if len(yields) == 0 {
		return nil
	}
	yields = slices.Clone(yields)
	slices.SortFunc(yields, func(a, b Yield) int { return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.Folder, b.Folder)) })
	var hosts []HostID
	var folders []string
	var fetched, gained []float64
	var buckets []int32
	for _, y := range yields {
		hosts, folders, fetched, gained = append(hosts, y.Host), append(folders, y.Folder), append(fetched, y.Fetched), append(gained, y.Gained)
		buckets = append(buckets, y.Host.Bucket())
	}
	if _, err := t.tx.Exec(ctx, qAddYields.sql, series, hosts, folders, fetched, gained, distinct(buckets)); err != nil {
		return fmt.Errorf("count what folders gave: %w", err)
	}
	return nil
}

// Yields returns what all folders of a series gave.
func (db *DB) Yields(ctx context.Context, series SeriesID) ([]Yield, error) {
	rows, err := db.pool.Query(ctx, qYields.sql, series)
	if err != nil {
		return nil, fmt.Errorf("read what folders gave: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Yield])
	if err != nil {
		return nil, fmt.Errorf("read what folders gave: %w", err)
	}
	return out, nil
}

// ForgetGains takes for nothing what fetches of the hosts of some pages gave.
func (db *DB) ForgetGains(ctx context.Context, series SeriesID, of []PageID) error {
	if _, err := db.pool.Exec(ctx, qForgetGains.sql, series, of, bucketsOf(of)); err != nil {
		return fmt.Errorf("forget what folders gave: %w", err)
	}
	return nil
}
