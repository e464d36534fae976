package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

var (
	qVersionLinks = statement{routed, `
		select r.page_id, coalesce(r.language, ''), l.targets
		from unnest($1::bigint[], $2::int[]) v(page_id, version)
		join core.version r on r.bucket = any($3::int[]) and r.bucket = (v.page_id >> 40)::int and r.page_id = v.page_id and r.version = v.version
		left join core.link_set l on l.bucket = any($3) and l.bucket = r.bucket and l.links_hash = r.links_hash`}
	qPageURLs = statement{routed, `
		select p.page_id, p.host_id, p.url, p.first_seen from core.page p where p.bucket = any($2::int[]) and p.page_id = any($1::bigint[])`}
)

// LinkedPage is a page that another one links to.
type LinkedPage struct {
	Page     PageID
	URL      string // canonical
	NoFollow bool
}

// VersionLinks is what a stored version links to.
type VersionLinks struct {
	Language string
	Targets  []Target
}

// VersionLinks reads what versions link to, by page. A page without the version is
// left out.
func (t *Tx) VersionLinks(ctx context.Context, of []Stored) (map[PageID]VersionLinks, error) {
	out := make(map[PageID]VersionLinks, len(of))
	if len(of) == 0 {
		return out, nil
	}
	pages, versions := make([]PageID, len(of)), make([]int32, len(of))
	for i, s := range of {
		pages[i], versions[i] = s.Page, s.Version
	}
	rows, err := t.tx.Query(ctx, qVersionLinks.sql, pages, versions, bucketsOf(pages))
	if err != nil {
		return nil, fmt.Errorf("read links of versions: %w", err)
	}
	var page PageID
	var language string
	var packed []byte
	_, err = pgx.ForEachRow(rows, []any{&page, &language, &packed}, func() error {
		targets, err := UnpackLinks(packed)
		out[page] = VersionLinks{Language: language, Targets: targets}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read links of versions: %w", err)
	}
	return out, nil
}

// KnownURL is a page's URL, and when it was first heard of.
type KnownURL struct {
	Page  PageID
	Host  HostID
	URL   string
	Heard time.Time
}

// PageURLs reads the URLs of pages.
func (t *Tx) PageURLs(ctx context.Context, pages []PageID) ([]KnownURL, error) {
	if len(pages) == 0 {
		return nil, nil
	}
	rows, err := t.tx.Query(ctx, qPageURLs.sql, pages, bucketsOf(pages))
	if err != nil {
		return nil, fmt.Errorf("read URLs of pages: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByPos[KnownURL])
	if err != nil {
		return nil, fmt.Errorf("read URLs of pages: %w", err)
	}
	return out, nil
}
