package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// A capture that is older than what is stored of its page may split a version,
// or come before all of them. The page's timeline is then laid anew from all its
// fetches. That costs in proportion to the page's history, which is why captures
// should come in order of time where they can.
var (
	qPageFetches = statement{routed, `
		select f.started_at, f.attempt, f.finished_at, f.due_at, f.outcome::text, coalesce(f.status, 0), f.kind, coalesce(f.watch_id, 0),
		       coalesce(f.version, 0), coalesce(f.bytes, 0), coalesce(f.error, ''), f.sha256, f.head, f.detail
		from core.fetch f where f.bucket = $2 and f.page_id = $1 and f.kind <> 'source'`}
	qPageVersions = statement{routed, `
		select v.version, v.first_seen, v.last_seen, v.fetches, v.status, v.bytes, v.words, v.sentences, v.sha256, v.sha1, v.record, v.rules,
		       v.text_hash, v.text_since, v.words_hash, v.links_hash, coalesce(v.title, ''), coalesce(v.language, ''), coalesce(v.charset, ''),
		       coalesce(v.media_type, ''), coalesce(v.coding, ''), v.flags, v.head, v.thinned_at
		from core.version v where v.bucket = $2 and v.page_id = $1 order by v.version`}
	qDropFetches  = statement{routed, `delete from core.fetch where bucket = $2 and page_id = $1 and kind <> 'source'`}
	qDropVersions = statement{routed, `delete from core.version where bucket = $2 and page_id = $1`}
	qDropChanges  = statement{routed, `delete from core.change where bucket = $2 and page_id = $1`}
	qDropTodo     = statement{routed, `delete from core.monitor_todo where bucket = $2 and page_id = $1`}
)

// relay takes a page's timeline out of the database and lays it anew together
// with the batch's captures.
func (b *batch) relay(ctx context.Context, tx pgx.Tx, p *pageBatch) error {
	versions, err := loadVersions(ctx, tx, p.id)
	if err != nil {
		return err
	}
	known, err := loadFetches(ctx, tx, p.id, versions)
	if err != nil {
		return err
	}
	nameContents(slices.Concat(known, p.fresh))
	var lookup error
	p.fresh, p.dropped = dropDuplicates(known, p.fresh, func(o *observation) bool {
		if o.capture.Payload != nil {
			return true
		}
		ok, err := b.blobs.has(ctx, p.id, o.hash)
		if err != nil {
			lookup = err
		}
		return ok
	})
	if lookup != nil {
		return lookup
	}
	learned := slices.ContainsFunc(p.dropped, func(o *observation) bool { return o.twin != nil })
	if len(p.fresh) == 0 && !learned {
		// Nothing new: leave the page as it is.
		if len(versions) > 0 {
			p.extended = versions[len(versions)-1]
			p.extended.fetches = 0
			p.timeline.last = p.extended
		}
		return nil
	}
	if p.measured, err = loadMeasured(ctx, tx, p.id, versions); err != nil {
		return err
	}
	for _, q := range []statement{qDropFetches, qDropVersions, qDropChanges, qDropTodo, qDropAnalysis, qDropText, qDropPassages, qDropSketches} {
		if _, err := tx.Exec(ctx, q.sql, p.id, p.id.Bucket()); err != nil {
			return fmt.Errorf("lay the versions of page %d anew: %w", p.id, err)
		}
	}
	p.relaid = true
	p.obs = append(append(known, ghosts(versions, known)...), p.fresh...)
	for _, o := range known {
		// We know what our own crawler had when it was told "not modified". An
		// archive does not say; there it is what stands before, whatever the
		// order in which the files came.
		if o.outcome == NotModified && o.kind == KindImport {
			o.hash, o.sha1 = SHA256{}, SHA1{}
		}
	}
	sortObservations(p.obs)
	byContent := make(map[SHA256]*versionRow, len(versions))
	p.readable = make(map[SHA256]bool, len(versions))
	p.thinned = map[SHA256]bool{}
	for _, v := range versions {
		// Of two versions with one content, one may have been thinned before the other came.
		if old := byContent[v.hash]; old == nil || old.thinned != nil {
			byContent[v.hash] = v
		}
		if p.readable[v.hash] = true; byContent[v.hash].thinned != nil {
			p.thinned[v.hash] = true
		} else {
			delete(p.thinned, v.hash)
		}
	}
	readers := map[SHA256]*Capture{}
	for _, o := range p.obs {
		if o.capture != nil && o.content() && readers[o.hash] == nil {
			readers[o.hash] = o.capture
			p.readable[o.hash] = true
		}
	}
	for hash, c := range readers {
		if p.thinned[hash] && c.Payload != nil { // it comes back
			delete(p.thinned, hash)
			delete(byContent, hash)
		}
	}
	if err := b.place(ctx, p); err != nil {
		return err
	}
	for _, v := range p.timeline.made {
		old := byContent[v.hash]
		if old == nil {
			if v.capture == nil { // an attempt read back started it
				v.capture = readers[v.hash]
			}
			continue
		}
		// What a content says does not depend on when it was seen.
		number, first, last, fetches, status, head := v.number, v.first, v.last, v.fetches, v.status, v.head
		*v = *old
		v.number, v.first, v.last, v.fetches, v.status, v.head = number, first, last, fetches, status, head
	}
	return p.keepMeasured(ctx, tx)
}

func loadVersions(ctx context.Context, tx pgx.Tx, page PageID) ([]*versionRow, error) {
	rows, err := tx.Query(ctx, qPageVersions.sql, page, page.Bucket())
	if err != nil {
		return nil, fmt.Errorf("read versions of page %d: %w", page, err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (*versionRow, error) {
		var v versionRow
		var hash, sha1, record, head []byte
		err := row.Scan(&v.number, &v.first, &v.last, &v.fetches, &v.status, &v.bytes, &v.words, &v.sentences, &hash, &sha1, &record, &v.rules,
			&v.textHash, &v.textSince, &v.wordsHash, &v.linksHash, &v.title, &v.language, &v.charset, &v.mediaType, &v.coding, &v.flags, &head, &v.thinned)
		if err != nil {
			return nil, err
		}
		copy(v.hash[:], hash)
		copy(v.sha1[:], sha1)
		copy(v.record[:], record)
		v.head, err = unpackHead(head)
		return &v, err
	})
	if err != nil {
		return nil, fmt.Errorf("read versions of page %d: %w", page, err)
	}
	return out, nil
}

func loadFetches(ctx context.Context, tx pgx.Tx, page PageID, versions []*versionRow) ([]*observation, error) {
	rows, err := tx.Query(ctx, qPageFetches.sql, page, page.Bucket())
	if err != nil {
		return nil, fmt.Errorf("read fetches of page %d: %w", page, err)
	}
	byNumber := make(map[int32]*versionRow, len(versions))
	for _, v := range versions {
		byNumber[v.number] = v
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (*observation, error) {
		var o observation
		var due *time.Time
		var hash, head []byte
		err := row.Scan(&o.at, &o.attempt, &o.finished, &due, &o.outcome, &o.status, &o.kind, &o.watch, &o.version, &o.bytes, &o.err,
			&hash, &head, &o.detail)
		if err != nil {
			return nil, err
		}
		o.due = deref(due)
		copy(o.hash[:], hash)
		if o.head, err = unpackHead(head); err != nil {
			return nil, err
		}
		if v := byNumber[o.version]; v != nil {
			o.hash, o.sha1 = v.hash, v.sha1
			if o.head == nil {
				o.head = v.head
			}
		}
		o.version = 0
		if o.err == nothingToExtend {
			o.outcome, o.err = NotModified, ""
		}
		if o.err == missingPayload {
			o.outcome = "" // it may be at hand by now
			o.missing = true
			o.sha1, o.refersTo = missingOf(o.detail)
			o.detail = nil
		}
		return &o, nil
	})
	if err != nil {
		return nil, fmt.Errorf("read fetches of page %d: %w", page, err)
	}
	return out, nil
}

// ghosts stand for the fetches of versions that retention has dropped: a version
// reaches from first to last fetch whether or not their rows are still there.
func ghosts(versions []*versionRow, known []*observation) []*observation {
	have := map[SHA256]map[int64]bool{}
	counted := map[*versionRow]int{}
	for _, o := range known {
		if !o.content() && o.outcome != NotModified {
			continue
		}
		if have[o.hash] == nil {
			have[o.hash] = map[int64]bool{}
		}
		have[o.hash][o.at.UnixMicro()] = true
		for _, v := range versions {
			if v.hash == o.hash && !o.at.Before(v.first) && !o.at.After(v.last) {
				counted[v]++
				break
			}
		}
	}
	var out []*observation
	for _, v := range versions {
		missing := v.fetches - counted[v]
		for _, at := range []time.Time{v.first, v.last} {
			if have[v.hash][at.UnixMicro()] || missing <= 0 {
				continue
			}
			count := 1
			if at.Equal(v.last) || v.first.Equal(v.last) {
				count = missing
			}
			out = append(out, &observation{at: at, finished: at, hash: v.hash, status: v.status, head: v.head, outcome: Same, ghost: true, count: count})
			missing -= count
			if v.first.Equal(v.last) {
				break
			}
		}
	}
	return out
}
