package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/strandlinehq/strandline/store"
)

// frontier fills the frontier of a snapshot by the same statement as a crawl does,
// takes from it, and lets a crawl run on it for a while.
func (c *benchCrawlCmd) frontier(ctx context.Context, b *crawlBench) (*frontierFigure, error) {
	out := &frontierFigure{URLs: c.Frontier, Hosts: c.Hosts}
	crawling, stop := context.WithCancel(ctx)
	defer stop()
	_, err := b.crawl(crawling, "frontier", func(id store.SnapshotID) error {
		if err := c.fill(ctx, b, id, out); err != nil {
			return err
		}
		if err := b.take(ctx, id, out); err != nil {
			return err
		}
		// The crawl begins with this many URLs; a few seconds show what it holds.
		time.AfterFunc(5*time.Second, stop)
		return resetPeak()
	})
	out.MemoryMB = round3(float64(peakMemory()) / (1 << 20))
	if crawling.Err() != nil && ctx.Err() == nil {
		err = nil // it was stopped, as was meant
	}
	return out, err
}

// fill makes the pages and puts them into the frontier.
func (c *benchCrawlCmd) fill(ctx context.Context, b *crawlBench, id store.SnapshotID, out *frontierFigure) error {
	const batch = 5000
	var took time.Duration
	for from := 0; from < c.Frontier; from += batch {
		var seen []store.Sighting
		for i := from; i < min(from+batch, c.Frontier); i++ {
			seen = append(seen, store.Sighting{URL: fmt.Sprintf("http://frontier-%d.test/page/%d", i%c.Hosts, i), At: time.Now()})
		}
		pages, err := b.ResolvePages(ctx, seen)
		if err != nil {
			return err
		}
		finds := make([]store.Find, 0, len(pages))
		for _, p := range pages {
			finds = append(finds, store.Find{Page: p, Depth: 1})
		}
		begin := time.Now()
		_, err = b.WriteWith(ctx, nil, func(ctx context.Context, tx *store.Tx, _ []store.Stored) error {
			_, err := tx.AddFrontier(ctx, id, finds)
			return err
		})
		if err != nil {
			return err
		}
		took += time.Since(begin)
	}
	out.AddPerSecond = round3(float64(c.Frontier) / took.Seconds())
	return nil
}

// take takes 256 URLs, of 32 hosts, several times.
func (b *crawlBench) take(ctx context.Context, id store.SnapshotID, out *frontierFigure) error {
	hosts, err := b.FrontierHosts(ctx, id, everyBucket())
	if err != nil {
		return err
	}
	const times = 20
	begin := time.Now()
	for i := range times {
		r := store.TakeRequest{Depth: 1, Now: time.Now()}
		for j := range 32 {
			r.Hosts = append(r.Hosts, hosts[(i*32+j)%len(hosts)].ID)
			r.Room = append(r.Room, 8)
		}
		if _, err := b.TakeFrontier(ctx, id, r); err != nil {
			return err
		}
	}
	out.TakeMillis = round3(time.Since(begin).Seconds() * 1000 / times)
	return nil
}

func everyBucket() []int32 {
	out := make([]int32, store.Buckets)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}

// resetPeak makes the kernel forget how much memory the process has held at most.
func resetPeak() error {
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	return nil
}

// plainRound fetches the same pages by plain net/http, which inflates and throws away.
func (b *recrawl) plainRound(ctx context.Context, workers int) (benchFigures, error) {
	proxy, err := url.Parse(b.site.proxy)
	if err != nil {
		return benchFigures{}, err
	}
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy), MaxIdleConnsPerHost: workers, DisableCompression: true}}
	defer client.CloseIdleConnections()
	begin, cpu := time.Now(), b.used()
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(workers)
	for _, address := range b.site.urls {
		g.Go(func() error {
			_, err := plainFetch(ctx, client, address, "", false)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return benchFigures{}, err
	}
	return b.figures(begin, cpu, int64(len(b.site.urls)), nil), nil
}
