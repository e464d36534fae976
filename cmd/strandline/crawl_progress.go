package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/strandlinehq/strandline/store"
)

// crawlProgress tells how far a snapshot is, whoever crawls it: a line on a terminal
// that is written anew, a line every ten seconds elsewhere.
type crawlProgress struct {
	a     *app
	name  string
	every time.Duration
	bar   *progressbar.ProgressBar // nil elsewhere
	at    time.Time                // of the last look
	tried int64                    // then
	pages int64
}

// How often the counts are asked for: they are sums over all hosts.
const (
	barEvery  = 2 * time.Second
	lineEvery = 10 * time.Second
)

func newCrawlProgress(a *app, series string) *crawlProgress {
	p := &crawlProgress{a: a, name: series, every: lineEvery, at: time.Now()}
	if isTerminal(a.stderr) {
		p.every = barEvery
		p.bar = progressbar.NewOptions(-1, progressbar.OptionSetWriter(a.stderr), progressbar.OptionSpinnerType(14), progressbar.OptionSetWidth(10),
			progressbar.OptionSetElapsedTime(true), progressbar.OptionClearOnFinish())
	}
	return p
}

// look tells how far the snapshot is, if it is time to. A database that is away is
// told of by whoever crawls.
func (p *crawlProgress) look(ctx context.Context, o *opened, id store.SnapshotID) error {
	now := time.Now()
	if now.Sub(p.at) < p.every {
		return nil
	}
	t, hosts, left, err := o.SnapshotTally(ctx, id)
	if err != nil {
		return err
	}
	depth, _, err := o.FrontierLevel(ctx, id)
	if err != nil {
		return err
	}
	idle := t.Tried == p.tried
	second := float64(t.Crawled-p.pages) / now.Sub(p.at).Seconds()
	p.at, p.tried, p.pages = now, t.Tried, t.Crawled
	text := fmt.Sprintf("%s of %s tried on %s, depth %d, %.1f pages/s", plural(int(t.Crawled), "page"), plural(int(t.Tried), "URL"), plural(int(hosts), "host"), depth, second)
	if left > 0 {
		text += fmt.Sprintf(", %s left", plural(int(left), "host"))
	}
	if idle {
		text += "; no host may be asked just now (a URL that failed is asked for again after minutes)"
	}
	p.tell(text)
	return nil
}

// tell writes what is going on.
func (p *crawlProgress) tell(text string) {
	if p == nil {
		return
	}
	if p.bar != nil {
		p.bar.Describe(p.name + ": " + text)
		_ = p.bar.Add(1)
		return
	}
	fmt.Fprintf(p.a.stderr, "series %s: %s\n", p.name, text)
}

func (p *crawlProgress) done() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}

// leftInWords says why a snapshot fetches no more of hosts.
func leftInWords(left map[string]int64) string {
	var total int64
	var parts []string
	for _, reason := range slices.Sorted(maps.Keys(left)) {
		words := reason
		switch reason {
		case "pages":
			words = "had their share of pages"
		case "language":
			words = "are in another language"
		case "unreachable":
			words = "did not answer"
		}
		total += left[reason]
		parts = append(parts, fmt.Sprintf("%d %s", left[reason], words))
	}
	if total == 0 {
		return ""
	}
	return plural(int(total), "host") + " left early: " + strings.Join(parts, ", ")
}
