package schedule

import (
	"fmt"
	"slices"
	"time"
)

// window is a stretch of the grid, in seconds since 1970. All pages of a watch ask
// for the same few slots, and a cron line is slow to answer.
type window struct {
	slots []int64
}

// maxWindow bounds the slots that are kept. A stretch that would be longer is
// counted by the mean interval instead.
const maxWindow = 1 << 16

// NextSlot returns the first slot after t.
func (p *Plan) NextSlot(t time.Time) (time.Time, error) {
	if p.constant {
		return p.floor(t).Add(p.every), nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	i, err := p.locate(t)
	if err != nil {
		return time.Time{}, err
	}
	return time.Unix(p.grid.slots[i+1], 0).UTC(), nil
}

// SlotAt returns the last slot no later than t.
func (p *Plan) SlotAt(t time.Time) (time.Time, error) {
	if p.constant {
		return p.floor(t), nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	i, err := p.locate(t)
	if err != nil {
		return time.Time{}, err
	}
	return time.Unix(p.grid.slots[i], 0).UTC(), nil
}

// slotBefore returns the slot before a slot.
func (p *Plan) slotBefore(slot time.Time) (time.Time, error) {
	return p.SlotAt(slot.Add(-time.Second))
}

// count returns how many slots lie in [from, to), both being slots.
func (p *Plan) count(from, to time.Time) (int, error) {
	if p.constant {
		return int(to.Sub(from) / p.every), nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if to.Sub(from) > p.every*(maxWindow/4) {
		return max(1, int(to.Sub(from)/p.every)), nil
	}
	if _, err := p.locate(from); err != nil {
		return 0, err
	}
	if err := p.extend(to.Unix()); err != nil {
		return 0, err
	}
	i, _ := slices.BinarySearch(p.grid.slots, from.Unix())
	j, _ := slices.BinarySearch(p.grid.slots, to.Unix())
	return j - i, nil
}

// floor returns the last multiple of the interval no later than t.
func (p *Plan) floor(t time.Time) time.Time {
	since := t.Sub(unixEpoch)
	if t.Year() > 2200 || t.Year() < 1800 { // beyond what a duration holds
		return t.Truncate(p.every).UTC()
	}
	n := since / p.every
	if since%p.every < 0 {
		n--
	}
	return unixEpoch.Add(n * p.every)
}

var unixEpoch = time.Unix(0, 0).UTC()

// locate returns the index i with slots[i] <= t < slots[i+1], making the window so
// that it holds both. The lock is held.
func (p *Plan) locate(t time.Time) (int, error) {
	at := t.Unix()
	g := p.grid.slots
	if len(g) < 2 || at < g[0] || time.Duration(at-g[len(g)-1])*time.Second > 64*p.every || len(g) >= maxWindow {
		if err := p.rebuild(at); err != nil {
			return 0, err
		}
	}
	if err := p.extend(at); err != nil {
		return 0, err
	}
	i, found := slices.BinarySearch(p.grid.slots, at)
	if !found {
		i--
	}
	return i, nil
}

// rebuild starts the window at the slot before the last one no later than at. A
// cron line cannot be asked for the slot before, so the start is looked for in
// strides that double.
func (p *Plan) rebuild(at int64) error {
	t := time.Unix(at, 0).UTC()
	for stride := 2*p.every + time.Second; ; stride *= 2 {
		from, err := p.ask(t.Add(-stride))
		if err != nil {
			return err
		}
		if from.Unix() <= at {
			p.grid.slots = append(p.grid.slots[:0], from.Unix())
			return p.extend(at)
		}
		if stride > 100*365*24*time.Hour {
			return fmt.Errorf("schedule of %s: no slot before %s", p.watch, t.Format(time.RFC3339))
		}
	}
}

// extend adds slots until one lies after at.
func (p *Plan) extend(at int64) error {
	for {
		last := p.grid.slots[len(p.grid.slots)-1]
		if last > at {
			return nil
		}
		next, err := p.ask(time.Unix(last, 0).UTC())
		if err != nil {
			return err
		}
		p.grid.slots = append(p.grid.slots, next.Unix())
	}
}

// ask asks the schedule itself, which is a stranger's code: it may panic.
func (p *Plan) ask(t time.Time) (next time.Time, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("schedule of %s: %v", p.watch, r)
		}
	}()
	next = p.schedule.Next(t)
	if next.IsZero() {
		return next, fmt.Errorf("schedule of %s: %w", p.watch, ErrNever)
	}
	if !next.After(t) {
		return next, fmt.Errorf("schedule of %s: the slot after %s is %s", p.watch, t.Format(time.RFC3339), next.Format(time.RFC3339))
	}
	return next, nil
}
