package main

import (
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/daemon"
	"github.com/strandlinehq/strandline/crawler/fetch"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/store"
)

// TestBusyElsewhere has a page redirect to a host that takes no requests for a day: the page's own
// host has answered, is not held up, and the attempt is stored as skipped.
func TestBusyElsewhere(t *testing.T) {
	t.Parallel()
	until := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	res := fetch.Result{Kind: fetch.Skipped, Reason: fetch.Busy, Text: "b.test takes no requests", RetryAt: until}
	f, j := pageFetcher{reader: intake.New(canonical.New(canonical.Options{}))}, daemon.Job{URL: "http://a.test/"}
	if got := f.attempt(j, &res); !got.RetryAt.Equal(until) {
		t.Errorf("the page's own host is busy until %s, but the page waits until %s", until, got.RetryAt)
	}
	res.Redirects = []fetch.Hop{{URL: "http://a.test/", Status: 302, To: "http://b.test/"}}
	if got := f.attempt(j, &res); !got.RetryAt.IsZero() || got.Outcome != store.Skipped || got.Error == "" {
		t.Errorf("busy behind a redirect: %+v, want an attempt that was skipped", got)
	}
}
