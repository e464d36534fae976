package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

var (
	qDropPeriod = []statement{
		{local, `delete from core.topic_period where topic_id = $1 and period_start = $2`},
		{local, `delete from core.topic_score where topic_id = $1 and period_start = $2`},
		{local, `delete from core.topic_term where topic_id = $1 and period_start = $2`},
		{local, `delete from core.topic_sentence where topic_id = $1 and period_start = $2`},
		{local, `delete from core.topic_history where topic_id = $1 and period_start = $2`},
	}
	// A period that overlaps this one was cut by another schedule, and is replaced.
	qOverlapping = statement{local, `
		select period_start from core.topic_period where topic_id = $1 and period_start < $3 and period_end > $2`}
	qPutPeriod = statement{local, `
		insert into core.topic_period (topic_id, period_start, period_end, computed_at, rank, pages, tracked, pages_checked, pages_changed, hosts_changed,
		    fetches, failed, first_read, sentences, boilerplate, copies, repeats, fresh, added, proposed, departed, note)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)`}
	qPutHistory = statement{local, `
		insert into core.topic_history (topic_id, period_start, sentences, data) values ($1, $2, $3, $4)`}
)

// TopicPeriod is a period of a topic, in counts.
type TopicPeriod struct {
	From, To     time.Time // To belongs to the next one
	ComputedAt   time.Time
	Rank         string // novel or paper
	Pages        int    // of the collection
	Tracked      int    // best ones, which were read for the summary
	Checked      int    // fetched with success
	Changed      int    // of these, with new sentences
	HostsChanged int
	Fetches      int64
	Failed       int64
	FirstRead    int // pages read for the first time
	Sentences    int // new, of tracked pages, boilerplate left out
	Boilerplate  int
	Copies       int
	Repeats      int
	Fresh        int
	Added        int
	Proposed     int
	Departed     int
	Note         string
}

// TopicScore is what a page brought in a period.
type TopicScore struct {
	Page        PageID
	Fetches     int
	VersionFrom int32 // 0: none
	VersionTo   int32 // 0: it was not fetched
	Sentences   int
	Terms       int     // N_d
	Weights     float64 // sum of their weights
	Score       float64 // S
	Linked      float64
	UpToDate    float64 // D
	Rank        int
	Tracked     bool
}

// TopicTerm is a term of a period.
type TopicTerm struct {
	Rank        int
	Term        string // the stem
	Word        string // what stands for it
	Occurrences int    // CF
	Pages       int    // n
	Weight      float64
	Hosts       int
	G2          float64
	Trend       string
	BurstSince  time.Time // zero: none
}

// TopicSentence is what a summary tells.
type TopicSentence struct {
	Mode     string // novel or paper
	Kind     string // sentence, row or retracted
	Rank     int
	Place    int // in the order of reading
	Sentence string
	Before   string
	After    string
	Weight   float64
	Pages    int
	Hosts    int
	Page     PageID
	Version  int32
	At       time.Time
	Label    string
	Cluster  int
	Cosine   float64
	Earlier  string
	SaidBy   []PageID
}

// TopicRun is all that was computed of a period.
type TopicRun struct {
	TopicPeriod
	Scores    []TopicScore
	Terms     []TopicTerm
	Sentences []TopicSentence
	// History is what the period adds to what is known of the topic, of so many sentences.
	History          []byte
	HistorySentences int

	Admitted []TopicPage       // pages that join or are proposed
	Leaving  map[PageID]string // pages that leave, with the reason
}

// PutTopicRun stores a period in one transaction, in place of what was computed of
// it before. next is where the topic stands after it; nil leaves that as it is.
// The error wraps ErrBusy while another one stores a period of the topic.
func (db *DB) PutTopicRun(ctx context.Context, id TopicID, r *TopicRun, next *TopicState) error {
	err := db.inTx(ctx, func(tx pgx.Tx) error {
		if err := holdTopic(ctx, tx, id); err != nil {
			return err
		}
		if err := dropPeriods(ctx, tx, id, r.From, r.To); err != nil {
			return err
		}
		if err := leaveTopic(ctx, tx, id, r.To, r.Leaving); err != nil {
			return err
		}
		if _, err := addTopicPages(ctx, tx, id, r.Admitted); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, qPutPeriod.sql, id, r.From, r.To, r.ComputedAt, r.Rank, r.Pages, r.Tracked, r.Checked, r.Changed, r.HostsChanged,
			r.Fetches, r.Failed, r.FirstRead, r.TopicPeriod.Sentences, r.Boilerplate, r.Copies, r.Repeats, r.Fresh, r.Added, r.Proposed, r.Departed, r.Note)
		if err != nil {
			return err
		}
		if err := putTopicScores(ctx, tx, id, r); err != nil {
			return err
		}
		if err := copyTopicRows(ctx, tx, id, r); err != nil {
			return err
		}
		if len(r.History) > 0 {
			if _, err := tx.Exec(ctx, qPutHistory.sql, id, r.From, r.HistorySentences, r.History); err != nil {
				return err
			}
		}
		if next == nil {
			return nil
		}
		return putTopicState(ctx, tx, id, *next)
	})
	if err != nil {
		return fmt.Errorf("store period of %s of a topic: %w", r.From.Format(time.RFC3339), err)
	}
	return nil
}

func dropPeriods(ctx context.Context, tx pgx.Tx, id TopicID, from, to time.Time) error {
	rows, err := tx.Query(ctx, qOverlapping.sql, id, from, to)
	if err != nil {
		return err
	}
	starts, err := pgx.CollectRows(rows, pgx.RowTo[time.Time])
	if err != nil {
		return err
	}
	for _, at := range starts {
		for _, q := range qDropPeriod {
			if _, err := tx.Exec(ctx, q.sql, id, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// putTopicScores stores the scores, and ranks the pages by them.
func putTopicScores(ctx context.Context, tx pgx.Tx, id TopicID, r *TopicRun) error {
	var pages []PageID
	var score, upToDate []float64
	var rank []int32
	var tracked []bool
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"core", "topic_score"},
		[]string{
			"topic_id", "period_start", "page_id", "bucket", "fetches", "version_from", "version_to", "sentences", "terms", "weights", "score", "linked",
			"up_to_date", "rank", "tracked",
		},
		pgx.CopyFromSlice(len(r.Scores), func(i int) ([]any, error) {
			s := &r.Scores[i]
			return []any{
				id, r.From, s.Page, s.Page.Bucket(), s.Fetches, numberOrNil(s.VersionFrom), numberOrNil(s.VersionTo), s.Sentences, s.Terms, s.Weights, s.Score,
				s.Linked, s.UpToDate, s.Rank, s.Tracked,
			}, nil
		}))
	if err != nil {
		return err
	}
	for _, s := range r.Scores {
		pages, score, upToDate = append(pages, s.Page), append(score, s.Score+s.Linked), append(upToDate, s.UpToDate)
		rank, tracked = append(rank, int32(s.Rank)), append(tracked, s.Tracked)
	}
	_, err = tx.Exec(ctx, qRankTopicPages.sql, id, pages, score, upToDate, rank, tracked)
	return err
}

func numberOrNil(n int32) *int32 {
	if n == 0 {
		return nil
	}
	return &n
}

// copyTopicRows stores terms and sentences.
func copyTopicRows(ctx context.Context, tx pgx.Tx, id TopicID, r *TopicRun) error {
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"core", "topic_term"},
		[]string{"topic_id", "period_start", "rank", "term", "word", "occurrences", "pages", "weight", "hosts", "g2", "trend", "burst_since"},
		pgx.CopyFromSlice(len(r.Terms), func(i int) ([]any, error) {
			t := &r.Terms[i]
			return []any{id, r.From, t.Rank, cleanText(t.Term), cleanText(t.Word), t.Occurrences, t.Pages, t.Weight, t.Hosts, t.G2, t.Trend, orNil(t.BurstSince)}, nil
		}))
	if err != nil {
		return err
	}
	_, err = tx.CopyFrom(ctx, pgx.Identifier{"core", "topic_sentence"},
		[]string{
			"topic_id", "period_start", "mode", "kind", "rank", "place", "sentence", "before", "after", "weight", "pages", "hosts", "page_id", "bucket",
			"version", "at", "label", "cluster", "cosine", "earlier", "said_by",
		},
		pgx.CopyFromSlice(len(r.Sentences), func(i int) ([]any, error) {
			s := &r.Sentences[i]
			by := s.SaidBy
			if by == nil {
				by = []PageID{s.Page}
			}
			return []any{
				id, r.From, s.Mode, s.Kind, s.Rank, s.Place, cleanText(s.Sentence), cleanText(s.Before), cleanText(s.After), s.Weight, s.Pages, s.Hosts,
				s.Page, s.Page.Bucket(), s.Version, s.At, s.Label, s.Cluster, s.Cosine, cleanText(s.Earlier), by,
			}, nil
		}))
	return err
}

// ReopenTopic undoes what a topic's collection gained and lost at the end of
// periods from a time on, so that they can be computed anew. What a person decided
// stays.
func (db *DB) ReopenTopic(ctx context.Context, id TopicID, from time.Time) error {
	err := db.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, qDropGrowth.sql, id, from); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, qUndoLeaving.sql, id, from)
		return err
	})
	if err != nil {
		return fmt.Errorf("reopen a period of a topic: %w", err)
	}
	return nil
}
