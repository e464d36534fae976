package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/store"
)

// Of the links of the generated web, one in so many leads into the collection. The others lead to pages of a
// heavy tail: some are linked from everywhere.
const (
	intoCollection   = 5000
	benchHosts       = 1000
	benchLinksNumber = 1 << 32 // from which numbers of pages and hosts are taken
)

// fillLinks gives each of c.Links pages a version with a set of links of its own, by COPY. The pages have no
// contents, which growth reads of candidates alone that were fetched.
func (c *benchTopicsCmd) fillLinks(ctx context.Context, db *store.DB) error {
	if c.Links == 0 {
		return nil
	}
	pool := db.Pool()
	rows, err := pool.Query(ctx, `select page_id from core.page_state order by page_id`)
	if err != nil {
		return err
	}
	collection, err := pgx.CollectRows(rows, pgx.RowTo[store.PageID])
	if err != nil {
		return err
	}
	if _, err := pool.Exec(ctx, `select core.ensure_partition('version', $1)`, benchTopicEpoch); err != nil {
		return err
	}
	hosts, pages := make([][]any, benchHosts), make([]store.PageID, c.Links)
	bucketOf := func(host string) int32 {
		sum := sha256.Sum256([]byte(host))
		return int32(binary.BigEndian.Uint16(sum[:2]) >> 4)
	}
	host := func(i int) string { return fmt.Sprintf("links%d.bench%d.example", i, i) }
	for i := range hosts {
		b := bucketOf(host(i))
		hosts[i] = []any{int64(b)<<40 | int64(benchLinksNumber+i), b, host(i), fmt.Sprintf("bench%d.example", i), "example", benchTopicEpoch}
	}
	for i := range pages {
		pages[i] = store.PageID(int64(bucketOf(host(i%benchHosts)))<<40 | int64(benchLinksNumber+i))
	}
	r := rand.New(rand.NewPCG(1, 11))
	tail := rand.NewZipf(r, 1.2, 8, uint64(c.Links-1))
	hash := func(i int) [16]byte {
		var h [16]byte
		binary.BigEndian.PutUint64(h[:], uint64(i)*0x9E3779B97F4A7C15)
		binary.BigEndian.PutUint64(h[8:], uint64(i))
		return h
	}
	sets := make([][16]byte, c.Links)
	none := [16]byte{}
	empty := make([]byte, 32)
	for _, t := range []struct {
		table   string
		columns []string
		n       int
		row     func(i int) []any
	}{
		{"host", []string{"host_id", "bucket", "name", "site", "tld", "created_at"}, len(hosts), func(i int) []any { return hosts[i] }},
		{"page", []string{"page_id", "bucket", "host_id", "url", "url_hash", "depth", "first_seen"}, c.Links, func(i int) []any {
			return []any{pages[i], pages[i].Bucket(), hosts[i%benchHosts][0], fmt.Sprintf("https://%s/%d", host(i%benchHosts), i), hash(i), 1, benchTopicEpoch}
		}},
		{"link_set", []string{"bucket", "links_hash", "links", "targets"}, c.Links, func(i int) []any {
			targets := make([]store.Target, c.PerPage)
			for k := range targets {
				targets[k].Page = pages[tail.Uint64()]
				if r.IntN(intoCollection) == 0 {
					targets[k].Page = collection[r.IntN(len(collection))]
				}
			}
			packed, h, n := store.PackLinks(targets)
			// Sets that are equal by chance would share a row; the number of rows is what is asked for.
			binary.BigEndian.PutUint32(h[:], uint32(i))
			sets[i] = h
			return []any{pages[i].Bucket(), h, n, packed}
		}},
		{"version", []string{
			"page_id", "bucket", "version", "first_seen", "last_seen", "fetches", "status", "bytes", "words", "sentences", "sha256", "sha1", "record", "rules",
			"text_hash", "text_since", "words_hash", "links_hash", "head",
		}, c.Links, func(i int) []any {
			return []any{
				pages[i], pages[i].Bucket(), 1, benchTopicEpoch, benchTopicEpoch, 1, 200, 0, 0, 0, empty, empty[:20], empty, 1,
				none, benchTopicEpoch, none, sets[i],
				[]byte{},
			}
		}},
		{"page_state", []string{"page_id", "bucket", "last_fetched", "last_outcome", "version", "version_since", "version_seen"}, c.Links, func(i int) []any {
			return []any{pages[i], pages[i].Bucket(), benchTopicEpoch, "new", 1, benchTopicEpoch, benchTopicEpoch}
		}},
	} {
		if _, err := pool.CopyFrom(ctx, pgx.Identifier{"core", t.table}, t.columns, pgx.CopyFromSlice(t.n, func(i int) ([]any, error) { return t.row(i), nil })); err != nil {
			return fmt.Errorf("copy into %s: %w", t.table, err)
		}
	}
	return nil
}
