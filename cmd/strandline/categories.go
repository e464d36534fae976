package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/report"
	"github.com/strandlinehq/strandline/configs"
	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/monitor/category"
	"github.com/strandlinehq/strandline/store"
)

// categoriesEvery is how often categories are found for new and changed pages, on the
// daemon's clock.
const categoriesEvery = time.Hour

// categorise finds the categories of pages until ctx is done, while a watch asks for it.
func (s *service) categorise(ctx context.Context) error {
	for {
		s.mu.Lock()
		asked := asksCategories(s.config)
		s.mu.Unlock()
		if asked {
			c, looked, err := monitor.Categorise(ctx, s.DB, s.clock.Now())
			switch {
			case ctx.Err() != nil:
				return nil
			case err != nil:
				s.app.log.Warn("categories were not found", "error", err)
			case c.Refused != "":
				s.app.log.Warn("no classifier of categories", "reason", c.Refused)
			case looked > 0:
				s.app.log.Info("categories found", "pages", looked, "labelled", c.Pages, "accuracy", float64(c.Correct)/float64(max(c.Tested, 1)))
			}
		}
		if err := clock.Sleep(ctx, s.clock, categoriesEvery); err != nil {
			return nil
		}
	}
}

// asksCategories reports whether some page of the configuration has category auto.
func asksCategories(c *configs.Config) bool {
	for i := range c.Watches {
		if asksCategory(&c.Watches[i]) {
			return true
		}
	}
	return false
}

// asksCategory reports whether some page of a watch has category auto.
func asksCategory(w *configs.Watch) bool {
	return w.Category == configs.AutoCategory ||
		slices.ContainsFunc(w.Known, func(k configs.KnownPage) bool { return k.Category == configs.AutoCategory })
}

// configuredCategories gives the category of each page that has one by the
// configuration, auto among them, by URL as written; the first watch by name wins, as
// in the database.
func configuredCategories(c *configs.Config) map[configs.URL]string {
	order := make([]*configs.Watch, len(c.Watches))
	for i := range c.Watches {
		order[i] = &c.Watches[i]
	}
	slices.SortFunc(order, func(a, b *configs.Watch) int { return strings.Compare(string(a.Name), string(b.Name)) })
	out := map[configs.URL]string{}
	for _, w := range order {
		own := map[configs.URL]string{}
		for _, k := range w.Known {
			own[k.URL] = k.Category
		}
		for _, u := range w.Pages() {
			name := w.Category
			if own[u] != "" {
				name = own[u]
			}
			if before, ok := out[u]; name != "" && (!ok || before == configs.AutoCategory) {
				out[u] = name
			}
		}
	}
	return out
}

// checkCategories says in how many pages category auto finds its examples, for a
// configuration that asks for it.
func checkCategories(w io.Writer, c *configs.Config) {
	if !asksCategories(c) {
		return
	}
	labelled, asked := map[string]int{}, 0
	for _, name := range configuredCategories(c) {
		if name == configs.AutoCategory {
			asked++
		} else {
			labelled[name]++
		}
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(labelled)) {
		list = append(list, fmt.Sprintf("%s %d", name, labelled[name]))
	}
	fmt.Fprintf(w, "category auto: %s listed, to be found from those labelled (%s); 'watch test' says how well\n", plural(asked, "page"), orElse(strings.Join(list, ", "), "none"))
	enough := 0
	for _, n := range labelled {
		if n >= category.MinPages {
			enough++
		}
	}
	if enough < 2 {
		fmt.Fprintf(w, "category auto: %s\n", &category.TooFewError{Want: category.MinPages, Have: labelled})
	}
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// accuracyOf says how good a classifier is, in a sentence each.
func accuracyOf(c store.Classifier) []string {
	if c.Refused != "" {
		return []string{"No category is found: " + c.Refused + "."}
	}
	apart := "pages of one site were never both learned from and tested"
	if !c.SitesApart {
		apart = "a category has pages of one site only, so sites could not be kept apart: expect less on other sites"
	}
	out := []string{fmt.Sprintf("Categories are found by the words of %s; cross-validation puts %d of %d right (%.1f %%), always guessing the largest %.1f %%; %s.",
		plural(c.Pages, "labelled page"), c.Correct, c.Tested, percent(c.Correct, c.Tested), percent(c.Largest, c.Tested), apart)}
	var list []category.CategoryResult
	if json.Unmarshal(c.Categories, &list) == nil && len(list) > 0 {
		var parts []string
		for _, r := range list {
			parts = append(parts, fmt.Sprintf("%s %d of %s of %s", r.Category, r.Correct, plural(r.Pages, "page"), plural(r.Sites, "site")))
		}
		out = append(out, "Right by category: "+strings.Join(parts, ", ")+".")
	}
	return out
}

func percent(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return 100 * float64(n) / float64(of)
}

// noteCategories says under a table of classes how the categories came about.
func noteCategories(ctx context.Context, db *store.DB, t *report.Table) error {
	c, err := db.Classifier(ctx)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, s := range accuracyOf(c) {
		t.Note("%s", s)
	}
	return nil
}

// testCategories learns from the pages that the configuration labels, as they are in
// the database, and prints how well that does and what it finds for the pages of a
// watch. Nothing is stored.
func testCategories(ctx context.Context, a *app, o *opened, w *configs.Watch) error {
	byURL := configuredCategories(o.config)
	var labelled, asked []store.CategoryPage
	var urls []configs.URL
	read := func(u configs.URL) (store.CategoryPage, bool, error) {
		url, err := o.reader.Canonical(string(u))
		if err != nil {
			return store.CategoryPage{}, false, usageError{err}
		}
		facts, err := canonical.FactsOf(url)
		if err != nil {
			return store.CategoryPage{}, false, usageError{err}
		}
		page, err := o.PageByURL(ctx, url)
		var v store.Version
		if err == nil {
			v, err = o.LastVersion(ctx, page.ID)
		}
		if errors.Is(err, store.ErrNotFound) {
			return store.CategoryPage{}, false, nil
		}
		return store.CategoryPage{Page: page.ID, Site: facts.Site, Language: v.Language, Record: v.Record}, err == nil, err
	}
	for _, u := range slices.Sorted(maps.Keys(byURL)) {
		own := slices.Contains(w.Pages(), u)
		if byURL[u] == configs.AutoCategory && !own {
			continue
		}
		p, ok, err := read(u)
		if err != nil {
			return err
		}
		switch {
		case !ok:
		case byURL[u] == configs.AutoCategory:
			asked, urls = append(asked, p), append(urls, u)
		default:
			p.Category = byURL[u]
			labelled = append(labelled, p)
		}
	}
	c, found, err := monitor.Found(ctx, o.DB, labelled, asked)
	if err != nil {
		return err
	}
	for _, s := range accuracyOf(c) {
		fmt.Fprintln(a.stdout, s)
	}
	for i, f := range found {
		fmt.Fprintf(a.stdout, "  %s: %s (margin %.3f)\n", urls[i], orElse(f.Category, "none"), f.Margin)
	}
	return nil
}
