package main

import (
	"context"
	"fmt"
	"time"

	"github.com/strandlinehq/strandline/store"
	"github.com/strandlinehq/strandline/summarize"
)

// The series and the topic of the benchmark of web pages.
const (
	benchSeries  = "bench"
	benchTopic   = "bench"
	benchPeriods = 24 // of the topic, an hour each
)

// benchSummaries forms a topic over the captured pages and sums up its last hours.
func benchSummaries(ctx context.Context, db *store.DB, topic string) error {
	var last time.Time
	if err := db.Pool().QueryRow(ctx, `select max(last_seen) from core.version`).Scan(&last); err != nil {
		return err
	}
	words, err := benchWords(ctx, db)
	if err != nil {
		return err
	}
	row, err := db.EnsureTopic(ctx, last, store.Topic{Name: topic, Query: words.common, Language: "en", Provider: "archive", Rank: "novel"})
	if err != nil {
		return err
	}
	run := summarize.New(db, summarize.Options{Now: func() time.Time { return last }, Patience: -1})
	set := summarize.Settings{Provider: summarize.Archive{DB: db}}
	if row, err = run.Form(ctx, row, set); err != nil {
		return fmt.Errorf("form the topic: %w", err)
	}
	for k := benchPeriods; k > 0; k-- {
		from := last.Add(-time.Duration(k) * time.Hour)
		if _, err := run.Period(ctx, row, set, from, from.Add(time.Hour), true); err != nil {
			return fmt.Errorf("sum up a period of the topic: %w", err)
		}
	}
	return nil
}

// wordsByShare are words that many, some and few passages have.
type wordsByShare struct{ common, usual, seldom string }

// benchWords looks which words passages have.
func benchWords(ctx context.Context, db *store.DB) (w wordsByShare, err error) {
	err = db.Pool().QueryRow(ctx, `
		with w as (select word, ndoc, max(ndoc) over () as most
		           from ts_stat('select p.words from core.passage p order by p.from_at desc, p.page_id, p.part limit 5000')
		           where word ~ '^[a-z]{4,}$')
		select (select word from w order by ndoc desc, word limit 1),
		       (select word from w order by abs(ndoc - most / 10), word limit 1),
		       (select word from w order by abs(ndoc - most / 200), word limit 1)`).Scan(&w.common, &w.usual, &w.seldom)
	if err != nil {
		return w, fmt.Errorf("look for words: %w", err)
	}
	return w, nil
}
