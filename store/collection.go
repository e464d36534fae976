package store

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// The language model of all pages is kept a period at a time: a year before 2025,
// a day from then on, as the partitions are. Whoever writes fetches notes their
// periods; a stage computes these anew from the fetches, and the model changes by
// the difference. So the model is a function of what is stored, whatever the order
// in which it came. The tables are local: the model is one for all buckets.
var (
	qNotePeriods = statement{local, `insert into core.collection_todo (period_start) select unnest($1::timestamptz[])`}
	qHoldModel   = statement{local, `select pg_try_advisory_xact_lock(7305822)`}
	qTakePeriods = statement{local, `
		delete from core.collection_todo t
		where t.period_start in (select distinct d.period_start from core.collection_todo d order by 1 limit $1)
		returning t.period_start`}
	// A content counts in the hours in which a fetch saw it; hours are counted from
	// the page's first version. Pages are read whole, in the order of their ids.
	qShown = statement{all, `
		select f.page_id, f.started_at, v.record, o.first_seen
		from core.fetch f
		join core.version v on v.bucket = f.bucket and v.page_id = f.page_id and v.version = f.version
		join core.version o on o.bucket = f.bucket and o.page_id = f.page_id and o.version = 1
		where f.started_at >= $1 and f.started_at < $2 and f.version is not null and f.page_id > $3
		order by f.page_id, f.started_at, f.attempt
		limit $4`}
	qPeriodData = statement{local, `select period_start, data from core.collection_period where period_start = any($1::timestamptz[])`}
	qPutPeriods = statement{local, `
		insert into core.collection_period (period_start, slots, versions, words, terms, cut, data, computed_at)
		select v.*, $8 from unnest($1::timestamptz[], $2::int[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bytea[]) v
		on conflict (period_start) do update set
		    slots = excluded.slots, versions = excluded.versions, words = excluded.words, terms = excluded.terms, cut = excluded.cut,
		    data = excluded.data, computed_at = excluded.computed_at`}
	qDropPeriods = statement{local, `delete from core.collection_period where slots = 0`}
	qAddTerms    = statement{local, `
		insert into core.collection_term (term, sum) select * from unnest($1::text[], $2::bigint[])
		on conflict (term) do update set sum = core.collection_term.sum + excluded.sum`}
	qDropTerms  = statement{local, `delete from core.collection_term where sum = 0 and term = any($1::text[])`}
	qForgetAll  = statement{local, `with p as (delete from core.collection_period) delete from core.collection_term`}
	qFetchTimes = statement{all, `select distinct date_trunc('hour', started_at, 'UTC') from core.fetch where version is not null`}
	qShares     = statement{local, `select term, share from api_v1.collection_term where term = any($1::text[])`}
	qCollection = statement{local, `
		select coalesce(sum(slots), 0), coalesce(sum(versions), 0), coalesce(sum(words), 0), coalesce(sum(cut), 0),
		       (select count(*) from core.collection_todo), (select count(*) from core.collection_term)
		from core.collection_period`}
)

// Period returns the period of the language model that a time lies in, as [from, to).
func Period(at time.Time) (from, to time.Time) {
	at = at.UTC()
	if at.Year() < 2025 {
		from = time.Date(at.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
		return from, from.AddDate(1, 0, 0)
	}
	from = at.Truncate(24 * time.Hour)
	return from, from.Add(24 * time.Hour)
}

// notePeriods queues the periods in which fetches may count. As hours are counted
// from a page's first version, a fetch may count in the hour before or after its own.
func notePeriods(ctx context.Context, tx pgx.Tx, times []time.Time) error {
	seen := map[time.Time]bool{}
	var periods []time.Time
	for _, at := range times {
		for _, near := range [...]time.Time{at.Add(-time.Hour), at.Add(time.Hour)} {
			if from, _ := Period(near); !seen[from] {
				seen[from] = true
				periods = append(periods, from)
			}
		}
	}
	if len(periods) == 0 {
		return nil
	}
	slices.SortFunc(periods, time.Time.Compare)
	if _, err := tx.Exec(ctx, qNotePeriods.sql, periods); err != nil {
		return fmt.Errorf("note periods of the language model: %w", err)
	}
	return nil
}

// TakePeriods calls f with up to limit periods of the language model that have to
// be computed anew, ascending, and the transaction in which they were taken. It
// returns their number; 0 means that there are none or that another program is at
// work on them.
func (db *DB) TakePeriods(ctx context.Context, limit int, f func(*Tx, []time.Time) error) (int, error) {
	var n int
	err := db.inTx(ctx, func(tx pgx.Tx) error {
		var held bool
		if err := tx.QueryRow(ctx, qHoldModel.sql).Scan(&held); err != nil || !held {
			return err
		}
		rows, err := tx.Query(ctx, qTakePeriods.sql, limit)
		if err != nil {
			return err
		}
		periods, err := pgx.CollectRows(rows, pgx.RowTo[time.Time])
		if err != nil {
			return err
		}
		slices.SortFunc(periods, time.Time.Compare)
		periods = slices.CompactFunc(periods, time.Time.Equal)
		if n = len(periods); n == 0 {
			return nil
		}
		return f(&Tx{db: db, tx: tx}, periods)
	})
	if err != nil {
		return 0, fmt.Errorf("language model: %w", err)
	}
	return n, nil
}

// Shown is a fetch that saw a version.
type Shown struct {
	Page   PageID
	At     time.Time
	Record SHA256
	Origin time.Time // when the page's first version was first seen
}

// Shown returns up to limit fetches of [from, to) that saw a version, of pages
// behind one, ascending by page and time.
func (t *Tx) Shown(ctx context.Context, from, to time.Time, after PageID, limit int) ([]Shown, error) {
	rows, err := t.tx.Query(ctx, qShown.sql, from, to, after, limit)
	if err != nil {
		return nil, fmt.Errorf("read what was seen: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (s Shown, err error) {
		var record []byte
		err = row.Scan(&s.Page, &s.At, &record, &s.Origin)
		copy(s.Record[:], record)
		return s, err
	})
	if err != nil {
		return nil, fmt.Errorf("read what was seen: %w", err)
	}
	return out, nil
}

// PeriodModel is what a period adds to the language model. Data is opaque to the
// store.
type PeriodModel struct {
	Start                       time.Time
	Slots                       int
	Versions, Words, Terms, Cut int64
	Data                        []byte
}

// PeriodData returns the data of periods that are stored, by their start in UTC.
func (t *Tx) PeriodData(ctx context.Context, starts []time.Time) (map[time.Time][]byte, error) {
	rows, err := t.tx.Query(ctx, qPeriodData.sql, starts)
	if err != nil {
		return nil, fmt.Errorf("read periods: %w", err)
	}
	out := map[time.Time][]byte{}
	var start time.Time
	var data []byte
	if _, err := pgx.ForEachRow(rows, []any{&start, &data}, func() error {
		out[start.UTC()] = slices.Clone(data)
		return nil
	}); err != nil {
		return nil, fmt.Errorf("read periods: %w", err)
	}
	return out, nil
}

// PutPeriods stores periods in place of what they were, and adds the differences
// to the sums of terms.
func (t *Tx) PutPeriods(ctx context.Context, periods []PeriodModel, terms []string, differences []int64) error {
	var in struct {
		starts                      []time.Time
		slots                       []int
		versions, words, terms, cut []int64
		data                        [][]byte
	}
	for _, p := range periods {
		in.starts, in.slots, in.versions = append(in.starts, p.Start), append(in.slots, p.Slots), append(in.versions, p.Versions)
		in.words, in.terms, in.cut = append(in.words, p.Words), append(in.terms, p.Terms), append(in.cut, p.Cut)
		in.data = append(in.data, notNil(p.Data))
	}
	if _, err := t.tx.Exec(ctx, qPutPeriods.sql, in.starts, in.slots, in.versions, in.words, in.terms, in.cut, in.data, t.db.now()); err != nil {
		return fmt.Errorf("store periods: %w", err)
	}
	if _, err := t.tx.Exec(ctx, qDropPeriods.sql); err != nil {
		return fmt.Errorf("store periods: %w", err)
	}
	if len(terms) == 0 {
		return nil
	}
	if _, err := t.tx.Exec(ctx, qAddTerms.sql, terms, differences); err != nil {
		return fmt.Errorf("store terms: %w", err)
	}
	if _, err := t.tx.Exec(ctx, qDropTerms.sql, terms); err != nil {
		return fmt.Errorf("store terms: %w", err)
	}
	return nil
}

// forgetModel drops the language model and queues all its periods.
func (db *DB) forgetModel(ctx context.Context) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, qFetchTimes.sql)
		if err != nil {
			return err
		}
		hours, err := pgx.CollectRows(rows, pgx.RowTo[time.Time])
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, qForgetAll.sql); err != nil {
			return err
		}
		return notePeriods(ctx, tx, hourEnds(hours))
	})
}

// Shares returns P(w|C) of terms in the language model of all pages; a term that
// it does not have is left out.
func (db *DB) Shares(ctx context.Context, terms []string) (map[string]float64, error) {
	rows, err := db.pool.Query(ctx, qShares.sql, terms)
	if err != nil {
		return nil, fmt.Errorf("read the language model: %w", err)
	}
	out := make(map[string]float64, len(terms))
	var term string
	var share float64
	if _, err := pgx.ForEachRow(rows, []any{&term, &share}, func() error {
		out[term] = share
		return nil
	}); err != nil {
		return nil, fmt.Errorf("read the language model: %w", err)
	}
	return out, nil
}

// Collection says what the language model of all pages covers.
type Collection struct {
	Slots, Versions, Words int64
	Cut                    int64 // bounds the sum of a term that is not in it, in units of 2^-44
	Waiting                int64 // notes of periods that are to be computed
	Terms                  int64
}

// CutShare bounds the share of all words that a term has which is not in the model.
func (c Collection) CutShare() float64 {
	if c.Slots == 0 {
		return 0
	}
	return math.Ldexp(float64(c.Cut), -44) / float64(c.Slots)
}

// Collection returns what the language model covers.
func (db *DB) Collection(ctx context.Context) (c Collection, err error) {
	err = db.pool.QueryRow(ctx, qCollection.sql).Scan(&c.Slots, &c.Versions, &c.Words, &c.Cut, &c.Waiting, &c.Terms)
	if err != nil {
		return c, fmt.Errorf("read the language model: %w", err)
	}
	return c, nil
}

// View calls f with a transaction that sees one state of the database, for reading.
func (db *DB) View(ctx context.Context, f func(*Tx) error) error {
	err := pgx.BeginTxFunc(ctx, db.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		return f(&Tx{db: db, tx: tx})
	})
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	return nil
}
