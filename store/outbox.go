package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

var (
	qPutOutbox = statement{local, `
		insert into core.outbox (message_id, target, kind, source, url, title, payload, created_at, next_attempt_at)
		select $1, t.target, $3, $4, nullif($5, ''), $6, $7::jsonb, $8::timestamptz, $8::timestamptz
		from unnest($2::text[]) t(target)
		on conflict (message_id, target) do nothing`}
	// The claim moves the time of the next attempt behind the end of this one: should
	// its sender be killed, the message is due again by itself.
	qClaimOutbox = statement{local, `
		update core.outbox o set attempts = o.attempts + 1, next_attempt_at = $3
		where o.outbox_id = (
			select d.outbox_id from core.outbox d
			where d.target = $1 and d.next_attempt_at <= $2 and d.delivered_at is null and d.dead_at is null
			order by d.next_attempt_at, d.outbox_id
			limit 1
			for update skip locked)
		returning o.outbox_id, o.message_id, o.target, o.kind, o.source, o.title, o.payload, o.created_at, o.attempts`}
	qDeliveredOutbox = statement{local, `
		update core.outbox set delivered_at = $3, last_error = null where outbox_id = $1 and attempts = $2`}
	qFailedOutbox = statement{local, `
		update core.outbox set next_attempt_at = $3, last_error = $4, dead_at = case when $5 then $6::timestamptz end
		where outbox_id = $1 and attempts = $2`}
	qNextOutbox = statement{local, `
		select min(next_attempt_at) from core.outbox where target = $1 and delivered_at is null and dead_at is null`}
	qOutboxStates = statement{local, `
		select o.target, count(*) filter (where o.dead_at is null), count(*) filter (where o.dead_at is not null),
		       min(o.created_at) filter (where o.dead_at is null),
		       coalesce((array_agg(o.last_error order by o.outbox_id desc) filter (where o.last_error is not null))[1], '')
		from core.outbox o where o.delivered_at is null
		group by o.target order by o.target`}
	qReviveOutbox = statement{local, `
		update core.outbox set dead_at = null, attempts = 0, next_attempt_at = $2
		where dead_at is not null and delivered_at is null and ($1 = '' or target = $1)`}
	qPruneDelivered = statement{local, `delete from core.outbox where delivered_at < $1`}
	qPruneDead      = statement{local, `delete from core.outbox where dead_at < $1 and delivered_at is null`}
	// What has been due for so long has nobody who sends it: its target left the configuration.
	qPruneAbandoned = statement{local, `delete from core.outbox where next_attempt_at < $1 and delivered_at is null and dead_at is null`}
	qPruneItems     = statement{local, `delete from core.notice_item where due_at < $1`}
)

// Outgoing is a message to be delivered to each of some targets.
type Outgoing struct {
	// ID names the message for good: one with the id of an earlier message to the
	// same target is not sent again.
	ID      string
	Kind    string
	Source  string // such as "watch prices"
	URL     string // of the page it is about; may be empty
	Title   string
	Payload json.RawMessage
	Targets []string
}

// Notification is a message on its way to one target.
type Notification struct {
	Row     int64
	ID      string
	Target  string
	Kind    string
	Source  string
	Title   string
	Payload json.RawMessage
	Created time.Time
	Attempt int // counted from 1
}

type execer interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// Enqueue puts messages into the outbox. What is committed is delivered, whatever
// becomes of the program.
func (db *DB) Enqueue(ctx context.Context, now time.Time, messages ...Outgoing) error {
	return db.inTx(ctx, func(tx pgx.Tx) error { return enqueue(ctx, tx, now, messages) })
}

// Enqueue puts messages into the outbox with the transaction.
func (t *Tx) Enqueue(ctx context.Context, now time.Time, messages ...Outgoing) error {
	return enqueue(ctx, t.tx, now, messages)
}

func enqueue(ctx context.Context, q execer, now time.Time, messages []Outgoing) error {
	for _, m := range messages {
		if _, err := q.Exec(ctx, qPutOutbox.sql, m.ID, m.Targets, m.Kind, m.Source, m.URL, m.Title, []byte(m.Payload), now); err != nil {
			return fmt.Errorf("put message %s into the outbox: %w", m.ID, err)
		}
	}
	return nil
}

// ClaimOutbox takes the message to a target that is due first. It is due again after
// lease unless SettleOutbox is told before what became of it. It returns
// ErrNotFound when none is due.
func (db *DB) ClaimOutbox(ctx context.Context, target string, now time.Time, lease time.Duration) (n Notification, err error) {
	err = db.pool.QueryRow(ctx, qClaimOutbox.sql, target, now, now.Add(lease)).
		Scan(&n.Row, &n.ID, &n.Target, &n.Kind, &n.Source, &n.Title, &n.Payload, &n.Created, &n.Attempt)
	if errors.Is(err, pgx.ErrNoRows) {
		return n, ErrNotFound
	}
	if err != nil {
		return n, fmt.Errorf("claim a message: %w", err)
	}
	return n, nil
}

// Settled is what became of an attempt. The zero Settled is a delivery.
type Settled struct {
	Error string    // why it failed; empty: it was delivered
	Again time.Time // when the next attempt may begin, after a failure
	Dead  bool      // no further attempt is made
}

// SettleOutbox records what became of an attempt. One that was overtaken, its lease
// having run out, is not recorded.
func (db *DB) SettleOutbox(ctx context.Context, n Notification, now time.Time, s Settled) error {
	var err error
	if s.Error == "" {
		_, err = db.pool.Exec(ctx, qDeliveredOutbox.sql, n.Row, n.Attempt, now)
	} else {
		_, err = db.pool.Exec(ctx, qFailedOutbox.sql, n.Row, n.Attempt, s.Again, s.Error, s.Dead, now)
	}
	if err != nil {
		return fmt.Errorf("record an attempt on message %s: %w", n.ID, err)
	}
	return nil
}

// NextOutbox returns when the next message to a target is due; false: there is none.
func (db *DB) NextOutbox(ctx context.Context, target string) (time.Time, bool, error) {
	var at *time.Time
	if err := db.pool.QueryRow(ctx, qNextOutbox.sql, target).Scan(&at); err != nil {
		return time.Time{}, false, fmt.Errorf("read the outbox: %w", err)
	}
	return deref(at), at != nil, nil
}

// OutboxState is what waits for a target.
type OutboxState struct {
	Target  string    `json:"target"`
	Waiting int       `json:"waiting"`         // messages to be delivered
	Dead    int       `json:"dead"`            // messages given up
	Oldest  time.Time `json:"oldest,omitzero"` // when the oldest that waits was written; zero: none waits
	Error   string    `json:"error"`           // of the last failure
}

// OutboxStates returns the targets that messages wait for or were given up for, by name.
func (db *DB) OutboxStates(ctx context.Context) ([]OutboxState, error) {
	rows, err := db.pool.Query(ctx, qOutboxStates.sql)
	if err != nil {
		return nil, fmt.Errorf("read the outbox: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (s OutboxState, err error) {
		var oldest *time.Time
		err = row.Scan(&s.Target, &s.Waiting, &s.Dead, &oldest, &s.Error)
		s.Oldest = deref(oldest)
		return s, err
	})
	if err != nil {
		return nil, fmt.Errorf("read the outbox: %w", err)
	}
	return out, nil
}

// ReviveOutbox has messages that were given up tried again from the first attempt,
// those of all targets when target is empty, and returns how many.
func (db *DB) ReviveOutbox(ctx context.Context, target string, now time.Time) (int, error) {
	tag, err := db.pool.Exec(ctx, qReviveOutbox.sql, target, now)
	if err != nil {
		return 0, fmt.Errorf("revive messages: %w", err)
	}
	return int(tag.RowsAffected()), nil
}

// PruneOutbox forgets messages that were delivered or given up before a time, and those that
// should have gone out before it and that nobody takes: of targets that left the configuration, and,
// gathered for a digest, of watches that did.
func (db *DB) PruneOutbox(ctx context.Context, before time.Time) error {
	for _, q := range []statement{qPruneDelivered, qPruneDead, qPruneAbandoned, qPruneItems} {
		if _, err := db.pool.Exec(ctx, q.sql, before); err != nil {
			return fmt.Errorf("forget old messages: %w", err)
		}
	}
	return nil
}
