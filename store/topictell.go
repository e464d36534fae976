package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

var (
	// Only what a daemon has closed is told: a period that somebody computed by hand ends
	// behind starts_at, or was there before the topic was followed.
	qUntoldPeriods = statement{local, `
		select p.period_start, p.period_end
		from core.topic t
		join core.topic_period p on p.topic_id = t.topic_id and p.period_end > t.told_until and p.period_end <= t.starts_at
		where t.topic_id = $1
		order by p.period_start limit $2`}
	// The row lock makes two daemons tell one after the other, and the second one nothing.
	qTellTopic = statement{local, `
		update core.topic set told_until = $2 where topic_id = $1 and told_until < $2`}
)

// Untold returns the closed periods of a topic that have not been told to anybody, the
// oldest first, with no more than their bounds.
func (db *DB) Untold(ctx context.Context, id TopicID, limit int) ([]TopicPeriod, error) {
	rows, err := db.pool.Query(ctx, qUntoldPeriods.sql, id, limit)
	if err != nil {
		return nil, fmt.Errorf("read periods to be told: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p TopicPeriod, err error) {
		err = row.Scan(&p.From, &p.To)
		return p, err
	})
	if err != nil {
		return nil, fmt.Errorf("read periods to be told: %w", err)
	}
	return out, nil
}

// TellTopic notes that the periods of a topic up to a time have been told, and puts the messages
// that tell them into the outbox, both or neither. Where they have been told already it does
// nothing, and returns false.
func (db *DB) TellTopic(ctx context.Context, id TopicID, until, now time.Time, messages ...Outgoing) (told bool, err error) {
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, qTellTopic.sql, id, until)
		if told = err == nil && tag.RowsAffected() == 1; err != nil || !told {
			return err
		}
		return enqueue(ctx, tx, now, messages)
	})
	if err != nil {
		return false, fmt.Errorf("tell a period of a topic: %w", err)
	}
	return told, nil
}
