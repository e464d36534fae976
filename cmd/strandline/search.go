package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/found"
	"github.com/strandlinehq/strandline/monitor/query"
	"github.com/strandlinehq/strandline/monitor/series"
	"github.com/strandlinehq/strandline/store"
)

// searchCmd finds pages by words.
type searchCmd struct {
	Words  []string `arg:"" help:"What to look for: all words, \"phrases\", words after - that must not be there, OR between alternatives. A -- before keeps words after - from being read as flags."`
	Series string   `help:"Search the snapshots of a series: pages that are new with each, and old ones in which the words are new." placeholder:"NAME"`
	Sort   string   `help:"novelty, novelty-up, time or rank; default time, with --series novelty. The first two want --series." enum:",novelty,novelty-up,time,rank" default:""`
	From   string   `help:"Only what came at this time or later." placeholder:"TIME"`
	To     string   `help:"Only what came before this time." placeholder:"TIME"`
	Limit  int      `help:"Pages to print." default:"20"`
}

// Run searches and prints.
func (c *searchCmd) Run(ctx context.Context, a *app) error {
	q, err := query.Parse(strings.Join(c.Words, " "))
	if err != nil {
		return usagef("%w", err)
	}
	var from, to time.Time
	for _, t := range []struct {
		flag, text string
		at         *time.Time
	}{{"from", c.From, &from}, {"to", c.To, &to}} {
		if t.text == "" {
			continue
		}
		if *t.at, err = parseTime(t.text); err != nil {
			return usagef("--%s %s is not a time such as 2026-03-01 or 2026-03-01T12:00:00Z", t.flag, t.text)
		}
	}
	if c.Limit < 1 || c.Limit > 10_000 {
		return usagef("--limit wants a number from 1 to 10,000")
	}
	if c.Series == "" && strings.HasPrefix(c.Sort, "novelty") {
		return usagef("--sort %s goes with --series: novelty belongs to the snapshots of a series", c.Sort)
	}
	o, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	if c.Series != "" {
		return c.series(ctx, a, o, q, from, to)
	}
	all, err := o.Search(ctx, q, store.SearchOptions{From: from, To: to, ByRank: c.Sort == "rank", Limit: c.Limit})
	if err != nil {
		return err
	}
	var out []searchResult
	for _, h := range all.Hits {
		s, err := found.Version(ctx, o.DB, h.Page, h.Version, time.Time{}, q.Words())
		if err != nil && !errors.Is(err, store.ErrDamaged) {
			return err
		}
		r := resultOf(h.Page, h.URL, h.At, s)
		if h.Gone > 0 {
			r.Gone, r.GoneAt = &h.Gone, &h.GoneAt
		}
		r.Rank, r.Times = &h.Rank, h.Times
		out = append(out, r)
	}
	if err := markCopies(ctx, o.DB, out); err != nil {
		return err
	}
	if a.flags.JSON {
		return a.printJSON(map[string]any{"pages": nonNil(out), "partial": all.Partial})
	}
	for _, r := range out {
		state := "since version " + fmt.Sprint(r.Version) + " of " + stamp(r.At)
		if r.Gone != nil {
			state = fmt.Sprintf("from version %d of %s to version %d of %s", r.Version, stamp(r.At), *r.Gone, stamp(*r.GoneAt))
		}
		r.print(a, state)
	}
	switch {
	case len(out) == 0:
		_, err = fmt.Fprintln(a.stdout, "No version of any page fits.")
	case all.Partial:
		_, err = fmt.Fprintln(a.stdout, "The words are on so many pages that not all were looked at; more words find better.")
	}
	return err
}

// series prints the counts of paper T's Figure 11 and the pages behind them.
func (c *searchCmd) series(ctx context.Context, a *app, o *opened, q query.Query, from, to time.Time) error {
	s, err := o.SeriesByName(ctx, c.Series)
	if errors.Is(err, store.ErrNotFound) {
		return usagef("there is no series %q; 'strandline sql -c \"select distinct series from snapshot\"' lists them", c.Series)
	}
	if err != nil {
		return err
	}
	threshold, err := o.Threshold(ctx, s.ID)
	if err != nil {
		return err
	}
	order := strings.ReplaceAll(c.Sort, "-", " ")
	if order == "" {
		order = "novelty"
	}
	counts, pages, err := o.KeywordNovelty(ctx, s.ID, q, store.KeywordOptions{Threshold: threshold, From: from, To: to, Order: order, Rows: c.Limit})
	if err != nil {
		return err
	}
	started := map[int]time.Time{}
	for _, k := range counts {
		started[k.Snapshot] = k.At
	}
	sizes, err := o.Snapshots(ctx, s.ID)
	if err != nil {
		return err
	}
	unlike := series.Unlike(sizes)
	var out []searchResult
	for _, p := range pages {
		shown, err := found.At(ctx, o.DB, p.Page, p.At, started[p.Snapshot-1], q.Words())
		if err != nil && !errors.Is(err, store.ErrDamaged) {
			return err
		}
		r := resultOf(p.Page, p.URL, p.At, shown)
		r.Snapshot, r.Kind, r.Class, r.Novelty, r.FirstSeen = p.Snapshot, string(p.Kind), p.Class, &p.Novelty, &p.FirstSeen
		out = append(out, r)
	}
	if err := markCopies(ctx, o.DB, out); err != nil {
		return err
	}
	if a.flags.JSON {
		var rows []map[string]any
		for _, k := range counts {
			row := map[string]any{"snapshot": k.Snapshot, "at": k.At, "status": k.Status, "old_new_keyword": nil, "novel": nil, "uncertain": nil, "captured": nil, "delta": nil}
			if k.Known {
				row["old_new_keyword"], row["novel"], row["uncertain"], row["captured"] = k.NewWord, k.Novel, k.Uncertain, k.Capture
				row["delta"] = k.Delta
			}
			rows = append(rows, row)
		}
		all := map[string]any{"series": s.Name, "threshold": threshold, "snapshots": nonNil(rows), "pages": nonNil(out)}
		if unlike != "" {
			all["note"] = unlike
		}
		return a.printJSON(all)
	}
	if err := found.Table(s.Name, strings.Join(c.Words, " "), threshold, counts, unlike).Fit(a.stdout, a.width()); err != nil {
		return err
	}
	fmt.Fprintln(a.stdout)
	for _, r := range out {
		r.print(a, fmt.Sprintf("snapshot %d of %s, %s, novelty %.3f", r.Snapshot, stamp(started[r.Snapshot]), r.Kind, *r.Novelty))
	}
	return nil
}

// searchResult is a page that was found.
type searchResult struct {
	Page      store.PageID `json:"page_id"`
	URL       string       `json:"url"`
	Title     string       `json:"title"`
	Version   int32        `json:"version"`
	At        time.Time    `json:"at"`
	Gone      *int32       `json:"gone_version,omitempty"`
	GoneAt    *time.Time   `json:"gone_at,omitempty"`
	Times     int32        `json:"times,omitempty"`
	Rank      *float64     `json:"rank,omitempty"`
	Snapshot  int          `json:"snapshot,omitempty"`
	Kind      string       `json:"kind,omitempty"`
	Class     string       `json:"class,omitempty"`
	Novelty   *float64     `json:"novelty,omitempty"`
	FirstSeen *time.Time   `json:"first_seen,omitempty"`
	Copy      *searchCopy  `json:"copy,omitempty"`
	Hit       string       `json:"hit"`
	New       []string     `json:"new"`
	NewSince  *time.Time   `json:"new_since,omitempty"`
}

// searchCopy is what a page that was found is a copy of.
type searchCopy struct {
	Kind   store.CopyKind `json:"kind"`
	Source string         `json:"source_url"`
	Page   store.PageID   `json:"source_id"`
}

// markCopies says of pages that were found which are copies of others.
func markCopies(ctx context.Context, db *store.DB, all []searchResult) error {
	pages := make([]store.PageID, len(all))
	for i, r := range all {
		pages[i] = r.Page
	}
	copies, err := db.Copies(ctx, pages)
	if err != nil {
		return err
	}
	for i, r := range all {
		if c, ok := copies[r.Page]; ok {
			all[i].Copy = &searchCopy{c.Kind, c.SourceURL, c.Source}
		}
	}
	return nil
}

func resultOf(page store.PageID, url string, at time.Time, s found.Shown) searchResult {
	r := searchResult{Page: page, URL: url, Title: s.Title, Version: s.Version, At: at, Hit: found.Plain(s.Snippet.Hit), New: []string{}}
	for _, l := range s.Snippet.New {
		r.New = append(r.New, found.Plain(l))
	}
	if !s.First {
		r.NewSince = &s.Snippet.Since
	}
	return r
}

func (r searchResult) print(a *app, state string) {
	fmt.Fprintf(a.stdout, "%s\n  %s\n", r.URL, state)
	if r.Copy != nil {
		fmt.Fprintf(a.stdout, "  %s %s\n", found.CopyWords(r.Copy.Kind), r.Copy.Source)
	}
	if r.Title != "" {
		fmt.Fprintf(a.stdout, "  %s\n", r.Title)
	}
	if r.Hit != "" {
		fmt.Fprintf(a.stdout, "    %s\n", r.Hit)
	}
	for _, s := range r.New {
		if s != r.Hit {
			fmt.Fprintf(a.stdout, "  + %s\n", s)
		}
	}
}

// nonNil makes an empty list of none, which JSON prints as [].
func nonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
