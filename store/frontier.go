package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// The frontier of a running snapshot. Rows are taken by reading them: the daemon
// that leases a bucket is the only one that looks at its hosts, so nothing has to
// be marked, and what a killed daemon had in hand is still there. A row goes in
// the transaction that says what became of its URL; the links of the page come
// into the frontier in the same one. So no URL is lost, and only what was in
// flight is fetched again.
//
// New rows are held against the frontier and the pages before they are inserted,
// by a plain read that waits for nobody. Two daemons can so add what the other one
// just finishes; the row is then a late find and dropped when it is taken.
var (
	qAddFrontier = statement{routed, `
		with v as (
			select v.page_id, (v.page_id >> 40)::int as bucket, v.depth, v.priority
			from unnest($2::bigint[], $3::smallint[], $4::float8[]) v(page_id, depth, priority)
		), a as (
			insert into core.snapshot_frontier (snapshot_id, page_id, bucket, host_id, depth, priority)
			select $1::int, v.page_id, v.bucket, p.host_id, v.depth, v.priority::real
			from v join core.page p on p.bucket = any($5::int[]) and p.bucket = v.bucket and p.page_id = v.page_id
			where not exists (select from core.snapshot_page s where s.snapshot_id = $1 and s.bucket = any($5) and s.bucket = v.bucket and s.page_id = v.page_id)
			  and not exists (select from core.snapshot_frontier f where f.snapshot_id = $1 and f.bucket = any($5) and f.bucket = v.bucket and f.page_id = v.page_id)
			order by v.page_id
			on conflict (snapshot_id, page_id, bucket) do nothing
			returning page_id, bucket, host_id
		), h as (
			insert into core.snapshot_host (snapshot_id, host_id, bucket)
			select distinct $1::int, a.host_id, a.bucket from a
			where not exists (select from core.snapshot_host n where n.snapshot_id = $1 and n.bucket = any($5) and n.bucket = a.bucket and n.host_id = a.host_id)
			order by 2
			on conflict (snapshot_id, host_id, bucket) do nothing
		)
		select a.page_id, a.host_id from a`}
	qFrontierHosts = statement{routed, `
		select h.host_id, h.bucket, n.name, n.site, h.tried, h.crawled, h.traps, coalesce(h.closed, '')
		from core.snapshot_host h
		join core.host n on n.bucket = any($2::int[]) and n.bucket = h.bucket and n.host_id = h.host_id
		where h.snapshot_id = $1 and h.bucket = any($2)`}
	qFrontierLevel = statement{all, `
		select (select min(f.depth) from core.snapshot_frontier f where f.snapshot_id = $1 and f.not_before is null),
		       (select f.depth from core.snapshot_frontier f where f.snapshot_id = $1 order by f.depth limit 1)`}
	qTakeBreadth = statement{routed, takeFrom + ` order by f.depth, f.priority desc, f.page_id` + takeFacts}
	qTakeBest    = statement{routed, takeFrom + ` and f.priority > 0 order by f.priority desc, f.page_id` + takeFacts}
	qDoneURLs    = statement{routed, `
		delete from core.snapshot_frontier f where f.snapshot_id = $1 and f.bucket = any($3::int[]) and f.page_id = any($2::bigint[])`}
	qLaterURLs = statement{routed, `
		update core.snapshot_frontier f set tries = v.tries, not_before = v.not_before
		from unnest($2::bigint[], $3::smallint[], $4::timestamptz[]) v(page_id, tries, not_before)
		where f.snapshot_id = $1 and f.bucket = any($5::int[]) and f.bucket = (v.page_id >> 40)::int and f.page_id = v.page_id`}
	qTallyHosts = statement{routed, `
		update core.snapshot_host h
		set tried = h.tried + v.tried, crawled = h.crawled + v.crawled, traps = h.traps + v.traps
		from unnest($2::bigint[], $3::int[], $4::int[], $5::int[]) v(host_id, tried, crawled, traps)
		where h.snapshot_id = $1 and h.bucket = any($6::int[]) and h.bucket = (v.host_id >> 40)::int and h.host_id = v.host_id`}
	qCloseHost = statement{routed, `
		update core.snapshot_host h set closed = $4 where h.snapshot_id = $1 and h.bucket = any($3::int[]) and h.host_id = $2 and h.closed is null`}
	qDropHost = statement{routed, `
		delete from core.snapshot_frontier f where f.snapshot_id = $1 and f.bucket = any($3::int[]) and f.host_id = $2`}
	qSnapshotTally = statement{all, `
		select coalesce(sum(h.tried), 0)::bigint, coalesce(sum(h.crawled), 0)::bigint, coalesce(sum(h.traps), 0)::bigint, count(*),
		       count(*) filter (where h.closed is not null)
		from core.snapshot_host h where h.snapshot_id = $1`}
	qSnapshotLeft = statement{all, `
		select h.closed, count(*) from core.snapshot_host h where h.snapshot_id = $1 and h.closed is not null group by h.closed`}
	qFrontierSize = statement{all, `select count(*) from core.snapshot_frontier f where f.snapshot_id = $1`}
	qTallySite    = statement{local, `
		insert into core.snapshot_site as s (snapshot_id, site, looked_at, wanted) values ($1, $2, $3, $4)
		on conflict (snapshot_id, site) do update set looked_at = s.looked_at + excluded.looked_at, wanted = s.wanted + excluded.wanted`}
	qSites = statement{local, `select site, looked_at, wanted from core.snapshot_site where snapshot_id = $1`}
)

// The statements that take URLs read the first rows of each of some hosts in an order, with
// what a request for them needs. Their parts around what is taken and in which order:
const (
	takeFrom = `
		select f.page_id, f.host_id, f.depth, f.priority, f.tries, p.url, p.trap is not null, p.first_seen,
		       coalesce(st.version, 0), case when st.validated_url is null then coalesce(st.etag, '') else '' end,
		       case when st.validated_url is null then coalesce(st.last_modified, '') else '' end, d.page_id is not null
		from unnest($2::bigint[], $3::int[]) h(host_id, room)
		cross join lateral (
			select f.page_id, f.bucket, f.host_id, f.depth, f.priority, f.tries
			from core.snapshot_frontier f
			where f.snapshot_id = $1 and f.bucket = any($4::int[]) and f.bucket = (h.host_id >> 40)::int and f.host_id = h.host_id
			  and f.depth <= $5 and (f.not_before is null or f.not_before <= $6)`
	takeFacts = ` limit h.room
		) f
		join core.page p on p.bucket = any($4) and p.bucket = f.bucket and p.page_id = f.page_id
		left join core.page_state st on st.bucket = any($4) and st.bucket = f.bucket and st.page_id = f.page_id
		left join core.snapshot_page d on d.snapshot_id = $1 and d.bucket = any($4) and d.bucket = f.bucket and d.page_id = f.page_id`
)

// HostID is the id of a host for all time.
type HostID int64

// Bucket returns the host's bucket.
func (id HostID) Bucket() int32 { return int32(id >> bucketShift) }

// FrontierURL is a URL that a snapshot has still to fetch.
type FrontierURL struct {
	Page     PageID
	Host     HostID
	Depth    int // links from the nearest seed
	Priority float32
	Tries    int
	URL      string
	Trap     bool
	Heard    time.Time // when the page was first heard of
	// What is known of the page, for a conditional request to its own address.
	Version            int32
	ETag, LastModified string
	// Done says that the snapshot knows already what became of it.
	Done bool
}

// Find is a URL for the frontier.
type Find struct {
	Page     PageID
	Depth    int
	Priority float32
}

// Added is a URL that came into the frontier.
type Added struct {
	Page PageID
	Host HostID
}

// AddFrontier puts URLs into the frontier of a snapshot, but for those that are in
// it or done, and returns the ones that it put there.
func (t *Tx) AddFrontier(ctx context.Context, id SnapshotID, finds []Find) ([]Added, error) {
	if len(finds) == 0 {
		return nil, nil
	}
	finds = slices.Clone(finds)
	slices.SortFunc(finds, func(a, b Find) int { return cmp.Or(cmp.Compare(a.Page, b.Page), cmp.Compare(a.Depth, b.Depth)) })
	finds = slices.CompactFunc(finds, func(a, b Find) bool { return a.Page == b.Page })
	pages, depths, priorities := make([]PageID, len(finds)), make([]int16, len(finds)), make([]float64, len(finds))
	for i, f := range finds {
		pages[i], depths[i], priorities[i] = f.Page, int16(min(f.Depth, 1<<15-1)), float64(f.Priority)
	}
	rows, err := t.tx.Query(ctx, qAddFrontier.sql, id, pages, depths, priorities, bucketsOf(pages))
	if err != nil {
		return nil, fmt.Errorf("add to a frontier: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Added])
	if err != nil {
		return nil, fmt.Errorf("add to a frontier: %w", err)
	}
	return out, nil
}

// FinishURLs takes URLs out of the frontier.
func (t *Tx) FinishURLs(ctx context.Context, id SnapshotID, pages []PageID) error {
	if len(pages) == 0 {
		return nil
	}
	if _, err := t.tx.Exec(ctx, qDoneURLs.sql, id, pages, bucketsOf(pages)); err != nil {
		return fmt.Errorf("finish URLs of a frontier: %w", err)
	}
	return nil
}

// Later is a URL that is to be tried again.
type Later struct {
	Page  PageID
	Tries int
	At    time.Time
}

// PutOffURLs says when URLs may be tried again.
func (t *Tx) PutOffURLs(ctx context.Context, id SnapshotID, urls []Later) error {
	if len(urls) == 0 {
		return nil
	}
	pages, tries, at := make([]PageID, len(urls)), make([]int16, len(urls)), make([]time.Time, len(urls))
	for i, u := range urls {
		pages[i], tries[i], at[i] = u.Page, int16(min(u.Tries, 1<<15-1)), u.At
	}
	if _, err := t.tx.Exec(ctx, qLaterURLs.sql, id, pages, tries, at, bucketsOf(pages)); err != nil {
		return fmt.Errorf("put off URLs of a frontier: %w", err)
	}
	return nil
}

// Tally counts URLs of a host, or of a snapshot.
type Tally struct{ Tried, Crawled, Traps int64 }

// TallyHosts adds to the counts of hosts.
func (t *Tx) TallyHosts(ctx context.Context, id SnapshotID, counts map[HostID]Tally) error {
	if len(counts) == 0 {
		return nil
	}
	hosts := make([]HostID, 0, len(counts))
	for h := range counts {
		hosts = append(hosts, h)
	}
	slices.Sort(hosts)
	var tried, crawled, traps, buckets []int32
	for _, h := range hosts {
		c := counts[h]
		tried, crawled, traps = append(tried, int32(c.Tried)), append(crawled, int32(c.Crawled)), append(traps, int32(c.Traps))
		buckets = append(buckets, h.Bucket())
	}
	if _, err := t.tx.Exec(ctx, qTallyHosts.sql, id, hosts, tried, crawled, traps, distinct(buckets)); err != nil {
		return fmt.Errorf("count pages of hosts: %w", err)
	}
	return nil
}

// SiteTally is how many pages of a site were looked at for their language, and how
// many are in the one wanted.
type SiteTally struct {
	Site             string
	LookedAt, Wanted int
}

// TallySites adds to the counts of sites.
func (t *Tx) TallySites(ctx context.Context, id SnapshotID, sites []SiteTally) error {
	sites = slices.Clone(sites)
	slices.SortFunc(sites, func(a, b SiteTally) int { return cmp.Compare(a.Site, b.Site) })
	for _, s := range sites {
		if _, err := t.tx.Exec(ctx, qTallySite.sql, id, s.Site, s.LookedAt, s.Wanted); err != nil {
			return fmt.Errorf("count pages of sites: %w", err)
		}
	}
	return nil
}
