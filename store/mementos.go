package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// A memento is a capture that can be shown: an answer of the web whose payload is
// at hand, be it of a version or of an error page. One whose version was thinned is none.
const (
	mementoColumns = `
		select f.page_id, f.started_at, f.attempt, f.status, coalesce(f.version, 0) as version, coalesce(v.media_type, ''), v.sha1, coalesce(v.sha256, f.sha256),
		       case when f.version is null then f.head end, coalesce(f.detail->>'uri', '')`
	mementoFrom = `
		from core.fetch f
		left join core.version v on v.bucket = f.bucket and v.page_id = f.page_id and v.version = f.version`
	isMemento = `
		  and v.thinned_at is null and f.status is not null and f.kind <> 'source' and (f.status <> 304 or f.version is not null) and f.error is distinct from`
)

var (
	qMementosAfter = statement{routed, mementoColumns + mementoFrom + ` and v.bucket = $2 and v.page_id = $1
		where f.bucket = $2 and f.page_id = $1 and (f.started_at, f.attempt) > ($3::timestamptz, $4::smallint)` + isMemento + ` $6
		order by f.started_at, f.attempt limit $5`}
	qMementosBefore = statement{routed, mementoColumns + mementoFrom + ` and v.bucket = $2 and v.page_id = $1
		where f.bucket = $2 and f.page_id = $1 and (f.started_at, f.attempt) < ($3::timestamptz, $4::smallint)` + isMemento + ` $6
		order by f.started_at desc, f.attempt desc limit $5`}
	qMementosOf = statement{routed, mementoColumns + mementoFrom + ` and v.bucket = any($2::int[]) and v.page_id = any($1::bigint[])
		where f.bucket = any($2) and f.page_id = any($1::bigint[])
		  and ($3::timestamptz is null or f.started_at >= $3) and ($4::timestamptz is null or f.started_at <= $4)` + isMemento + ` $5
		order by f.page_id, f.started_at, f.attempt`}
	qMementoFirsts = statement{routed, `
		select page_id, started_at, attempt, status, version, media_type, sha1, sha256, head, uri
		from (
			select f.page_id, f.started_at, f.attempt, f.status, coalesce(f.version, 0) as version, coalesce(v.media_type, '') as media_type, v.sha1,
			       coalesce(v.sha256, f.sha256) as sha256, case when f.version is null then f.head end as head, coalesce(f.detail->>'uri', '') as uri,
			       lag(f.version) over (partition by f.page_id order by f.started_at, f.attempt) as before` + mementoFrom + ` and v.bucket = any($2::int[]) and v.page_id = any($1::bigint[])
			where f.bucket = any($2) and f.page_id = any($1::bigint[])
			  and ($3::timestamptz is null or f.started_at >= $3) and ($4::timestamptz is null or f.started_at <= $4)` + isMemento + ` $5) m
		where m.version = 0 or m.before is distinct from m.version
		order by page_id, started_at, attempt`}
	qMemento = statement{routed, `
		select p.url, f.page_id, f.started_at, f.attempt, f.outcome::text, f.kind, coalesce(f.status, 0), coalesce(f.version, 0),
		       coalesce(f.head, v.head), coalesce(v.sha256, f.sha256), coalesce(v.coding, ''), coalesce(v.media_type, ''), v.flags, false, f.detail
		from core.fetch f
		join core.page p on p.bucket = f.bucket and p.page_id = f.page_id and p.bucket = $2
		left join core.version v on v.bucket = f.bucket and v.page_id = f.page_id and v.version = f.version and v.bucket = $2
		where f.bucket = $2 and f.page_id = $1 and f.started_at = $3 and f.attempt = $4`}
	qHostPages = statement{all, `
		select s.page_id, s.url from core.page_summary s where s.host = any($1::text[]) limit $2`}
	qDomainHosts = statement{all, `
		select h.name from core.host h where h.name = $1 or h.name like $2 or h.name like $3 or h.name like $4`}
)

// MementoMark is the place of a capture among those of its page.
type MementoMark struct {
	At      time.Time
	Attempt int16
}

// Memento is a capture that can be shown, without its payload.
type Memento struct {
	Page      PageID
	At        time.Time
	Attempt   int16 // tells captures of one moment apart
	Status    int
	Version   int32  // 0: the answer made none
	MediaType string // of the version; empty without one
	SHA1      SHA1   // of the version's payload; zero without one
	Hash      SHA256 // of the payload; zero where there was none
	Head      []byte // as received, of an answer that made no version
	URI       string // the URL as an archive recorded it, where that is not the canonical form
}

// Mark is the memento's place.
func (m *Memento) Mark() MementoMark { return MementoMark{m.At, m.Attempt} }

// MementosAfter returns up to limit mementos of a page behind a place, in order of
// time. The zero MementoMark is before all.
func (db *DB) MementosAfter(ctx context.Context, page PageID, after MementoMark, limit int) ([]Memento, error) {
	rows, err := db.pool.Query(ctx, qMementosAfter.sql, page, page.Bucket(), after.At, after.Attempt, limit, missingPayload)
	return collectMementos(rows, err)
}

// MementosBefore returns up to limit mementos of a page before a place, the newest
// first.
func (db *DB) MementosBefore(ctx context.Context, page PageID, before MementoMark, limit int) ([]Memento, error) {
	rows, err := db.pool.Query(ctx, qMementosBefore.sql, page, page.Bucket(), before.At, before.Attempt, limit, missingPayload)
	return collectMementos(rows, err)
}

// EachMemento calls f with the mementos of pages, page by page in the order of
// their ids and in order of time, until f fails. Zero times are no bounds; to is
// included. With firsts it leaves out those of the version that the one before on the
// page is of.
func (db *DB) EachMemento(ctx context.Context, pages []PageID, from, to time.Time, firsts bool, f func(Memento) error) error {
	q := qMementosOf
	if firsts {
		q = qMementoFirsts
	}
	rows, err := db.pool.Query(ctx, q.sql, pages, bucketsOf(pages), orNil(from), orNil(to), missingPayload)
	if err != nil {
		return fmt.Errorf("read mementos: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		m, err := scanMemento(rows)
		if err != nil {
			return fmt.Errorf("read mementos: %w", err)
		}
		if err := f(m); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read mementos: %w", err)
	}
	return nil
}

func collectMementos(rows pgx.Rows, err error) ([]Memento, error) {
	if err != nil {
		return nil, fmt.Errorf("read mementos: %w", err)
	}
	out, err := pgx.CollectRows(rows, scanMemento)
	if err != nil {
		return nil, fmt.Errorf("read mementos: %w", err)
	}
	return out, nil
}

func scanMemento(row pgx.CollectableRow) (m Memento, err error) {
	var sha1, hash, head []byte
	if err = row.Scan(&m.Page, &m.At, &m.Attempt, &m.Status, &m.Version, &m.MediaType, &sha1, &hash, &head, &m.URI); err != nil {
		return m, err
	}
	copy(m.SHA1[:], sha1)
	copy(m.Hash[:], hash)
	m.At = m.At.UTC()
	m.Head, err = unpackHead(head)
	return m, err
}

// CaptureAt returns one capture of a page with its head, or an error that wraps
// ErrNotFound. Payload gives its payload.
func (db *DB) CaptureAt(ctx context.Context, page PageID, at MementoMark) (CaptureRow, error) {
	rows, err := db.pool.Query(ctx, qMemento.sql, page, page.Bucket(), at.At, at.Attempt)
	if err != nil {
		return CaptureRow{}, fmt.Errorf("read capture: %w", err)
	}
	c, err := pgx.CollectExactlyOneRow(rows, scanCapture)
	if errors.Is(err, pgx.ErrNoRows) {
		return c, fmt.Errorf("capture of page %d at %s: %w", page, at.At.Format(time.RFC3339), ErrNotFound)
	}
	if err != nil {
		return c, fmt.Errorf("read capture: %w", err)
	}
	return c, nil
}

// HostPages returns fetched pages of hosts, in no order, but no more than limit.
func (db *DB) HostPages(ctx context.Context, hosts []string, limit int) ([]Page, error) {
	rows, err := db.pool.Query(ctx, qHostPages.sql, hosts, limit)
	if err != nil {
		return nil, fmt.Errorf("pages of hosts: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p Page, err error) {
		err = row.Scan(&p.ID, &p.URL)
		return p, err
	})
	if err != nil {
		return nil, fmt.Errorf("pages of hosts: %w", err)
	}
	return out, nil
}

// DomainHosts returns the known hosts of a domain: the host of that name and those
// below it, on any port.
func (db *DB) DomainHosts(ctx context.Context, domain string) ([]string, error) {
	name := likeLiteral(domain)
	rows, err := db.pool.Query(ctx, qDomainHosts.sql, domain, "%."+name, name+":%", "%."+name+":%")
	if err != nil {
		return nil, fmt.Errorf("hosts of %s: %w", domain, err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("hosts of %s: %w", domain, err)
	}
	return out, nil
}
