package bench

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/gzip"
	"golang.org/x/sync/errgroup"

	"github.com/strandlinehq/strandline/crawler/simweb"
)

// WebOptions describe a Web. All must be set.
type WebOptions struct {
	Pages  int // how many pages there are, 16 a host
	Rounds int // how many contents each has
	Size   int // median of their bytes before compression
	Seed   uint64
}

// roundHours is how far two rounds are apart in the time of the simulated web,
// whose pages change about every hour.
const roundHours = 2 * time.Hour

// pagesPerHost is how many pages of a host are taken, of 120: a host is crawled by
// one worker at a time, so there are to be more hosts than workers.
const (
	pagesPerHost = 16
	hostSize     = 120
)

// Web serves pages as a forward proxy. It is safe for concurrent use.
type Web struct {
	urls  []string
	pages map[string][]content // by host and path, one a round
	bytes int64
	gzips int64
	round atomic.Int64
}

// content is a page in one round.
type content struct {
	etag   string
	kind   string // Content-Type
	packed []byte // by gzip
}

// NewWeb renders and compresses all pages of all rounds, on all cores.
func NewWeb(ctx context.Context, o WebOptions) (*Web, error) {
	epoch := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	world, err := simweb.New(func() time.Time { return epoch }, simweb.Options{
		Seed: o.Seed, Hosts: o.Pages/pagesPerHost + 1, PagesPerHost: hostSize, Epoch: epoch, Size: o.Size, Rates: simweb.Rates{Hourly: 1},
		Births: -1, Deaths: -1, Volatile: true, PlainRobots: true, EnglishOnly: true,
	})
	if err != nil {
		return nil, err
	}
	w := &Web{pages: make(map[string][]content, o.Pages)}
	taken := map[string]int{}
	for p := range world.Pages(epoch, epoch.Add(time.Second)) {
		if p.Redirect == "" && p.Period > 0 && p.Period <= 3*time.Hour && taken[p.Host] < pagesPerHost && len(w.urls) < o.Pages {
			taken[p.Host]++
			w.urls = append(w.urls, p.URL)
		}
	}
	if len(w.urls) < o.Pages {
		return nil, fmt.Errorf("simulated web has %d pages that change, want %d", len(w.urls), o.Pages)
	}
	rendered := make([][]content, len(w.urls))
	var plain, packed atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, address := range w.urls {
		g.Go(func() error {
			for round := range o.Rounds {
				if err := ctx.Err(); err != nil {
					return err
				}
				r := world.Body(address, epoch.Add(time.Duration(round)*roundHours), round)
				if r.Status != http.StatusOK {
					return fmt.Errorf("render %s: status %d", address, r.Status)
				}
				c := content{etag: fmt.Sprintf(`"%d-%d"`, i, round), kind: r.Header.Get("Content-Type"), packed: pack(r.Body)}
				rendered[i] = append(rendered[i], c)
				plain.Add(int64(len(r.Body)))
				packed.Add(int64(len(c.packed)))
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for i, address := range w.urls {
		u, err := url.Parse(address)
		if err != nil {
			return nil, fmt.Errorf("simulated web: %w", err)
		}
		w.pages[u.Host+u.Path] = rendered[i]
	}
	n := int64(len(w.urls) * o.Rounds)
	w.bytes, w.gzips = plain.Load()/n, packed.Load()/n
	return w, nil
}

func pack(body []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	// A bytes.Buffer takes everything, so neither call can fail.
	_, _ = z.Write(body)
	_ = z.Close()
	return bytes.Clone(out.Bytes())
}

// Handler serves the pages to those who use it as a proxy. Requests to the address
// itself are orders: GET /pages lists the pages, GET /sizes prints their mean bytes
// plain and compressed, POST /round/N goes to a round.
func (w *Web) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /pages", func(rw http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintln(rw, strings.Join(w.urls, "\n"))
	})
	mux.HandleFunc("GET /sizes", func(rw http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintln(rw, w.bytes, w.gzips) })
	mux.HandleFunc("POST /round/{n}", func(rw http.ResponseWriter, r *http.Request) {
		n, err := strconv.ParseInt(r.PathValue("n"), 10, 32)
		if err != nil || n < 0 || int(n) >= w.rounds() {
			http.Error(rw, "there is no such round", http.StatusBadRequest)
			return
		}
		w.round.Store(n)
	})
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Host == "" {
			mux.ServeHTTP(rw, r)
			return
		}
		w.page(rw, r)
	})
}

func (w *Web) rounds() int {
	for _, p := range w.pages {
		return len(p)
	}
	return 0
}

func (w *Web) page(rw http.ResponseWriter, r *http.Request) {
	head := rw.Header()
	if r.URL.Path == "/robots.txt" {
		head["Content-Type"] = []string{"text/plain"}
		_, _ = fmt.Fprintln(rw, "User-agent: *\nAllow: /")
		return
	}
	rounds, ok := w.pages[r.URL.Host+r.URL.Path]
	if !ok {
		http.Error(rw, "there is no such page", http.StatusNotFound)
		return
	}
	c := &rounds[w.round.Load()]
	head["Etag"] = []string{c.etag}
	if r.Header.Get("If-None-Match") == c.etag {
		rw.WriteHeader(http.StatusNotModified)
		return
	}
	head["Content-Type"] = []string{c.kind}
	head["Content-Encoding"] = []string{"gzip"}
	head["Content-Length"] = []string{strconv.Itoa(len(c.packed))}
	_, _ = rw.Write(c.packed) // the client has gone when this fails
}
