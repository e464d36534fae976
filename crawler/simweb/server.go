package simweb

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Handler serves the world: as an origin server by the Host header, and as a forward proxy by requests in
// absolute form.
func (w *World) Handler() http.Handler { return http.HandlerFunc(w.serveHTTP) }

// An exchange is one request on its way through the server.
type exchange struct {
	w    *World
	h    *host // nil for hosts that are not of this world
	path string
	a    answer
	once sync.Once
}

// begin counts the request, waits for the latency and works out the answer.
func (w *World) begin(r *http.Request) (*exchange, error) {
	name := r.URL.Host
	if name == "" {
		name = r.Host
	}
	if bare, _, err := net.SplitHostPort(name); err == nil {
		name = bare
	}
	x := &exchange{w: w, h: w.byName[strings.ToLower(name)], path: r.URL.Path}
	now := w.now()
	if x.h != nil {
		w.stats.start(x.h, now)
	}
	if err := pause(r.Context(), w.opts.Latency); err != nil {
		x.end()
		return nil, err
	}
	x.a = w.respond(r, x.h, name, w.offset(now))
	return x, nil
}

// end counts the end of the answer, once.
func (x *exchange) end() {
	x.once.Do(func() {
		violation := x.h != nil && x.a.page && !x.h.allowed(x.path)
		x.w.stats.end(x.h, x.w.now(), x.a, violation)
	})
}

// pause waits in real time.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// drips is the number of pieces in which a slow body comes.
const drips = 8

func (w *World) serveHTTP(rw http.ResponseWriter, r *http.Request) {
	x, err := w.begin(r)
	if err != nil {
		panic(http.ErrAbortHandler) // the client has gone
	}
	defer x.end()
	a := &x.a
	if a.fault == Reset {
		reset(rw)
	}
	for name, values := range a.header {
		rw.Header()[name] = values
	}
	if a.status != http.StatusNotModified {
		rw.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	}
	rw.WriteHeader(a.status)
	if r.Method == http.MethodHead {
		return
	}
	// Errors of writing mean that the client has gone, which is nothing to report.
	switch a.fault {
	case Truncated:
		_, _ = rw.Write(a.body[:len(a.body)/2])
		_ = http.NewResponseController(rw).Flush()
		panic(http.ErrAbortHandler)
	case Slow:
		for i := range drips {
			_, _ = rw.Write(a.body[i*len(a.body)/drips : (i+1)*len(a.body)/drips])
			_ = http.NewResponseController(rw).Flush()
			if pause(r.Context(), w.opts.Drip/drips) != nil {
				return
			}
		}
	default:
		_, _ = rw.Write(a.body)
	}
}

// reset closes the connection so that the client sees a reset, and leaves the handler.
func reset(rw http.ResponseWriter) {
	if conn, _, err := http.NewResponseController(rw).Hijack(); err == nil {
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		_ = conn.Close()
	}
	panic(http.ErrAbortHandler)
}

// Running is a world that serves on a socket.
type Running struct {
	Addr net.Addr
	// Proxy is the address for clients to use as their HTTP proxy.
	Proxy  *url.URL
	server *http.Server
	done   chan struct{}
}

// Serve listens on a loopback address such as "127.0.0.1:0" and serves until the context ends or Close is called.
func (w *World) Serve(ctx context.Context, addr string) (*Running, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("simweb: listen on %s: %w", addr, err)
	}
	r := &Running{
		Addr:   listener.Addr(),
		Proxy:  &url.URL{Scheme: "http", Host: listener.Addr().String()},
		server: &http.Server{Handler: w.Handler(), ReadHeaderTimeout: 30 * time.Second, ErrorLog: log.New(io.Discard, "", 0)},
		done:   make(chan struct{}),
	}
	stop := context.AfterFunc(ctx, func() { _ = r.server.Close() })
	go func() {
		defer close(r.done)
		defer stop()
		_ = r.server.Serve(listener) // always ends with ErrServerClosed or a dead listener
	}()
	return r, nil
}

// Close stops serving, ends open connections and waits. It may be called twice.
func (r *Running) Close() error {
	err := r.server.Close()
	<-r.done
	return err
}
