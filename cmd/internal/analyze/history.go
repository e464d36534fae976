package analyze

import (
	"bytes"
	"cmp"
	"crypto/sha1" //nolint:gosec // archives name payloads by it
	"slices"
	"time"
)

// history is a page's captures in the order of time.
type history struct {
	url           string
	fetches       int
	first, last   time.Time
	versions      int
	shown         []showing // of each capture whose content is known
	grid          []showing // of each slot that is not missing
	base          int       // hour of the grid's first slot, counted from 1970
	distinct      []*content
	distinctIndex map[*content]int
}

// showing is a content at a time.
type showing struct {
	at   time.Time
	slot int // hours from the first capture, rounded
	*content
}

// maxSlots bounds the window of a page, 120 years of hours: a capture with a
// nonsensical date costs memory for every slot in between.
const maxSlots = 1 << 20

// history lays the captures of a page in order. Captures of the same moment come
// in the order of their hashes, so that the order of the files does not count.
func (g *gatherer) history(url string) *history {
	captures := g.pages[url]
	slices.SortStableFunc(captures, func(a, b seen) int {
		return cmp.Or(a.at.Compare(b.at), bytes.Compare(a.hash[:], b.hash[:]), bytes.Compare(a.sum[:], b.sum[:]))
	})
	h := &history{
		url: url, fetches: len(captures), first: captures[0].at, last: captures[len(captures)-1].at, distinctIndex: map[*content]int{},
	}
	const hour = 3600
	h.base = int((h.first.Unix() + hour/2) / hour)
	var before *content
	for i := range captures {
		c := before
		if !captures[i].same {
			c = g.content(url, &captures[i])
		}
		if c == nil {
			continue // a payload that no file brought
		}
		at := captures[i].at
		s := showing{at: at, slot: int((at.Sub(h.first) + time.Hour/2) / time.Hour), content: c}
		if c != before {
			h.versions++
		}
		before = c
		if _, ok := h.distinctIndex[c]; !ok {
			h.distinctIndex[c] = len(h.distinct)
			h.distinct = append(h.distinct, c)
		}
		h.shown = append(h.shown, s)
		if n := len(h.grid); n > 0 && h.grid[n-1].slot == s.slot {
			h.grid[n-1] = s
		} else {
			h.grid = append(h.grid, s)
		}
	}
	return h
}

// runs gives the stretches [from, to) of the grid in which one content was seen.
func (h *history) runs(f func(from, to int, c *content) error) error {
	for from := 0; from < len(h.grid); {
		to := from + 1
		for to < len(h.grid) && h.grid[to].content == h.grid[from].content {
			to++
		}
		if err := f(from, to, h.grid[from].content); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// window is the number of slots from the first with a version to the last.
func (h *history) window() int {
	if len(h.grid) == 0 {
		return 0
	}
	return h.grid[len(h.grid)-1].slot + 1
}

func sha1Sum(b []byte) [sha1.Size]byte { return sha1.Sum(b) } //nolint:gosec // not for security
