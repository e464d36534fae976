package daemon

import (
	"context"
	"time"

	"github.com/strandlinehq/strandline/store"
)

// useful is the factor on the odds of a change from which on a hint moves a fetch.
const useful = 1.1

// TakeHints takes the dates that a sitemap or feed (kind) of a watch gives to pages. A date
// that moved on since the page was last fetched is a hint: it multiplies the odds that
// the page has changed by how much more often changed pages of the host were hinted at
// than unchanged ones, as far as their fetches told (adaptive.Signals). The page is
// brought forward accordingly, so that hints which prove false soon move nothing.
//
// It does nothing for a watch without an Auto. It may be called while Run runs, and
// returns how many pages were brought forward.
func (d *Daemon) TakeHints(ctx context.Context, watch int32, kind string, claims []store.Claimed) (int, error) {
	w := d.watch(watch)
	if w == nil || w.Auto == nil || len(claims) == 0 {
		return 0, nil
	}
	d.mu.Lock()
	p, known := d.paces[watch]
	d.mu.Unlock()
	now := d.clock.Now().Truncate(time.Microsecond)
	n, err := d.db.SetHints(ctx, watch, kind, claims, func(r store.Rate, signals []byte, due store.WatchDue, claimed time.Time) store.Hint {
		out := store.Hint{Rate: r}
		if claimed.IsZero() {
			return out
		}
		fresh := claimed.After(r.SeenAt)
		if !r.ClaimedAt.IsZero() {
			fresh = claimed.After(r.ClaimedAt) // also where it is only told to the day
		}
		if claimed.After(r.ClaimedAt) {
			out.Rate.ClaimedAt = claimed
		}
		if r.SeenAt.IsZero() || !fresh {
			return out
		}
		if r.HintedAt.IsZero() {
			out.Rate.HintedAt = now
		}
		s := readSignals(signals)
		if !known || s.Ratio(true) < useful {
			return out
		}
		page := p.page(r.State, w.Auto.importance(r.URL))
		at := r.SeenAt.Add(page.HintedInterval(p.of(r.Host), s.Ratio(true), p.limits(w)))
		if at.Before(now) {
			at = now
		}
		if at.Before(due.Due) {
			out.Due, out.Rate.Moved = at, true
		}
		return out
	})
	if n > 0 {
		d.Wake()
	}
	return n, err
}
