package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/strandlinehq/strandline/configs"
	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/monitor/mask"
	"github.com/strandlinehq/strandline/monitor/suggest"
	"github.com/strandlinehq/strandline/store"
)

type watchSuggestCmd struct {
	Name     string  `arg:"" optional:"" help:"The watch; without it the configured ones are listed."`
	Versions int     `help:"Look at so many of the last versions of each page." default:"48"`
	Share    float64 `help:"Offer what differs in at least this share of the fetches." default:"0.9"`
}

// Run prints an ignore list on stdout: the rules that the watch has, and those that
// are offered, each below a comment that says what speaks for it.
func (c *watchSuggestCmd) Run(ctx context.Context, a *app) error {
	if c.Name == "" {
		return a.wantsWatch("watch suggest-ignore")
	}
	if c.Versions < 2 || !(c.Share > 0 && c.Share <= 1) {
		return usagef("want 2 versions or more and a share above 0 and up to 1")
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
	var offers [][]suggest.Rule
	looked := 0
	for _, u := range w.Pages() {
		rules, ok, err := c.page(ctx, o, string(u), ruleTexts(w.Ignore))
		if err != nil {
			return err
		}
		if ok {
			looked++
			offers = append(offers, rules)
		}
	}
	rules := suggest.Rules(offers...)
	// A rule that the configuration would refuse is none.
	rules = slices.DeleteFunc(rules, func(r suggest.Rule) bool { return new(configs.Rule).UnmarshalText([]byte(r.Text)) != nil })
	if len(rules) == 0 {
		fmt.Fprintf(a.stderr, "nothing to offer for watch %s: of %s, %d with two versions or more, and no part of them differs in nearly every fetch\n",
			c.Name, plural(len(w.Pages()), "page"), looked)
		return nil
	}
	b := bufio.NewWriter(a.stdout)
	fmt.Fprintf(b, "# For watch %s, from the last versions of %s. Strike out what you want to be told of.\nignore:\n", c.Name, plural(looked, "page"))
	for _, r := range w.Ignore {
		fmt.Fprintf(b, "  - %s\n", yamlText(string(r)))
	}
	for _, r := range rules {
		for _, line := range because(r) {
			fmt.Fprintf(b, "  # %s\n", line)
		}
		fmt.Fprintf(b, "  - %s\n", yamlText(r.Text))
	}
	return b.Flush()
}

// page gathers what one page offers; ok is false without two versions.
func (c *watchSuggestCmd) page(ctx context.Context, o *opened, name string, known []string) (rules []suggest.Rule, ok bool, err error) {
	url, err := o.reader.Canonical(name)
	if err != nil {
		return nil, false, usageError{err}
	}
	page, err := o.PageByURL(ctx, url)
	if errors.Is(err, store.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	history, err := o.History(ctx, page.ID)
	if err != nil {
		return nil, false, err
	}
	var versions []suggest.Version
	for _, v := range history[max(0, len(history)-c.Versions):] {
		record, err := o.Record(ctx, v)
		if errors.Is(err, store.ErrDamaged) || errors.Is(err, store.ErrNotFound) {
			versions = nil // those before it are not consecutive
			continue
		}
		if err != nil {
			return nil, false, err
		}
		p, err := extract.DecodeRecord(record)
		if err != nil {
			versions = nil
			continue
		}
		versions = append(versions, suggest.Version{At: v.FirstSeen, Fetches: v.Fetches, Page: p})
	}
	if len(versions) < 2 {
		return nil, false, nil
	}
	masks, err := o.Masks(ctx, []store.PageID{page.ID})
	if err != nil {
		return nil, false, err
	}
	var learned *mask.Mask
	if packed := masks[page.ID]; packed != nil {
		m := &mask.Mask{}
		if m.UnmarshalBinary(packed) == nil { // one that is damaged teaches nothing
			learned = m
		}
	}
	rules, err = suggest.Page(versions, known, learned, suggest.Options{Share: c.Share})
	return rules, true, err
}

// because says what speaks for a rule.
func because(r suggest.Rule) []string {
	first := fmt.Sprintf("Differs in %d of %d fetches", r.Differs, r.Steps)
	if r.Learned {
		first = "Differs between two requests at one moment"
	}
	if r.Pages > 1 {
		first += fmt.Sprintf(", on %d pages", r.Pages)
	}
	if r.Life > 0 {
		first += fmt.Sprintf("; a content lives %s on average", inWords(r.Life))
	}
	second := fmt.Sprintf("It has a part in %d of %d changes that are gone with these rules (%.0f %%).", r.Alone, r.Changes, percent(r.Alone, r.Changes))
	return []string{first + ".", second, "Such as: " + shorten(printable(r.Example), 90)}
}

func inWords(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.1f h", d.Hours())
	}
	return fmt.Sprintf("%.1f d", d.Hours()/24)
}

// printable keeps what is no text out of a comment.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '\uFFFD'
		}
		return r
	}, s)
}

// yamlText writes a text as YAML, in single quotes where it can be.
func yamlText(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return fmt.Sprintf("%+q", s)
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}
