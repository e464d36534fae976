package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/strandlinehq/strandline/crawler/simweb"
)

// hourlyPage makes successive contents of a page of a simulated web that changes
// about every hour. Each differs from the one before.
func hourlyPage(ctx context.Context, versions, size int) (url string, bodies [][]byte, err error) {
	epoch := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	world, err := simweb.New(func() time.Time { return epoch }, simweb.Options{
		Seed: 1, Hosts: 4, PagesPerHost: 60, Size: size, Epoch: epoch, Rates: simweb.Rates{Hourly: 1}, Births: -1, Deaths: -1, EnglishOnly: true,
	})
	if err != nil {
		return "", nil, err
	}
	best := -1
	for p := range world.Pages(epoch, epoch.Add(time.Second)) {
		if p.Redirect != "" || p.Private || p.Period <= 0 || p.Period > 3*time.Hour {
			continue
		}
		// Of the pages the one nearest to the size.
		n := len(world.Body(p.URL, epoch, 0).Body) - size
		if n = max(n, -n); best < 0 || n < best {
			best, url = n, p.URL
		}
	}
	if url == "" {
		return "", nil, fmt.Errorf("the simulated web has no hourly page")
	}
	for hour := 0; len(bodies) < versions; hour++ {
		if err := ctx.Err(); err != nil {
			return "", nil, err
		}
		r := world.Body(url, epoch.Add(time.Duration(hour)*time.Hour), hour)
		if r.Status != http.StatusOK {
			return "", nil, fmt.Errorf("render %s: status %d", url, r.Status)
		}
		if n := len(bodies); n == 0 || string(bodies[n-1]) != string(r.Body) {
			bodies = append(bodies, r.Body)
		}
		if hour > 20*versions {
			return "", nil, fmt.Errorf("%s changes too seldom", url)
		}
	}
	return url, bodies, nil
}

// meanBytes is the mean length of bodies.
func meanBytes(bodies [][]byte) int {
	sum := 0
	for _, b := range bodies {
		sum += len(b)
	}
	return sum / max(1, len(bodies))
}

// millis gives processor time in milliseconds for each of n.
func millis(d time.Duration, n int) float64 { return d.Seconds() * 1000 / float64(n) }
