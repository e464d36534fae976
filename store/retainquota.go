package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

var (
	// Contents count once for each bucket, as they are stored; those that two watches
	// share count for both. The frames that they are based on count as their own.
	qWatchUsage = statement{all, `
		with v as (
			select v.bucket, v.page_id, v.sha256, v.record
			from core.watch w
			join core.watch_page m on m.watch_id = w.watch_id
			join core.version v on v.bucket = m.bucket and v.page_id = m.page_id
			where w.name = $1 and m.left_at is null and v.thinned_at is null
		)
		select (select count(*) from v),
		       (select coalesce(sum(octet_length(b.data)), 0) from core.body b join (select distinct bucket, sha256 from v) d using (bucket, sha256))::bigint
		     + (select coalesce(sum(octet_length(b.data)), 0) from core.record b join (select distinct bucket, record as sha256 from v) d using (bucket, sha256))::bigint`}
	qQuotaVersions = statement{all, `
		select v.page_id, v.version, v.first_seen, v.sha256, v.record, coalesce(octet_length(b.data), 0) + coalesce(octet_length(r.data), 0)
		from core.watch w
		join core.watch_page m on m.watch_id = w.watch_id
		join core.page_state s on s.bucket = m.bucket and s.page_id = m.page_id
		join core.version v on v.bucket = m.bucket and v.page_id = m.page_id
		left join core.body b on b.bucket = v.bucket and b.sha256 = v.sha256
		left join core.record r on r.bucket = v.bucket and r.sha256 = v.record
		where w.name = $1 and m.left_at is null and v.thinned_at is null and v.version > 1 and v.version < s.version
		order by v.first_seen, v.page_id
		limit $2`}
)

// WatchQuota bounds what the pages of a watch take.
type WatchQuota struct {
	Watch string // its name
	Bytes int64  // of stored content
}

// WatchUsage is what the pages of a watch take.
type WatchUsage struct {
	WatchQuota
	Used     int64 // bytes of stored content, before and, when it was over the quota, after
	Versions int64 // whose content is kept
	Gone     int64 // versions given up for the quota, or of a dry run that would be
}

// Bounds of a watch's way down to its quota: versions looked at together, and rounds,
// since what is freed is known only when frames were written anew.
const (
	quotaVersions = 20000
	quotaRounds   = 20
)

// keepQuotas gives up the oldest contents of watches that take more than they may.
// First and last versions stay, so a watch of many pages may remain above its quota.
func (r *retention) keepQuotas(ctx context.Context) error {
	for _, q := range r.opt.Quotas {
		u, err := r.keepQuota(ctx, q)
		if err != nil {
			return fmt.Errorf("quota of watch %s: %w", q.Watch, err)
		}
		r.report.Watches = append(r.report.Watches, u)
	}
	return nil
}

func (r *retention) keepQuota(ctx context.Context, q WatchQuota) (WatchUsage, error) {
	u := WatchUsage{WatchQuota: q}
	if err := r.usage(ctx, &u); err != nil {
		return u, err
	}
	for round := 0; u.Used > q.Bytes && round < quotaRounds; round++ {
		old, freed, err := r.oldest(ctx, q.Watch, u.Used-q.Bytes)
		if err != nil || len(old) == 0 {
			return u, err
		}
		before := r.report.Versions
		if err := r.giveUpAll(ctx, old); err != nil {
			return u, err
		}
		gone := r.report.Versions - before
		u.Gone += gone
		if r.opt.Dry {
			u.Used -= freed
			return u, nil
		}
		if gone == 0 {
			return u, nil
		}
		if err := r.sweepBlobs(ctx); err != nil {
			return u, err
		}
		if err := r.usage(ctx, &u); err != nil {
			return u, err
		}
	}
	return u, nil
}

func (r *retention) usage(ctx context.Context, u *WatchUsage) error {
	err := r.db.pool.QueryRow(ctx, qWatchUsage.sql, u.Watch).Scan(&u.Versions, &u.Used)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("measure: %w", err)
	}
	return nil
}

// oldest returns the oldest versions of a watch that take so many bytes together, or
// some of them, and how many they take.
func (r *retention) oldest(ctx context.Context, watch string, bytes int64) ([]oldVersion, int64, error) {
	rows, err := r.db.pool.Query(ctx, qQuotaVersions.sql, watch, quotaVersions)
	if err != nil {
		return nil, 0, fmt.Errorf("read versions: %w", err)
	}
	var all []oldVersion
	var sizes []int64
	var v oldVersion
	var first time.Time
	var hash, record []byte
	var size int64
	_, err = pgx.ForEachRow(rows, []any{&v.page, &v.number, &first, &hash, &record, &size}, func() error {
		all, sizes = append(all, oldVersion{v.page, v.number, first, SHA256(hash), SHA256(record)}), append(sizes, size)
		return nil
	})
	if err != nil {
		return nil, 0, fmt.Errorf("read versions: %w", err)
	}
	pinned, err := r.pinned(ctx, all)
	if err != nil {
		return nil, 0, err
	}
	var out []oldVersion
	var freed int64
	counted := map[ContentKey]bool{}
	for i, v := range all {
		if freed >= bytes {
			break
		}
		if key := (ContentKey{v.page.Bucket(), v.hash}); !pinned[i] {
			if !counted[key] {
				counted[key] = true
				freed += sizes[i]
			}
			out = append(out, v)
		}
	}
	return out, freed, nil
}

// pinned says of versions which others need.
func (r *retention) pinned(ctx context.Context, all []oldVersion) ([]bool, error) {
	snapshots, err := r.snapshots(ctx)
	if err != nil {
		return nil, err
	}
	byBucket := map[int32][]PageID{}
	for _, v := range all {
		b := v.page.Bucket()
		byBucket[b] = append(byBucket[b], v.page)
	}
	pins := map[PageID]map[int32]bool{}
	for bucket, pages := range byBucket {
		slices.Sort(pages)
		pages = slices.Compact(pages)
		lines, err := r.lines(ctx, bucket, pages)
		if err != nil {
			return nil, err
		}
		if err := r.pin(ctx, bucket, pages, lines, snapshots); err != nil {
			return nil, err
		}
		for _, l := range lines {
			for i, v := range l.versions {
				if v.Pinned {
					if pins[l.page] == nil {
						pins[l.page] = map[int32]bool{}
					}
					pins[l.page][l.numbers[i]] = true
				}
			}
		}
	}
	out := make([]bool, len(all))
	for i, v := range all {
		out[i] = pins[v.page][v.number]
	}
	return out, nil
}

// giveUpAll takes their content from versions of several buckets.
func (r *retention) giveUpAll(ctx context.Context, old []oldVersion) error {
	byBucket := map[int32][]oldVersion{}
	for _, v := range old {
		byBucket[v.page.Bucket()] = append(byBucket[v.page.Bucket()], v)
	}
	for bucket, some := range byBucket {
		slices.SortFunc(some, func(a, b oldVersion) int {
			if a.page != b.page {
				return int(a.page - b.page)
			}
			return int(a.number - b.number)
		})
		if err := r.giveUp(ctx, bucket, some); err != nil {
			return err
		}
	}
	return nil
}
