package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/fetch"
	"github.com/strandlinehq/strandline/monitor/sample"
)

// drawChecked draws pages that robots.txt allows and that are there (SCIENCE
// A2): it draws, fetches what was drawn, and draws again without what failed.
func drawChecked(ctx context.Context, fetcher *fetch.Fetcher, workers int, drawer *sample.Drawer, urls map[uint64]string, told io.Writer) (sample.Sample, error) {
	checker := checker{fetcher: fetcher, workers: max(workers, 1), good: map[uint64]bool{}}
	denied := func(page uint64) bool {
		good, known := checker.good[page]
		return known && !good
	}
	for {
		drawn := drawer.Draw(denied)
		hosts := map[string][]uint64{}
		for _, list := range [...][]sample.Drawn{drawn.Pages, drawn.Top} {
			for _, p := range list {
				if _, known := checker.good[p.Page]; !known {
					facts, err := canonical.FactsOf(urls[p.Page])
					if err != nil {
						return drawn, err
					}
					hosts[facts.Host] = append(hosts[facts.Host], p.Page)
				}
			}
		}
		if len(hosts) == 0 {
			fmt.Fprintf(told, "%d pages checked, %d left out: %d forbidden, %d not there\n",
				len(checker.good), checker.denied+checker.failed, checker.denied, checker.failed)
			return drawn, nil
		}
		if err := checker.check(ctx, hosts, urls); err != nil {
			return drawn, err
		}
	}
}

// checker fetches pages and remembers which could be had.
type checker struct {
	fetcher *fetch.Fetcher
	workers int

	mu             sync.Mutex // guards what follows
	good           map[uint64]bool
	denied, failed int
}

// check fetches the pages of each host one after the other, and of as many hosts
// at once as there are workers.
func (c *checker) check(ctx context.Context, hosts map[string][]uint64, urls map[uint64]string) error {
	queue := make(chan []uint64)
	var wg sync.WaitGroup
	for range min(c.workers, len(hosts)) {
		wg.Go(func() {
			for pages := range queue {
				for _, p := range pages {
					if ctx.Err() != nil {
						break
					}
					c.one(ctx, p, urls[p])
				}
			}
		})
	}
	for _, pages := range hosts {
		queue <- pages
	}
	close(queue)
	wg.Wait()
	return ctx.Err()
}

// longestPause is how long a host may ask to be left alone before its page is
// given up.
const longestPause = 5 * time.Minute

func (c *checker) one(ctx context.Context, page uint64, url string) {
	res := c.fetcher.Fetch(ctx, fetch.Request{URL: url})
	for tries := 0; tries < 3 && res.Kind == fetch.Skipped; tries++ {
		pause := time.Until(res.RetryAt)
		if pause > longestPause || wait(ctx, pause) != nil {
			break
		}
		res = c.fetcher.Fetch(ctx, fetch.Request{URL: url})
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.good[page] = res.Kind == fetch.Content
	switch res.Kind {
	case fetch.Content:
	case fetch.Denied:
		c.denied++
	default:
		c.failed++
	}
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(max(d, 0))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
