package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/strandlinehq/strandline/crawler/simweb"
	"github.com/strandlinehq/strandline/crawler/warc"
)

// sampleArchiveCmd writes a WARC file of changing pages, for a first look at the
// program without the internet. The pages are those of the simulated web; the
// same flags give the same bytes.
type sampleArchiveCmd struct {
	Out   string `required:"" help:"The file to write; - for standard output." placeholder:"FILE"`
	Pages int    `help:"How many pages." default:"32"`
	Days  int    `help:"How many days; each page is captured every hour." default:"3"`
	Seed  uint64 `help:"Which simulated web." default:"1"`
	// Young is the share of pages that appear within these days, and are captured from then on;
	// as many go.
	Young float64 `kong:"-"`
}

// Run writes the file under another name first, so that a stopped run leaves
// nothing that looks whole.
func (c *sampleArchiveCmd) Run(ctx context.Context, a *app) (err error) {
	if c.Pages < 1 || c.Pages > 1000 || c.Days < 1 || c.Days > 100 {
		return usagef("want 1 to 1000 pages and 1 to 100 days")
	}
	if c.Out == "-" {
		return c.write(ctx, a.stdout)
	}
	f, err := os.CreateTemp(filepath.Dir(c.Out), "."+filepath.Base(c.Out)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	w := bufio.NewWriter(f)
	err = c.write(ctx, w)
	if err = errors.Join(err, w.Flush(), f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), c.Out)
}

// write captures the pages hour by hour, as a crawl of the simulated web would.
func (c *sampleArchiveCmd) write(ctx context.Context, w io.Writer) error {
	var now time.Time
	web := simweb.Options{Seed: c.Seed, Size: 6 << 10}
	if c.Young > 0 {
		web.Births, web.Deaths, web.Span = c.Young, c.Young, time.Duration(c.Days)*24*time.Hour
	}
	world, err := simweb.New(func() time.Time { return now }, web)
	if err != nil {
		return err
	}
	start := world.Options().Epoch
	end := start.AddDate(0, 0, c.Days)
	out, err := warc.NewWriter(w, warc.WriterOptions{Reproducible: true})
	if err != nil {
		return err
	}
	s := sampler{client: &http.Client{Transport: world.Transport(), CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // an archive holds redirects as they are
	}}, out: out, last: map[string]payloadRef{}}
	name := ""
	if c.Out != "-" {
		name = filepath.Base(c.Out)
	}
	if _, err := out.Info(name, start, warc.Header{
		{Name: "software", Value: "strandline"}, {Name: "description", Value: "pages of a simulated web, hourly"},
	}); err != nil {
		return err
	}
	urls := samplePages(world, start, end, c.Pages)
	born := map[string]time.Time{}
	if c.Young > 0 {
		for p := range world.Pages(start, end) {
			born[p.URL] = p.Born
		}
	}
	for now = start; now.Before(end); now = now.Add(time.Hour) {
		for _, url := range urls {
			if now.Before(born[url]) {
				continue
			}
			if err := s.capture(ctx, url, now); err != nil {
				return fmt.Errorf("sample archive: %s: %w", url, err)
			}
		}
	}
	return nil
}

// samplePages chooses pages of every rate of change from every kind of host, so
// that a few dozen show the whole range.
func samplePages(world *simweb.World, from, to time.Time, n int) []string {
	// More of the pages that change at an ordinary pace than of the extremes.
	rates := [...]simweb.Rate{
		simweb.Hourly, simweb.Daily, simweb.Weekly, simweb.Hourly, simweb.Daily,
		simweb.Static, simweb.Daily, simweb.Minutes, simweb.Hourly, simweb.Request, simweb.Weekly,
	}
	type class struct {
		host string
		rate simweb.Rate
	}
	pages := map[class][]string{}
	for p := range world.Pages(from, to) {
		k := class{p.Host, p.Rate}
		if p.Kind != simweb.Redirect && !p.Private && len(pages[k]) < n {
			pages[k] = append(pages[k], p.URL)
		}
	}
	var out []string
	for round := 0; len(out) < n && round < n*len(rates); round++ {
		for i, h := range world.Hosts() {
			k := class{h.Name, rates[(i+round)%len(rates)]}
			if len(pages[k]) > 0 && len(out) < n {
				out = append(out, pages[k][0])
				pages[k] = pages[k][1:]
			}
		}
	}
	slices.Sort(out)
	return out
}

// sampler writes captures, and revisit records for what a page has shown before.
type sampler struct {
	client *http.Client
	out    *warc.Writer
	last   map[string]payloadRef // by URL
}

type payloadRef struct {
	id     string
	at     time.Time
	digest warc.Digest
}

func (s *sampler) capture(ctx context.Context, url string, at time.Time) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	res, err := s.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	payload, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	head := fmt.Appendf(nil, "%s %s\r\n", res.Proto, res.Status)
	for _, name := range slices.Sorted(maps.Keys(res.Header)) {
		for _, value := range res.Header[name] {
			head = fmt.Appendf(head, "%s: %s\r\n", name, value)
		}
	}
	head = append(head, "\r\n"...)
	digest := warc.SumDigest("sha1", payload)
	if before, ok := s.last[url]; ok && before.digest.String() == digest.String() {
		_, err = s.out.Revisit(url, at, head, digest, warc.Revisit{
			Profile: warc.ProfileIdenticalPayload, RefersTo: before.id, TargetURI: url, Date: before.at,
		})
		return err
	}
	span, err := s.out.Response(url, at, head, payload, nil)
	s.last[url] = payloadRef{span.ID, at, digest}
	return err
}
