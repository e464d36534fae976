// Package web serves the pages that people look at: what changed lately, the list
// of pages, one page with its figures, the comparison of two versions, the search,
// the snapshots of series, and the schedule. It reads through package store; html/template and server-made SVG
// (cmd/internal/chart) need no script, and the one small script of our own adds
// hovering, zooming and keys to what is there.
//
// The main type is Server, made by New from Options and run by Server.Serve, or
// used as an http.Handler. Its routes are gathered in one place, routes.go: a file
// that adds pages adds a list of routes there, and an entry of the bar at the top if
// it has one. A handler returns an error instead of writing it; fault.go says which
// status that becomes and what the reader is told.
//
// Nothing that comes from a watched page can run, load or be taken for ours: it is
// escaped text, the policy of every answer forbids scripts and styles but our two
// files, and no address of another site is loaded. Whoever may read and change
// things is decided in access.go, forms are checked in form.go.
//
// Atom feeds, the CDXJ server, Memento (RFC 7089) and raw captures are answered here,
// too: feeds.go, cdx.go, timegate.go, timemap.go and capture.go.
//
// Left out: measuring.
package web

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/store"
)

// Options for New. Store must be set.
type Options struct {
	Store *store.DB
	// Now is the clock of the watched web, which is virtual in a demo; nil means time.Now.
	Now func() time.Time
	// Logger receives what an operator wants to know; nil means silence.
	Logger *slog.Logger
	Access Access
	// Canonical gives the canonical form of a URL, as the pages are stored under;
	// nil means that of no options.
	Canonical func(string) (string, error)
	// Version of the program.
	Version string
	// Ready names what is not ready beyond the database, one sentence each; nil
	// means that nothing is waited for.
	Ready func(context.Context) []string
	// Notice is a sentence that stands above every page, such as that a demo is not
	// the real web; nil or an empty one means none.
	Notice func() string
	// Metrics answers /metrics; nil means that there is no such page.
	Metrics http.Handler
}

// Bounds of a request.
const (
	requestTime = 15 * time.Second // until a page must be there, its statements included
	graceTime   = 5 * time.Second  // for requests that run when the server stops
	atOnce      = 6                // pages that may be made at once: the daemon needs connections too
	maxHeader   = 32 << 10
	maxForm     = 64 << 10
)

// Server answers requests. It is safe for concurrent use.
type Server struct {
	db      *store.DB
	now     func() time.Time
	log     *slog.Logger
	access  Access
	version string
	form    func(string) (string, error) // canonical, of a URL
	ready   func(context.Context) []string
	notice  func() string
	metrics http.Handler

	pages     *pages // parsed templates
	assets    assets // files under /static
	headlines headlines
	status    *kept[store.Status]
	counts    *kept[scheduleCounts]
	failed    *kept[[]store.HourLoad]
	key       []byte        // of this process, for the tokens of forms
	slots     chan struct{} // one for each page that is being made
	handler   http.Handler
}

// New returns a Server, or an error when a template is broken.
func New(opt Options) (*Server, error) {
	s := &Server{
		db: opt.Store, now: opt.Now, log: opt.Logger, access: opt.Access, version: opt.Version, ready: opt.Ready, notice: opt.Notice, metrics: opt.Metrics,
		key: make([]byte, 32), slots: make(chan struct{}, atOnce), status: newKept[store.Status](countsKept), counts: newKept[scheduleCounts](countsKept), failed: newKept[[]store.HourLoad](failedKept),
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.form = opt.Canonical; s.form == nil {
		former := canonical.New(canonical.Options{})
		s.form = func(url string) (string, error) { return former.URL("", url) }
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if _, err := rand.Read(s.key); err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	var err error
	if s.assets, err = loadAssets(); err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	if s.pages, err = loadPages(); err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	s.handler = s.guard(s.mux())
	return s, nil
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Listen opens the address that Serve will answer on.
func Listen(ctx context.Context, address string) (net.Listener, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("web pages: %w; http.listen chooses another address", err)
	}
	return l, nil
}

// Serve answers requests on l until ctx is done; requests that run then have some
// seconds to end. It closes l.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler: s, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: requestTime, WriteTimeout: 2 * requestTime, IdleTimeout: time.Minute,
		MaxHeaderBytes: maxHeader, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return fmt.Errorf("web pages: %w", err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), graceTime)
	defer cancel()
	if err := server.Shutdown(grace); err != nil {
		_ = server.Close() // whoever still reads has had the time
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("web pages: %w", err)
	}
	return nil
}
