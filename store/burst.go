package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

var (
	qPageTexts = statement{routed, `
		select s.page_id, coalesce(s.text_hash, '00000000-0000-0000-0000-000000000000')
		from core.page_state s
		where s.bucket = any($2::int[]) and s.page_id = any($1::bigint[])`}
	qPutBursts = statement{routed, `
		insert into core.burst_state (page_id, bucket, watch_id, phase, slots, slot_changes, slot_text, first_version, state, pairs, pair_at,
		                              next_due_at, updated_at, rounds_before)
		select v.page_id, (v.page_id >> 40)::int, v.watch_id, v.phase, v.slots, v.slot_changes,
		       nullif(v.slot_text, '00000000-0000-0000-0000-000000000000'), v.first_version, v.state, v.pairs, v.pair_at, v.next_due_at, $12, v.rounds_before
		from unnest($1::bigint[], $2::int[], $3::text[], $4::int[], $5::int[], $6::uuid[], $7::int[], $8::bytea[], $9::bytea[], $10::timestamptz[],
		            $11::timestamptz[], $13::int[])
		     v(page_id, watch_id, phase, slots, slot_changes, slot_text, first_version, state, pairs, pair_at, next_due_at, rounds_before)
		on conflict (page_id, bucket) do update set
		    watch_id = excluded.watch_id, phase = excluded.phase, slots = excluded.slots, slot_changes = excluded.slot_changes,
		    slot_text = excluded.slot_text, first_version = excluded.first_version, state = excluded.state, pairs = excluded.pairs,
		    pair_at = excluded.pair_at, next_due_at = excluded.next_due_at, updated_at = excluded.updated_at,
		    rounds_before = excluded.rounds_before`}
	qPutBurstResults = statement{routed, `
		insert into core.burst_result (page_id, bucket, round, snapshot, started_at, offset_s, delay_s, first_version, version, changed, dice)
		select v.page_id, (v.page_id >> 40)::int, v.round, v.snapshot, v.started_at, v.offset_s, v.delay_s, v.first_version, v.version, v.changed,
		       case when not v.changed then 1 end
		from unnest($1::bigint[], $2::int[], $3::int[], $4::timestamptz[], $5::float8[], $6::float8[], $7::int[], $8::int[], $9::bool[])
		     v(page_id, round, snapshot, started_at, offset_s, delay_s, first_version, version, changed)
		on conflict (page_id, bucket, round, snapshot) do nothing`}
	qCountBursts = statement{all, `
		select (select count(*) from core.burst_state b where b.phase <> 'candidate'),
		       (select count(*) from (select distinct r.page_id, r.round from core.burst_result r where r.round >= 0) d),
		       (select count(*) from core.burst_result r where r.round >= 0),
		       (select coalesce(sum(m.pairs), 0) from core.page_mask m),
		       (select count(*) from core.page_mask m where jsonb_path_exists(m.rules, '$[*] ? (@.counts == true)'))`}
)

// Burst is how far a page has come in a watch with bursts: whether it changes often
// enough, and its way through rounds and pairs. State and Pairs are packed by
// crawler/burst; the store looks at neither.
type Burst struct {
	Page         PageID
	Watch        int32
	Phase        string
	Slots        int
	SlotChanges  int
	SlotText     [16]byte // text of the last slot; zero after a missing one
	FirstVersion int32    // that the first snapshot of the current round saw
	RoundsBefore int      // of earlier enrolments
	State, Pairs []byte
	PairDue      time.Time // zero: no pair is due
	Due          time.Time // of the next fetch; zero: none is

	Mask []byte // what pairs taught so far, packed by monitor/mask; read only
}

// BurstResult is a snapshot compared with the first one of its round.
type BurstResult struct {
	Page                  PageID
	Round, Snapshot       int
	StartedAt             time.Time
	Offset, Delay         time.Duration // planned and actual
	FirstVersion, Version int32
	Changed               bool
}

// TextHashes returns the text of the last version of pages, also of versions that
// the same transaction has stored; pages without a version are left out.
func (t *Tx) TextHashes(ctx context.Context, pages []PageID) (map[PageID][16]byte, error) {
	if len(pages) == 0 {
		return nil, nil
	}
	rows, err := t.tx.Query(ctx, qPageTexts.sql, pages, bucketsOf(pages))
	if err != nil {
		return nil, fmt.Errorf("read text hashes: %w", err)
	}
	out := make(map[PageID][16]byte, len(pages))
	var page PageID
	var hash [16]byte
	_, err = pgx.ForEachRow(rows, []any{&page, &hash}, func() error {
		if hash != ([16]byte{}) {
			out[page] = hash
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read text hashes: %w", err)
	}
	return out, nil
}

// PutBursts stores how far pages have come. It goes before Complete, which takes
// the due times from there.
func (t *Tx) PutBursts(ctx context.Context, now time.Time, bursts []Burst) error {
	if len(bursts) == 0 {
		return nil
	}
	var in struct {
		pages                                   []PageID
		watches, slots, changes, firsts, before []int32
		phases                                  []string
		texts                                   [][16]byte
		states, pairs                           [][]byte
		pairDue, due                            []*time.Time
	}
	for _, b := range bursts {
		in.pages = append(in.pages, b.Page)
		in.watches = append(in.watches, b.Watch)
		in.phases = append(in.phases, b.Phase)
		in.slots = append(in.slots, int32(b.Slots))
		in.changes = append(in.changes, int32(b.SlotChanges))
		in.texts = append(in.texts, b.SlotText)
		in.firsts = append(in.firsts, b.FirstVersion)
		in.before = append(in.before, int32(b.RoundsBefore))
		in.states = append(in.states, b.State)
		in.pairs = append(in.pairs, b.Pairs)
		in.pairDue = append(in.pairDue, orNil(b.PairDue))
		in.due = append(in.due, orNil(b.Due))
	}
	_, err := t.tx.Exec(ctx, qPutBursts.sql, in.pages, in.watches, in.phases, in.slots, in.changes, in.texts, in.firsts, in.states, in.pairs,
		in.pairDue, in.due, now, in.before)
	if err != nil {
		return fmt.Errorf("store bursts: %w", err)
	}
	return nil
}

// PutBurstResults stores compared snapshots.
func (t *Tx) PutBurstResults(ctx context.Context, results []BurstResult) error {
	if len(results) == 0 {
		return nil
	}
	var in struct {
		pages                              []PageID
		rounds, snapshots, firsts, version []int32
		at                                 []time.Time
		offsets, delays                    []float64
		changed                            []bool
	}
	for _, r := range results {
		in.pages = append(in.pages, r.Page)
		in.rounds = append(in.rounds, int32(r.Round))
		in.snapshots = append(in.snapshots, int32(r.Snapshot))
		in.at = append(in.at, r.StartedAt)
		in.offsets = append(in.offsets, r.Offset.Seconds())
		in.delays = append(in.delays, r.Delay.Seconds())
		in.firsts = append(in.firsts, r.FirstVersion)
		in.version = append(in.version, r.Version)
		in.changed = append(in.changed, r.Changed)
	}
	_, err := t.tx.Exec(ctx, qPutBurstResults.sql, in.pages, in.rounds, in.snapshots, in.at, in.offsets, in.delays, in.firsts, in.version, in.changed)
	if err != nil {
		return fmt.Errorf("store snapshots: %w", err)
	}
	return nil
}

// BurstCounts say how far bursts and pairs have come over all pages.
type BurstCounts struct {
	Enrolled  int // pages
	Rounds    int // with a compared snapshot
	Snapshots int // compared
	Pairs     int // accepted
	Masked    int // pages with a mask that counts
}

// CountBursts returns the counts of all pages.
func (db *DB) CountBursts(ctx context.Context) (BurstCounts, error) {
	var c BurstCounts
	err := db.pool.QueryRow(ctx, qCountBursts.sql).Scan(&c.Enrolled, &c.Rounds, &c.Snapshots, &c.Pairs, &c.Masked)
	if err != nil {
		return c, fmt.Errorf("count bursts: %w", err)
	}
	return c, nil
}
