package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

var (
	qPutTopic = statement{local, `
		insert into core.topic (name, query, language, provider, rank, config, added_at)
		values ($1, $2, $3, $4, $5, $6, $7)
		on conflict (name) do update set query = excluded.query, language = excluded.language, provider = excluded.provider, rank = excluded.rank,
		    config = excluded.config, paused_at = null`}
	qPauseTopics = statement{local, `
		update core.topic set paused_at = $2 where paused_at is null and name <> all($1::text[])`}
	qTopics = statement{local, `
		select t.topic_id, t.name, t.query, t.language, t.provider, t.rank, t.config, t.added_at, t.paused_at, t.clicks, t.clicked_at, t.formed_at,
		       t.tried_at, t.failures, t.note, t.starts_at
		from core.topic t where ($1::text is null or t.name = $1) order by t.name`}
	qPutTopicState = statement{local, `
		update core.topic set clicks = $2, clicked_at = $3, formed_at = $4, tried_at = $5, failures = $6, note = $7, starts_at = $8,
		    told_until = coalesce(told_until, $8) where topic_id = $1`}
	// Those who work on a topic do so one at a time, also on several machines.
	qHoldTopic = statement{local, `select pg_try_advisory_xact_lock(7305825, $1)`}
)

// TopicID is the id of a topic for all time.
type TopicID int32

// Topic is a query with what has become of it.
type Topic struct {
	ID       TopicID
	Name     string // the stable key
	Query    string
	Language string // "": each page has its own
	Provider string
	Rank     string // novel or paper
	Config   json.RawMessage
	AddedAt  time.Time
	PausedAt time.Time // zero: it is configured
	TopicState
}

// TopicState is how far a topic has come.
type TopicState struct {
	Clicks    int       // that its collection has been formed by; -1 before the provider has answered
	ClickedAt time.Time // when the last of these steps was made
	FormedAt  time.Time // zero: the collection is being formed
	TriedAt   time.Time // when the provider was last asked
	Failures  int       // how often in a row it gave no pages
	Note      string    // what forming came to
	StartsAt  time.Time // start of the running period; zero before the first
}

// ErrBusy is wrapped where another one is at work on the same thing.
var ErrBusy = errors.New("another one is at work on it")

// SetTopics makes the topics those given, by their names: new ones are added,
// changed ones changed, and those that are not named are paused and keep their
// history. It returns all running ones.
func (db *DB) SetTopics(ctx context.Context, now time.Time, topics []Topic) ([]Topic, error) {
	names := make([]string, len(topics))
	err := db.inTx(ctx, func(tx pgx.Tx) error {
		for i, t := range topics {
			names[i] = t.Name
			config := t.Config
			if config == nil {
				config = json.RawMessage("{}")
			}
			if _, err := tx.Exec(ctx, qPutTopic.sql, t.Name, t.Query, t.Language, t.Provider, t.Rank, config, now); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, qPauseTopics.sql, names, now)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("apply topics: %w", err)
	}
	all, err := db.Topics(ctx)
	running := all[:0]
	for _, t := range all {
		if t.PausedAt.IsZero() {
			running = append(running, t)
		}
	}
	return running, err
}

// EnsureTopic adds one topic, or changes it, and leaves all others as they are.
func (db *DB) EnsureTopic(ctx context.Context, now time.Time, t Topic) (Topic, error) {
	if t.Config == nil {
		t.Config = json.RawMessage("{}")
	}
	if _, err := db.pool.Exec(ctx, qPutTopic.sql, t.Name, t.Query, t.Language, t.Provider, t.Rank, t.Config, now); err != nil {
		return Topic{}, fmt.Errorf("apply topic %s: %w", t.Name, err)
	}
	return db.TopicByName(ctx, t.Name)
}

// Topics returns all topics that ever were configured, by name.
func (db *DB) Topics(ctx context.Context) ([]Topic, error) { return db.topics(ctx, nil) }

// TopicByName returns the topic of a name, or an error that wraps ErrNotFound.
func (db *DB) TopicByName(ctx context.Context, name string) (Topic, error) {
	list, err := db.topics(ctx, &name)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("topic %s: %w", name, ErrNotFound)
	}
	if err != nil {
		return Topic{}, err
	}
	return list[0], nil
}

func (db *DB) topics(ctx context.Context, name *string) ([]Topic, error) {
	rows, err := db.pool.Query(ctx, qTopics.sql, name)
	if err != nil {
		return nil, fmt.Errorf("read topics: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (t Topic, err error) {
		var paused, clicked, formed, tried, starts *time.Time
		err = row.Scan(&t.ID, &t.Name, &t.Query, &t.Language, &t.Provider, &t.Rank, &t.Config, &t.AddedAt, &paused, &t.Clicks, &clicked, &formed,
			&tried, &t.Failures, &t.Note, &starts)
		t.PausedAt, t.ClickedAt, t.FormedAt, t.TriedAt, t.StartsAt = deref(paused), deref(clicked), deref(formed), deref(tried), deref(starts)
		return t, err
	})
	if err != nil {
		return nil, fmt.Errorf("read topics: %w", err)
	}
	return out, nil
}

// PutTopicState stores how far a topic has come.
func (db *DB) PutTopicState(ctx context.Context, id TopicID, s TopicState) error {
	return putTopicState(ctx, db.pool, id, s)
}

func putTopicState(ctx context.Context, e execer, id TopicID, s TopicState) error {
	_, err := e.Exec(ctx, qPutTopicState.sql, id, s.Clicks, orNil(s.ClickedAt), orNil(s.FormedAt), orNil(s.TriedAt), s.Failures, s.Note, orNil(s.StartsAt))
	if err != nil {
		return fmt.Errorf("store state of a topic: %w", err)
	}
	return nil
}

// holdTopic keeps others from working on a topic until the transaction ends; its
// error wraps ErrBusy when another one does.
func holdTopic(ctx context.Context, tx pgx.Tx, id TopicID) error {
	var held bool
	if err := tx.QueryRow(ctx, qHoldTopic.sql, id).Scan(&held); err != nil {
		return err
	}
	if !held {
		return ErrBusy
	}
	return nil
}
