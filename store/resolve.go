package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/crawler/canonical"
)

// Finding or making pages takes three steps, none of which needs an order
// between several programs: make ids, insert what is missing, read back who won.
var (
	qFindHosts = statement{routed, `
		select h.name, h.host_id
		from unnest($1::int[], $2::text[]) v(bucket, name)
		join core.host h on h.bucket = v.bucket and h.name = v.name
		where h.bucket = any($3::int[])`}
	qInsertHosts = statement{routed, `
		insert into core.host (host_id, bucket, name, site, tld, created_at)
		select * from unnest($1::bigint[], $2::int[], $3::text[], $4::text[], $5::text[], $6::timestamptz[])
		on conflict (name, bucket) do nothing`}
	qFindPages = statement{routed, `
		select p.url_hash, p.page_id, p.first_seen
		from unnest($1::int[], $2::uuid[]) v(bucket, url_hash)
		join core.page p on p.bucket = v.bucket and p.url_hash = v.url_hash
		where p.bucket = any($3::int[])`}
	qInsertPages = statement{routed, `
		insert into core.page (page_id, bucket, host_id, url, url_hash, depth, first_seen, trap)
		select * from unnest($1::bigint[], $2::int[], $3::bigint[], $4::text[], $5::uuid[], $6::smallint[], $7::timestamptz[], $8::text[])
		on conflict (url_hash, bucket) do nothing`}
	qEarlierPages = statement{routed, `
		update core.page p set first_seen = v.first_seen
		from unnest($1::bigint[], $2::timestamptz[]) v(page_id, first_seen)
		where p.bucket = any($3::int[]) and p.page_id = v.page_id and p.first_seen > v.first_seen`}
)

// Sighting is a URL and when it was heard of.
type Sighting struct {
	URL string // canonical
	At  time.Time
}

// ResolvePages returns the id of each canonical URL, making pages and hosts that
// are not known yet. A page's first_seen is the earliest of its sightings. URLs
// without a host are left out of the result.
func (db *DB) ResolvePages(ctx context.Context, seen []Sighting) (map[string]PageID, error) {
	out := make(map[string]PageID, len(seen))
	missing := map[string]*newPage{}
	var earlier []*newPage
	for _, s := range seen {
		if p, ok := missing[s.URL]; ok {
			if s.At.Before(p.at) {
				p.at = s.At
			}
			continue
		}
		if id, at, ok := db.pages.get(s.URL); ok {
			out[s.URL] = id
			if s.At.Before(at) {
				earlier = append(earlier, &newPage{url: s.URL, id: id, at: s.At})
			}
			continue
		}
		facts, err := canonical.FactsOf(s.URL)
		if err != nil {
			continue
		}
		missing[s.URL] = &newPage{url: s.URL, facts: facts, at: s.At}
	}
	if len(missing) > 0 {
		pages := make([]*newPage, 0, len(missing))
		for _, p := range missing {
			pages = append(pages, p)
		}
		slices.SortFunc(pages, func(a, b *newPage) int { return slices.Compare(a.facts.Hash[:], b.facts.Hash[:]) })
		late, err := db.findOrCreate(ctx, pages)
		if err != nil {
			return nil, err
		}
		earlier = append(earlier, late...)
		for _, p := range pages {
			out[p.url] = p.id
			db.pages.put(p.url, p.id, p.at)
		}
	}
	return out, db.moveFirstSeen(ctx, earlier)
}

// newPage is a page on its way into the database.
type newPage struct {
	url   string
	facts canonical.Facts
	id    PageID
	at    time.Time
}

// findOrCreate sets the id of each page and returns those that are in the
// database with a later first_seen than theirs.
func (db *DB) findOrCreate(ctx context.Context, pages []*newPage) ([]*newPage, error) {
	earlier, missing, err := db.findPages(ctx, pages)
	if err != nil || len(missing) == 0 {
		return earlier, err
	}
	hosts, err := db.resolveHosts(ctx, missing)
	if err != nil {
		return nil, err
	}
	numbers, err := db.pageNo.take(ctx, db.pool, len(missing))
	if err != nil {
		return nil, err
	}
	var in struct {
		ids, hosts []int64
		buckets    []int32
		urls       []string
		hashes     [][16]byte
		depths     []int16
		at         []time.Time
		traps      []*string
	}
	for i, p := range missing {
		in.ids = append(in.ids, int64(p.facts.Bucket)<<bucketShift|numbers[i])
		in.hosts = append(in.hosts, hosts[p.facts.Host])
		in.buckets = append(in.buckets, int32(p.facts.Bucket))
		in.urls = append(in.urls, p.url)
		in.hashes = append(in.hashes, p.facts.Hash)
		in.depths = append(in.depths, int16(min(p.facts.Depth, 1000)))
		in.at = append(in.at, p.at)
		in.traps = append(in.traps, trapOf(p.url, p.at))
	}
	if _, err := db.pool.Exec(ctx, qInsertPages.sql, in.ids, in.buckets, in.hosts, in.urls, in.hashes, in.depths, in.at, in.traps); err != nil {
		return nil, fmt.Errorf("store pages: %w", err)
	}
	late, still, err := db.findPages(ctx, missing)
	if err != nil {
		return nil, err
	}
	if len(still) > 0 {
		return nil, fmt.Errorf("store pages: %d pages, %s among them, could not be read back", len(still), still[0].url)
	}
	return append(earlier, late...), nil
}

// trapOf returns the kind of crawler trap that a URL looks like, or nil.
func trapOf(url string, at time.Time) *string {
	kind, ok := canonical.Trap(url, at)
	if !ok {
		return nil
	}
	return &kind
}

// findPages sets the ids of the pages that are known and returns those that are
// known from later on, and those that are not known.
func (db *DB) findPages(ctx context.Context, pages []*newPage) (earlier, missing []*newPage, err error) {
	byHash := make(map[[16]byte]*newPage, len(pages))
	buckets := make([]int32, len(pages))
	hashes := make([][16]byte, len(pages))
	for i, p := range pages {
		byHash[p.facts.Hash] = p
		buckets[i], hashes[i] = int32(p.facts.Bucket), p.facts.Hash
	}
	rows, err := db.pool.Query(ctx, qFindPages.sql, buckets, hashes, distinct(buckets))
	if err != nil {
		return nil, nil, fmt.Errorf("find pages: %w", err)
	}
	var hash [16]byte
	var id PageID
	var at time.Time
	_, err = pgx.ForEachRow(rows, []any{&hash, &id, &at}, func() error {
		p := byHash[hash]
		delete(byHash, hash)
		p.id = id
		if p.at.Before(at) {
			earlier = append(earlier, p)
		} else {
			p.at = at
		}
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("find pages: %w", err)
	}
	for _, p := range pages {
		if _, left := byHash[p.facts.Hash]; left {
			missing = append(missing, p)
		}
	}
	return earlier, missing, nil
}

// resolveHosts returns the id of each page's host, making those that are missing.
func (db *DB) resolveHosts(ctx context.Context, pages []*newPage) (map[string]int64, error) {
	first := map[string]*newPage{}
	for _, p := range pages {
		if _, ok := first[p.facts.Host]; !ok {
			first[p.facts.Host] = p
		}
	}
	hosts := make([]*newPage, 0, len(first))
	for _, p := range first {
		hosts = append(hosts, p)
	}
	slices.SortFunc(hosts, func(a, b *newPage) int { return cmp.Compare(a.facts.Host, b.facts.Host) })
	found, err := db.findHosts(ctx, hosts)
	if err != nil {
		return nil, err
	}
	var missing []*newPage
	for _, p := range hosts {
		if _, ok := found[p.facts.Host]; !ok {
			missing = append(missing, p)
		}
	}
	if len(missing) == 0 {
		return found, nil
	}
	numbers, err := db.hostNo.take(ctx, db.pool, len(missing))
	if err != nil {
		return nil, err
	}
	var in struct {
		ids               []int64
		buckets           []int32
		names, sites, tld []string
		at                []time.Time
	}
	for i, p := range missing {
		in.ids = append(in.ids, int64(p.facts.Bucket)<<bucketShift|numbers[i])
		in.buckets = append(in.buckets, int32(p.facts.Bucket))
		in.names = append(in.names, p.facts.Host)
		in.sites = append(in.sites, p.facts.Site)
		in.tld = append(in.tld, p.facts.TLD)
		in.at = append(in.at, p.at)
	}
	if _, err := db.pool.Exec(ctx, qInsertHosts.sql, in.ids, in.buckets, in.names, in.sites, in.tld, in.at); err != nil {
		return nil, fmt.Errorf("store hosts: %w", err)
	}
	return db.findHosts(ctx, hosts)
}

func (db *DB) findHosts(ctx context.Context, hosts []*newPage) (map[string]int64, error) {
	buckets := make([]int32, len(hosts))
	names := make([]string, len(hosts))
	for i, p := range hosts {
		buckets[i], names[i] = int32(p.facts.Bucket), p.facts.Host
	}
	rows, err := db.pool.Query(ctx, qFindHosts.sql, buckets, names, distinct(buckets))
	if err != nil {
		return nil, fmt.Errorf("find hosts: %w", err)
	}
	out := make(map[string]int64, len(hosts))
	var name string
	var id int64
	_, err = pgx.ForEachRow(rows, []any{&name, &id}, func() error { out[name] = id; return nil })
	if err != nil {
		return nil, fmt.Errorf("find hosts: %w", err)
	}
	return out, nil
}

// moveFirstSeen moves first_seen back where a page turned out to be older.
func (db *DB) moveFirstSeen(ctx context.Context, pages []*newPage) error {
	if len(pages) == 0 {
		return nil
	}
	// An update hits a row once: keep the earliest sighting of each page.
	at := map[PageID]*newPage{}
	for _, p := range pages {
		if have, ok := at[p.id]; !ok || p.at.Before(have.at) {
			at[p.id] = p
		}
	}
	ids := make([]PageID, 0, len(at))
	for id := range at {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	times := make([]time.Time, len(ids))
	buckets := make([]int32, len(ids))
	for i, id := range ids {
		times[i], buckets[i] = at[id].at, id.Bucket()
	}
	if _, err := db.pool.Exec(ctx, qEarlierPages.sql, ids, times, distinct(buckets)); err != nil {
		return fmt.Errorf("move first sight of pages: %w", err)
	}
	for _, p := range at {
		db.pages.put(p.url, p.id, p.at)
	}
	return nil
}

// distinct returns the values of a in rising order, each once.
func distinct(a []int32) []int32 {
	b := slices.Clone(a)
	slices.Sort(b)
	return slices.Compact(b)
}
