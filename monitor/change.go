package monitor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/monitor/dice"
	"github.com/strandlinehq/strandline/monitor/ignore"
	"github.com/strandlinehq/strandline/monitor/text"
	"github.com/strandlinehq/strandline/store"
)

// measureChanges measures the steps that lead to versions (SCIENCE A8, C2). It
// leaves the contents that it read in whole, without what rules take out of them.
func measureChanges(ctx context.Context, tx *store.Tx, todo []store.Todo, whole map[store.ContentKey]*content) error {
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
	var pages []store.PageID
	for _, s := range steps {
		if s.TextChanged {
			pages = append(pages, s.Page)
		}
	}
	ignored, err := rulesOf(ctx, tx, pages, map[string]*ignore.Rules{})
	if err != nil {
		return err
	}
	noise, err := readFilters(ctx, tx, steps)
	if err != nil {
		return err
	}
	type contentKey struct {
		store.ContentKey
		rules *ignore.Rules
	}
	contents := map[contentKey]*content{}
	memos := map[store.PageID]*memo{}
	read := func(s store.Step, hash store.SHA256) (*content, error) {
		k := contentKey{store.ContentKey{Bucket: s.Page.Bucket(), Hash: hash}, ignored[s.Page]}
		if c, ok := contents[k]; ok {
			return c, nil
		}
		page, err := extract.DecodeRecord(records[k.ContentKey])
		if err != nil {
			return nil, fmt.Errorf("%w: record %s: %w", errUnmeasurable, hash, err)
		}
		if memos[s.Page] == nil {
			memos[s.Page] = newMemo()
		}
		c := contentOf(page, k.rules, memos[s.Page])
		c.page = page
		contents[k] = c
		if whole[k.ContentKey] = c; !k.rules.Empty() {
			whole[k.ContentKey] = &content{page: page}
		}
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
	return tx.PutChanges(ctx, changes)
}

// content is what a change is measured on.
type content struct {
	page      *extract.Page
	words     dice.WordSet
	sentences dice.WordSet // of the sentences' normal forms
	lines     []ignore.Line
}

func contentOf(p *extract.Page, rules *ignore.Rules, m *memo) *content {
	if rules.Empty() {
		return m.content(p)
	}
	var words, sentences dice.Builder
	sentence := func(s string) {
		if normal := text.Normal(s); normal != "" {
			sentences.Add([]byte(normal))
		}
	}
	// What the rules leave of a line may end its sentences elsewhere.
	lines, _ := rules.Apply(p)
	var spans []text.Span
	for _, l := range lines {
		text.EachWord(l.Text, words.Add)
		spans = text.AppendSentences(spans[:0], l.Text, p.Detected)
		for _, span := range spans {
			sentence(l.Text[span.Start:span.End])
		}
	}
	return &content{words: words.Set(), sentences: sentences.Set(), lines: lines}
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
