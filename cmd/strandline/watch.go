package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/strandlinehq/strandline/configs"
	"github.com/strandlinehq/strandline/monitor/ignore"
	"github.com/strandlinehq/strandline/store"
)

// watchCmd holds the commands on one watch.
type watchCmd struct {
	SuggestIgnore watchSuggestCmd `cmd:"" help:"Offer ignore rules for what lives no longer than from one fetch to the next, as YAML to paste."`
	Test          watchTestCmd    `cmd:"" help:"Show what the watch's ignore rules remove from its pages now, and what categories are found for them."`
}

type watchTestCmd struct {
	Name string `arg:"" optional:"" help:"The watch; without it the configured ones are listed."`
}

// maxRemovals is how many pieces of text a rule shows of a page.
const maxRemovals = 5

// Run prints, for each page of the watch and each rule, what the rule removes
// from the page's last version.
func (c *watchTestCmd) Run(ctx context.Context, a *app) error {
	if c.Name == "" {
		return a.wantsWatch("watch test")
	}
	o, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	w, err := findWatch(o.config, c.Name)
	if err != nil {
		return err
	}
	if asksCategory(w) {
		if err := testCategories(ctx, a, o, w); err != nil {
			return err
		}
	}
	if len(w.Ignore) == 0 {
		fmt.Fprintf(a.stdout, "watch %s has no ignore rules; 'watch suggest-ignore %s' offers some\n", c.Name, c.Name)
		return nil
	}
	rules, err := ignore.Compile(ruleTexts(w.Ignore))
	if err != nil {
		return usageError{err}
	}
	var unseen []string
	total := map[string]int{}
	for _, u := range w.Pages() {
		removed, words, err := c.page(ctx, o, string(u), rules)
		if errors.Is(err, store.ErrNotFound) {
			unseen = append(unseen, string(u))
			continue
		}
		if err != nil {
			return err
		}
		fmt.Fprintln(a.stdout, u)
		byRule := map[string][]string{}
		gone := 0
		for _, r := range removed {
			byRule[r.Rule] = append(byRule[r.Rule], r.Text)
			total[r.Rule]++
			gone += len(strings.Fields(r.Text))
		}
		for _, rule := range ruleTexts(w.Ignore) {
			list := byRule[rule]
			if len(list) == 0 {
				fmt.Fprintf(a.stdout, "  %s removes nothing\n", rule)
				continue
			}
			fmt.Fprintf(a.stdout, "  %s removes %d pieces of text:\n", rule, len(list))
			for _, text := range list[:min(len(list), maxRemovals)] {
				fmt.Fprintf(a.stdout, "    %s\n", shorten(strings.Join(strings.Fields(text), " "), 100))
			}
		}
		fmt.Fprintf(a.stdout, "  %d of %d words removed\n", gone, words)
	}
	for _, rule := range ruleTexts(w.Ignore) {
		if total[rule] == 0 && len(unseen) < len(w.Pages()) {
			fmt.Fprintf(a.stderr, "warning: %s removes nothing on any page; selectors see tags, ids and classes only\n", rule)
		}
	}
	for _, u := range unseen {
		fmt.Fprintf(a.stderr, "%s was not fetched yet\n", u)
	}
	return nil
}

func (c *watchTestCmd) page(ctx context.Context, o *opened, name string, rules *ignore.Rules) ([]ignore.Removal, int, error) {
	url, err := o.reader.Canonical(name)
	if err != nil {
		return nil, 0, usageError{err}
	}
	page, err := o.PageByURL(ctx, url)
	if err != nil {
		return nil, 0, err
	}
	v, err := o.LastVersion(ctx, page.ID)
	if err != nil {
		return nil, 0, err
	}
	text, err := o.text(ctx, v)
	if err != nil {
		return nil, 0, err
	}
	_, removed := rules.Apply(text)
	return removed, len(strings.Fields(text.Text())), nil
}

// wantsWatch lists the configured watches, for a command that was given none.
func (a *app) wantsWatch(command string) error {
	config, err := a.config()
	if err != nil {
		return err
	}
	var names []string
	for i := range config.Watches {
		names = append(names, string(config.Watches[i].Name))
	}
	return a.wantsName(command, "watch", names)
}

func findWatch(c *configs.Config, name string) (*configs.Watch, error) {
	var names []string
	for i := range c.Watches {
		if string(c.Watches[i].Name) == name {
			return &c.Watches[i], nil
		}
		names = append(names, string(c.Watches[i].Name))
	}
	if len(names) == 0 {
		return nil, usagef("the configuration has no watches")
	}
	return nil, usagef("no watch is called %q; the configuration has %s", name, strings.Join(names, ", "))
}
