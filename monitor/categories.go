package monitor

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/monitor/category"
	"github.com/strandlinehq/strandline/monitor/text"
	"github.com/strandlinehq/strandline/store"
)

const (
	// relearn is how long a model serves while the labels stay the same.
	relearn = 7 * 24 * time.Hour
	// labelsRead is how many labelled pages of a category are learned from.
	labelsRead = 400
	// categoryBatch is how many pages are classified at once.
	categoryBatch = 256
)

// Categorise finds the categories of the pages whose watch has category auto, by
// what the pages with a configured category teach (SCIENCE A11). Pages are looked at
// once for each version and model; a model is made anew when the labelled pages are
// others, and after a week. It returns the classifier in force and how many pages it
// looked at. Too few labels are no error: the classifier says so then.
func Categorise(ctx context.Context, db *store.DB, now time.Time) (store.Classifier, int, error) {
	labelled, err := db.LabelledPages(ctx)
	if err != nil {
		return store.Classifier{}, 0, err
	}
	labelled = thinLabels(labelled)
	on := hashLabels(labelled)
	c, err := db.Classifier(ctx)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return c, 0, err
	}
	model := &category.Model{}
	if err != nil || string(c.TrainedOn) != string(on) || now.Sub(c.TrainedAt) >= relearn || c.Refused == "" && model.UnmarshalBinary(c.Model) != nil {
		if c, model, err = Learn(ctx, db, labelled); err != nil {
			return c, 0, err
		}
		c.TrainedAt, c.TrainedOn = now, on
		if c.ID, err = db.PutClassifier(ctx, c); err != nil {
			return c, 0, err
		}
	}
	if c.Refused != "" {
		return c, 0, nil
	}
	looked := 0
	for {
		pages, err := db.Uncategorised(ctx, c.ID, categoryBatch)
		if err != nil || len(pages) == 0 {
			return c, looked, err
		}
		found, err := classify(ctx, db, model, pages)
		if err != nil {
			return c, looked, err
		}
		if err := db.PutCategories(ctx, c.ID, found); err != nil {
			return c, looked, err
		}
		looked += len(pages)
	}
}

// Learn makes a classifier of labelled pages and validates it. The model is nil where
// there are too few of them, and the classifier says why. Nothing is stored; when it
// was trained is left to the caller.
func Learn(ctx context.Context, db *store.DB, labelled []store.CategoryPage) (store.Classifier, *category.Model, error) {
	labelled = thinLabels(labelled)
	c := store.Classifier{Pages: len(labelled), TrainedOn: hashLabels(labelled)}
	words, err := categoryPages(ctx, db, labelled)
	if err != nil {
		return c, nil, err
	}
	examples := make([]category.Example, len(labelled))
	for i, p := range labelled {
		examples[i] = category.Example{Page: words[i], Category: p.Category, Site: p.Site}
	}
	model, err := category.Train(examples, category.Options{})
	var tooFew *category.TooFewError
	if errors.As(err, &tooFew) {
		c.Refused = err.Error()
		return c, nil, nil
	}
	if err != nil {
		return c, nil, err
	}
	v, err := category.CrossValidate(examples, category.Options{})
	if err != nil {
		return c, nil, err
	}
	c.Tested, c.Correct, c.Largest, c.SitesApart = v.Tested, v.Correct, v.Largest, v.SitesApart
	if c.Categories, err = json.Marshal(v.Categories); err != nil {
		return c, nil, fmt.Errorf("learn categories: %w", err)
	}
	if c.Model, err = model.MarshalBinary(); err != nil {
		return c, nil, err
	}
	return c, model, nil
}

// Found learns from labelled pages and classifies others, in their order, without
// storing anything.
func Found(ctx context.Context, db *store.DB, labelled, pages []store.CategoryPage) (store.Classifier, []store.FoundCategory, error) {
	c, model, err := Learn(ctx, db, labelled)
	if err != nil || model == nil {
		return c, nil, err
	}
	found, err := classify(ctx, db, model, pages)
	return c, found, err
}

func classify(ctx context.Context, db *store.DB, model *category.Model, pages []store.CategoryPage) ([]store.FoundCategory, error) {
	words, err := categoryPages(ctx, db, pages)
	if err != nil {
		return nil, err
	}
	found := make([]store.FoundCategory, len(pages))
	for i, p := range pages {
		found[i] = store.FoundCategory{Page: p.Page, Record: p.Record}
		found[i].Category, found[i].Margin = model.Classify(words[i])
	}
	return found, nil
}

// thinLabels keeps no more than labelsRead pages of a category, the same ones for the
// same pages.
func thinLabels(pages []store.CategoryPage) []store.CategoryPage {
	key := func(p store.CategoryPage) uint64 { return xxh3.HashString(fmt.Sprint("category ", p.Page)) }
	out := slices.SortedFunc(slices.Values(pages), func(a, b store.CategoryPage) int {
		return cmp.Or(cmp.Compare(a.Category, b.Category), cmp.Compare(key(a), key(b)), cmp.Compare(a.Page, b.Page))
	})
	n, before := 0, ""
	out = slices.DeleteFunc(out, func(p store.CategoryPage) bool {
		if p.Category != before {
			n, before = 0, p.Category
		}
		n++
		return n > labelsRead
	})
	return out
}

func hashLabels(pages []store.CategoryPage) []byte {
	h := sha256.New()
	for _, p := range pages {
		fmt.Fprintf(h, "%d %q\n", p.Page, p.Category)
	}
	return h.Sum(nil)
}

// categoryPages reads the words of pages, in their order. One whose content is damaged
// has none.
func categoryPages(ctx context.Context, db *store.DB, pages []store.CategoryPage) ([]category.Page, error) {
	out := make([]category.Page, len(pages))
	for from := 0; from < len(pages); from += categoryBatch {
		part := pages[from:min(from+categoryBatch, len(pages))]
		keys := make([]store.ContentKey, len(part))
		for i, p := range part {
			keys[i] = store.ContentKey{Bucket: p.Page.Bucket(), Hash: p.Record}
		}
		records, err := readSound(ctx, db, distinctKeys(keys))
		if err != nil {
			return nil, fmt.Errorf("read words for categories: %w", err)
		}
		for i, p := range part {
			out[from+i].Language = p.Language
			if page, err := extract.DecodeRecord(records[keys[i]]); err == nil {
				out[from+i].Words = distinctWords(page)
			}
		}
	}
	return out, nil
}

// distinctWords are the words of a page and its title.
func distinctWords(p *extract.Page) []string {
	seen := map[string]bool{}
	var out []string
	for _, s := range [...]string{p.Title, p.Text()} {
		text.EachWord(s, func(word []byte) {
			if !seen[string(word)] {
				seen[string(word)] = true
				out = append(out, string(word))
			}
		})
	}
	return out
}
