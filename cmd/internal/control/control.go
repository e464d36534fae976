// Package control lets one command line talk to the daemon that runs on the same
// state directory: a Unix socket in it that speaks HTTP. Who may open the socket
// is who may write to the directory.
//
// Claim keeps a second daemon off; Listen serves a daemon's Handler; Dial gives a Client for the commands reload,
// status and fetch. What the daemon knows beyond its database is all that passes here.
package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// socketName is the file in the state directory.
const socketName = "control.sock"

const (
	maxRequest = 1 << 20 // bytes
	// lastAnswers is how long answers that have begun may take when the daemon stops.
	lastAnswers = 5 * time.Second
)

// ErrNoDaemon means that no daemon listens on the state directory.
var ErrNoDaemon = errors.New("no daemon runs on this state directory")

// Reloaded is the answer to a reload.
type Reloaded struct {
	Changes []string `json:"changes"`          // what the new configuration changed
	Errors  []string `json:"errors,omitempty"` // why it was refused; the old one stays in force then
}

// FetchRequest asks for a page to be fetched at once.
type FetchRequest struct {
	URL string `json:"url"` // canonical
	// Database tells the database that the asker would store into from others; empty: the private one.
	Database string `json:"database,omitempty"`
}

// Fetched is the answer to a FetchRequest.
type Fetched struct {
	Report json.RawMessage `json:"report,omitempty"` // what came, in the asker's and the daemon's own form
	Error  string          `json:"error,omitempty"`  // why the page was not asked for
	// Elsewhere says that the daemon stores into another database than the asker, and has done nothing.
	Elsewhere bool `json:"elsewhere,omitempty"`
}

// Daemon is what the socket controls.
type Daemon interface {
	// Reload takes the configuration anew, all or nothing.
	Reload(ctx context.Context) Reloaded
	// Fetch fetches a page at once, as the hosts' rules allow beside all else that the daemon does, and stores it.
	Fetch(ctx context.Context, r FetchRequest) Fetched
	// State tells what the daemon does now, in a form for JSON.
	State(ctx context.Context) any
}

// Claim makes the caller the one daemon of a state directory until release is called or the process
// ends, however it ends. It is asked for before a daemon touches anything: a lock on the directory itself
// leaves no file behind, and of two that come at once one gets it.
func Claim(ctx context.Context, dir string) (release func(), err error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("state directory: %w", err)
	}
	err = syscall.Flock(int(d.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		if _, ping := Dial(dir).ping(ctx); ping == nil { // of a version that claims nothing
			err = syscall.EWOULDBLOCK
		}
	}
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		err = errors.Join(anotherDaemon(dir), d.Close())
	case err != nil:
		err = errors.Join(fmt.Errorf("state directory: %w", err), d.Close())
	}
	if err != nil {
		return nil, err
	}
	return func() { _ = d.Close() }, nil // closing unlocks
}

func anotherDaemon(dir string) error { return fmt.Errorf("another daemon runs on %s", dir) }

// Listen makes the socket in dir and serves d until ctx is done. A socket that a
// killed daemon left behind is replaced; a living daemon's is not.
func Listen(ctx context.Context, dir string, d Daemon) error {
	path := filepath.Join(dir, socketName)
	if _, err := Dial(dir).ping(ctx); err == nil {
		return anotherDaemon(dir)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("control socket: %w", err)
	}
	old := syscall.Umask(0o077)
	var listen net.ListenConfig
	l, err := listen.Listen(ctx, "unix", path)
	syscall.Umask(old)
	if err != nil {
		return fmt.Errorf("control socket: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /reload", func(w http.ResponseWriter, r *http.Request) { reply(w, d.Reload(r.Context())) })
	mux.HandleFunc("POST /fetch", func(w http.ResponseWriter, r *http.Request) {
		var q FetchRequest
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequest)).Decode(&q); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		reply(w, d.Fetch(r.Context(), q))
	})
	mux.HandleFunc("GET /state", func(w http.ResponseWriter, r *http.Request) { reply(w, d.State(r.Context())) })
	mux.HandleFunc("GET /ping", func(w http.ResponseWriter, _ *http.Request) { reply(w, true) })
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		// Whoever is being answered has been told to end: a page that came is stored before.
		limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastAnswers)
		defer cancel()
		if server.Shutdown(limit) != nil {
			_ = server.Close()
		}
	})
	err = server.Serve(l)
	if !stop() {
		<-ended
	}
	if !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("control socket: %w", err)
	}
	return nil
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client is gone when this fails
}

// Client talks to a daemon.
type Client struct {
	http *http.Client
}

// Dial gives a client for the daemon on a state directory. Nothing is connected yet.
func Dial(dir string) *Client {
	path := filepath.Join(dir, socketName)
	return &Client{http: &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", path)
		},
	}}}
}

// Reload asks for the configuration to be taken anew and waits for the outcome.
func (c *Client) Reload(ctx context.Context) (Reloaded, error) {
	var out Reloaded
	return out, c.call(ctx, http.MethodPost, "/reload", nil, &out)
}

// Fetch asks for a page to be fetched at once and waits for what comes.
func (c *Client) Fetch(ctx context.Context, r FetchRequest) (Fetched, error) {
	var out Fetched
	return out, c.call(ctx, http.MethodPost, "/fetch", r, &out)
}

// State gives what the daemon does now, as it says it.
func (c *Client) State(ctx context.Context) (json.RawMessage, error) {
	var out json.RawMessage
	return out, c.call(ctx, http.MethodGet, "/state", nil, &out)
}

// Running reports whether a daemon answers.
func (c *Client) Running(ctx context.Context) bool {
	ok, err := c.ping(ctx)
	return err == nil && ok
}

func (c *Client) ping(ctx context.Context) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	var ok bool
	return ok, c.call(ctx, http.MethodGet, "/ping", nil, &ok)
}

func (c *Client) call(ctx context.Context, method, path string, in, out any) error {
	var sent io.Reader = http.NoBody
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("ask the daemon: %w", err)
		}
		sent = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://daemon"+path, sent)
	if err != nil {
		return err
	}
	resp, err := c.http.Do(req)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return ErrNoDaemon
	}
	if err != nil {
		return fmt.Errorf("ask the daemon: %w", err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 16<<20))
	if err != nil {
		return fmt.Errorf("ask the daemon: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("ask the daemon: %s: %s", resp.Status, bytes.TrimSpace(body))
	}
	return json.Unmarshal(body, out)
}
