package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/strandlinehq/strandline/crawler/simweb"
)

// truthWeb is a simulated web that knows its own changes.
type truthWeb interface {
	// groups chooses up to n pages of each kind that the tables tell apart.
	groups(ctx context.Context, from, to time.Time, n int) ([]truthGroup, error)
	// body is what a page answers at a time; answers to other visits may differ in noise.
	body(ctx context.Context, url string, at time.Time, visit int) (payload []byte, contentType string, err error)
	// content is all of a page's sentences and links at a time, without noise.
	content(ctx context.Context, url string, at time.Time) (sentences, links []string, err error)
	// changes counts the changes of a page in a time.
	changes(ctx context.Context, url string, from, to time.Time) (int, error)
}

// truthGroup are pages of one kind.
type truthGroup struct {
	name  string
	urls  []string
	each  bool // every answer differs, which contents do not tell
	words bool // the words of the contents, with those that stay, are those of the page
	noisy bool // parts that are not content differ in each answer
}

// ownWeb is the simulated web of package simweb.
type ownWeb struct{ world *simweb.World }

// newOwnWeb makes a web of many pages of each rate.
func newOwnWeb(seed uint64) (ownWeb, error) {
	epoch := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	w, err := simweb.New(func() time.Time { return epoch }, simweb.Options{
		Seed: seed, Hosts: 12, PagesPerHost: 120, Size: 4 << 10, Epoch: epoch, Births: -1, Deaths: -1, ArticlesPerDay: 1, EnglishOnly: true,
		Rates: simweb.Rates{Static: 1, Weekly: 1, Daily: 1, Hourly: 1, Minutes: 1, Request: 1},
	})
	return ownWeb{w}, err
}

// groups takes pages whose only changes are those of their own text by rate, pages with
// lists of others, and pages with noise.
func (w ownWeb) groups(_ context.Context, from, to time.Time, n int) ([]truthGroup, error) {
	rates := []simweb.Rate{simweb.Static, simweb.Weekly, simweb.Daily, simweb.Hourly, simweb.Minutes, simweb.Request}
	out := make([]truthGroup, 0, len(rates)+2)
	for _, r := range rates {
		out = append(out, truthGroup{name: r.String(), each: r == simweb.Request, words: r != simweb.Request})
	}
	lists, noise := len(out), len(out)+1
	out = append(out, truthGroup{name: "lists"}, truthGroup{name: "noise", words: true, noisy: true})
	for p := range w.world.Pages(from, to) {
		if p.Redirect != "" || p.Private || p.Born.After(from) || !p.Died.IsZero() && !p.Died.After(to) {
			continue
		}
		k := int(p.Rate)
		switch {
		case !alone(p.Kind):
			if k = lists; len(p.Noise) > 0 || p.Kind == simweb.Login {
				continue
			}
		case len(p.Noise) > 0 && p.Rate != simweb.Request:
			if k = noise; !restless(p.Noise) {
				continue
			}
		}
		if len(out[k].urls) < n {
			out[k].urls = append(out[k].urls, p.URL)
		}
	}
	return out, nil
}

// restless reports whether all noise of a page is another in each answer. What moves by the
// clock, as a saying for the day, is the same in two simultaneous answers, so that pairs
// cannot tell it from content.
func restless(noise []string) bool {
	for _, k := range simweb.Noises() {
		if k.Every > 0 && slices.Contains(noise, k.Name) {
			return false
		}
	}
	return true
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

func (w ownWeb) body(_ context.Context, url string, at time.Time, visit int) ([]byte, string, error) {
	r := w.world.Body(url, at, visit)
	if r.Status != http.StatusOK {
		return nil, "", fmt.Errorf("render %s: status %d", url, r.Status)
	}
	return r.Body, r.Header.Get("Content-Type"), nil
}

func (w ownWeb) content(_ context.Context, url string, at time.Time) (sentences, links []string, err error) {
	for _, s := range w.world.Sentences(url, at) {
		sentences = append(sentences, s.Text)
	}
	return sentences, w.world.Links(url, at), nil
}

func (w ownWeb) changes(_ context.Context, url string, from, to time.Time) (int, error) {
	return len(w.world.Changes(url, from, to)), nil
}

// servedWeb is a simulated web behind a server that is a proxy, too, and whose other
// address tells the truth and turns the clock:
//
//	POST /clock?set=TIME&speed=0
//	GET  /truth/pages?from=&to=          JSON lines: url, rate, private, deleted_at
//	GET  /truth/page?url=&at=            sentences, links
//	GET  /truth/changes?url=&from=&to=   changes
//
// Its pages have to keep still between their changes: no blocks that differ in each answer
// but those of pages of rate request.
type servedWeb struct {
	admin  string
	pages  *http.Client // through the proxy
	truth  *http.Client
	now    time.Time // of its clock
	stands bool
}

func newServedWeb(proxy, admin string) (*servedWeb, error) {
	through, err := url.Parse(proxy)
	if err != nil {
		return nil, fmt.Errorf("address of the simulated web: %w", err)
	}
	return &servedWeb{
		admin: admin,
		pages: &http.Client{Timeout: time.Minute, Transport: &http.Transport{Proxy: http.ProxyURL(through), MaxIdleConnsPerHost: 4}},
		truth: &http.Client{Timeout: time.Minute},
	}, nil
}

// ask gets a JSON document, or several after one another, of the truth.
func (w *servedWeb) ask(ctx context.Context, method, path string, q url.Values, one func(*json.Decoder) error) error {
	req, err := http.NewRequestWithContext(ctx, method, w.admin+path+"?"+q.Encode(), nil)
	if err != nil {
		return err
	}
	resp, err := w.truth.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", path, resp.Status)
	}
	d := json.NewDecoder(resp.Body)
	for err == nil {
		err = one(d)
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return fmt.Errorf("%s: %w", path, err)
}

func (w *servedWeb) groups(ctx context.Context, from, to time.Time, n int) ([]truthGroup, error) {
	var out []truthGroup
	for _, rate := range []string{"static", "daily", "hourly", "minutes", "request"} {
		out = append(out, truthGroup{name: rate, each: rate == "request", words: rate != "request"})
	}
	q := url.Values{"from": {from.Format(time.RFC3339)}, "to": {to.Format(time.RFC3339)}}
	err := w.ask(ctx, http.MethodGet, "/truth/pages", q, func(d *json.Decoder) error {
		var p struct {
			URL       string    `json:"url"`
			CreatedAt time.Time `json:"created_at"`
			Deleted   string    `json:"deleted_at"`
			Rate      string    `json:"rate"`
			Private   bool      `json:"private"`
		}
		if err := d.Decode(&p); err != nil {
			return err
		}
		k := slices.IndexFunc(out, func(g truthGroup) bool { return g.name == p.Rate })
		if k >= 0 && len(out[k].urls) < n && !p.Private && p.Deleted == "" && !p.CreatedAt.After(from) {
			out[k].urls = append(out[k].urls, p.URL)
		}
		return nil
	})
	return out, err
}

func (w *servedWeb) body(ctx context.Context, page string, at time.Time, _ int) ([]byte, string, error) {
	if !w.stands || !w.now.Equal(at) {
		q := url.Values{"set": {at.Format(time.RFC3339)}, "speed": {"0"}}
		if err := w.ask(ctx, http.MethodPost, "/clock", q, func(d *json.Decoder) error { return d.Decode(&struct{}{}) }); err != nil {
			return nil, "", err
		}
		w.now, w.stands = at, true
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return nil, "", err
	}
	resp, err := w.pages.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(resp.Body); err != nil {
		return nil, "", err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, "", fmt.Errorf("fetch %s: %s", page, resp.Status)
	}
	return b.Bytes(), resp.Header.Get("Content-Type"), nil
}

func (w *servedWeb) content(ctx context.Context, page string, at time.Time) (sentences, links []string, err error) {
	var p struct{ Sentences, Links []string }
	q := url.Values{"url": {page}, "at": {at.Format(time.RFC3339)}}
	err = w.ask(ctx, http.MethodGet, "/truth/page", q, func(d *json.Decoder) error { return d.Decode(&p) })
	return p.Sentences, p.Links, err
}

func (w *servedWeb) changes(ctx context.Context, page string, from, to time.Time) (int, error) {
	var p struct{ Changes []json.RawMessage }
	q := url.Values{"url": {page}, "from": {from.Format(time.RFC3339)}, "to": {to.Format(time.RFC3339)}}
	err := w.ask(ctx, http.MethodGet, "/truth/changes", q, func(d *json.Decoder) error { return d.Decode(&p) })
	return len(p.Changes), err
}
