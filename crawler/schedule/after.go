package schedule

import "time"

// Next is what comes after a fetch.
type Next struct {
	// Served is the slot that the fetch counts for, and Due when the page was due for it.
	Served, Due time.Time
	// Slot is the slot that comes next, and NextDue when the page is due for it.
	Slot, NextDue time.Time
	// Missed counts the slots before Served that no fetch came for in time.
	Missed int
}

// After returns what comes after a fetch of the page that started at the given
// time, when slot was the next to be served and was due, as planned, at due.
//
// The fetch counts for the last slot whose due time has come, at least for slot;
// those in between were missed. The page is due again at the next slot's due time,
// but not within three quarters of the interval after started:
//
//	next = max(due of the next slot, started + 3/4 * gap)
//
// so a page that was fetched late comes back to its own phase within a few slots.
func (p *Plan) After(page string, slot, due, started time.Time) (Next, error) {
	n := Next{Served: slot, Due: due}
	current, err := p.SlotAt(started)
	if err != nil {
		return n, err
	}
	if current.After(slot) {
		// The due times of all slots before the running one have come.
		at, err := p.Due(page, current)
		if err != nil {
			return n, err
		}
		if at.After(started) {
			if current, err = p.slotBefore(current); err != nil {
				return n, err
			}
		}
		if current.After(slot) {
			n.Served = current
			if n.Missed, err = p.count(slot, current); err != nil {
				return n, err
			}
			if n.Due, err = p.Due(page, current); err != nil {
				return n, err
			}
		}
	}
	// A slot that was put off for its distance to the fetch before keeps its own due time,
	// which tells the slot.
	if own, err := p.Due(page, n.Served); err == nil && n.Served.Equal(slot) && own.Before(n.Due) {
		n.Due = own
	}
	if n.Slot, err = p.NextSlot(n.Served); err != nil {
		return n, err
	}
	after, err := p.NextSlot(n.Slot)
	if err != nil {
		return n, err
	}
	n.NextDue = p.due(page, n.Slot, after)
	gap := min(n.Slot.Sub(n.Served), after.Sub(n.Slot))
	if soonest := behind(started, gap); n.NextDue.Before(soonest) {
		n.NextDue = soonest
	}
	return n, nil
}

// Missed returns when the page was due for the slots from slot on that come before
// served, at most the last limit of them.
func (p *Plan) Missed(page string, slot, served time.Time, limit int) ([]time.Time, error) {
	var out []time.Time
	for s := served; len(out) < limit; {
		before, err := p.slotBefore(s)
		if err != nil {
			return nil, err
		}
		if before.Before(slot) {
			break
		}
		due, err := p.Due(page, before)
		if err != nil {
			return nil, err
		}
		out = append(out, due)
		s = before
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out, nil
}
