package monitor

import (
	"context"
	"errors"
	"time"

	"github.com/strandlinehq/strandline/store"
)

// Pins returns, of each page, the versions whose records its measures still need when
// the next version comes: those that its curve starts from, of which there are nine at
// most, and the last one that was taken into account. Retention keeps them, so that a
// curve goes on from what was measured and is never made anew of what retention left.
func Pins(ctx context.Context, db *store.DB, pages []store.PageID) (map[store.PageID][]int32, error) {
	out := make(map[store.PageID][]int32, len(pages))
	for _, page := range pages {
		a, err := db.Analysis(ctx, page)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out[page] = append(out[page], a.Version)
		s, err := loadState(a, "", reader{})
		if err != nil {
			continue // damaged, so that nothing goes on from it
		}
		for _, slot := range s.curve.Needs() {
			span, err := db.SpanBefore(ctx, page, s.slotEnd(slot))
			if errors.Is(err, store.ErrNotFound) {
				continue
			}
			if err != nil {
				return nil, err
			}
			out[page] = append(out[page], span.Version)
		}
	}
	return out, nil
}

// slotEnd is the moment up to which what was seen belongs to a slot.
func (s *pageState) slotEnd(slot int) time.Time {
	return s.origin.Add(time.Duration((float64(slot) + .5) * slotHours * float64(time.Hour)))
}
