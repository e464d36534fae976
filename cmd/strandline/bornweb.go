package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/simweb"
)

// bornWeb is a simulated web of which it is known when its pages appeared.
type bornWeb struct {
	clock     *clock.Manual
	homes     []string
	transport http.RoundTripper
	// turn moves the web to the time of the clock.
	turn func(ctx context.Context) error
	// born gives when the pages appeared that exist now.
	born func(ctx context.Context) (map[string]time.Time, error)
	// away reports whether a host does not answer in a round.
	away func(host string, round int) bool
}

// ownBornWeb is a web of our own, in memory.
func ownBornWeb(opt simweb.Options) (*bornWeb, error) {
	clk := clock.NewManual(opt.Epoch)
	world, err := simweb.New(clk.Now, opt)
	if err != nil {
		return nil, err
	}
	return &bornWeb{
		clock: clk, homes: world.Homes(), transport: world.Transport(), turn: func(context.Context) error { return nil },
		born: func(context.Context) (map[string]time.Time, error) {
			out := map[string]time.Time{}
			for p := range world.Pages(clk.Now(), clk.Now().Add(time.Second)) {
				out[p.URL] = p.Born
			}
			return out, nil
		},
	}, nil
}

// foreignBornWeb is one that somebody else runs: a proxy that serves it, and an
// address with /clock, /seeds and /truth/pages.
func foreignBornWeb(ctx context.Context, proxy, admin string, start time.Time) (*bornWeb, error) {
	through, err := url.Parse(proxy)
	if err != nil {
		return nil, usagef("--proxy: %v", err)
	}
	admin = strings.TrimSuffix(admin, "/")
	clk := clock.NewManual(start)
	w := &bornWeb{
		clock: clk, transport: &http.Transport{Proxy: http.ProxyURL(through), MaxIdleConnsPerHost: 64, DisableCompression: true},
		turn: func(ctx context.Context) error {
			_, err := askSite(ctx, http.MethodGet, admin+"/clock?speed=0&set="+url.QueryEscape(clk.Now().Format(time.RFC3339)))
			return err
		},
		born: func(ctx context.Context) (map[string]time.Time, error) {
			list, err := askSite(ctx, http.MethodGet, admin+"/truth/pages?"+url.Values{
				"from": {clk.Now().Format(time.RFC3339)}, "to": {clk.Now().Add(time.Second).Format(time.RFC3339)},
			}.Encode())
			if err != nil {
				return nil, err
			}
			return bornIn(list)
		},
	}
	if err := w.turn(ctx); err != nil {
		return nil, err
	}
	list, err := askSite(ctx, http.MethodGet, admin+"/seeds")
	w.homes = strings.Fields(list)
	return w, err
}

// bornIn reads pages as JSON lines.
func bornIn(list string) (map[string]time.Time, error) {
	out := map[string]time.Time{}
	lines := bufio.NewScanner(strings.NewReader(list))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var page struct {
			URL  string    `json:"url"`
			Born time.Time `json:"created_at"`
		}
		if err := json.Unmarshal(lines.Bytes(), &page); err != nil {
			return nil, fmt.Errorf("pages of the simulated web: %w", err)
		}
		out[page.URL] = page.Born
	}
	return out, lines.Err()
}

// awayShare makes a share of the hosts, others each round, not answer.
func awayShare(share float64, seed uint64) func(string, int) bool {
	return func(host string, round int) bool {
		h := xxh3.HashString(fmt.Sprintf("away %d %d %s", seed, round, host))
		return float64(h>>11)/(1<<53) < share
	}
}

// partly serves a web of which some hosts do not answer.
type partly struct {
	http.RoundTripper
	away func(host string) bool
}

// RoundTrip implements http.RoundTripper.
func (p partly) RoundTrip(r *http.Request) (*http.Response, error) {
	if p.away(r.URL.Hostname()) {
		return nil, errors.New("the host does not answer")
	}
	return p.RoundTripper.RoundTrip(r)
}
