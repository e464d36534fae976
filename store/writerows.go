package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

var (
	qExtendVersions = statement{routed, `
		update core.version t set last_seen = greatest(t.last_seen, v.last_seen), fetches = t.fetches + v.fetches
		from unnest($1::bigint[], $2::int[], $3::timestamptz[], $4::timestamptz[], $5::int[]) v(page_id, version, first_seen, last_seen, fetches)
		where t.bucket = any($6::int[]) and t.page_id = v.page_id and t.version = v.version and t.first_seen = v.first_seen
		  and t.first_seen >= $7 and t.first_seen <= $8`}
	qEnqueue = statement{routed, `
		insert into core.monitor_todo (page_id, bucket, version, stage, enqueued_at)
		select v.page_id, (v.page_id >> 40)::int, v.version, s, $3
		from unnest($1::bigint[], $2::int[]) v(page_id, version), unnest($4::text[]) s
		on conflict (page_id, bucket, version, stage) do nothing`}
)

// writeRows writes fetches, versions, the queue and the states of the pages.
func (b *batch) writeRows(ctx context.Context, tx pgx.Tx) error {
	var fetches []fetchRow
	var versions []pageVersion
	var extended []pageVersion
	var queue, first []pageVersion
	var seen []time.Time // when fetches saw a version
	states := make([]*PageState, 0, len(b.pages))
	var moved []*PageState
	for _, p := range b.pages {
		for _, o := range p.obs {
			if !o.ghost {
				fetches = append(fetches, fetchRow{p.id, o})
			}
			if o.version > 0 {
				seen = append(seen, o.at)
			}
		}
		for _, v := range p.timeline.made {
			versions = append(versions, pageVersion{p.id, v})
			queue = append(queue, pageVersion{p.id, v})
			if v.number == 1 && !crawledBySnapshot(p.obs) {
				first = append(first, pageVersion{p.id, v})
			}
		}
		if p.extended != nil && p.extended.fetches > 0 {
			extended = append(extended, pageVersion{p.id, p.extended})
		}
		if before := p.state.Alias; p.updateState(b.ids) != before {
			moved = append(moved, p.state)
		}
		states = append(states, p.state)
	}
	if err := copyFetches(ctx, tx, fetches); err != nil {
		return err
	}
	if err := copyVersions(ctx, tx, versions); err != nil {
		return err
	}
	if err := extendVersions(ctx, tx, extended); err != nil {
		return err
	}
	if err := b.enqueue(ctx, tx, queue, stages...); err != nil {
		return err
	}
	if err := b.enqueue(ctx, tx, first, StageCopies); err != nil {
		return err
	}
	if err := notePeriods(ctx, tx, seen); err != nil {
		return err
	}
	if err := updateStates(ctx, tx, states); err != nil {
		return err
	}
	return movePages(ctx, tx, moved)
}

type fetchRow struct {
	page PageID
	*observation
}

type pageVersion struct {
	page PageID
	*versionRow
}

var fetchColumns = []string{
	"page_id", "bucket", "started_at", "attempt", "finished_at", "due_at", "outcome", "status", "kind", "watch_id",
	"version", "bytes", "error", "sha256", "head", "detail",
}

func copyFetches(ctx context.Context, tx pgx.Tx, rows []fetchRow) error {
	if len(rows) == 0 {
		return nil
	}
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"core", "fetch"}, fetchColumns, pgx.CopyFromSlice(len(rows), func(i int) ([]any, error) {
		r := rows[i]
		var version *int32
		if r.version > 0 {
			version = &r.version
		}
		// A content that made a version is named there.
		var hash []byte
		if r.version == 0 && r.hash != (SHA256{}) {
			hash = r.hash[:]
		}
		// What a crawl fetches anew differs in its Date at least; only archives
		// keep each capture's own head.
		var head []byte
		if len(r.head) > 0 && (r.kind == KindImport || r.version == 0) {
			var err error
			if head, err = packHead(r.head); err != nil {
				return nil, err
			}
		}
		var detail []byte
		if len(r.detail) > 0 {
			detail = r.detail
		}
		if r.err == missingPayload {
			detail = missingDetail(r.sha1, r.refersTo)
		}
		return []any{
			int64(r.page), r.page.Bucket(), r.at, r.attempt, r.finished, orNil(r.due), string(r.outcome), statusOrNil(r.status),
			string(r.kind), watchOrNil(r.watch), version, r.bytes, textOrNil(r.err), hash, head, detail,
		}, nil
	}))
	if err != nil {
		return fmt.Errorf("store fetches: %w", err)
	}
	return nil
}

var versionColumns = []string{
	"page_id", "bucket", "version", "first_seen", "last_seen", "fetches", "status", "bytes", "words", "sentences",
	"sha256", "sha1", "record", "rules", "text_hash", "text_since", "words_hash", "links_hash", "title", "language", "charset", "media_type", "coding", "flags", "head",
	"thinned_at",
}

func copyVersions(ctx context.Context, tx pgx.Tx, rows []pageVersion) error {
	if len(rows) == 0 {
		return nil
	}
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"core", "version"}, versionColumns, pgx.CopyFromSlice(len(rows), func(i int) ([]any, error) {
		v := rows[i]
		var head []byte
		if head = []byte{}; v.thinned == nil {
			var err error
			if head, err = packHead(v.head); err != nil {
				return nil, err
			}
		}
		flags := v.flags
		if flags == nil {
			flags = []string{}
		}
		return []any{
			int64(v.page), v.page.Bucket(), v.number, v.first, v.last, v.fetches, int16(v.status), v.bytes, v.words, v.sentences,
			v.hash[:], v.sha1[:], v.record[:], int16(v.rules), v.textHash, v.textSince, v.wordsHash, v.linksHash, textOrNil(v.title), textOrNil(v.language),
			textOrNil(v.charset), textOrNil(v.mediaType), textOrNil(v.coding), flags, head, v.thinned,
		}, nil
	}))
	if err != nil {
		return fmt.Errorf("store versions: %w", err)
	}
	return nil
}

// extendVersions counts further fetches for versions that are in the database.
func extendVersions(ctx context.Context, tx pgx.Tx, rows []pageVersion) error {
	if len(rows) == 0 {
		return nil
	}
	var in struct {
		pages           []PageID
		numbers, counts []int32
		first, last     []time.Time
	}
	earliest, latest := rows[0].first, rows[0].first
	for _, v := range rows {
		in.pages = append(in.pages, v.page)
		in.numbers = append(in.numbers, v.number)
		in.counts = append(in.counts, int32(v.fetches))
		in.first = append(in.first, v.first)
		in.last = append(in.last, v.last)
		if v.first.Before(earliest) {
			earliest = v.first
		}
		if v.first.After(latest) {
			latest = v.first
		}
	}
	// The bounds let PostgreSQL skip the partitions of all other months.
	tag, err := tx.Exec(ctx, qExtendVersions.sql, in.pages, in.numbers, in.first, in.last, in.counts, bucketsOf(in.pages), earliest, latest)
	if err != nil {
		return fmt.Errorf("extend versions: %w", err)
	}
	if tag.RowsAffected() != int64(len(rows)) {
		return fmt.Errorf("extend versions: %d of %d found", tag.RowsAffected(), len(rows))
	}
	return nil
}

// crawledBySnapshot reports whether a crawl of a snapshot fetched a page. Whoever
// computes the snapshot then looks for copies, when all of its pages are there.
func crawledBySnapshot(all []*observation) bool {
	return slices.ContainsFunc(all, func(o *observation) bool { return o.kind == KindSnapshot })
}

// enqueue hands new versions to later stages.
func (b *batch) enqueue(ctx context.Context, tx pgx.Tx, rows []pageVersion, stages ...string) error {
	if len(rows) == 0 {
		return nil
	}
	pages := make([]PageID, len(rows))
	numbers := make([]int32, len(rows))
	for i, v := range rows {
		pages[i], numbers[i] = v.page, v.number
	}
	if _, err := tx.Exec(ctx, qEnqueue.sql, pages, numbers, b.db.now(), stages); err != nil {
		return fmt.Errorf("queue versions: %w", err)
	}
	return nil
}

// updateState brings the state of the page up to what the batch made of it, and
// returns the page that it has moved to.
func (p *pageBatch) updateState(ids map[string]PageID) PageID {
	s := p.state
	if p.relaid {
		s.Failures = 0
	}
	var newest *observation // that saw content
	for _, o := range p.obs {
		if o.ghost {
			continue
		}
		s.LastFetched, s.LastOutcome, s.LastStatus, s.LastError = o.at, o.outcome, o.status, o.err
		switch o.outcome {
		case Failed, Gone, Denied: // none of them saw the page
			s.Failures++
		case New, Changed, Same, NotModified:
			s.Failures = 0
		}
		if o.seenContent() {
			newest = o
		}
	}
	// Validators of an older capture that came late say nothing about the page now.
	if newest != nil && newest.capture != nil {
		c := newest.capture
		// A 304 may bring newer validators, and need not repeat them.
		if newest.outcome != NotModified || c.ETag != "" {
			s.ETag = c.ETag
		}
		if newest.outcome != NotModified || c.LastModified != "" {
			s.LastModified = c.LastModified
		}
		if newest.outcome != NotModified || c.ETag != "" || c.LastModified != "" {
			s.ValidatedURL = c.ValidatedURL
		}
		s.Alias = ids[c.PermanentURL]
	}
	if v := p.timeline.last; v != nil {
		s.Version, s.VersionSince, s.VersionSeen, s.Hash = v.number, v.first, v.last, v.hash
		s.textHash, s.textSince = v.textHash, v.textSince
		if v != p.extended {
			s.Title, s.Language = v.title, v.language
		}
	}
	return s.Alias
}

// seenContent reports, once the outcome is final, whether the page's content was seen.
func (o *observation) seenContent() bool {
	switch o.outcome {
	case New, Changed, Same, NotModified:
		return true
	}
	return false
}
