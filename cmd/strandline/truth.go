package main

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/crawler/simweb"
	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/monitor/dice"
	"github.com/strandlinehq/strandline/monitor/text"
	"github.com/strandlinehq/strandline/store"
)

// truthRow holds what is measured of the pages of one rate against what the
// simulated web knows of them.
type truthRow struct {
	Rate      string    `json:"rate"`
	Pages     int       `json:"pages"`
	Unchanged truthCell `json:"unchanged_share"`
	Hours     truthCell `json:"hours_between_changes"` // Table 1
	Dice      truthCell `json:"dice"`
	PerDay    truthCell `json:"changes_a_day_poisson"` // truth: all changes, also those between two visits
	Pairs     []pairRow `json:"subhour"`               // Table 2
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
// round, in any round and in all.
type pairRow struct {
	Minutes int       `json:"minutes"`
	Any     truthCell `json:"any"`
	All     truthCell `json:"all"`
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

// truthPages chooses up to n pages of a rate whose only changes are those of their
// own text, so that the truth has all of them.
func truthPages(world *simweb.World, rate simweb.Rate, from, to time.Time, n int) []simweb.Page {
	var out []simweb.Page
	for p := range world.Pages(from, to) {
		if p.Rate == rate && p.Redirect == "" && !p.Private && (len(p.Noise) == 0 || rate == simweb.Request) && alone(p.Kind) &&
			!p.Born.After(from) && (p.Died.IsZero() || p.Died.After(to)) && len(out) < n {
			out = append(out, p)
		}
	}
	return out
}

// alone reports whether a kind of page has text of its own only, no lists of others.
func alone(k simweb.Kind) bool {
	switch k {
	case simweb.Article, simweb.Document, simweb.Product, simweb.Table, simweb.Live, simweb.PerRequest, simweb.About:
		return true
	default:
		return false
	}
}

// truthful is what the simulated web says of a page that is visited every hour.
type truthful struct {
	changes     int
	hours, dice float64 // means over the changes; NaN without
	perDay      float64
}

// truthOf goes through a page hour by hour. Its words are those of its sentences and
// the others that it had at first, which stay.
func truthOf(world *simweb.World, p simweb.Page, from time.Time, hours int) (truthful, error) {
	words := func(at time.Time) dice.WordSet {
		var b dice.Builder
		for _, s := range world.Sentences(p.URL, at) {
			text.EachWord(s.Text, b.Add)
		}
		return b.Set()
	}
	page, err := shownBy(world, p.URL, from, 0)
	if err != nil {
		return truthful{}, err
	}
	before, lines := words(from), sentencesAt(world, p.URL, from)
	frame := map[uint64]int{} // occurrences outside of the sentences
	text.EachWord(page.Text(), func(w []byte) { frame[dice.Hash(w)]++ })
	for _, s := range lines {
		text.EachWord(s, func(w []byte) { frame[dice.Hash(w)]-- })
	}
	var out truthful
	var sum, gaps float64
	last := -1
	for hour := 1; hour < hours; hour++ {
		at := from.Add(time.Duration(hour) * time.Hour)
		now := sentencesAt(world, p.URL, at)
		if slices.Equal(now, lines) {
			continue
		}
		set := words(at)
		full := func(s dice.WordSet) dice.WordSet {
			all := slices.Clone(s)
			for h, n := range frame {
				if n > 0 {
					all = append(all, h)
				}
			}
			return dice.SetOf(all)
		}
		sum += full(before).Dice(full(set))
		if out.changes++; last >= 0 {
			gaps += float64(hour - last)
		}
		before, lines, last = set, now, hour
	}
	out.hours, out.dice = math.NaN(), math.NaN()
	if out.changes > 0 {
		out.dice = sum / float64(out.changes)
	}
	if out.changes > 1 {
		out.hours = gaps / float64(out.changes-1)
	}
	until := from.Add(time.Duration(hours-1) * time.Hour)
	out.perDay = float64(len(world.Changes(p.URL, from, until))) / (float64(hours-1) / 24)
	return out, nil
}

func sentencesAt(world *simweb.World, url string, at time.Time) []string {
	var out []string
	for _, s := range world.Sentences(url, at) {
		out = append(out, s.Text)
	}
	return out
}

func shownBy(world *simweb.World, url string, at time.Time, n int) (*extract.Page, error) {
	r := world.Body(url, at, n)
	if r.Status != http.StatusOK {
		return nil, fmt.Errorf("render %s: status %d", url, r.Status)
	}
	var x extract.Extractor
	return x.Extract(extract.Input{Body: r.Body, ContentType: r.Header.Get("Content-Type"), URL: url}), nil
}

// pairMinutes are the distances of Table 2 (SCIENCE A7).
func pairMinutes() []int { return []int{0, 2, 16, 32} }

// subhourTruth compares pairs of fetches some minutes apart, in rounds of some hours,
// by what the pages show with what their sentences are.
func subhourTruth(world *simweb.World, pages []simweb.Page, from time.Time, rounds int) ([]pairRow, error) {
	var out []pairRow
	for _, minutes := range pairMinutes() {
		var anyOurs, anyTrue, allOurs, allTrue []float64
		for _, p := range pages {
			ours, truth := 0, 0
			for k := range rounds {
				at := from.Add(time.Duration(k) * 7 * time.Hour)
				then := at.Add(time.Duration(minutes) * time.Minute)
				a, err := shownBy(world, p.URL, at, 2*k)
				if err != nil {
					return nil, err
				}
				b, err := shownBy(world, p.URL, then, 2*k+1)
				if err != nil {
					return nil, err
				}
				if a.TextHash() != b.TextHash() {
					ours++
				}
				if p.Rate == simweb.Request || !slices.Equal(sentencesAt(world, p.URL, at), sentencesAt(world, p.URL, then)) {
					truth++
				}
			}
			anyOurs, anyTrue = append(anyOurs, one(ours > 0)), append(anyTrue, one(truth > 0))
			allOurs, allTrue = append(allOurs, one(ours == rounds)), append(allTrue, one(truth == rounds))
		}
		out = append(out, pairRow{minutes, cellOf(anyOurs, anyTrue), cellOf(allOurs, allTrue)})
	}
	return out, nil
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// measureTruth visits pages of each rate every hour, has the monitor measure them,
// and compares. It needs an empty database.
func measureTruth(ctx context.Context, db *store.DB, world *simweb.World, from time.Time, hours, perRate int) ([]truthRow, error) {
	rates := []simweb.Rate{simweb.Static, simweb.Weekly, simweb.Daily, simweb.Hourly, simweb.Minutes, simweb.Request}
	chosen := map[simweb.Rate][]simweb.Page{}
	until := from.Add(time.Duration(hours) * time.Hour)
	for _, rate := range rates {
		chosen[rate] = truthPages(world, rate, from, until, perRate)
	}
	for hour := range hours {
		var captures []*store.Capture
		at := from.Add(time.Duration(hour) * time.Hour)
		for _, rate := range rates {
			for _, p := range chosen[rate] {
				page, err := shownBy(world, p.URL, at, hour)
				if err != nil {
					return nil, err
				}
				captures = append(captures, &store.Capture{
					URL: p.URL, Kind: store.KindImport, StartedAt: at, FinishedAt: at, Status: http.StatusOK, MediaType: "text/html",
					Head: []byte("HTTP/1.1 200 OK\r\n\r\n"), Payload: world.Body(p.URL, at, hour).Body,
					Extract: func([]byte) store.Extract {
						return store.Extract{Record: page.AppendRecord(nil), TextHash: page.TextHash(), WordsHash: page.WordsHash(), Rules: 1}
					},
				})
			}
		}
		if _, err := db.Write(ctx, captures); err != nil {
			return nil, err
		}
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
	for _, rate := range rates {
		row, err := truthRowOf(world, rate, chosen[rate], measured, from, hours)
		if err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return out, nil
}

func truthRowOf(world *simweb.World, rate simweb.Rate, pages []simweb.Page, measured map[string]store.PageChange, from time.Time, hours int) (truthRow, error) {
	var still, gaps, dices, rates [2][]float64 // measured and true
	put := func(to *[2][]float64, ours, truth float64) {
		to[0], to[1] = append(to[0], ours), append(to[1], truth)
	}
	number := func(v *float64) float64 {
		if v == nil {
			return math.NaN()
		}
		return *v
	}
	for _, p := range pages {
		m, ok := measured[p.URL]
		if !ok {
			return truthRow{}, fmt.Errorf("%s was not measured", p.URL)
		}
		t, err := truthOf(world, p, from, hours)
		if err != nil {
			return truthRow{}, err
		}
		perDay, ok := poissonRate(m)
		if !ok {
			perDay = math.NaN()
		}
		if rate == simweb.Request { // every answer differs, which sentences do not tell
			t = truthful{changes: hours - 1, hours: 1, dice: math.NaN(), perDay: math.NaN()}
		}
		put(&still, one(m.Changes == 0), one(t.changes == 0))
		put(&gaps, number(m.Gap), t.hours)
		put(&dices, number(m.Dice), t.dice)
		put(&rates, perDay, t.perDay)
	}
	pairs, err := subhourTruth(world, pages, from, 6)
	if err != nil {
		return truthRow{}, err
	}
	return truthRow{
		Rate: rate.String(), Pages: len(pages), Unchanged: cellOf(still[0], still[1]), Hours: cellOf(gaps[0], gaps[1]),
		Dice: cellOf(dices[0], dices[1]), PerDay: cellOf(rates[0], rates[1]), Pairs: pairs,
	}, nil
}
