package feature

import (
	"time"

	"github.com/zeebo/xxh3"

	"github.com/strandlinehq/strandline/monitor/text"
)

// Days knows how the days around a date are written in a language, to tell
// sentences that name one of them from those that name an older day.
type Days struct {
	months map[uint64]bool
	days   map[uint64]bool
	near   map[[2]uint64]bool // month and day
}

// NewDays takes the days from `before` days before t to `after` days after it. In
// a language whose months are not known by name, no sentence names a day.
func NewDays(t time.Time, before, after int, lang string) *Days {
	d := &Days{months: map[uint64]bool{}, days: map[uint64]bool{}, near: map[[2]uint64]bool{}}
	lang = text.Base(lang)
	v := vocabularies()[lang]
	if v == nil || len(v.months) == 0 {
		return d
	}
	hashes := make([]uint64, len(v.months))
	for i, m := range v.months {
		text.EachTerm(m, lang, func(term, _ string) { hashes[i] = xxh3.HashString(term) })
		d.months[hashes[i]] = true
	}
	for n := 1; n <= 31; n++ {
		d.days[amountHash(float64(n))] = true
	}
	for n := -before; n <= after; n++ {
		at := t.AddDate(0, 0, n)
		d.near[[2]uint64{hashes[at.Month()-1], amountHash(float64(at.Day()))}] = true
	}
	return d
}

// Elsewhere reports whether a sentence names a month and a day, and none of the
// days that d knows.
func (d *Days) Elsewhere(v Vector) bool {
	found := false
	for _, m := range v {
		if m.Kind != Date || !d.months[m.Hash] {
			continue
		}
		for _, n := range v {
			if n.Kind != Date || !d.days[n.Hash] {
				continue
			}
			if d.near[[2]uint64{m.Hash, n.Hash}] {
				return false
			}
			found = true
		}
	}
	return found
}
