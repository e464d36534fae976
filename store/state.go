package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

var (
	qReadStates = statement{routed, `
		select s.page_id, p.host_id, s.last_fetched, coalesce(s.last_outcome, ''), coalesce(s.last_status, 0), coalesce(s.last_error, ''),
		       s.failures, s.version, s.version_since, s.version_seen, s.sha256,
		       coalesce(s.text_hash, '00000000-0000-0000-0000-000000000000'), s.text_since, coalesce(s.etag, ''), coalesce(s.last_modified, ''),
		       coalesce(s.title, ''), coalesce(s.language, ''), s.body_chain, s.record_chain, coalesce(s.validated_url, ''), coalesce(p.alias_of, 0)
		from core.page_state s
		join core.page p using (bucket, page_id)
		where s.bucket = any($2::int[]) and p.bucket = any($2::int[]) and s.page_id = any($1::bigint[])`}
	qMakeStates = statement{routed, `
		insert into core.page_state (page_id, bucket)
		select v.page_id, (v.page_id >> 40)::int from unnest($1::bigint[]) v(page_id)
		on conflict (page_id, bucket) do nothing`}
	qLockStates = statement{routed, `
		select 1 from core.page_state s
		where s.bucket = any($2::int[]) and s.page_id = any($1::bigint[])
		order by s.page_id for update`}
	qUpdateStates = statement{routed, `
		update core.page_state s
		set last_fetched = v.last_fetched, last_outcome = v.last_outcome, last_status = v.last_status, last_error = v.last_error,
		    failures = v.failures, version = v.version, version_since = v.version_since, version_seen = v.version_seen,
		    sha256 = v.sha256, etag = v.etag, last_modified = v.last_modified, title = v.title, language = v.language,
		    body_chain = v.body_chain, record_chain = v.record_chain, text_hash = v.text_hash, text_since = v.text_since,
		    validated_url = v.validated_url
		from unnest($1::bigint[], $2::timestamptz[], $3::text[], $4::smallint[], $5::text[], $6::int[], $7::int[], $8::timestamptz[],
		            $9::timestamptz[], $10::bytea[], $11::text[], $12::text[], $13::text[], $14::text[], $15::bytea[], $16::bytea[], $18::uuid[], $19::timestamptz[],
		            $20::text[])
		     v(page_id, last_fetched, last_outcome, last_status, last_error, failures, version, version_since, version_seen,
		       sha256, etag, last_modified, title, language, body_chain, record_chain, text_hash, text_since, validated_url)
		where s.bucket = any($17::int[]) and s.page_id = v.page_id`}
	qMovePages = statement{routed, `
		update core.page p set alias_of = nullif(v.alias_of, 0)
		from unnest($1::bigint[], $2::bigint[]) v(page_id, alias_of)
		where p.bucket = any($3::int[]) and p.page_id = v.page_id`}
)

// PageState is what is known of a page right now.
type PageState struct {
	Page         PageID
	HostID       int64
	LastFetched  time.Time // zero: never
	LastOutcome  Outcome
	LastStatus   int
	LastError    string
	Failures     int   // attempts in a row that failed or were denied
	Version      int32 // 0: none
	VersionSince time.Time
	VersionSeen  time.Time
	Hash         SHA256 // content of the last version
	ETag         string // validators for the next conditional request
	LastModified string
	ValidatedURL string // that sent them; empty: the page's own
	Alias        PageID // the page that its address has moved to for good; 0: none
	Title        string
	Language     string

	textHash               [16]byte
	textSince              time.Time
	bodyChain, recordChain []byte
}

// queryer is a pool or a transaction.
type queryer interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// States returns what is known of the pages; a page that was never fetched has no entry.
func (db *DB) States(ctx context.Context, pages []PageID) (map[PageID]*PageState, error) {
	return readStates(ctx, db.pool, pages)
}

func readStates(ctx context.Context, q queryer, pages []PageID) (map[PageID]*PageState, error) {
	rows, err := q.Query(ctx, qReadStates.sql, pages, bucketsOf(pages))
	if err != nil {
		return nil, fmt.Errorf("read page states: %w", err)
	}
	out := make(map[PageID]*PageState, len(pages))
	_, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (struct{}, error) {
		var s PageState
		var fetched, since, seen, textSince *time.Time
		var hash []byte
		err := row.Scan(&s.Page, &s.HostID, &fetched, &s.LastOutcome, &s.LastStatus, &s.LastError, &s.Failures, &s.Version, &since, &seen,
			&hash, &s.textHash, &textSince, &s.ETag, &s.LastModified, &s.Title, &s.Language, &s.bodyChain, &s.recordChain, &s.ValidatedURL, &s.Alias)
		s.LastFetched, s.VersionSince, s.VersionSeen, s.textSince = deref(fetched), deref(since), deref(seen), deref(textSince)
		copy(s.Hash[:], hash)
		out[s.Page] = &s
		return struct{}{}, err
	})
	if err != nil {
		return nil, fmt.Errorf("read page states: %w", err)
	}
	return out, nil
}

// lockStates makes missing rows and locks the pages' states until the
// transaction ends, in the order of their ids. It also keeps the stored records
// from being deleted for as long.
func lockStates(ctx context.Context, tx pgx.Tx, pages []PageID) (map[PageID]*PageState, error) {
	if _, err := tx.Exec(ctx, qHoldBlobs.sql); err != nil {
		return nil, fmt.Errorf("hold records: %w", err)
	}
	made, err := tx.Exec(ctx, qMakeStates.sql, pages)
	if err != nil {
		return nil, fmt.Errorf("make page states: %w", err)
	}
	if made.RowsAffected() > 0 {
		if err := makeSummaries(ctx, tx, pages); err != nil {
			return nil, err
		}
	}
	if _, err := tx.Exec(ctx, qLockStates.sql, pages, bucketsOf(pages)); err != nil {
		return nil, fmt.Errorf("lock page states: %w", err)
	}
	// Read in a statement of its own: it sees what the holders of the locks committed.
	return readStates(ctx, tx, pages)
}

func updateStates(ctx context.Context, tx pgx.Tx, states []*PageState) error {
	var in struct {
		pages                 []PageID
		fetched, since, seen  []*time.Time
		outcome, errs         []*string
		status                []*int16
		failures, version     []int32
		hash, bodies, records [][]byte
		etag, modified        []*string
		validated             []*string
		title, language       []*string
		text                  [][16]byte
		textSince             []*time.Time
	}
	for _, s := range states {
		in.pages = append(in.pages, s.Page)
		in.fetched = append(in.fetched, orNil(s.LastFetched))
		in.since = append(in.since, orNil(s.VersionSince))
		in.seen = append(in.seen, orNil(s.VersionSeen))
		outcome := string(s.LastOutcome)
		in.outcome = append(in.outcome, textOrNil(outcome))
		in.errs = append(in.errs, textOrNil(s.LastError))
		in.status = append(in.status, statusOrNil(s.LastStatus))
		in.failures = append(in.failures, int32(s.Failures))
		in.version = append(in.version, s.Version)
		var hash []byte
		if s.Version > 0 {
			hash = s.Hash[:]
		}
		in.hash = append(in.hash, hash)
		in.etag = append(in.etag, textOrNil(s.ETag))
		in.modified = append(in.modified, textOrNil(s.LastModified))
		in.validated = append(in.validated, textOrNil(s.ValidatedURL))
		in.title = append(in.title, textOrNil(s.Title))
		in.language = append(in.language, textOrNil(s.Language))
		in.bodies = append(in.bodies, s.bodyChain)
		in.records = append(in.records, s.recordChain)
		in.text = append(in.text, s.textHash)
		in.textSince = append(in.textSince, orNil(s.textSince))
	}
	_, err := tx.Exec(ctx, qUpdateStates.sql, in.pages, in.fetched, in.outcome, in.status, in.errs, in.failures, in.version, in.since, in.seen,
		in.hash, in.etag, in.modified, in.title, in.language, in.bodies, in.records, bucketsOf(in.pages), in.text, in.textSince, in.validated)
	if err != nil {
		return fmt.Errorf("update page states: %w", err)
	}
	return nil
}

// movePages writes where pages have moved to.
func movePages(ctx context.Context, tx pgx.Tx, states []*PageState) error {
	if len(states) == 0 {
		return nil
	}
	pages, to := make([]PageID, len(states)), make([]PageID, len(states))
	for i, s := range states {
		pages[i], to[i] = s.Page, s.Alias
	}
	if _, err := tx.Exec(ctx, qMovePages.sql, pages, to, bucketsOf(pages)); err != nil {
		return fmt.Errorf("update aliases: %w", err)
	}
	return nil
}

// bucketsOf returns the distinct buckets of pages.
func bucketsOf(pages []PageID) []int32 {
	out := make([]int32, len(pages))
	for i, p := range pages {
		out[i] = p.Bucket()
	}
	return distinct(out)
}
