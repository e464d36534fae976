package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// A watch tells somebody when its configuration, as stored for people, has a list
// of targets under notify.
var (
	qTellingPages = statement{routed, `
		select m.page_id, m.watch_id, m.joined_at
		from core.watch_page m
		join core.watch w on w.watch_id = m.watch_id
		where m.bucket = any($2::int[]) and m.page_id = any($1::bigint[]) and m.left_at is null and w.paused_at is null and w.config ? 'notify'`}
	qPutNoticeTodo = statement{local, `
		insert into core.notice_todo (page_id, bucket, version, watch_id, changed_at)
		select v.page_id, (v.page_id >> 40)::int, v.version, v.watch_id, v.changed_at
		from unnest($1::bigint[], $2::int[], $3::int[], $4::timestamptz[]) v(page_id, version, watch_id, changed_at)
		on conflict (page_id, bucket, version, watch_id) do nothing`}
	qAloneNotices   = statement{local, `select pg_try_advisory_xact_lock(7305827)`}
	qTakeNoticeTodo = statement{local, `
		delete from core.notice_todo t
		where (t.page_id, t.bucket, t.version, t.watch_id) in (
			select d.page_id, d.bucket, d.version, d.watch_id from core.notice_todo d order by d.changed_at, d.page_id, d.version limit $1)
		returning t.page_id, t.version, t.watch_id, t.changed_at`}
	qChangeOf = statement{routed, `
		select p.url, c.dice, c.significance, c.text_changed and not c.masked
		from core.change c
		join core.page p on p.bucket = c.bucket and p.page_id = c.page_id
		where c.bucket = $2 and p.bucket = $2 and c.page_id = $1 and c.version = $3`}
	qNoticePage = statement{local, `
		select states, failing_at, window_at, window_count, noisy_at from core.notice_page where watch_id = $1 and page_id = $2 and bucket = $3`}
	qPutNoticePage = statement{local, `
		insert into core.notice_page (watch_id, page_id, bucket, states, failing_at, window_at, window_count, noisy_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8)
		on conflict (watch_id, page_id, bucket) do update set states = excluded.states, failing_at = excluded.failing_at,
		    window_at = excluded.window_at, window_count = excluded.window_count, noisy_at = excluded.noisy_at`}
	qToldFailing = statement{local, `select page_id from core.notice_page where watch_id = $1 and failing_at is not null`}
	qNoticeWatch = statement{local, `
		insert into core.notice_watch as w (watch_id, changed_at) values ($1, $2)
		on conflict (watch_id) do update set changed_at = w.changed_at
		returning changed_at, quiet_at`}
	qPutNoticeWatch = statement{local, `update core.notice_watch set changed_at = $2, quiet_at = $3 where watch_id = $1`}
	qFailingPages   = statement{all, `
		select d.page_id, p.url, coalesce(s.title, ''), s.failures, coalesce(s.last_error, ''), coalesce(s.last_status, 0), d.failing_since
		from core.page_schedule d
		join core.watch_page m on m.bucket = d.bucket and m.page_id = d.page_id
		join core.page_state s on s.bucket = d.bucket and s.page_id = d.page_id
		join core.page p on p.bucket = d.bucket and p.page_id = d.page_id
		where d.failing_since is not null and m.watch_id = $1 and m.left_at is null and s.failures >= $2 and d.page_id <> all($3::bigint[])
		order by d.page_id limit $4`}
	qAnsweringPages = statement{routed, `
		select d.page_id, p.url, coalesce(s.title, ''), 0, '', 0, coalesce(s.last_fetched, '-infinity')
		from core.page_schedule d
		join core.page_state s on s.bucket = d.bucket and s.page_id = d.page_id
		join core.page p on p.bucket = d.bucket and p.page_id = d.page_id
		where d.bucket = any($2::int[]) and s.bucket = any($2::int[]) and p.bucket = any($2::int[])
		  and d.page_id = any($1::bigint[]) and d.failing_since is null
		order by d.page_id`}
	qPutNoticeItem  = statement{local, `insert into core.notice_item (watch_id, due_at, message) values ($1, $2, $3::jsonb)`}
	qTakeNoticeItem = statement{local, `
		with gone as (delete from core.notice_item i where i.watch_id = $1 and i.due_at <= $2 returning i.item_id, i.due_at, i.message)
		select g.due_at, g.message from gone g order by g.due_at, g.item_id`}
)

// NoticeTodo is a measured change that a watch may want to be told.
type NoticeTodo struct {
	Page    PageID
	Version int32
	Watch   int32
	At      time.Time
}

// queueNotices notes changes for the watches that tell somebody. Changes from before
// a page joined its watch, such as imported ones, are history and not news.
func (t *Tx) queueNotices(ctx context.Context, changes []Change) error {
	byPage := map[PageID][]Change{}
	var pages []PageID
	for _, c := range changes {
		if c.TextChanged && !c.Masked {
			if byPage[c.Page] == nil {
				pages = append(pages, c.Page)
			}
			byPage[c.Page] = append(byPage[c.Page], c)
		}
	}
	if len(pages) == 0 {
		return nil
	}
	rows, err := t.tx.Query(ctx, qTellingPages.sql, pages, bucketsOf(pages))
	if err != nil {
		return fmt.Errorf("find watches that tell: %w", err)
	}
	var todo struct {
		pages             []PageID
		versions, watches []int32
		at                []time.Time
	}
	var page PageID
	var watch int32
	var joined time.Time
	if _, err := pgx.ForEachRow(rows, []any{&page, &watch, &joined}, func() error {
		for _, c := range byPage[page] {
			if !c.At.Before(joined) {
				todo.pages, todo.versions = append(todo.pages, page), append(todo.versions, c.Version)
				todo.watches, todo.at = append(todo.watches, watch), append(todo.at, c.At)
			}
		}
		return nil
	}); err != nil {
		return fmt.Errorf("find watches that tell: %w", err)
	}
	if len(todo.pages) == 0 {
		return nil
	}
	if _, err := t.tx.Exec(ctx, qPutNoticeTodo.sql, todo.pages, todo.versions, todo.watches, todo.at); err != nil {
		return fmt.Errorf("queue changes to be told: %w", err)
	}
	return nil
}

// Notices calls f with a transaction in which no other process judges. It returns
// false, and does nothing, while another does.
func (db *DB) Notices(ctx context.Context, f func(*Tx) error) (alone bool, err error) {
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, qAloneNotices.sql).Scan(&alone); err != nil || !alone {
			return err
		}
		return f(&Tx{db: db, tx: tx})
	})
	if err != nil {
		return false, fmt.Errorf("judge changes: %w", err)
	}
	return alone, nil
}

// TakeNotices takes up to limit changes out of the queue, with the transaction. They
// come in no order.
func (t *Tx) TakeNotices(ctx context.Context, limit int) ([]NoticeTodo, error) {
	rows, err := t.tx.Query(ctx, qTakeNoticeTodo.sql, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[NoticeTodo])
}

// ToldChange is a measured change as rules see it.
type ToldChange struct {
	URL                string
	Dice, Significance float64
	News               bool // the text differs by more than noise
}

// ChangeOf returns the change that led to a version, or ErrNotFound.
func (t *Tx) ChangeOf(ctx context.Context, page PageID, version int32) (c ToldChange, err error) {
	err = t.tx.QueryRow(ctx, qChangeOf.sql, page, page.Bucket(), version).Scan(&c.URL, &c.Dice, &c.Significance, &c.News)
	if errors.Is(err, pgx.ErrNoRows) {
		err = ErrNotFound
	}
	return c, err
}

// NoticePage is what was told of a page of a watch.
type NoticePage struct {
	States      []int64
	Failing     time.Time // zero: it was not told that it fails
	WindowSince time.Time
	WindowCount int
	Noisy       time.Time // when it was last called noisy
}

// NoticePage returns what was told of a page of a watch; the zero value if nothing was.
func (t *Tx) NoticePage(ctx context.Context, watch int32, page PageID) (n NoticePage, err error) {
	var failing, window, noisy *time.Time
	err = t.tx.QueryRow(ctx, qNoticePage.sql, watch, page, page.Bucket()).Scan(&n.States, &failing, &window, &n.WindowCount, &noisy)
	if errors.Is(err, pgx.ErrNoRows) {
		return NoticePage{}, nil
	}
	n.Failing, n.WindowSince, n.Noisy = deref(failing), deref(window), deref(noisy)
	return n, err
}

// PutNoticePage stores what was told of a page of a watch.
func (t *Tx) PutNoticePage(ctx context.Context, watch int32, page PageID, n NoticePage) error {
	if n.States == nil {
		n.States = []int64{}
	}
	_, err := t.tx.Exec(ctx, qPutNoticePage.sql, watch, page, page.Bucket(), n.States, orNil(n.Failing), orNil(n.WindowSince), n.WindowCount, orNil(n.Noisy))
	return err
}

// ToldFailing returns the pages of a watch of which it was told that they fail.
func (t *Tx) ToldFailing(ctx context.Context, watch int32) ([]PageID, error) {
	rows, err := t.tx.Query(ctx, qToldFailing.sql, watch)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[PageID])
}

// NoticeWatch is what was told of a watch as a whole.
type NoticeWatch struct {
	Changed time.Time // when a page last changed, or since when that is looked at
	Quiet   time.Time // when silence was told; zero: there is none
}

// NoticeWatch returns what was told of a watch, which is looked at from now on if it
// was not before.
func (t *Tx) NoticeWatch(ctx context.Context, watch int32, now time.Time) (n NoticeWatch, err error) {
	var quiet *time.Time
	err = t.tx.QueryRow(ctx, qNoticeWatch.sql, watch, now).Scan(&n.Changed, &quiet)
	n.Quiet = deref(quiet)
	return n, err
}

// PutNoticeWatch stores what was told of a watch that NoticeWatch returned.
func (t *Tx) PutNoticeWatch(ctx context.Context, watch int32, n NoticeWatch) error {
	_, err := t.tx.Exec(ctx, qPutNoticeWatch.sql, watch, n.Changed, orNil(n.Quiet))
	return err
}

// FailingPage is a page that fails, or that answers again.
type FailingPage struct {
	Page     PageID
	URL      string
	Title    string
	Failures int
	Error    string
	Status   int
	Since    time.Time // of the failures, or when it answered
}

// FailingPages returns pages of a watch that failed so many times in a row, without
// those given.
func (t *Tx) FailingPages(ctx context.Context, watch int32, failures int, without []PageID, limit int) ([]FailingPage, error) {
	rows, err := t.tx.Query(ctx, qFailingPages.sql, watch, failures, without, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[FailingPage])
}

// AnsweringPages returns those of the pages that do not fail.
func (t *Tx) AnsweringPages(ctx context.Context, pages []PageID) ([]FailingPage, error) {
	rows, err := t.tx.Query(ctx, qAnsweringPages.sql, pages, bucketsOf(pages))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[FailingPage])
}

// Defer keeps a message for the digest of a watch that is due at a time.
func (t *Tx) Defer(ctx context.Context, watch int32, due time.Time, message json.RawMessage) error {
	_, err := t.tx.Exec(ctx, qPutNoticeItem.sql, watch, due, []byte(message))
	return err
}

// TakeDeferred takes the messages of a watch's digests that are due, and returns the
// time of the last of these.
func (t *Tx) TakeDeferred(ctx context.Context, watch int32, now time.Time) (due time.Time, messages []json.RawMessage, err error) {
	rows, err := t.tx.Query(ctx, qTakeNoticeItem.sql, watch, now)
	if err != nil {
		return due, nil, err
	}
	var m []byte
	_, err = pgx.ForEachRow(rows, []any{&due, &m}, func() error {
		messages = append(messages, append(json.RawMessage{}, m...))
		return nil
	})
	return due, messages, err
}
