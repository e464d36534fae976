package simweb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"syscall"
)

// Transport serves requests in memory, without sockets, by the same code as Handler: for tests that are
// fast and need no network. Answers come compressed when the request asks for gzip itself, as from an http.Transport.
func (w *World) Transport() http.RoundTripper { return transport{w} }

type transport struct{ w *World }

// RoundTrip implements http.RoundTripper. An unknown host is an error, as a name that does not resolve.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_ = r.Body.Close()
	}
	if r.URL.Scheme != "http" {
		return nil, fmt.Errorf("simweb: scheme %q: only http is served", r.URL.Scheme)
	}
	x, err := t.w.begin(r)
	if err != nil {
		return nil, err
	}
	if x.h == nil {
		x.end()
		return nil, fmt.Errorf("simweb: %s: %w", r.URL.Host, errNoHost)
	}
	if x.a.fault == Reset {
		x.end()
		return nil, fmt.Errorf("simweb: %s: %w", r.URL.Host, syscall.ECONNRESET)
	}
	length := int64(len(x.a.body))
	if x.a.status == http.StatusNotModified {
		length = 0
	} else {
		x.a.header.Set("Content-Length", strconv.FormatInt(length, 10))
	}
	res := &http.Response{
		StatusCode: x.a.status, Status: fmt.Sprintf("%d %s", x.a.status, http.StatusText(x.a.status)),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: x.a.header, ContentLength: length, Request: r,
	}
	b := &body{ctx: r.Context(), x: x, rest: bytes.NewReader(x.a.body)}
	switch {
	case r.Method == http.MethodHead || length == 0:
		x.end()
		b.rest = bytes.NewReader(nil)
	case x.a.fault == Truncated:
		b.rest, b.cut = bytes.NewReader(x.a.body[:length/2]), true
	case x.a.fault == Slow:
		b.piece = int(length/drips) + 1
	}
	res.Body = b
	return res, nil
}

var errNoHost = errors.New("no such host")

// A body is read by one goroutine, as the body of any response.
type body struct {
	ctx   context.Context
	x     *exchange
	rest  *bytes.Reader
	cut   bool
	piece int // bytes before each pause of a slow body; 0: at once
}

func (b *body) Read(buf []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		b.x.end()
		return 0, err
	}
	if b.piece > 0 && b.rest.Len() > 0 {
		if err := pause(b.ctx, b.x.w.opts.Drip/drips); err != nil {
			b.x.end()
			return 0, err
		}
		buf = buf[:min(len(buf), b.piece)]
	}
	n, err := b.rest.Read(buf)
	if err == io.EOF {
		b.x.end()
		if b.cut {
			err = io.ErrUnexpectedEOF
		}
	}
	return n, err
}

func (b *body) Close() error {
	b.x.end()
	return nil
}
