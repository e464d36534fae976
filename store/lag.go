package store

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// Of how late fetches started, core.schedule_lag has counts, and core.schedule_lag_day what
// those of a day come to. Whoever counts locks the days of the watches it counted for, reads
// their counts, its own and all others' that are committed, and writes the days anew. So a day
// is never more than its counts, and never less; nothing is added to what was there.
var (
	qAddLag = statement{local, `
		insert into core.schedule_lag as l (watch_id, kind, hour, bin, fetches)
		select * from unnest($1::int[], $2::text[], $3::timestamptz[], $4::smallint[], $5::bigint[])
		on conflict (watch_id, kind, hour, bin) do update set fetches = l.fetches + excluded.fetches`}
	// Hours wait for the counts of who came first: whoever has the row has all of them.
	qLockLagDay = statement{local, `
		insert into core.schedule_lag_day as d (watch_id, kind, since)
		select u.watch_id, u.kind, timestamptz 'infinity' from unnest($1::int[], $2::text[]) with ordinality u(watch_id, kind, n) order by u.n
		on conflict (watch_id, kind) do update set since = d.since`}
	qReadLags = statement{local, `
		select u.n, l.hour, l.bin, l.fetches
		from unnest($1::int[], $2::text[]) with ordinality u(watch_id, kind, n)
		join core.schedule_lag l on l.watch_id = u.watch_id and l.kind = u.kind and l.hour > $3
		order by u.n, l.hour desc`}
	qPutLagDay = statement{local, `
		update core.schedule_lag_day d set since = $3, hours = u.hours::timestamptz[], p50 = u.p50::smallint[], p99 = u.p99::smallint[]
		from unnest($1::int[], $2::text[], $4::text[], $5::text[], $6::text[]) u(watch_id, kind, hours, p50, p99)
		where d.watch_id = u.watch_id and d.kind = u.kind`}
	qDropLag = statement{local, `delete from core.schedule_lag where hour < $1`}
	// Of hours that are forgotten no day can tell. Days without any other go; one that somebody
	// counts for meanwhile is looked at again and stays.
	qAgeLagDay  = statement{local, `update core.schedule_lag_day set since = $1 where since < $1 and hours[cardinality(hours)] >= $1`}
	qDropLagDay = statement{local, `
		delete from core.schedule_lag_day d
		where hours[cardinality(hours)] < $1
		   or hours = '{}' and not exists (select from core.schedule_lag l where l.watch_id = d.watch_id and l.kind = d.kind)`}
	// Both are asked in one statement, so that the clock makes no difference.
	qHealthDrift = statement{all, `
		select coalesce(f.name, s.name), coalesce(f.kind, s.kind),
		       (f.due, f.late, f.failing, f.oldest_due_at, f.lag_p50, f.lag_p99)::text, (s.due, s.late, s.failing, s.oldest_due_at, s.lag_p50, s.lag_p99)::text
		from api_v1.schedule_health f full join core.schedule_health_slow s on s.kind = f.kind and s.name = f.name
		where (f.due, f.late, f.failing, f.oldest_due_at, f.lag_p50, f.lag_p99) is distinct from (s.due, s.late, s.failing, s.oldest_due_at, s.lag_p50, s.lag_p99)
		   or f.name is null or s.name is null
		order by 1, 2 limit $1`}
)

// lagReach is how far back a day is kept: some more than a day, as whoever asks may have a
// clock that is behind.
const lagReach = 25 * time.Hour

// Lag is how late a fetch for a watch started.
type Lag struct {
	Watch   int32
	Kind    Kind // KindBurst and KindPair for themselves; all else counts for the watch's schedule
	Started time.Time
	Lag     time.Duration
}

// lagOwner is whose counts and day these are.
type lagOwner struct {
	watch int32
	kind  string
}

// lagKey names a count.
type lagKey struct {
	lagOwner
	hour int64 // Unix time
	bin  int16
}

// AddLags counts how late fetches started, for schedule_health. Whoever else counts for
// one of the watches waits until the transaction ends.
func (t *Tx) AddLags(ctx context.Context, lags []Lag) error {
	if len(lags) == 0 {
		return nil
	}
	counts := map[lagKey]int64{}
	var newest time.Time
	for _, l := range lags {
		counts[lagKey{lagOwner{l.Watch, lagKind(l.Kind)}, l.Started.Truncate(time.Hour).Unix(), lagBin(l.Lag)}]++
		if l.Started.After(newest) {
			newest = l.Started
		}
	}
	var in struct {
		watches []int32
		kinds   []string
		hours   []time.Time
		bins    []int16
		fetches []int64
	}
	var owners []lagOwner
	// In one order everywhere, so that two daemons wait for each other and do not lock.
	for _, k := range sortedLagKeys(counts) {
		in.watches = append(in.watches, k.watch)
		in.kinds = append(in.kinds, k.kind)
		in.hours = append(in.hours, time.Unix(k.hour, 0).UTC())
		in.bins = append(in.bins, k.bin)
		in.fetches = append(in.fetches, counts[k])
		if n := len(owners); n == 0 || owners[n-1] != k.lagOwner {
			owners = append(owners, k.lagOwner)
		}
	}
	if _, err := t.tx.Exec(ctx, qAddLag.sql, in.watches, in.kinds, in.hours, in.bins, in.fetches); err != nil {
		return fmt.Errorf("count lags: %w", err)
	}
	if err := sumLags(ctx, t.tx, owners, newest.Add(-lagReach).Truncate(time.Hour)); err != nil {
		return fmt.Errorf("sum up lags: %w", err)
	}
	return nil
}

func sortedLagKeys(counts map[lagKey]int64) []lagKey {
	keys := make([]lagKey, 0, len(counts))
	for k := range counts {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b lagKey) int {
		return cmp.Or(cmp.Compare(a.watch, b.watch), cmp.Compare(a.kind, b.kind), cmp.Compare(a.hour, b.hour), cmp.Compare(a.bin, b.bin))
	})
	return keys
}

// sumLags writes the days of the owners, which are in the order of their keys, of the
// counts behind since.
func sumLags(ctx context.Context, tx pgx.Tx, owners []lagOwner, since time.Time) error {
	watches, kinds := make([]int32, len(owners)), make([]string, len(owners))
	for i, o := range owners {
		watches[i], kinds[i] = o.watch, o.kind
	}
	days := make([]lagDay, len(owners))
	var batch pgx.Batch
	batch.Queue(qLockLagDay.sql, watches, kinds)
	// A statement of its own, which sees what was committed while that one waited.
	batch.Queue(qReadLags.sql, watches, kinds, since).Query(func(rows pgx.Rows) error {
		var n, fetches int64
		var hour time.Time
		var bin int16
		_, err := pgx.ForEachRow(rows, []any{&n, &hour, &bin, &fetches}, func() error {
			days[n-1].add(hour, max(bin, 0), fetches)
			return nil
		})
		return err
	})
	if err := tx.SendBatch(ctx, &batch).Close(); err != nil {
		return err
	}
	hours, p50, p99 := make([]string, len(days)), make([]string, len(days)), make([]string, len(days))
	for i := range days {
		hours[i], p50[i], p99[i] = days[i].arrays()
	}
	_, err := tx.Exec(ctx, qPutLagDay.sql, watches, kinds, since, hours, p50, p99)
	return err
}

// lagDay sums up the counts of a watch from each of their hours on.
type lagDay struct {
	fetches  []float64 // by bin, of all hours so far
	total    float64
	hours    []time.Time // falling
	p50, p99 []int16
}

// add takes counts in: hour by hour, the newest first.
func (d *lagDay) add(hour time.Time, bin int16, fetches int64) {
	if n := len(d.hours); n == 0 || !d.hours[n-1].Equal(hour) {
		d.close()
		d.hours = append(d.hours, hour)
	}
	if more := int(bin) + 1 - len(d.fetches); more > 0 {
		d.fetches = append(d.fetches, make([]float64, more)...)
	}
	d.fetches[bin] += float64(fetches)
	d.total += float64(fetches)
}

// close finds the bins that belong to the last hour, unless that is done or there is none.
func (d *lagDay) close() {
	if len(d.p50) == len(d.hours) {
		return
	}
	d.p50, d.p99 = append(d.p50, d.bin(0.5)), append(d.p99, d.bin(0.99))
}

// bin returns the least bin up to which a share of the fetches lies. The arithmetic is
// that of the views.
func (d *lagDay) bin(share float64) int16 {
	var below float64
	for i, n := range d.fetches {
		if below += n; below >= share*d.total {
			return int16(i)
		}
	}
	return 0
}

// arrays returns what the row holds, as PostgreSQL writes arrays, the oldest hour first.
func (d *lagDay) arrays() (hours, p50, p99 string) {
	d.close()
	var h, a, b []string
	for i := len(d.hours) - 1; i >= 0; i-- {
		h = append(h, d.hours[i].UTC().Format(time.RFC3339))
		a, b = append(a, strconv.Itoa(int(d.p50[i]))), append(b, strconv.Itoa(int(d.p99[i])))
	}
	array := func(s []string) string { return "{" + strings.Join(s, ",") + "}" }
	return array(h), array(a), array(b)
}

func lagKind(k Kind) string {
	if k == KindBurst || k == KindPair {
		return string(k)
	}
	return "watch"
}

// lagBin returns the bin n of a lag, the least with
//
//	lag <= 0.25 s * 2^(n/2)
func lagBin(lag time.Duration) int16 {
	if lag <= time.Second/4 {
		return 0
	}
	return int16(math.Ceil(2 * math.Log2(lag.Seconds()/0.25)))
}

// DropLags forgets what was counted before a time.
func (db *DB) DropLags(ctx context.Context, before time.Time) error {
	err := db.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, qDropLag.sql, before); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, qDropLagDay.sql, before); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, qAgeLagDay.sql, before)
		return err
	})
	if err != nil {
		return fmt.Errorf("drop old lags: %w", err)
	}
	return nil
}

// HealthDrift names up to limit watches of which schedule_health does not say what adding
// everything up anew does.
func (db *DB) HealthDrift(ctx context.Context, limit int) ([]string, error) {
	rows, err := db.pool.Query(ctx, qHealthDrift.sql, limit)
	if err != nil {
		return nil, fmt.Errorf("check schedule health: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
		var name, kind, is, want string
		err := row.Scan(&name, &kind, &is, &want)
		return fmt.Sprintf("schedule_health of watch %s (%s) says %s, its counts %s (due, late, failing, oldest_due_at, lag_p50, lag_p99)", name, kind, is, want), err
	})
	if err != nil {
		return nil, fmt.Errorf("check schedule health: %w", err)
	}
	return out, nil
}
