package monitor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/strandlinehq/strandline/monitor/curve"
	"github.com/strandlinehq/strandline/monitor/dice"
	"github.com/strandlinehq/strandline/monitor/dom"
	"github.com/strandlinehq/strandline/monitor/terms"
	"github.com/strandlinehq/strandline/store"
)

const (
	// The states of a page together stay below 64 KiB: what terms, elements and
	// the curve leave is for the sets of words that the curve starts from.
	stateBytes   = 63 << 10
	termBytes    = 18 << 10
	elementBytes = 34 << 10

	maxSlots = min(curve.MaxSlots, terms.MaxSlots, dom.MaxSlots)

	// slotHours is the length of a slot (SCIENCE C6).
	slotHours = 1

	// chunkVersions is how many records of a page are in memory together.
	chunkVersions = 32
)

// pageState is a page's analysis at work.
type pageState struct {
	reader
	page     store.PageID
	version  int32
	origin   time.Time
	curve    *curve.Accumulator
	terms    *terms.State
	elements *dom.State

	pending         *store.Span // the last version, which is not in the states
	supplied        bool        // the curve has its sets
	sets            []byte
	damaged, beyond int32
	last            int    // slot that was added last; -1: none
	changed         bool   // slots were added since the states were read
	hash            []byte // of the rules
}

// loadState reads an analysis back.
func loadState(a *store.Analysis, url string, r reader) (*pageState, error) {
	s := &pageState{
		reader: r, page: a.Page, hash: r.rules[a.Page].hash, version: a.Version, origin: a.Origin, damaged: a.Damaged, beyond: a.Beyond, sets: a.Sets, last: -1,
		curve: curve.NewAccumulator(url, curve.Options{}), terms: terms.NewState(termBytes), elements: dom.NewState(elementBytes),
	}
	if a.Curve == nil {
		s.supplied = true
		return s, nil
	}
	if err := errors.Join(s.curve.UnmarshalBinary(a.Curve), s.terms.UnmarshalBinary(a.Terms), s.elements.UnmarshalBinary(a.Elements)); err != nil {
		return nil, fmt.Errorf("analysis of page %d is damaged; 'strandline db rebuild' makes it anew: %w", a.Page, err)
	}
	if last, ok := s.curve.Last(); ok {
		s.last = last
	}
	return s, nil
}

// save writes the states into an analysis.
func (s *pageState) save(a *store.Analysis) error {
	var err error
	a.Version, a.Origin, a.Damaged, a.Beyond, a.Rules = s.version, s.origin, s.damaged, s.beyond, s.hash
	if !s.changed {
		return nil // the states are as they were read
	}
	if a.Curve, err = s.curve.MarshalBinary(); err != nil {
		return errOf(s.page, err)
	}
	if a.Terms, err = s.terms.MarshalBinary(); err != nil {
		return errOf(s.page, err)
	}
	if a.Elements, err = s.elements.MarshalBinary(); err != nil {
		return errOf(s.page, err)
	}
	room := max(0, stateBytes-len(a.Curve)-len(a.Terms)-len(a.Elements))
	switch {
	case len(s.sets) == 0 || s.curve.Moved(): // they may have fallen out for want of room
		a.Sets = s.curve.MarshalSets(room)
	case len(s.sets) > room:
		a.Sets = nil
	}
	return nil
}

// slot returns the slot of a time: the nearest full hour after the origin.
func (s *pageState) slot(at time.Time) int {
	return int(math.Floor(at.Sub(s.origin).Hours()/slotHours + .5))
}

// take goes through versions, from the last one that was taken before.
func (s *pageState) take(ctx context.Context, h *history) error {
	seen := h.seen
	var contents map[store.SHA256]*content
	read := 0 // versions whose records are in contents, or were
	for i := range h.spans {
		v := &h.spans[i]
		if i == read {
			chunk := h.spans[i:min(i+chunkVersions, len(h.spans))]
			last := contents
			var err error
			if contents, err = s.contents(ctx, s.page, chunk); err != nil {
				return err
			}
			if s.pending != nil && last[s.pending.Record] != nil {
				contents[s.pending.Record] = last[s.pending.Record]
			}
			read += len(chunk)
		}
		if v.Version <= s.version {
			s.pending = v
			continue
		}
		if s.origin.IsZero() {
			s.origin = v.FirstSeen
		}
		if p := s.pending; p != nil && s.slot(v.FirstSeen) > s.slot(p.FirstSeen) {
			var slots []int
			slots, seen = s.repeats(p, seen, v.FirstSeen)
			if err := s.settle(ctx, p, contents[p.Record], slots); err != nil {
				return err
			}
		}
		s.pending, s.version = v, v.Version
	}
	return nil
}

// repeats returns the slots between that of a version and that of a time in which
// a fetch saw the version again, and the fetches from that time on.
func (s *pageState) repeats(v *store.Span, seen []store.Seen, until time.Time) (slots []int, rest []store.Seen) {
	last, end := s.slot(v.FirstSeen), s.slot(until)
	see := func(at time.Time) {
		if n := s.slot(at); n > last && n < end {
			slots = append(slots, n)
			last = n
		}
	}
	for len(seen) > 0 && seen[0].At.Before(until) {
		if seen[0].Version == v.Version {
			see(seen[0].At)
		}
		seen = seen[1:]
	}
	see(v.LastSeen) // the fetches themselves may have been dropped
	return slots, seen
}

// settle adds a version and the slots that saw it again to the states.
func (s *pageState) settle(ctx context.Context, v *store.Span, c *content, repeats []int) error {
	slot := s.slot(v.FirstSeen)
	switch {
	case c == nil:
		s.damaged++
		return nil
	case slot >= maxSlots:
		s.beyond++
		return nil
	}
	if err := s.supply(ctx); err != nil {
		return err
	}
	words := s.wordsOf(c)
	if err := errors.Join(s.curve.Add(slot, words), s.terms.Add(slot, c.bag.each), s.elements.Add(slot, c.nodes())); err != nil {
		return errOf(s.page, err)
	}
	s.last, s.changed = slot, true
	for _, n := range repeats {
		if n >= maxSlots {
			break
		}
		err := s.curve.Repeat(n)
		if errors.Is(err, curve.ErrSets) {
			err = s.curve.Add(n, words)
		}
		if err := errors.Join(err, s.terms.Repeat(n), s.elements.Repeat(n)); err != nil {
			return errOf(s.page, err)
		}
		s.last = n
	}
	return nil
}

// supply gives the curve the sets of words of its starts: those kept with the
// state, those that the terms know, or those of the records.
func (s *pageState) supply(ctx context.Context) error {
	if s.supplied {
		return nil
	}
	s.supplied = true
	if len(s.sets) > 0 {
		return errOf(s.page, s.curve.UnmarshalSets(s.sets))
	}
	for _, slot := range s.curve.Needs() {
		if set, ok := s.terms.Set(slot); ok && s.curve.Supply(slot, set) {
			continue
		}
		span, err := s.records.SpanBefore(ctx, s.page, s.slotEnd(slot))
		if err != nil {
			return err
		}
		contents, err := s.contents(ctx, s.page, []store.Span{span})
		if err != nil {
			return err
		}
		c := contents[span.Record]
		if c == nil {
			return fmt.Errorf("%w: a start of the curve of page %d can no longer be read", errUnmeasurable, s.page)
		}
		if !s.curve.Supply(slot, s.wordsOf(c)) {
			return fmt.Errorf("%w: a start of the curve of page %d is not what it was", errUnmeasurable, s.page)
		}
	}
	return nil
}

// wordsOf counts the words of a content and returns their set.
func (s *pageState) wordsOf(c *content) dice.WordSet {
	s.memo(s.page).count(c)
	return c.words
}

// finish takes the versions that are left, the last one too, and the slots that saw that
// again. The measures can only be read then. Nothing can be taken afterwards.
func (s *pageState) finish(ctx context.Context, h *history) error {
	if len(h.spans) == 0 {
		return nil
	}
	if err := s.take(ctx, h); err != nil {
		return err
	}
	repeats, _ := s.repeats(s.pending, h.seen, seenUntil(h.spans))
	contents, err := s.contents(ctx, s.page, []store.Span{*s.pending})
	if err != nil {
		return err
	}
	return s.settle(ctx, s.pending, contents[s.pending.Record], repeats)
}

// seenUntil is a time after the slot in which the last of some versions was last seen.
func seenUntil(spans []store.Span) time.Time {
	return spans[len(spans)-1].LastSeen.Add(2 * slotHours * time.Hour)
}
