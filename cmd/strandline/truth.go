package main

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/monitor/dice"
	"github.com/strandlinehq/strandline/monitor/text"
	"github.com/strandlinehq/strandline/store"
)

// truthRow holds what is measured of the pages of one rate against what the
// simulated web knows of them.
type truthRow struct {
	Rate      string    `json:"rate"` // or lists, or noise
	Pages     int       `json:"pages"`
	Unchanged truthCell `json:"unchanged_share"`
	Hours     truthCell `json:"hours_between_changes"` // Table 1
	Dice      truthCell `json:"dice"`
	PerDay    truthCell `json:"changes_a_day_poisson"` // truth: all changes, also those between two visits
	Found     *float64  `json:"visits_that_found_a_change"`
	Pairs     []pairRow `json:"subhour"` // Table 2
}

// truthCell is a mean over pages. Error is the standard error of the difference's
// mean over the pages; nil of cells without a value.
type truthCell struct {
	Measured *float64 `json:"measured"`
	Truth    *float64 `json:"truth"`
	Off      *float64 `json:"off"`
	Error    *float64 `json:"standard_error"`
}

// pairRow is the share of pages whose text differs between the two fetches of a
// round, in any round, in nine of ten, and in all.
type pairRow struct {
	Minutes   int       `json:"minutes"`
	Any       truthCell `json:"any"`
	NearlyAll truthCell `json:"nearly_all"`
	All       truthCell `json:"all"`
}

// cellOf compares values page by page; a NaN has none.
func cellOf(measured, truth []float64) (c truthCell) {
	var off []float64
	for i := range measured {
		if !math.IsNaN(measured[i]) && !math.IsNaN(truth[i]) {
			off = append(off, measured[i]-truth[i])
		}
	}
	usable := func(v []float64) []float64 { return slices.DeleteFunc(slices.Clone(v), math.IsNaN) }
	c.Measured, c.Truth, c.Off = mean(usable(measured)), mean(usable(truth)), mean(off)
	if n := float64(len(off)); n > 1 {
		var sum float64
		for _, v := range off {
			sum += (v - *c.Off) * (v - *c.Off)
		}
		e := math.Sqrt(sum / (n - 1) / n)
		c.Error = &e
	}
	return c
}

// truthful is what the simulated web says of a page that is visited every hour.
type truthful struct {
	changes     int
	hours, dice float64 // means over the changes; NaN without
	perDay      float64
}

// truthOf goes through a page hour by hour. Its words are those of its sentences and
// the others that it had at first, which stay.
func truthOf(ctx context.Context, web truthWeb, g *truthGroup, page string, from time.Time, hours int) (truthful, error) {
	wordsOf := func(sentences []string) dice.WordSet {
		var b dice.Builder
		for _, s := range sentences {
			text.EachWord(s, b.Add)
		}
		return b.Set()
	}
	lines, links, err := web.content(ctx, page, from)
	if err != nil {
		return truthful{}, err
	}
	shown, err := shownBy(ctx, web, page, from, 0)
	if err != nil {
		return truthful{}, err
	}
	frame := map[uint64]int{} // occurrences outside of the sentences
	text.EachWord(shown.Text(), func(w []byte) { frame[dice.Hash(w)]++ })
	for _, s := range lines {
		text.EachWord(s, func(w []byte) { frame[dice.Hash(w)]-- })
	}
	full := func(sentences []string) dice.WordSet {
		all := slices.Clone(wordsOf(sentences))
		for h, n := range frame {
			if n > 0 {
				all = append(all, h)
			}
		}
		return dice.SetOf(all)
	}
	var out truthful
	var sum, gaps float64
	last := -1
	before := full(lines)
	for hour := 1; hour < hours; hour++ {
		now, nowLinks, err := web.content(ctx, page, from.Add(time.Duration(hour)*time.Hour))
		if err != nil {
			return truthful{}, err
		}
		if slices.Equal(now, lines) && slices.Equal(nowLinks, links) {
			continue
		}
		set := full(now)
		sum += before.Dice(set)
		if out.changes++; last >= 0 {
			gaps += float64(hour - last)
		}
		before, lines, links, last = set, now, nowLinks, hour
	}
	out.hours, out.dice = math.NaN(), math.NaN()
	if out.changes > 0 && g.words && !g.noisy {
		out.dice = sum / float64(out.changes)
	}
	if out.changes > 1 {
		out.hours = gaps / float64(out.changes-1)
	}
	until := from.Add(time.Duration(hours-1) * time.Hour)
	n, err := web.changes(ctx, page, from, until)
	out.perDay = float64(n) / (float64(hours-1) / 24)
	return out, err
}

func shownBy(ctx context.Context, web truthWeb, page string, at time.Time, visit int) (*extract.Page, error) {
	body, contentType, err := web.body(ctx, page, at, visit)
	if err != nil {
		return nil, err
	}
	var x extract.Extractor
	return x.Extract(extract.Input{Body: body, ContentType: contentType, URL: page}), nil
}

// pairMinutes are the distances of Table 2 (SCIENCE A7).
func pairMinutes() []int { return []int{0, 2, 16, 32, 60} }

// subhourTruth compares pairs of fetches some minutes apart, in rounds of some hours,
// by what the pages show with what their contents are. masks has what of a page is noise.
func subhourTruth(ctx context.Context, web truthWeb, g *truthGroup, masks map[string][]byte, from time.Time, rounds int) ([]pairRow, error) {
	differ := func(page string, at, then time.Time, k int) (ours, truth bool, err error) {
		a, err := shownBy(ctx, web, page, at, 2*k)
		if err != nil {
			return false, false, err
		}
		b, err := shownBy(ctx, web, page, then, 2*k+1)
		if err != nil {
			return false, false, err
		}
		if ours = a.TextHash() != b.TextHash(); ours && masks[page] != nil {
			masked, err := monitor.MaskLearner{}.Masked(masks[page], a.AppendRecord(nil), b.AppendRecord(nil), then)
			if err != nil {
				return false, false, err
			}
			ours = !masked
		}
		sentences, links, err := web.content(ctx, page, at)
		if err != nil {
			return false, false, err
		}
		sentences2, links2, err := web.content(ctx, page, then)
		return ours, g.each || !slices.Equal(sentences, sentences2) || !slices.Equal(links, links2), err
	}
	var out []pairRow
	for _, minutes := range pairMinutes() {
		var shares [3][2][]float64 // any, nearly all, all; ours and true
		for _, page := range g.urls {
			var n [2]int
			for k := range rounds {
				at := from.Add(time.Duration(k) * 7 * time.Hour)
				ours, truth, err := differ(page, at, at.Add(time.Duration(minutes)*time.Minute), k)
				if err != nil {
					return nil, err
				}
				n[0], n[1] = n[0]+int(one(ours)), n[1]+int(one(truth))
			}
			for side := range n {
				for i, is := range [...]bool{n[side] > 0, 10*n[side] >= 9*rounds, n[side] == rounds} {
					shares[i][side] = append(shares[i][side], one(is))
				}
			}
		}
		cell := func(i int) truthCell { return cellOf(shares[i][0], shares[i][1]) }
		out = append(out, pairRow{minutes, cell(0), cell(1), cell(2)})
	}
	return out, nil
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// measureTruth visits pages of each kind every hour, has the monitor measure them,
// and compares. It needs an empty database.
func measureTruth(ctx context.Context, db *store.DB, web truthWeb, from time.Time, hours, perGroup int) ([]truthRow, error) {
	groups, err := web.groups(ctx, from, from.Add(time.Duration(hours)*time.Hour), perGroup)
	if err != nil {
		return nil, err
	}
	for hour := range hours {
		if err := visitAll(ctx, db, web, groups, from.Add(time.Duration(hour)*time.Hour), hour); err != nil {
			return nil, err
		}
	}
	masks, err := learnNoise(ctx, db, web, groups, from)
	if err != nil {
		return nil, err
	}
	if _, err := monitor.New(db, monitor.Options{}).DrainVersions(ctx); err != nil {
		return nil, err
	}
	list, err := db.PageChanges(ctx)
	if err != nil {
		return nil, err
	}
	measured := make(map[string]store.PageChange, len(list))
	for _, p := range list {
		measured[p.URL] = p
	}
	var out []truthRow
	for i := range groups {
		row, err := truthRowOf(ctx, web, &groups[i], measured, masks, from, hours)
		if err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return out, nil
}

// visitAll stores a visit of each page.
func visitAll(ctx context.Context, db *store.DB, web truthWeb, groups []truthGroup, at time.Time, visit int) error {
	var captures []*store.Capture
	for _, g := range groups {
		for _, page := range g.urls {
			body, contentType, err := web.body(ctx, page, at, visit)
			if err != nil {
				return err
			}
			var x extract.Extractor
			shown := x.Extract(extract.Input{Body: body, ContentType: contentType, URL: page})
			captures = append(captures, &store.Capture{
				URL: page, Kind: store.KindImport, StartedAt: at, FinishedAt: at, Status: http.StatusOK, MediaType: "text/html",
				Head: []byte("HTTP/1.1 200 OK\r\n\r\n"), Payload: body,
				Extract: func([]byte) store.Extract {
					return store.Extract{Record: shown.AppendRecord(nil), TextHash: shown.TextHash(), WordsHash: shown.WordsHash(), Rules: 1}
				},
			})
		}
	}
	_, err := db.Write(ctx, captures)
	return err
}

// noisePairs is how many pairs of fetches at one moment teach what of a page is noise: a week
// of bursts has as many.
const noisePairs = 24

// learnNoise learns the noise of noisy pages from pairs of simultaneous fetches (SCIENCE A6),
// and stores it as a daemon does.
func learnNoise(ctx context.Context, db *store.DB, web truthWeb, groups []truthGroup, from time.Time) (map[string][]byte, error) {
	out := map[string][]byte{}
	var all []store.Mask
	for _, g := range groups {
		if !g.noisy {
			continue
		}
		for _, page := range g.urls {
			p, err := db.PageByURL(ctx, page)
			if err != nil {
				return nil, err
			}
			var m store.Mask
			for k := range noisePairs {
				at := from.Add(time.Duration(k-noisePairs) * 7 * time.Hour / noisePairs)
				a, err := shownBy(ctx, web, page, at, 1<<20+2*k)
				if err != nil {
					return nil, err
				}
				b, err := shownBy(ctx, web, page, at, 1<<20+2*k+1)
				if err != nil {
					return nil, err
				}
				if m, err = (monitor.MaskLearner{}).Learn(m.Mask, a.AppendRecord(nil), b.AppendRecord(nil), at); err != nil {
					return nil, err
				}
			}
			m.Page, m.Active = p.ID, true
			all, out[page] = append(all, m), m.Mask
		}
	}
	return out, db.Update(ctx, func(tx *store.Tx) error { return tx.PutMasks(ctx, all) })
}

func truthRowOf(ctx context.Context, web truthWeb, g *truthGroup, measured map[string]store.PageChange, masks map[string][]byte,
	from time.Time, hours int,
) (truthRow, error) {
	var still, gaps, dices, rates [2][]float64 // measured and true
	var found []float64
	put := func(to *[2][]float64, ours, truth float64) {
		to[0], to[1] = append(to[0], ours), append(to[1], truth)
	}
	number := func(v *float64) float64 {
		if v == nil {
			return math.NaN()
		}
		return *v
	}
	for _, page := range g.urls {
		m, ok := measured[page]
		if !ok {
			return truthRow{}, fmt.Errorf("%s was not measured", page)
		}
		t, err := truthOf(ctx, web, g, page, from, hours)
		if err != nil {
			return truthRow{}, err
		}
		perDay, ok := poissonRate(m)
		if !ok {
			perDay = math.NaN()
		}
		if g.each {
			t = truthful{changes: hours - 1, hours: 1, dice: math.NaN(), perDay: math.NaN()}
		}
		put(&still, one(m.Changes == 0), one(t.changes == 0))
		put(&gaps, number(m.Gap), t.hours)
		put(&dices, number(m.Dice), t.dice)
		put(&rates, perDay, t.perDay)
		found = append(found, float64(m.Changes)/float64(hours-1))
	}
	pairs, err := subhourTruth(ctx, web, g, masks, from, 10)
	if err != nil {
		return truthRow{}, err
	}
	return truthRow{
		Rate: g.name, Pages: len(g.urls), Unchanged: cellOf(still[0], still[1]), Hours: cellOf(gaps[0], gaps[1]),
		Dice: cellOf(dices[0], dices[1]), PerDay: cellOf(rates[0], rates[1]), Found: mean(found), Pairs: pairs,
	}, nil
}
