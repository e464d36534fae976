package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// The text of versions is indexed by passages: lines of a page that came together
// and stood together. Passages are continued from those that are open when a version
// arrives; when a page's versions are laid anew they are dropped in the same
// transaction.
var (
	qMakeTexts = statement{routed, `
		insert into core.page_text (page_id, bucket)
		select v.page_id, (v.page_id >> 40)::int from unnest($1::bigint[]) v(page_id)
		on conflict (page_id, bucket) do nothing`}
	qLockTexts = statement{routed, `
		select a.page_id, a.version from core.page_text a
		where a.bucket = any($2::int[]) and a.page_id = any($1::bigint[])
		order by a.page_id for update`}
	qPutTexts = statement{routed, `
		update core.page_text a set version = v.version
		from unnest($1::bigint[], $2::int[]) v(page_id, version)
		where a.bucket = any($3::int[]) and a.page_id = v.page_id`}
	qOpenPassages = statement{routed, `
		select p.page_id, p.from_version, p.part, p.from_at, p.lines from core.passage p
		where p.bucket = any($2::int[]) and p.page_id = any($1::bigint[]) and p.to_version is null
		order by p.page_id, p.from_version, p.part`}
	qClosePassages = statement{routed, `
		update core.passage p set to_version = v.to_version, to_at = v.to_at
		from unnest($1::bigint[], $2::int[], $3::int[], $4::int[], $5::timestamptz[]) v(page_id, from_version, part, to_version, to_at)
		where p.bucket = any($6::int[]) and p.page_id = v.page_id and p.from_version = v.from_version and p.part = v.part`}
	qPutPassages = statement{routed, `
		insert into core.passage (page_id, bucket, from_version, part, to_version, from_at, to_at, lines, words)
		select v.page_id, (v.page_id >> 40)::int, v.from_version, v.part, v.to_version, v.from_at, v.to_at, v.lines, v.words::tsvector
		from unnest($1::bigint[], $2::int[], $3::int[], $4::int[], $5::timestamptz[], $6::timestamptz[], $7::bytea[], $8::text[])
		     v(page_id, from_version, part, to_version, from_at, to_at, lines, words)`}
	qDropText     = statement{routed, `delete from core.page_text where bucket = $2 and page_id = $1`}
	qDropPassages = statement{routed, `delete from core.passage where bucket = $2 and page_id = $1`}
)

// PageText says how far the text of a page is indexed.
type PageText struct {
	Page    PageID
	Version int32 // 0: not at all
}

// Passage is lines of a page that came together and stand together.
type Passage struct {
	Page     PageID
	From, To int32 // the first version that has all of them, and the first after it without some; 0: the last has them
	Part     int32 // tells passages apart that begin with one version
	FromAt   time.Time
	ToAt     time.Time // zero with To
	Lines    []uint64  // hashes of the lines, ascending
	Words    string    // as PostgreSQL writes a tsvector; not read back
}

// LockTexts returns how far the texts of pages are indexed, ascending by page, and
// keeps others from going on with them until the transaction ends.
func (t *Tx) LockTexts(ctx context.Context, pages []PageID) ([]PageText, error) {
	pages = slices.Clone(pages)
	slices.Sort(pages) // locks are taken in one order
	pages = slices.Compact(pages)
	for made := false; ; made = true {
		rows, err := t.tx.Query(ctx, qLockTexts.sql, pages, bucketsOf(pages))
		if err != nil {
			return nil, fmt.Errorf("lock indexes of texts: %w", err)
		}
		out, err := pgx.CollectRows(rows, pgx.RowToStructByPos[PageText])
		if err != nil {
			return nil, fmt.Errorf("lock indexes of texts: %w", err)
		}
		if len(out) == len(pages) || made {
			return out, nil
		}
		if _, err := t.tx.Exec(ctx, qMakeTexts.sql, pages); err != nil {
			return nil, fmt.Errorf("make indexes of texts: %w", err)
		}
	}
}

// OpenPassages returns the passages that the last indexed versions of pages have,
// without their words.
func (t *Tx) OpenPassages(ctx context.Context, pages []PageID) (map[PageID][]*Passage, error) {
	rows, err := t.tx.Query(ctx, qOpenPassages.sql, pages, bucketsOf(pages))
	if err != nil {
		return nil, fmt.Errorf("read passages: %w", err)
	}
	out := map[PageID][]*Passage{}
	var p Passage
	var lines []byte
	_, err = pgx.ForEachRow(rows, []any{&p.Page, &p.From, &p.Part, &p.FromAt, &lines}, func() error {
		one := p
		one.Lines = make([]uint64, 0, len(lines)/8)
		for ; len(lines) >= 8; lines = lines[8:] {
			one.Lines = append(one.Lines, binary.BigEndian.Uint64(lines))
		}
		out[p.Page] = append(out[p.Page], &one)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read passages: %w", err)
	}
	return out, nil
}

// PutPassages stores new passages, ends old ones, and notes how far the texts of the
// pages are indexed now.
func (t *Tx) PutPassages(ctx context.Context, texts []PageText, fresh, ended []*Passage) error {
	var b pgx.Batch
	if len(ended) > 0 {
		var in passageColumns
		for _, p := range ended {
			in.add(p)
		}
		b.Queue(qClosePassages.sql, in.pages, in.from, in.parts, in.to, in.toAt, bucketsOf(in.pages))
	}
	if len(fresh) > 0 {
		var in passageColumns
		for _, p := range fresh {
			in.add(p)
		}
		b.Queue(qPutPassages.sql, in.pages, in.from, in.parts, in.to, in.fromAt, in.toAt, in.lines, in.words)
	}
	var pages []PageID
	var versions []int32
	for _, p := range texts {
		pages, versions = append(pages, p.Page), append(versions, p.Version)
	}
	b.Queue(qPutTexts.sql, pages, versions, bucketsOf(pages))
	if err := t.tx.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("store passages: %w", err)
	}
	return nil
}

// passageColumns are passages as arrays.
type passageColumns struct {
	pages        []PageID
	from, parts  []int32
	to           []*int32
	fromAt, toAt []*time.Time
	lines        [][]byte
	words        []string
}

func (c *passageColumns) add(p *Passage) {
	c.pages, c.from, c.parts = append(c.pages, p.Page), append(c.from, p.From), append(c.parts, p.Part)
	var to *int32
	if p.To > 0 {
		to = &p.To
	}
	lines := make([]byte, 0, 8*len(p.Lines))
	for _, h := range p.Lines {
		lines = binary.BigEndian.AppendUint64(lines, h)
	}
	c.to, c.fromAt, c.toAt = append(c.to, to), append(c.fromAt, &p.FromAt), append(c.toAt, orNil(p.ToAt))
	c.lines, c.words = append(c.lines, lines), append(c.words, p.Words)
}
