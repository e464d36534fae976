package monitor

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/monitor/ignore"
	"github.com/strandlinehq/strandline/monitor/terms"
	"github.com/strandlinehq/strandline/store"
)

// The language model of all pages (SCIENCE A24) is kept by periods that are
// computed from what is stored whenever fetches came in them. Nothing has to be
// undone when versions come late or are laid anew, and the model is the same
// whatever the order in which they came.
const (
	// periodsAtOnce is how many periods are computed in one transaction.
	periodsAtOnce = 64
	// shownAtOnce is how many fetches of a period are in memory together. A page
	// with more of them in a period counts up to there.
	shownAtOnce = 1 << 15
	// keptBags bounds the words that are kept of a period, in bytes, to go over
	// them again. A period with more is read again instead.
	keptBags = 64 << 20
)

// collectionPause is how long Run leaves the language model alone after working on
// it for a time: so it takes at most a fiftieth of a core, and follows the sooner
// the smaller the collection is. The hour that is running is computed anew each time.
func collectionPause(worked time.Duration) time.Duration { return max(5*time.Second, 49*worked) }

// followCollection keeps the language model until ctx is done.
func (m *Monitor) followCollection(ctx context.Context) {
	for {
		began := time.Now()
		if err := m.Collect(ctx); err != nil && ctx.Err() == nil {
			m.log.Warn("the language model waits", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(collectionPause(time.Since(began))):
		}
	}
}

// Collect computes all periods of the language model that wait for it.
func (m *Monitor) Collect(ctx context.Context) error {
	for {
		n, err := m.db.TakePeriods(ctx, periodsAtOnce, func(tx *store.Tx, periods []time.Time) error {
			return computePeriods(ctx, tx, periods, m.bags)
		})
		if err != nil || n == 0 {
			return err
		}
	}
}

// computePeriods computes periods and adds what is new of them to the sums.
func computePeriods(ctx context.Context, tx *store.Tx, periods []time.Time, bags *bagCache) error {
	stored, err := tx.PeriodData(ctx, periods)
	if err != nil {
		return err
	}
	differences := map[string]int64{}
	out := make([]store.PeriodModel, 0, len(periods))
	for _, start := range periods {
		from, to := store.Period(start)
		r := &poolReader{ctx: ctx, tx: tx, from: from, to: to, rules: map[string]ruling{}, bags: bags}
		pool, err := terms.NewPool(r.show, terms.PoolTerms)
		if err != nil {
			return err
		}
		for _, t := range pool.Terms {
			differences[t.Term] += t.Sum
		}
		var old terms.Pool
		if err := old.UnmarshalTerms(stored[from]); err != nil {
			return errors.Join(errors.New("the language model is damaged; 'strandline db rebuild' makes it anew"), err)
		}
		for _, t := range old.Terms {
			differences[t.Term] -= t.Sum
		}
		out = append(out, store.PeriodModel{
			Start: from, Slots: pool.Slots, Versions: pool.Versions, Words: pool.Words, Terms: pool.Distinct, Cut: pool.Cut, Data: pool.MarshalTerms(),
		})
	}
	var changed []string
	for w, by := range differences {
		if by != 0 {
			changed = append(changed, w)
		}
	}
	slices.Sort(changed)
	by := make([]int64, len(changed))
	for i, w := range changed {
		by[i] = differences[w]
	}
	return tx.PutPeriods(ctx, out, changed, by)
}

// poolReader reads the contents of the versions that were seen in [from, to).
type poolReader struct {
	ctx      context.Context
	tx       *store.Tx
	from, to time.Time
	rules    map[string]ruling // by their text
	bags     *bagCache         // nil: none
	counter  extract.Counter
	page     store.PageID // that is shown alone if only is set
	only     bool

	kept []terms.Showing // all that is shown, once complete
	size int             // of what is kept
	full bool            // kept is complete
}

// show is a terms.Show.
func (r *poolReader) show(f func(terms.Showing) error) error {
	if r.full {
		for _, s := range r.kept {
			if err := f(s); err != nil {
				return err
			}
		}
		return nil
	}
	r.kept, r.size = nil, 0
	for after := store.PageID(0); ; {
		// A page's hours are counted from its first version, so the period may
		// begin and end up to an hour off.
		shown, err := r.tx.Shown(r.ctx, r.from.Add(-time.Hour), r.to.Add(time.Hour), after, shownAtOnce)
		if err != nil {
			return err
		}
		if len(shown) == 0 {
			break
		}
		last := len(shown) == shownAtOnce
		if next := shown[len(shown)-1].Page; last && shown[0].Page != next {
			// The last page may have more.
			shown = shown[:slices.IndexFunc(shown, func(s store.Shown) bool { return s.Page == next })]
		}
		after = shown[len(shown)-1].Page
		if err := r.pages(shown, f); err != nil {
			return err
		}
		if !last {
			break
		}
	}
	r.full = r.size <= keptBags
	return nil
}

// pages shows what fetches saw, those of each page being all that it has.
func (r *poolReader) pages(shown []store.Shown, f func(terms.Showing) error) error {
	type content struct {
		page   store.PageID
		record store.SHA256
	}
	slots := map[content][]int{}
	var order []content
	for i, s := range shown {
		if r.only && s.Page != r.page {
			continue
		}
		slot := collectionSlot(s)
		if i+1 < len(shown) && shown[i+1].Page == s.Page && collectionSlot(shown[i+1]) == slot {
			continue // the last version of an hour counts
		}
		if at := time.Unix(int64(slot)*3600, 0); at.Before(r.from) || !at.Before(r.to) {
			continue
		}
		k := content{s.Page, s.Record}
		if slots[k] == nil {
			order = append(order, k)
		}
		slots[k] = append(slots[k], slot)
	}
	for chunk := range slices.Chunk(order, chunkVersions) {
		pages := make([]store.PageID, len(chunk))
		for i, c := range chunk {
			pages[i] = c.page
		}
		rules, err := rulesOf(r.ctx, r.tx, pages, r.rules)
		if err != nil {
			return err
		}
		bags := make([]terms.Bag, len(chunk)) // of those that are remembered
		known := make([]bool, len(chunk))
		var keys []store.ContentKey
		for i, c := range chunk {
			k := store.ContentKey{Bucket: c.page.Bucket(), Hash: c.record}
			if rules[c.page].rules.Empty() {
				bags[i], known[i] = r.bags.get(k)
			}
			if !known[i] {
				keys = append(keys, k)
			}
		}
		raw, err := readSound(r.ctx, r.tx, distinctKeys(keys))
		if err != nil {
			return err
		}
		for i, c := range chunk {
			bag := bags[i]
			if !known[i] {
				k := store.ContentKey{Bucket: c.page.Bucket(), Hash: c.record}
				page, err := extract.DecodeRecord(raw[k])
				if err != nil {
					continue // damaged
				}
				bag = r.bag(page, rules[c.page].rules)
				if rules[c.page].rules.Empty() {
					r.bags.put(k, bag)
				}
			}
			s := terms.Showing{Words: bag, Slots: slots[c]}
			if r.size += len(bag) + 8*len(s.Slots) + 64; r.size <= keptBags {
				r.kept = append(r.kept, s)
			} else {
				r.kept = nil
			}
			if err := f(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// collectionSlot returns the hour, counted from 1970, in which a fetch counts: that
// of the page's own grid (SCIENCE C6), laid on the hour nearest to its first version.
func collectionSlot(s store.Shown) int {
	first := (s.Origin.Unix() + 1800) / 3600
	return int(first) + int(math.Floor(s.At.Sub(s.Origin).Hours()/slotHours+.5))
}

// bag counts the words that rules leave of a page.
func (r *poolReader) bag(p *extract.Page, rules *ignore.Rules) terms.Bag {
	r.counter.Reset()
	countWords(&r.counter, p, rules)
	var b terms.Bag
	r.counter.Each(func(word []byte, _ uint64, count int) { b = b.Add(word, count) })
	return slices.Clip(b)
}

// countWords counts the words that rules leave of a page.
func countWords(c *extract.Counter, p *extract.Page, rules *ignore.Rules) {
	if rules.Empty() {
		c.Add(p.Text())
		return
	}
	lines, _ := rules.Apply(p)
	for _, l := range lines {
		c.Add(l.Text)
	}
}
