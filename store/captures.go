package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

var qCaptures = statement{all, `
	select p.url, f.page_id, f.started_at, f.attempt, f.outcome::text, f.kind, coalesce(f.status, 0), coalesce(f.version, 0),
	       coalesce(f.head, v.head), coalesce(v.sha256, f.sha256), coalesce(v.coding, ''), coalesce(v.media_type, ''), v.flags,
	       f.error is not distinct from $5, f.detail
	from core.fetch f
	join core.page p on p.bucket = f.bucket and p.page_id = f.page_id
	left join core.version v on v.bucket = f.bucket and v.page_id = f.page_id and v.version = f.version
	where f.status is not null and v.thinned_at is null
	  and ($1::text is null or p.url like $1)
	  and ($2::timestamptz is null or f.started_at >= $2)
	  and ($3::timestamptz is null or f.started_at < $3)
	  and ($4::int is null or f.watch_id = $4)
	order by f.page_id, f.started_at, f.attempt`}

// Selection says which captures are meant; the zero value means all.
type Selection struct {
	// URL is a canonical URL; a * at the end stands for any rest.
	URL      string
	From, To time.Time // To is not included
	WatchID  int32
}

// CaptureRow is an answer of the web as stored.
type CaptureRow struct {
	URL  string
	Page PageID
	// URI is the URL as an archive recorded it, where that is not the canonical form.
	URI     string
	At      time.Time
	Outcome Outcome
	Kind    Kind
	Status  int
	Version int32  // 0: the answer made none
	Head    []byte // as received, or of the version's first fetch where this one's was not kept
	Hash    SHA256 // of the payload; zero where it had none
	// Coding and MediaType are those of the version; empty without one.
	Coding    string // content coding that the stored payload still has
	MediaType string
	Flags     []string
	// Missing means that the capture names a payload that never came: by Hash or
	// SHA1, and the URL that it refers to, if any.
	Missing  bool
	SHA1     SHA1
	RefersTo string
}

// EachCapture calls f with the captures selected, page by page and in order of
// time, until f fails. Captures of versions that were thinned are left out. Rows are streamed: memory does not grow with their number.
func (db *DB) EachCapture(ctx context.Context, s Selection, f func(CaptureRow) error) error {
	var pattern *string
	if s.URL != "" {
		p := likePattern(s.URL)
		pattern = &p
	}
	rows, err := db.pool.Query(ctx, qCaptures.sql, pattern, orNil(s.From), orNil(s.To), watchOrNil(s.WatchID), missingPayload)
	if err != nil {
		return fmt.Errorf("read captures: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		c, err := scanCapture(rows)
		if err != nil {
			return fmt.Errorf("read captures: %w", err)
		}
		if err := f(c); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read captures: %w", err)
	}
	return nil
}

func scanCapture(row pgx.CollectableRow) (CaptureRow, error) {
	var c CaptureRow
	var attempt int16
	var head, hash, detail []byte
	err := row.Scan(&c.URL, &c.Page, &c.At, &attempt, &c.Outcome, &c.Kind, &c.Status, &c.Version, &head, &hash, &c.Coding, &c.MediaType, &c.Flags, &c.Missing, &detail)
	if err != nil {
		return c, err
	}
	copy(c.Hash[:], hash)
	if c.Missing {
		c.SHA1, c.RefersTo = missingOf(detail)
	}
	if len(detail) > 0 {
		var note struct {
			URI string `json:"uri"`
		}
		if json.Unmarshal(detail, &note) == nil {
			c.URI = note.URI
		}
	}
	c.Head, err = unpackHead(head)
	return c, err
}

// Payload returns the payload of a capture, checked against its hash.
func (db *DB) Payload(ctx context.Context, c CaptureRow) ([]byte, error) {
	key := ContentKey{c.Page.Bucket(), c.Hash}
	got, err := db.contents(ctx, db.pool, bodyTable, []ContentKey{key})
	if err != nil {
		return nil, fmt.Errorf("%s at %s: %w", c.URL, c.At.Format(time.RFC3339), err)
	}
	return got[key], nil
}

// likePattern makes an SQL pattern of a URL that may end in a star.
func likePattern(url string) string {
	prefix, any := strings.CutSuffix(url, "*")
	escaped := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(prefix)
	if any {
		return escaped + "%"
	}
	return escaped
}
