package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

var (
	qTopicPeriods = statement{local, `
		select period_start, period_end, computed_at, rank, pages, tracked, pages_checked, pages_changed, hosts_changed, fetches, failed, first_read,
		       sentences, boilerplate, copies, repeats, fresh, added, proposed, departed, note
		from core.topic_period where topic_id = $1 and ($2::timestamptz is null or period_start = $2)
		  and ($4::timestamptz is null or period_start < $4)
		order by period_start desc limit $3`}
	qTopicScores = statement{local, `
		select page_id, fetches, coalesce(version_from, 0), coalesce(version_to, 0), sentences, terms, weights, score, linked, up_to_date, rank, tracked
		from core.topic_score where topic_id = $1 and period_start = $2 order by rank`}
	qPastScores = statement{local, `
		select page_id, period_start, score + linked, version_to is not null from core.topic_score
		where topic_id = $1 and period_start < $2 order by page_id, period_start`}
	qTopicTerms = statement{local, `
		select rank, term, word, occurrences, pages, weight, hosts, g2, trend, burst_since
		from core.topic_term where topic_id = $1 and period_start = $2 order by rank limit $3`}
	qPastTerms = statement{local, `
		select period_start, term, hosts from core.topic_term where topic_id = $1 and period_start < $2 and term = any($3::text[]) order by period_start`}
	qTermHistory = statement{local, `
		select period_start, term, hosts, burst_since from core.topic_term
		where topic_id = $1 and period_start >= $2 and period_start <= $3 and term = any($4::text[]) order by period_start`}
	qTopicSentences = statement{local, `
		select mode, kind, rank, place, sentence, before, after, weight, pages, hosts, page_id, version, at, label, cluster, cosine, earlier, said_by
		from core.topic_sentence where topic_id = $1 and period_start = $2 and ($3 = '' or mode = $3) order by mode, kind, rank`}
	qTopicHistory = statement{local, `
		select period_start, data from core.topic_history where topic_id = $1 and period_start < $2 order by period_start`}
	qTopicCounts = statement{local, `
		select t.topic_id,
		       (select count(*) from core.topic_page m where m.topic_id = t.topic_id and m.added_at is not null and m.left_at is null),
		       (select count(*) from core.topic_page m where m.topic_id = t.topic_id and m.added_at is null and m.left_at is null),
		       d.period_start, d.period_end, coalesce(d.sentences, 0)
		from core.topic t
		left join lateral (select r.period_start, r.period_end, r.sentences from core.topic_period r
		                   where r.topic_id = t.topic_id order by r.period_start desc limit 1) d on true`}
	qPageTopicScores = statement{local, `
		select d.period_start, d.period_end, s.page_id, s.score + s.linked, s.up_to_date, s.version_to is not null
		from core.topic_score s join core.topic_period d using (topic_id, period_start)
		where s.topic_id = $1 and s.page_id = any($2::bigint[]) order by s.page_id, d.period_start`}
)

// TopicPeriods returns the last periods of a topic, the newest first.
func (db *DB) TopicPeriods(ctx context.Context, id TopicID, limit int) ([]TopicPeriod, error) {
	return db.topicPeriods(ctx, id, nil, nil, limit)
}

// TopicPeriodsBefore returns the last periods of a topic that start before a time,
// the newest first.
func (db *DB) TopicPeriodsBefore(ctx context.Context, id TopicID, before time.Time, limit int) ([]TopicPeriod, error) {
	return db.topicPeriods(ctx, id, nil, &before, limit)
}

// TopicPeriodAt returns the period that starts at a time, or an error that wraps
// ErrNotFound.
func (db *DB) TopicPeriodAt(ctx context.Context, id TopicID, start time.Time) (TopicPeriod, error) {
	list, err := db.topicPeriods(ctx, id, &start, nil, 1)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("a period from %s: %w", start.UTC().Format(time.RFC3339), ErrNotFound)
	}
	if err != nil {
		return TopicPeriod{}, err
	}
	return list[0], nil
}

func (db *DB) topicPeriods(ctx context.Context, id TopicID, start, before *time.Time, limit int) ([]TopicPeriod, error) {
	rows, err := db.pool.Query(ctx, qTopicPeriods.sql, id, start, limit, before)
	if err != nil {
		return nil, fmt.Errorf("read periods of a topic: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByPos[TopicPeriod])
	if err != nil {
		return nil, fmt.Errorf("read periods of a topic: %w", err)
	}
	return out, nil
}

// TopicScores returns what each page brought in a period, the best first.
func (db *DB) TopicScores(ctx context.Context, id TopicID, start time.Time) ([]TopicScore, error) {
	rows, err := db.pool.Query(ctx, qTopicScores.sql, id, start)
	if err != nil {
		return nil, fmt.Errorf("read scores of a topic: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByPos[TopicScore])
	if err != nil {
		return nil, fmt.Errorf("read scores of a topic: %w", err)
	}
	return out, nil
}

// PastScore is the score of a page in a past period.
type PastScore struct {
	Start time.Time
	Score float64 // with the portion of linked pages
	Seen  bool    // it was fetched
}

// PastScores returns the scores of pages in the periods before a time, in order.
func (db *DB) PastScores(ctx context.Context, id TopicID, before time.Time) (map[PageID][]PastScore, error) {
	rows, err := db.pool.Query(ctx, qPastScores.sql, id, before)
	if err != nil {
		return nil, fmt.Errorf("read past scores of a topic: %w", err)
	}
	out := map[PageID][]PastScore{}
	var page PageID
	var s PastScore
	if _, err := pgx.ForEachRow(rows, []any{&page, &s.Start, &s.Score, &s.Seen}, func() error { out[page] = append(out[page], s); return nil }); err != nil {
		return nil, fmt.Errorf("read past scores of a topic: %w", err)
	}
	return out, nil
}

// TopicTerms returns the heaviest terms of a period.
func (db *DB) TopicTerms(ctx context.Context, id TopicID, start time.Time, limit int) ([]TopicTerm, error) {
	rows, err := db.pool.Query(ctx, qTopicTerms.sql, id, start, limit)
	if err != nil {
		return nil, fmt.Errorf("read terms of a topic: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (t TopicTerm, err error) {
		var burst *time.Time
		err = row.Scan(&t.Rank, &t.Term, &t.Word, &t.Occurrences, &t.Pages, &t.Weight, &t.Hosts, &t.G2, &t.Trend, &burst)
		t.BurstSince = deref(burst)
		return t, err
	})
	if err != nil {
		return nil, fmt.Errorf("read terms of a topic: %w", err)
	}
	return out, nil
}

// PastTerms returns in how many hosts' new text each term was, by the start of the
// periods before a time.
func (db *DB) PastTerms(ctx context.Context, id TopicID, before time.Time, terms []string) (map[string]map[time.Time]int, error) {
	rows, err := db.pool.Query(ctx, qPastTerms.sql, id, before, terms)
	if err != nil {
		return nil, fmt.Errorf("read past terms of a topic: %w", err)
	}
	out := map[string]map[time.Time]int{}
	var start time.Time
	var term string
	var hosts int
	_, err = pgx.ForEachRow(rows, []any{&start, &term, &hosts}, func() error {
		if out[term] == nil {
			out[term] = map[time.Time]int{}
		}
		out[term][start.UTC()] = hosts
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read past terms of a topic: %w", err)
	}
	return out, nil
}

// TermPeriod is a term in a period.
type TermPeriod struct {
	Start      time.Time // of the period
	Term       string
	Hosts      int
	BurstSince time.Time // start of the burst that it was in then; zero: none
}

// TermHistory returns terms in the periods that start from from up to to, in order; a
// period without a term has no row of it.
func (db *DB) TermHistory(ctx context.Context, id TopicID, from, to time.Time, terms []string) ([]TermPeriod, error) {
	rows, err := db.pool.Query(ctx, qTermHistory.sql, id, from, to, terms)
	if err != nil {
		return nil, fmt.Errorf("read the periods of terms: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (t TermPeriod, err error) {
		var burst *time.Time
		err = row.Scan(&t.Start, &t.Term, &t.Hosts, &burst)
		t.Start, t.BurstSince = t.Start.UTC(), deref(burst)
		return t, err
	})
	if err != nil {
		return nil, fmt.Errorf("read the periods of terms: %w", err)
	}
	return out, nil
}

// TopicSentences returns what the summary of a period tells in a mode, or in both
// where mode is "", by mode, kind and rank.
func (db *DB) TopicSentences(ctx context.Context, id TopicID, start time.Time, mode string) ([]TopicSentence, error) {
	rows, err := db.pool.Query(ctx, qTopicSentences.sql, id, start, mode)
	if err != nil {
		return nil, fmt.Errorf("read sentences of a topic: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByPos[TopicSentence])
	if err != nil {
		return nil, fmt.Errorf("read sentences of a topic: %w", err)
	}
	return out, nil
}

// PastHistory is what a period added to what is known of a topic.
type PastHistory struct {
	Start time.Time
	Data  []byte
}

// TopicHistory returns what was known of a topic before a time, period by period.
func (db *DB) TopicHistory(ctx context.Context, id TopicID, before time.Time) ([]PastHistory, error) {
	rows, err := db.pool.Query(ctx, qTopicHistory.sql, id, before)
	if err != nil {
		return nil, fmt.Errorf("read history of a topic: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByPos[PastHistory])
	if err != nil {
		return nil, fmt.Errorf("read history of a topic: %w", err)
	}
	return out, nil
}

// PageScore is the score of a page in a period, for a figure.
type PageScore struct {
	From, To time.Time
	Page     PageID
	Score    float64
	UpToDate float64
	Seen     bool // it was fetched
}

// PageScores returns the scores of some pages over all periods, by page and time.
func (db *DB) PageScores(ctx context.Context, id TopicID, pages []PageID) ([]PageScore, error) {
	rows, err := db.pool.Query(ctx, qPageTopicScores.sql, id, pages)
	if err != nil {
		return nil, fmt.Errorf("read scores of pages: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByPos[PageScore])
	if err != nil {
		return nil, fmt.Errorf("read scores of pages: %w", err)
	}
	return out, nil
}

// TopicCount is a topic with the size of its collection and its last period.
type TopicCount struct {
	Topic
	Members, Proposed int64
	LastStart         time.Time // zero: no period yet
	LastPeriod        time.Time // its end
	LastSentences     int
}

// TopicCounts returns all topics that ever were configured, by name.
func (db *DB) TopicCounts(ctx context.Context) ([]TopicCount, error) {
	topics, err := db.Topics(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := db.pool.Query(ctx, qTopicCounts.sql)
	if err != nil {
		return nil, fmt.Errorf("count pages of topics: %w", err)
	}
	counts := map[TopicID]TopicCount{}
	var id TopicID
	var c TopicCount
	var start, end *time.Time
	_, err = pgx.ForEachRow(rows, []any{&id, &c.Members, &c.Proposed, &start, &end, &c.LastSentences}, func() error {
		c.LastStart, c.LastPeriod = deref(start), deref(end)
		counts[id] = c
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("count pages of topics: %w", err)
	}
	out := make([]TopicCount, len(topics))
	for i, t := range topics {
		out[i] = counts[t.ID]
		out[i].Topic = t
	}
	return out, nil
}
