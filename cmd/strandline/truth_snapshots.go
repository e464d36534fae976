package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/fetch"
	"github.com/strandlinehq/strandline/crawler/gate"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/crawler/snapshot"
	"github.com/strandlinehq/strandline/monitor/novelty"
	"github.com/strandlinehq/strandline/monitor/series"
	"github.com/strandlinehq/strandline/store"
)

// bornTruth holds the snapshots of a simulated web against the times at which its
// pages appeared.
type bornTruth struct {
	Snapshots []bornSnapshot `json:"snapshots"`
	Accuracy  []bornRules    `json:"accuracy"`
	Births    bornIntervals  `json:"births"`
}

// bornSnapshot is a snapshot in counts. New are pages of W that appeared after the
// snapshot before.
type bornSnapshot struct {
	At           time.Time `json:"at"`
	Pages        int64     `json:"pages"`
	L2           int64     `json:"l2"`
	OldOther     int64     `json:"old_other"`
	Unidentified int64     `json:"unidentified"`
	New          int       `json:"new"`
	NewInU       int       `json:"new_in_u"`
}

// bornRules is how the measure fares where pages are told to be old by some rules.
// All counts are over the snapshots after the first.
type bornRules struct {
	Rules string `json:"rules"`
	// Baseline: what was first seen, and is in U, is new.
	Unidentified int             `json:"unidentified"`
	New          int             `json:"new"`
	Baseline     float64         `json:"baseline_precision"`
	Judged       []bornThreshold `json:"judged"`
}

// bornThreshold judges pages by a threshold of novelty (SCIENCE T7).
type bornThreshold struct {
	Delta     float64  `json:"delta"`
	Threshold float64  `json:"threshold"`
	Judged    int      `json:"judged"`
	Right     int      `json:"right"`
	Precision *float64 `json:"precision"` // nil: nothing was judged novel
	Recall    float64  `json:"recall"`
}

// bornIntervals is how the intervals of birth fare (SCIENCE 3.2).
type bornIntervals struct {
	Pages    int     `json:"pages"`
	Covered  float64 `json:"covered"`     // share of pages that appeared within their interval of probability .9
	Days     float64 `json:"median_days"` // length of the intervals
	Brier    float64 `json:"brier"`       // of the probability of being new
	Baseline float64 `json:"brier_first_seen_is_new"`
	Certain  int     `json:"likely_new"` // pages whose probability of being new is .9 or more
	Right    float64 `json:"likely_new_precision"`
}

// anyPositive is a threshold that every novelty above 0 reaches: one link from L2 gives
// more, by whatever chain it comes in 20 iterations.
const anyPositive = 1e-9

// bornOptions say which snapshots are taken.
type bornOptions struct {
	Snapshots  int
	Every      time.Duration
	Deltas     []float64
	Thresholds []float64
}

// measureBorn takes snapshots of a web and holds what is computed of them against
// the truth. It needs an empty database.
func measureBorn(ctx context.Context, db *store.DB, web *bornWeb, opt bornOptions) (*bornTruth, error) {
	out := &bornTruth{}
	born := make([]map[string]time.Time, opt.Snapshots)
	var id store.SeriesID
	for k := range opt.Snapshots {
		if err := web.turn(ctx); err != nil {
			return nil, err
		}
		s := snapshot.Series{Name: "truth", Seeds: web.homes, Scope: snapshot.Scope{Sites: []string{"test"}}, Config: []byte("{}")}
		if _, err := web.crawl(ctx, db, s, k); err != nil {
			return nil, err
		}
		var err error
		if born[k], err = web.born(ctx); err != nil {
			return nil, err
		}
		if k == 0 {
			row, err := db.SeriesByName(ctx, s.Name)
			if err != nil {
				return nil, err
			}
			id = row.ID
		}
		if k+1 < opt.Snapshots {
			web.clock.Advance(opt.Every)
		}
	}
	for _, by := range []struct {
		name  string
		rules novelty.Rules
	}{{"known before", novelty.RuleKnown}, {"known before, Last-Modified, links of old pages", novelty.DefaultRules}} {
		r := bornRules{Rules: by.name}
		for _, delta := range opt.Deltas {
			o := series.Defaults()
			o.Delta, o.Rules, o.Deltas = delta, by.rules, []float64{delta}
			all, err := series.Recompute(ctx, db, id, series.All, o)
			if err != nil {
				return nil, err
			}
			pages, err := readBorn(ctx, db, all, born)
			if err != nil {
				return nil, err
			}
			r.judge(delta, opt.Thresholds, pages)
			out.Snapshots, out.Births = countBorn(all, pages), intervalsOf(pages)
		}
		out.Accuracy = append(out.Accuracy, r)
	}
	return out, nil
}

// bornPage is a crawled page with what is computed of it and what is true.
type bornPage struct {
	class    string
	number   int
	novelty  float64
	from, to *time.Time
	chance   *float64
	born     time.Time
	isNew    bool
}

// readBorn reads W of all snapshots but the first.
func readBorn(ctx context.Context, db *store.DB, all []store.SeriesSnapshot, born []map[string]time.Time) ([]bornPage, error) {
	var out []bornPage
	for k := 1; k < len(all); k++ {
		rows, err := db.Pool().Query(ctx, `
			select p.url, v.class::text, v.novelty, v.born_from, v.born_to, v.born_new
			from core.snapshot_novelty v join core.page p using (bucket, page_id) where v.snapshot_id = $1`, all[k].ID)
		if err != nil {
			return nil, fmt.Errorf("pages of snapshot %d: %w", k+1, err)
		}
		for rows.Next() {
			var url string
			p := bornPage{number: k}
			if err := rows.Scan(&url, &p.class, &p.novelty, &p.from, &p.to, &p.chance); err != nil {
				return nil, fmt.Errorf("pages of snapshot %d: %w", k+1, err)
			}
			var known bool
			if p.born, known = born[k][url]; !known {
				continue // a page that the truth does not list, such as a robots.txt that is linked to
			}
			p.isNew = p.born.After(all[k-1].StartedAt)
			out = append(out, p)
		}
		if err := rows.Err(); err != nil {
			return nil, fmt.Errorf("pages of snapshot %d: %w", k+1, err)
		}
	}
	return out, nil
}

func (r *bornRules) judge(delta float64, thresholds []float64, pages []bornPage) {
	r.Unidentified, r.New = 0, 0
	judged := make([]bornThreshold, len(thresholds))
	for _, p := range pages {
		if p.class != store.ClassUnidentified {
			continue
		}
		r.Unidentified++
		if p.isNew {
			r.New++
		}
		for i, t := range thresholds {
			if p.novelty >= t {
				judged[i].Judged++
				if p.isNew {
					judged[i].Right++
				}
			}
		}
	}
	r.Baseline = float64(r.New) / float64(max(r.Unidentified, 1))
	for i, t := range thresholds {
		j := judged[i]
		j.Delta, j.Threshold, j.Recall = delta, t, float64(j.Right)/float64(max(r.New, 1))
		if j.Judged > 0 {
			precision := float64(j.Right) / float64(j.Judged)
			j.Precision = &precision
		}
		r.Judged = append(r.Judged, j)
	}
}

func countBorn(all []store.SeriesSnapshot, pages []bornPage) []bornSnapshot {
	out := make([]bornSnapshot, len(all))
	for k, s := range all {
		out[k] = bornSnapshot{At: s.StartedAt, Pages: s.Pages, L2: s.L2, OldOther: s.OldOther, Unidentified: s.Unidentified}
	}
	for _, p := range pages {
		if p.isNew {
			out[p.number].New++
			if p.class == store.ClassUnidentified {
				out[p.number].NewInU++
			}
		}
	}
	return out
}

func intervalsOf(pages []bornPage) (out bornIntervals) {
	var covered, brier, baseline, right float64
	var days []float64
	for _, p := range pages {
		if p.from == nil || p.to == nil || p.chance == nil {
			continue
		}
		out.Pages++
		if !p.born.Before(*p.from) && !p.born.After(*p.to) {
			covered++
		}
		days = append(days, p.to.Sub(*p.from).Hours()/24)
		truth := one(p.isNew)
		brier += (*p.chance - truth) * (*p.chance - truth)
		baseline += (1 - truth) * (1 - truth)
		if *p.chance >= .9 {
			out.Certain++
			right += truth
		}
	}
	n := float64(max(out.Pages, 1))
	out.Covered, out.Brier, out.Baseline, out.Right = covered/n, brier/n, baseline/n, right/float64(max(out.Certain, 1))
	if m := median(days); m != nil {
		out.Days = *m
	}
	return out
}

// crawl takes a snapshot of what answers in a round.
func (w *bornWeb) crawl(ctx context.Context, db *store.DB, s snapshot.Series, round int) (store.SnapshotID, error) {
	g := gate.New(gate.Options{Delay: -1, BreakFor: time.Nanosecond, MaxBackoff: time.Nanosecond, Backoff: time.Nanosecond})
	f, err := fetch.New(fetch.Options{
		UserAgent: "strandline-bench/1.0", Gate: g, Clock: w.clock, Transport: partly{w.transport, func(host string) bool { return w.away(host, round) }},
	})
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return crawlOnce(ctx, db, w.clock, f, g, s)
}

// crawlOnce takes a snapshot.
func crawlOnce(ctx context.Context, db *store.DB, clk clock.Clock, f snapshot.Fetcher, g snapshot.Gate, s snapshot.Series) (store.SnapshotID, error) {
	keeper, err := snapshot.NewKeeper(ctx, db, clk)
	if err != nil {
		return 0, err
	}
	crawler := snapshot.New(db, f, g, intake.New(canonical.New(canonical.Options{})), clk, keeper, snapshot.Options{
		Workers: 16, Poll: 20 * time.Millisecond, Flush: 50 * time.Millisecond, GiveUp: 1, Retry: time.Nanosecond,
	})
	if err := crawler.Only(ctx, s); err != nil {
		return 0, err
	}
	id, err := crawler.Start(ctx, s.Name)
	if err != nil {
		return 0, err
	}
	crawling, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan error, 1)
	go func() { done <- crawler.Run(crawling) }()
	err = (&crawlCmd{Series: s.Name}).wait(crawling, &opened{DB: db}, id, nil)
	stop()
	return id, errors.Join(err, <-done)
}
