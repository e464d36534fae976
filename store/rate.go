package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// Rate is what is known of how a page changes. State is packed by crawler/adaptive,
// as are the signals of its host; the store looks at neither.
type Rate struct {
	Page   PageID
	URL    string // read only
	HostID int64
	Host   string
	State  []byte    // empty: nothing
	SeenAt time.Time // start of the last fetch that told the page's text; zero: none
	Text   [16]byte  // what it saw
	// Kind says what dates the page, "sitemap" or "feed"; empty: nothing does.
	Kind      string
	ClaimedAt time.Time // that date, as last read
	HintedAt  time.Time // when it moved on since SeenAt; zero: it did not
	Moved     bool      // the fetch was brought forward for it

	// Relearn says that State was learned from changes that have turned out to be noise, or from
	// noise that counts again: see Tx.Outcomes.
	Relearn bool

	Current [16]byte // text of the last version, also of one that the same transaction stored; read only
	Mask    []byte   // noise that counts, packed by monitor/mask; read only
}

// Signal says how right one kind of hint of a host was.
type Signal struct {
	HostID  int64
	Bucket  int32
	Kind    string
	Signals []byte
}

// SignalKey names a Signal.
type SignalKey struct {
	HostID int64
	Kind   string
}

var (
	qRates = statement{routed, `
		select p.page_id, p.url, p.host_id, h.name, coalesce(r.state, ''), r.seen_at, coalesce(r.text_hash, '00000000-0000-0000-0000-000000000000'),
		       coalesce(r.claim_kind, ''), r.claimed_at, r.hinted_at, coalesce(r.moved, false), coalesce(r.relearn, false),
		       coalesce(s.text_hash, '00000000-0000-0000-0000-000000000000'), m.mask
		from core.page p
		join core.host h on h.bucket = any($2::int[]) and h.host_id = p.host_id
		left join core.page_rate r on r.bucket = any($2::int[]) and r.page_id = p.page_id
		left join core.page_state s on s.bucket = any($2::int[]) and s.page_id = p.page_id
		left join core.page_mask m on m.bucket = any($2::int[]) and m.page_id = p.page_id and m.active
		where p.bucket = any($2::int[]) and p.page_id = any($1::bigint[])`}
	qLockRates = statement{routed, `
		select 1 from core.page_rate r where r.bucket = any($2::int[]) and r.page_id = any($1::bigint[])
		order by r.page_id for update`}
	qLockSignals = statement{routed, `
		select g.host_id, g.kind, g.signals from core.host_signal g
		where g.bucket = any($2::int[]) and g.host_id = any($1::bigint[])
		order by g.host_id, g.kind for update`}
	qPutRates = statement{routed, `
		insert into core.page_rate as r (page_id, bucket, state, seen_at, text_hash)
		select v.page_id, (v.page_id >> 40)::int, v.state, v.seen_at, v.text_hash
		from unnest($1::bigint[], $2::bytea[], $3::timestamptz[], $4::uuid[]) v(page_id, state, seen_at, text_hash)
		on conflict (page_id, bucket) do update set
		    state = excluded.state, seen_at = excluded.seen_at, text_hash = excluded.text_hash, hinted_at = null, moved = false, relearn = false`}
	qPutClaims = statement{routed, `
		insert into core.page_rate as r (page_id, bucket, claim_kind, claimed_at, hinted_at, moved)
		select v.page_id, (v.page_id >> 40)::int, $6, v.claimed_at, v.hinted_at, v.moved
		from unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[], $4::bool[]) v(page_id, claimed_at, hinted_at, moved)
		where (v.page_id >> 40)::int = any($5::int[])
		on conflict (page_id, bucket) do update set
		    claim_kind = excluded.claim_kind, claimed_at = excluded.claimed_at, hinted_at = excluded.hinted_at, moved = excluded.moved`}
	qPutSignals = statement{routed, `
		insert into core.host_signal (host_id, bucket, kind, signals)
		select * from unnest($1::bigint[], $2::int[], $3::text[], $4::bytea[])
		on conflict (host_id, bucket, kind) do update set signals = excluded.signals`}
	qReadSignals = statement{routed, `
		select g.host_id, g.kind, g.signals from core.host_signal g
		where g.bucket = any($2::int[]) and g.host_id = any($1::bigint[])`}
	qAdvance = statement{routed, `
		update core.watch_page m set due_at = v.due_at
		from unnest($1::bigint[], $2::timestamptz[]) v(page_id, due_at)
		where m.bucket = any($3::int[]) and m.page_id = v.page_id and m.watch_id = $4 and m.due_at > v.due_at`}
	qWatchDues = statement{routed, `
		select m.page_id, m.slot_at, m.due_at from core.watch_page m
		where m.bucket = any($2::int[]) and m.page_id = any($1::bigint[]) and m.watch_id = $3 and m.due_at is not null`}
)

// Rates returns what is known of how pages change and locks it until the
// transaction ends. Pages of which nothing is known yet are among them.
//
// It takes the lock of the schedule first, shared. SetHints holds that lock alone while it asks
// for rates; a writer that asked for rates first, and for the lock when it completes its pages,
// would wait for it in a circle.
func (t *Tx) Rates(ctx context.Context, pages []PageID) (map[PageID]Rate, error) {
	if len(pages) == 0 {
		return nil, nil
	}
	if _, err := t.tx.Exec(ctx, qShareSchedule.sql); err != nil {
		return nil, fmt.Errorf("lock rates: %w", err)
	}
	buckets := bucketsOf(pages)
	if _, err := t.tx.Exec(ctx, qLockRates.sql, pages, buckets); err != nil {
		return nil, fmt.Errorf("lock rates: %w", err)
	}
	rows, err := t.tx.Query(ctx, qRates.sql, pages, buckets)
	if err != nil {
		return nil, fmt.Errorf("read rates: %w", err)
	}
	out := make(map[PageID]Rate, len(pages))
	_, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (struct{}, error) {
		var r Rate
		var seen, claimed, hinted *time.Time
		err := row.Scan(&r.Page, &r.URL, &r.HostID, &r.Host, &r.State, &seen, &r.Text, &r.Kind, &claimed, &hinted, &r.Moved, &r.Relearn, &r.Current, &r.Mask)
		r.SeenAt, r.ClaimedAt, r.HintedAt = deref(seen), deref(claimed), deref(hinted)
		out[r.Page] = r
		return struct{}{}, err
	})
	if err != nil {
		return nil, fmt.Errorf("read rates: %w", err)
	}
	return out, nil
}

// Signals returns how right the hints of the hosts of pages were, and locks it until the
// transaction ends. Only pages that something dates count.
func (t *Tx) Signals(ctx context.Context, rates map[PageID]Rate) (map[SignalKey][]byte, error) {
	return t.signals(ctx, rates, qLockSignals)
}

func (t *Tx) signals(ctx context.Context, rates map[PageID]Rate, q statement) (map[SignalKey][]byte, error) {
	var hosts []int64
	var pages []PageID
	for _, r := range rates {
		if r.Kind != "" {
			hosts, pages = append(hosts, r.HostID), append(pages, r.Page)
		}
	}
	if len(hosts) == 0 {
		return nil, nil
	}
	rows, err := t.tx.Query(ctx, q.sql, hosts, bucketsOf(pages))
	if err != nil {
		return nil, fmt.Errorf("read signals: %w", err)
	}
	out := map[SignalKey][]byte{}
	var k SignalKey
	var state []byte
	_, err = pgx.ForEachRow(rows, []any{&k.HostID, &k.Kind, &state}, func() error {
		out[k] = append([]byte(nil), state...)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read signals: %w", err)
	}
	return out, nil
}

// PutRates stores what fetches taught of pages: State, SeenAt and Text. Hints up to
// then are used up.
func (t *Tx) PutRates(ctx context.Context, rates []Rate) error {
	if len(rates) == 0 {
		return nil
	}
	var in struct {
		pages  []PageID
		states [][]byte
		seen   []*time.Time
		texts  [][16]byte
	}
	// In the order in which rows are locked, since those that are not there yet are not.
	rates = slices.SortedFunc(slices.Values(rates), func(a, b Rate) int { return cmp.Compare(a.Page, b.Page) })
	for _, r := range rates {
		in.pages = append(in.pages, r.Page)
		in.states = append(in.states, r.State)
		in.seen = append(in.seen, orNil(r.SeenAt))
		in.texts = append(in.texts, r.Text)
	}
	if _, err := t.tx.Exec(ctx, qPutRates.sql, in.pages, in.states, in.seen, in.texts); err != nil {
		return fmt.Errorf("store rates: %w", err)
	}
	return nil
}

// PutSignals stores how right hints were.
func (t *Tx) PutSignals(ctx context.Context, signals []Signal) error {
	if len(signals) == 0 {
		return nil
	}
	var in struct {
		hosts   []int64
		buckets []int32
		kinds   []string
		states  [][]byte
	}
	// As in PutRates.
	signals = slices.SortedFunc(slices.Values(signals), func(a, b Signal) int {
		return cmp.Or(cmp.Compare(a.HostID, b.HostID), cmp.Compare(a.Kind, b.Kind))
	})
	for _, s := range signals {
		in.hosts = append(in.hosts, s.HostID)
		in.buckets = append(in.buckets, s.Bucket)
		in.kinds = append(in.kinds, s.Kind)
		in.states = append(in.states, s.Signals)
	}
	if _, err := t.tx.Exec(ctx, qPutSignals.sql, in.hosts, in.buckets, in.kinds, in.states); err != nil {
		return fmt.Errorf("store signals: %w", err)
	}
	return nil
}
