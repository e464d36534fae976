package schedule

import "time"

// Again returns the slot and the due time of a page that was last fetched at last and whose schedule becomes
// this one at now. The page keeps that fetch: it is due for the first slot whose due time lies at least three
// quarters of the interval after it,
//
//	due(slot) >= last + 3/4 * gap(slot)     gap: the shorter of the two gaps beside the slot
//
// which for most pages is yet to come and spreads them as ever. Where that time has passed, the page is overdue by
// the new schedule alone: it is due at now, within the given time that spreads many such pages, and is not late.
func (p *Plan) Again(page string, last, now time.Time, within time.Duration) (slot, due time.Time, err error) {
	if last.After(now) {
		last = now // by a clock that was ahead
	}
	slot, due, err = p.firstBehind(page, last, last)
	if err != nil || due.After(now) {
		return slot, due, err
	}
	running, err := p.SlotAt(now)
	if err != nil {
		return slot, due, err
	}
	soonest, err := p.soonest(running, last)
	if err != nil {
		return slot, due, err
	}
	if now.Before(soonest) { // an uneven grid wants more distance of this slot than of the one that was passed over
		return p.firstBehind(page, now, last)
	}
	return p.First(page, now, within)
}

// firstBehind returns the first slot from that of a time on whose due time is far enough from the fetch at last. It is
// the second slot after last at the latest, as that is a whole gap away.
func (p *Plan) firstBehind(page string, from, last time.Time) (slot, due time.Time, err error) {
	if slot, err = p.SlotAt(from); err != nil {
		return slot, due, err
	}
	for {
		if due, err = p.Due(page, slot); err != nil {
			return slot, due, err
		}
		soonest, err := p.soonest(slot, last)
		if err != nil || !due.Before(soonest) {
			return slot, due, err
		}
		if slot, err = p.NextSlot(slot); err != nil {
			return slot, due, err
		}
	}
}

// soonest returns the time before which a page is not due for a slot after a fetch at last.
func (p *Plan) soonest(slot, last time.Time) (time.Time, error) {
	before, err := p.slotBefore(slot)
	if err != nil {
		return time.Time{}, err
	}
	next, err := p.NextSlot(slot)
	if err != nil {
		return time.Time{}, err
	}
	return behind(last, min(slot.Sub(before), next.Sub(slot))), nil
}

// behind returns the time three quarters of a gap after a fetch, in whole microseconds.
func behind(last time.Time, gap time.Duration) time.Time {
	return last.Add(gap - gap/4).Truncate(time.Microsecond).Add(time.Microsecond)
}
