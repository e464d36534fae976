// Package searxng asks a self-hosted SearXNG server for the pages that serve a
// query, by its JSON API (SCIENCE J5).
//
// Client.Search pages through the results until it has enough, repeats what failed
// for a passing reason, and says in words what a server that is down, slow,
// misconfigured or no SearXNG at all answered. Left out: engines, categories and
// everything else that the server's own settings decide.
package searxng

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Options of a Client. The zero Options is a good default.
type Options struct {
	Client *http.Client                               // nil means one of its own
	Tries  int                                        // how often a page of results is asked for; 0 means 3
	Page   time.Duration                              // longest time for one page of results; 0 means 20 s
	Pause  time.Duration                              // pause before the second try, doubled before each further one; 0 means 2 s
	Sleep  func(context.Context, time.Duration) error // stands in for waiting; nil waits
	Agent  string                                     // User-Agent; "" means that of net/http
}

// Client asks one server.
type Client struct {
	base *url.URL
	opt  Options
}

// New returns a client of the server at an address such as http://127.0.0.1:8888/.
func New(address string, opt Options) (*Client, error) {
	base, err := url.Parse(address)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, fmt.Errorf("%q is not the address of a SearXNG server, such as http://127.0.0.1:8888/", address)
	}
	if opt.Client == nil {
		opt.Client = &http.Client{}
	}
	if opt.Tries <= 0 {
		opt.Tries = 3
	}
	if opt.Page <= 0 {
		opt.Page = 20 * time.Second
	}
	if opt.Pause <= 0 {
		opt.Pause = 2 * time.Second
	}
	if opt.Sleep == nil {
		opt.Sleep = wait
	}
	return &Client{base: base.JoinPath("search"), opt: opt}, nil
}

// Hit is a page that was found, in the order of the server's rank.
type Hit struct {
	URL   string
	Title string
}

// Bounds of what a server may answer.
const (
	mostPages = 40
	mostBytes = 8 << 20
)

// answer is the part of the server's JSON that is read.
type answer struct {
	Results []struct {
		URL   string `json:"url"`
		Title string `json:"title"`
	} `json:"results"`
	Unresponsive [][]any `json:"unresponsive_engines"`
}

// Search returns up to limit pages for a query, each URL once. Language is an ISO
// 639-1 code or "". With an error it returns what was found before it; finding
// nothing is no error unless engines of the server failed.
func (c *Client) Search(ctx context.Context, query, language string, limit int) ([]Hit, error) {
	var out []Hit
	seen := map[string]bool{}
	for page := 1; page <= mostPages && len(out) < limit; page++ {
		a, err := c.page(ctx, query, language, page)
		if err != nil {
			return out, fmt.Errorf("page %d of the results of %s: %w", page, c.base.Host, err)
		}
		fresh := 0
		for _, r := range a.Results {
			if r.URL == "" || seen[r.URL] || len(out) == limit {
				continue
			}
			seen[r.URL] = true
			out = append(out, Hit{r.URL, r.Title})
			fresh++
		}
		if fresh == 0 {
			if len(out) == 0 && len(a.Unresponsive) > 0 {
				return nil, fmt.Errorf("%s found nothing; its engines failed: %s", c.base.Host, engines(a.Unresponsive))
			}
			break
		}
	}
	return out, nil
}

func engines(list [][]any) string {
	var words []string
	for _, e := range list {
		var parts []string
		for _, p := range e {
			parts = append(parts, fmt.Sprint(p))
		}
		words = append(words, strings.Join(parts, " "))
	}
	return strings.Join(words, "; ")
}

// passing is an error that another try may not meet.
type passing struct {
	error
	after time.Duration // what the server asked for
}

func (p passing) Unwrap() error { return p.error }

// page asks for one page of results, several times if need be.
func (c *Client) page(ctx context.Context, query, language string, page int) (*answer, error) {
	pause := c.opt.Pause
	for try := 1; ; try++ {
		a, err := c.ask(ctx, query, language, page)
		var p passing
		if err == nil || try == c.opt.Tries || !errors.As(err, &p) || ctx.Err() != nil {
			return a, err
		}
		if serr := c.opt.Sleep(ctx, max(pause, min(p.after, time.Minute))); serr != nil {
			return nil, err
		}
		pause *= 2
	}
}

func (c *Client) ask(ctx context.Context, query, language string, page int) (*answer, error) {
	ctx, cancel := context.WithTimeout(ctx, c.opt.Page)
	defer cancel()
	u := *c.base
	v := url.Values{"q": {query}, "format": {"json"}, "pageno": {strconv.Itoa(page)}}
	if language != "" {
		v.Set("language", language)
	}
	u.RawQuery = v.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	if c.opt.Agent != "" {
		req.Header.Set("User-Agent", c.opt.Agent)
	}
	res, err := c.opt.Client.Do(req)
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("no answer within %v", c.opt.Page)
		}
		return nil, passing{error: err}
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, mostBytes+1))
	switch {
	case err != nil:
		return nil, passing{error: fmt.Errorf("the answer broke off: %w", err)}
	case len(body) > mostBytes:
		return nil, fmt.Errorf("the answer is longer than %d bytes", mostBytes)
	}
	return read(res, body)
}

func read(res *http.Response, body []byte) (*answer, error) {
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	switch {
	case res.StatusCode == http.StatusForbidden:
		return nil, errors.New("status 403; formats: [html, json] must stand under search in the server's settings.yml")
	case res.StatusCode == http.StatusTooManyRequests || res.StatusCode >= 500:
		seconds, _ := strconv.Atoi(res.Header.Get("Retry-After"))
		return nil, passing{fmt.Errorf("status %d: %s", res.StatusCode, beginning(body)), time.Duration(max(seconds, 0)) * time.Second}
	case res.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("status %d: %s", res.StatusCode, beginning(body))
	case kind == "text/html":
		return nil, fmt.Errorf("it answered with a web page, not with JSON; is this a SearXNG server? The page begins: %s", beginning(body))
	}
	var a answer
	if err := json.Unmarshal(body, &a); err != nil {
		return nil, fmt.Errorf("it answered with what is no JSON (%w): %s", err, beginning(body))
	}
	return &a, nil
}

// beginning is the start of an answer on one line.
func beginning(body []byte) string {
	s := strings.Join(strings.Fields(strings.ToValidUTF8(string(body[:min(len(body), 600)]), "\uFFFD")), " ")
	if r := []rune(s); len(r) > 120 {
		s = string(r[:120]) + "…"
	}
	if s == "" {
		return "(empty)"
	}
	return s
}

func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
