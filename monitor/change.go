package monitor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/monitor/ignore"
	"github.com/strandlinehq/strandline/store"
)

// measureChanges measures the steps that lead to versions (SCIENCE A8, C2). It
// leaves the contents that it reads to the other measures.
func measureChanges(ctx context.Context, tx *store.Tx, todo []store.Todo, r reader) error {
	steps, err := tx.Steps(ctx, todo)
	if err != nil {
		return err
	}
	var keys []store.ContentKey
	seen := map[store.ContentKey]bool{}
	for _, s := range steps {
		if !s.TextChanged {
			continue
		}
		for _, k := range [...]store.ContentKey{{Bucket: s.Page.Bucket(), Hash: s.Before}, {Bucket: s.Page.Bucket(), Hash: s.After}} {
			if !seen[k] {
				seen[k] = true
				keys = append(keys, k)
			}
		}
	}
	records, err := tx.Records(ctx, keys)
	if errors.Is(err, store.ErrDamaged) || errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("%w: %w", errUnmeasurable, err)
	}
	if err != nil {
		return err
	}
	noise, err := readFilters(ctx, tx, steps)
	if err != nil {
		return err
	}
	read := func(s store.Step, hash store.SHA256) (*content, error) {
		k := contentKey{s.Page, hash}
		c := r.decoded[k]
		if c == nil {
			page, err := extract.DecodeRecord(records[store.ContentKey{Bucket: s.Page.Bucket(), Hash: hash}])
			if err != nil {
				return nil, fmt.Errorf("%w: record %s: %w", errUnmeasurable, hash, err)
			}
			c = newContent(page, r.rules[s.Page].rules)
			r.decoded[k] = c
		}
		r.memo(s.Page).count(c)
		return c, nil
	}
	changes := make([]store.Change, 0, len(steps))
	for _, s := range steps {
		if !s.TextChanged {
			changes = append(changes, store.Change{Step: s, Dice: 1})
			continue
		}
		before, err := read(s, s.Before)
		if err != nil {
			return err
		}
		after, err := read(s, s.After)
		if err != nil {
			return err
		}
		change := compare(s, before, after)
		change.Masked = noise.masked(s, before.page, after.page)
		changes = append(changes, change)
	}
	var other []store.Todo
	for _, c := range changes {
		if c.Dice < asOther {
			other = append(other, store.Todo{Page: c.Page, Version: c.Version})
		}
	}
	if err := tx.QueueCopies(ctx, other); err != nil {
		return err
	}
	return tx.PutChanges(ctx, changes)
}

func compare(s store.Step, before, after *content) store.Change {
	added, removed := before.words.Changes(after.words)
	c := store.Change{Step: s, Dice: before.words.Dice(after.words), WordsAdded: added, WordsRemoved: removed}
	c.SentencesAdded, c.SentencesRemoved = before.sentences.Changes(after.sentences)
	c.Significance = significance(c.Dice, added+removed)
	// With rules the levels of change are those of what the rules leave.
	if before.lines != nil || after.lines != nil {
		c.TextChanged = !slices.EqualFunc(before.lines, after.lines, func(a, b ignore.Line) bool { return a.Text == b.Text })
		c.WordsChanged = added+removed > 0
	}
	return c
}

// halfWords is the number of words at which a change has half of the weight that
// its Dice value gives it.
const halfWords = 8

// significance orders changes for a person to read, from 0 to 1:
//
//	s = (1 - Dice) n/(n + 8), n words added and removed
//
// The second factor keeps a counter on a page of ten words from standing beside
// a rewritten article.
func significance(coefficient float64, words int) float64 {
	n := float64(words)
	return math.Max(0, 1-coefficient) * n / (n + halfWords)
}
