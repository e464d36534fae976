package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	captureColumns = `
	select p.url, f.page_id, f.started_at, f.attempt, f.outcome::text, f.kind, coalesce(f.status, 0), coalesce(f.version, 0),
	       coalesce(f.head, v.head), coalesce(v.sha256, f.sha256), coalesce(v.coding, ''), coalesce(v.media_type, ''), v.flags,
	       f.error is not distinct from $4, f.detail
	from core.fetch f
	join core.page p on p.bucket = f.bucket and p.page_id = f.page_id
	left join core.version v on v.bucket = f.bucket and v.page_id = f.page_id and v.version = f.version
	where f.status is not null and f.kind <> 'source' and v.thinned_at is null
	  and ($1::text is null or p.url like $1)
	  and ($2::timestamptz is null or f.started_at >= $2)
	  and ($3::timestamptz is null or f.started_at < $3)`
	captureOrder = `
	order by f.page_id, f.started_at, f.attempt`
)

var (
	qCaptures      = statement{all, captureColumns + captureOrder}
	qWatchCaptures = statement{all, captureColumns + `
	  and exists (select from core.watch_page w where w.bucket = f.bucket and w.page_id = f.page_id and w.watch_id = $5)` + captureOrder}
	qTopicCaptures = statement{all, captureColumns + `
	  and exists (select from core.topic_page t where t.bucket = f.bucket and t.page_id = f.page_id and t.topic_id = $5 and t.added_at is not null)` + captureOrder}
	// The fetches of crawled snapshots, and what was imported into the series.
	qSeriesCaptures = statement{all, captureColumns + `
	  and (exists (select from core.snapshot_page s join core.snapshot n on n.snapshot_id = s.snapshot_id
	               where s.bucket = f.bucket and s.page_id = f.page_id and s.crawled_at = f.started_at and n.series_id = $5)
	    or exists (select from core.series_capture c where c.bucket = f.bucket and c.page_id = f.page_id and c.captured_at = f.started_at and c.series_id = $5))` +
		captureOrder}
)

// Selection says which captures are meant; the zero value means all.
type Selection struct {
	// URL is a canonical URL; a * at the end stands for any rest.
	URL      string
	From, To time.Time // To is not included
	// Of the three at most one is set. A watch and a topic stand for all captures of the pages that
	// belong to them or did, a series for the captures that its snapshots are made of.
	Watch, Series, Topic string
}

// of gives the statement of the selection and the id that it asks for, if any.
func (s Selection) of(ctx context.Context, db *DB) (q statement, ids []any, err error) {
	switch {
	case s.Watch != "":
		id, err := db.watchID(ctx, s.Watch)
		return qWatchCaptures, []any{id}, err
	case s.Series != "":
		series, err := db.SeriesByName(ctx, s.Series)
		return qSeriesCaptures, []any{series.ID}, err
	case s.Topic != "":
		topic, err := db.TopicByName(ctx, s.Topic)
		return qTopicCaptures, []any{topic.ID}, err
	}
	return qCaptures, nil, nil
}

// watchID gives the id of the watch of a name, or an error that wraps ErrNotFound.
func (db *DB) watchID(ctx context.Context, name string) (int32, error) {
	rows, err := db.Watches(ctx)
	if err != nil {
		return 0, err
	}
	for _, w := range rows {
		if w.Name == name {
			return w.ID, nil
		}
	}
	return 0, fmt.Errorf("watch %s: %w", name, ErrNotFound)
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
	q, ids, err := s.of(ctx, db)
	if err != nil {
		return fmt.Errorf("read captures: %w", err)
	}
	rows, err := db.pool.Query(ctx, q.sql, append([]any{pattern, orNil(s.From), orNil(s.To), missingPayload}, ids...)...)
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
