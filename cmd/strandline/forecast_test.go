package main

import (
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/monitor/dom"
)

// TestForecastHeldBack forecasts how long selectors find their elements from four
// weeks of simulated pages, and holds that against a fifth week that it has not seen.
func TestForecastHeldBack(t *testing.T) {
	t.Parallel()
	const pages, days, held = 24, 28, 7
	web, err := newOwnWeb(5)
	if err != nil {
		t.Fatal(err)
	}
	world := web.world
	epoch := world.Options().Epoch
	var forecast, found float64
	n := 0
	taken := 0
	for p := range world.Pages(epoch, epoch.Add(time.Second)) {
		if taken == pages {
			break
		}
		if p.Redirect != "" || p.Private || p.Period == 0 {
			continue
		}
		var versions [][]extract.Node
		for day := range days + held + 1 {
			r := world.Body(p.URL, epoch.AddDate(0, 0, day), day)
			if r.Status != http.StatusOK {
				break
			}
			var x extract.Extractor
			versions = append(versions, x.Extract(extract.Input{Body: r.Body, ContentType: r.Header.Get("Content-Type"), URL: p.URL}).Nodes)
		}
		if len(versions) < days+held+1 {
			continue
		}
		taken++
		// Every selector that was right at some time in the first week, and holds now.
		seen := map[string]dom.Selector{}
		for _, nodes := range versions[:7] {
			for i := range nodes {
				if nodes[i].Tag == "" {
					continue
				}
				for _, s := range dom.Selectors(nodes, i) {
					seen[s.CSS()] = s
				}
			}
		}
		for _, s := range seen {
			var record dom.Record
			for day := range days + 1 {
				_, ok := s.Find(versions[day])
				record.Add(float64(24*day), ok)
			}
			if !record.Holds {
				continue
			}
			likely, ok := record.Survival(24 * held)
			if !ok {
				continue
			}
			holds := true
			for day := days + 1; day <= days+held; day++ {
				_, ok := s.Find(versions[day])
				holds = holds && ok
			}
			n++
			forecast += likely
			found += one(holds)
		}
	}
	forecast, found = forecast/float64(n), found/float64(n)
	t.Logf("%d selectors on %d pages: forecast for a week %.3f, found %.3f", n, taken, forecast, found)
	if n < 500 || math.Abs(forecast-found) > .15 || forecast > found+.05 {
		t.Errorf("%d selectors: forecast %.3f, found %.3f; want it near, and rather below", n, forecast, found)
	}
}
