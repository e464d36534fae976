package monitor

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/monitor/dice"
	"github.com/strandlinehq/strandline/monitor/text"
	"github.com/strandlinehq/strandline/store"
)

// measureChanges measures the steps that lead to versions (SCIENCE A8, C2).
func measureChanges(ctx context.Context, tx *store.Tx, todo []store.Todo) error {
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
	contents := map[store.ContentKey]*content{}
	read := func(k store.ContentKey) (*content, error) {
		if c, ok := contents[k]; ok {
			return c, nil
		}
		page, err := extract.DecodeRecord(records[k])
		if err != nil {
			return nil, fmt.Errorf("%w: record %s: %w", errUnmeasurable, k.Hash, err)
		}
		c := contentOf(page)
		contents[k] = c
		return c, nil
	}
	changes := make([]store.Change, 0, len(steps))
	for _, s := range steps {
		if !s.TextChanged {
			changes = append(changes, store.Change{Step: s, Dice: 1})
			continue
		}
		before, err := read(store.ContentKey{Bucket: s.Page.Bucket(), Hash: s.Before})
		if err != nil {
			return err
		}
		after, err := read(store.ContentKey{Bucket: s.Page.Bucket(), Hash: s.After})
		if err != nil {
			return err
		}
		changes = append(changes, compare(s, before, after))
	}
	return tx.PutChanges(ctx, changes)
}

// content is what a change is measured on.
type content struct {
	words     dice.WordSet
	sentences dice.WordSet // of the sentences' normal forms
}

func contentOf(p *extract.Page) *content {
	var words, sentences dice.Builder
	text.EachWord(p.Text(), words.Add)
	for i := range p.Sentences {
		if normal := text.Normal(p.SentenceText(i)); normal != "" {
			sentences.Add([]byte(normal))
		}
	}
	return &content{words: words.Set(), sentences: sentences.Set()}
}

func compare(s store.Step, before, after *content) store.Change {
	added, removed := before.words.Changes(after.words)
	c := store.Change{Step: s, Dice: before.words.Dice(after.words), WordsAdded: added, WordsRemoved: removed}
	c.SentencesAdded, c.SentencesRemoved = before.sentences.Changes(after.sentences)
	c.Significance = significance(c.Dice, added+removed)
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
