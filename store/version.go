package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/crawler/canonical"
)

const historyColumns = `
		select v.version, v.first_seen, v.last_seen, v.fetches, v.status, v.bytes, v.words, v.sentences, coalesce(v.title, ''),
		       coalesce(v.language, ''), coalesce(v.charset, ''), coalesce(v.coding, ''), coalesce(v.media_type, ''), v.flags, v.sha256, v.record,
		       v.links_hash, v.head, v.thinned_at, c.dice, coalesce(c.text_changed, true), coalesce(c.words_changed, true), coalesce(c.masked, false)
		from core.version v
		left join core.change c on c.bucket = v.bucket and c.page_id = v.page_id and c.version = v.version and c.bucket = $2`

var (
	qPageByURL = statement{routed, `
		select p.page_id, p.url, p.first_seen from core.page p where p.bucket = $1 and p.url_hash = $2`}
	qMovedTo = statement{all, `select p.url from core.page p where p.alias_of = $1 order by p.url`}
	qHistory = statement{routed, historyColumns + `
		where v.bucket = $2 and v.page_id = $1 and ($3::int is null or v.version = $3)
		  and ($4::timestamptz is null or v.first_seen <= $4)
		order by v.version desc
		limit $5`}
	qHistoryBefore = statement{routed, historyColumns + `
		where v.bucket = $2 and v.page_id = $1 and v.version < $3
		order by v.version desc
		limit $4`}
	qLinks = statement{routed, `
		select targets from core.link_set where bucket = $1 and links_hash = $2`}
	qURLs = statement{routed, `
		select page_id, url from core.page where bucket = any($2::int[]) and page_id = any($1::bigint[])`}
)

// Page is a page's identity.
type Page struct {
	ID        PageID
	URL       string
	FirstSeen time.Time
}

// Version is one content of a page, from the fetch that first saw it to the one
// that last saw it.
type Version struct {
	Page      PageID
	Number    int32
	FirstSeen time.Time
	LastSeen  time.Time
	Fetches   int
	Status    int
	Bytes     int64
	Words     int // distinct
	Sentences int
	Title     string
	Language  string
	Charset   string
	Coding    string // content coding that the stored payload still has
	MediaType string
	Flags     []string
	Hash      SHA256
	Record    SHA256
	Head      []byte // status line and header fields as received; nil once thinned
	// ThinnedAt is when retention gave up content and head; zero while they are kept.
	ThinnedAt time.Time
	// Dice compares with the version before; nil for the first version and while
	// the change is not measured yet.
	Dice         *float64
	TextChanged  bool
	WordsChanged bool
	Masked       bool // the change before it was nothing but known noise

	linksHash *[16]byte
}

// PageByURL returns the page of a canonical URL, or an error that wraps ErrNotFound.
func (db *DB) PageByURL(ctx context.Context, url string) (Page, error) {
	facts, err := canonical.FactsOf(url)
	if err != nil {
		return Page{}, fmt.Errorf("page %s: %w", url, err)
	}
	var p Page
	err = db.pool.QueryRow(ctx, qPageByURL.sql, facts.Bucket, facts.Hash).Scan(&p.ID, &p.URL, &p.FirstSeen)
	if errors.Is(err, pgx.ErrNoRows) {
		return Page{}, fmt.Errorf("page %s: %w", url, ErrNotFound)
	}
	if err != nil {
		return Page{}, fmt.Errorf("page %s: %w", url, err)
	}
	return p, nil
}

// MovedTo returns the URLs of the pages that have moved to a page for good: they are
// fetched under these, and their history is there.
func (db *DB) MovedTo(ctx context.Context, page PageID) ([]string, error) {
	rows, err := db.pool.Query(ctx, qMovedTo.sql, page)
	if err != nil {
		return nil, fmt.Errorf("read aliases: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("read aliases: %w", err)
	}
	return out, nil
}

// History returns the versions of a page in order of time.
func (db *DB) History(ctx context.Context, page PageID) ([]Version, error) {
	out, err := db.versions(ctx, page, nil, nil, 1<<31-1)
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out, err
}

// VersionNumber returns one version, or an error that wraps ErrNotFound.
func (db *DB) VersionNumber(ctx context.Context, page PageID, number int32) (Version, error) {
	return db.oneVersion(ctx, page, &number, nil)
}

// LastVersion returns the newest version, or an error that wraps ErrNotFound.
func (db *DB) LastVersion(ctx context.Context, page PageID) (Version, error) {
	return db.oneVersion(ctx, page, nil, nil)
}

// VersionAt returns the version that the page had at a time: the newest one that
// was first seen no later. Its error wraps ErrNotFound when there is none.
func (db *DB) VersionAt(ctx context.Context, page PageID, at time.Time) (Version, error) {
	return db.oneVersion(ctx, page, nil, &at)
}

func (db *DB) oneVersion(ctx context.Context, page PageID, number *int32, at *time.Time) (Version, error) {
	vs, err := db.versions(ctx, page, number, at, 1)
	if err != nil {
		return Version{}, err
	}
	if len(vs) == 0 {
		switch {
		case number != nil:
			return Version{}, fmt.Errorf("version %d: %w", *number, ErrNotFound)
		case at != nil:
			return Version{}, fmt.Errorf("a version at %s: %w", at.Format(time.RFC3339), ErrNotFound)
		}
		return Version{}, fmt.Errorf("a version: %w", ErrNotFound)
	}
	return vs[0], nil
}

func (db *DB) versions(ctx context.Context, page PageID, number *int32, at *time.Time, limit int) ([]Version, error) {
	rows, err := db.pool.Query(ctx, qHistory.sql, page, page.Bucket(), number, at, limit)
	return collectVersions(page, rows, err)
}

// VersionsBefore returns up to limit versions with numbers below one, the newest
// first.
func (db *DB) VersionsBefore(ctx context.Context, page PageID, number int32, limit int) ([]Version, error) {
	rows, err := db.pool.Query(ctx, qHistoryBefore.sql, page, page.Bucket(), number, limit)
	return collectVersions(page, rows, err)
}

func collectVersions(page PageID, rows pgx.Rows, err error) ([]Version, error) {
	if err != nil {
		return nil, fmt.Errorf("read versions: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Version, error) {
		v := Version{Page: page}
		var hash, record, head []byte
		var thinned *time.Time
		err := row.Scan(&v.Number, &v.FirstSeen, &v.LastSeen, &v.Fetches, &v.Status, &v.Bytes, &v.Words, &v.Sentences, &v.Title, &v.Language,
			&v.Charset, &v.Coding, &v.MediaType, &v.Flags, &hash, &record, &v.linksHash, &head, &thinned, &v.Dice, &v.TextChanged, &v.WordsChanged, &v.Masked)
		if err != nil {
			return v, err
		}
		copy(v.Hash[:], hash)
		copy(v.Record[:], record)
		v.ThinnedAt = deref(thinned)
		v.Head, err = unpackHead(head)
		return v, err
	})
	if err != nil {
		return nil, fmt.Errorf("read versions: %w", err)
	}
	return out, nil
}

// Body returns the payload of a version exactly as it was received, checked
// against its hash. A damaged one is an error that wraps ErrDamaged, one that was
// given up wraps ErrThinned.
func (db *DB) Body(ctx context.Context, v Version) ([]byte, error) {
	return db.content(ctx, bodyTable, ContentKey{v.Page.Bucket(), v.Hash}, v)
}

// Record returns what was extracted from a version, in the compact form in which
// it was given to Write.
func (db *DB) Record(ctx context.Context, v Version) ([]byte, error) {
	return db.content(ctx, recordTable, ContentKey{v.Page.Bucket(), v.Record}, v)
}

// ErrThinned is wrapped by the error of a version whose content retention gave up. To
// whom that makes no difference the error is ErrNotFound too.
var ErrThinned error = thinnedError{}

type thinnedError struct{}

func (thinnedError) Error() string        { return "given up by retention" }
func (thinnedError) Is(target error) bool { return target == ErrNotFound }

func (db *DB) content(ctx context.Context, t blobTable, k ContentKey, v Version) ([]byte, error) {
	if !v.ThinnedAt.IsZero() {
		return nil, thinned(v)
	}
	got, err := db.contents(ctx, db.pool, t, []ContentKey{k})
	if err != nil {
		// It may have been thinned since v was read.
		if now, nerr := db.VersionNumber(ctx, v.Page, v.Number); errors.Is(err, ErrNotFound) && nerr == nil && !now.ThinnedAt.IsZero() {
			return nil, thinned(now)
		}
		url, uerr := db.urlsOf(ctx, []PageID{v.Page})
		if uerr != nil {
			return nil, fmt.Errorf("version %d of page %d: %w", v.Number, v.Page, err)
		}
		return nil, fmt.Errorf("version %d of %s: %w", v.Number, url[v.Page], err)
	}
	return got[k], nil
}

func thinned(v Version) error {
	return fmt.Errorf("version %d, first seen %s, thinned on %s: content %w", v.Number, v.FirstSeen.Format(time.RFC3339),
		v.ThinnedAt.Format(time.DateOnly), ErrThinned)
}

// Links returns the distinct out-links of a version in the order of their URLs'
// ids; the URLs are canonical.
func (db *DB) Links(ctx context.Context, v Version) ([]Link, error) {
	if v.linksHash == nil {
		return nil, nil
	}
	var packed []byte
	if err := db.pool.QueryRow(ctx, qLinks.sql, v.Page.Bucket(), *v.linksHash).Scan(&packed); err != nil {
		return nil, fmt.Errorf("read links of version %d of page %d: %w", v.Number, v.Page, err)
	}
	targets, err := UnpackLinks(packed)
	if err != nil {
		return nil, fmt.Errorf("read links of version %d of page %d: %w", v.Number, v.Page, err)
	}
	ids := make([]PageID, len(targets))
	for i, t := range targets {
		ids[i] = t.Page
	}
	urls, err := db.urlsOf(ctx, ids)
	if err != nil {
		return nil, err
	}
	out := make([]Link, len(targets))
	for i, t := range targets {
		out[i] = Link{URL: urls[t.Page], NoFollow: t.NoFollow}
	}
	return out, nil
}

func (db *DB) urlsOf(ctx context.Context, ids []PageID) (map[PageID]string, error) {
	return urlsOf(ctx, db.pool, ids)
}

func urlsOf(ctx context.Context, q queryer, ids []PageID) (map[PageID]string, error) {
	rows, err := q.Query(ctx, qURLs.sql, ids, bucketsOf(ids))
	if err != nil {
		return nil, fmt.Errorf("read URLs: %w", err)
	}
	out := make(map[PageID]string, len(ids))
	var id PageID
	var url string
	if _, err := pgx.ForEachRow(rows, []any{&id, &url}, func() error { out[id] = url; return nil }); err != nil {
		return nil, fmt.Errorf("read URLs: %w", err)
	}
	return out, nil
}
