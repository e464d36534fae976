package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

var (
	qSteps = statement{routed, `
		select v.page_id, v.version, v.first_seen, v.record, v.text_hash, v.words_hash, b.text_since, b.record, b.text_hash, b.words_hash
		from unnest($1::bigint[], $2::int[]) t(page_id, version)
		join core.version v on v.page_id = t.page_id and v.version = t.version
		join core.version b on b.bucket = v.bucket and b.page_id = v.page_id and b.version = v.version - 1
		where v.bucket = any($3::int[]) and b.bucket = any($3::int[]) and v.thinned_at is null and b.thinned_at is null`}
	qPutChanges = statement{routed, `
		insert into core.change (page_id, bucket, version, changed_at, hours, dice, words_added, words_removed, sentences_added,
		                         sentences_removed, text_changed, words_changed, significance, masked, computed_at)
		select v.page_id, (v.page_id >> 40)::int, v.version, v.changed_at, v.hours, v.dice, v.words_added, v.words_removed, v.sentences_added,
		       v.sentences_removed, v.text_changed, v.words_changed, v.significance, v.masked, $13
		from unnest($1::bigint[], $2::int[], $3::timestamptz[], $4::float8[], $5::float8[], $6::int[], $7::int[], $8::int[], $9::int[],
		            $10::bool[], $11::bool[], $12::float8[], $14::bool[])
		     v(page_id, version, changed_at, hours, dice, words_added, words_removed, sentences_added, sentences_removed, text_changed,
		       words_changed, significance, masked)
		on conflict (page_id, bucket, version) do update set
		    changed_at = excluded.changed_at, hours = excluded.hours, dice = excluded.dice, words_added = excluded.words_added,
		    words_removed = excluded.words_removed, sentences_added = excluded.sentences_added, sentences_removed = excluded.sentences_removed,
		    text_changed = excluded.text_changed, words_changed = excluded.words_changed, significance = excluded.significance,
		    masked = excluded.masked, computed_at = excluded.computed_at`}
)

// Step is the step from one version of a page to the next, to be measured.
type Step struct {
	Page    PageID
	Version int32 // that it leads to
	At      time.Time
	// Elapsed is the time since the change of the text before, or since the
	// first version when there was none (SCIENCE A9, C2).
	Elapsed      time.Duration
	TextChanged  bool
	WordsChanged bool
	// Before and After name the two extracted records.
	Before, After SHA256
}

// Change is a measured step.
type Change struct {
	Step
	Dice                             float64
	WordsAdded, WordsRemoved         int
	SentencesAdded, SentencesRemoved int
	Significance                     float64
	Masked                           bool // only parts differ that are known to be noise
}

// Steps returns the steps that lead to the given versions; first versions have none.
// A step from or to a version that was thinned is left out: it stays as it was measured.
func (t *Tx) Steps(ctx context.Context, todo []Todo) ([]Step, error) {
	pages := make([]PageID, len(todo))
	versions := make([]int32, len(todo))
	for i, d := range todo {
		pages[i], versions[i] = d.Page, d.Version
	}
	rows, err := t.tx.Query(ctx, qSteps.sql, pages, versions, bucketsOf(pages))
	if err != nil {
		return nil, fmt.Errorf("read steps: %w", err)
	}
	steps, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Step, error) {
		var s Step
		var before time.Time
		var recordA, recordB []byte
		var textA, wordsA, textB, wordsB [16]byte
		err := row.Scan(&s.Page, &s.Version, &s.At, &recordB, &textB, &wordsB, &before, &recordA, &textA, &wordsA)
		s.Elapsed = s.At.Sub(before)
		s.TextChanged, s.WordsChanged = textA != textB, wordsA != wordsB
		copy(s.Before[:], recordA)
		copy(s.After[:], recordB)
		return s, err
	})
	if err != nil {
		return nil, fmt.Errorf("read steps: %w", err)
	}
	return steps, nil
}

// PutChanges stores measured steps in place of earlier measures of the same steps, and
// notes those that a watch may want to tell.
func (t *Tx) PutChanges(ctx context.Context, changes []Change) error {
	var in struct {
		pages                    []PageID
		versions, wa, wr, sa, sr []int32
		at                       []time.Time
		hours, dice, significant []float64
		text, words, masked      []bool
	}
	for _, c := range changes {
		in.pages = append(in.pages, c.Page)
		in.versions = append(in.versions, c.Version)
		in.at = append(in.at, c.At)
		in.hours = append(in.hours, c.Elapsed.Hours())
		in.dice = append(in.dice, c.Dice)
		in.wa = append(in.wa, int32(c.WordsAdded))
		in.wr = append(in.wr, int32(c.WordsRemoved))
		in.sa = append(in.sa, int32(c.SentencesAdded))
		in.sr = append(in.sr, int32(c.SentencesRemoved))
		in.text = append(in.text, c.TextChanged)
		in.words = append(in.words, c.WordsChanged)
		in.significant = append(in.significant, c.Significance)
		in.masked = append(in.masked, c.Masked)
	}
	_, err := t.tx.Exec(ctx, qPutChanges.sql, in.pages, in.versions, in.at, in.hours, in.dice, in.wa, in.wr, in.sa, in.sr, in.text, in.words,
		in.significant, t.db.now(), in.masked)
	if err != nil {
		return fmt.Errorf("store changes: %w", err)
	}
	return t.queueNotices(ctx, changes)
}

// Records returns extracted records by page bucket and hash.
func (t *Tx) Records(ctx context.Context, keys []ContentKey) (map[ContentKey][]byte, error) {
	return t.db.contents(ctx, t.tx, recordTable, keys)
}

var qLatestChanges = statement{all, `
	select page_id, url, title, version, changed_at, dice, significance
	from (
		select distinct on (c.bucket, c.page_id) c.page_id, p.url, coalesce(s.title, '') as title, c.version, c.changed_at, c.dice, c.significance
		from core.change c
		join core.page p using (bucket, page_id)
		join core.page_state s using (bucket, page_id)
		where c.changed_at >= $1 and c.text_changed and not c.masked
		order by c.bucket, c.page_id, c.significance desc
	) best
	order by significance desc, changed_at desc
	limit $2`}

// LatestChange is a change for a person to look at.
type LatestChange struct {
	Page         PageID
	URL          string
	Title        string
	Version      int32
	At           time.Time
	Dice         float64
	Significance float64
}

// LatestChanges returns the most significant changes since a time, one a page.
func (db *DB) LatestChanges(ctx context.Context, since time.Time, limit int) ([]LatestChange, error) {
	rows, err := db.pool.Query(ctx, qLatestChanges.sql, since, limit)
	if err != nil {
		return nil, fmt.Errorf("read latest changes: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByPos[LatestChange])
	if err != nil {
		return nil, fmt.Errorf("read latest changes: %w", err)
	}
	return out, nil
}
