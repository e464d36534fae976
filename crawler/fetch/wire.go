package fetch

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"time"
)

// exchange is one request and its answer.
type exchange struct {
	url       string
	started   time.Time // by the daemon's clock
	finished  time.Time
	sent      time.Time // when the connection was there
	sentReal  time.Time // the same by the machine's clock
	status    int
	head      []byte
	headExact bool
	header    http.Header
	body      []byte
	removed   []string
	coding    string
	truncated bool
	onWire    int64
	err       error // what kept the answer from being complete
}

// barrier lets the requests of a pair go together.
type barrier interface {
	// arrive returns when all have arrived, or when ctx is done.
	arrive(ctx context.Context)
	// leave says that one will not arrive any more, if it has not.
	leave()
}

// wire is the http.RoundTripper under a collector. It carries one request at a time and keeps what
// colly and net/http would lose or change: the header as sent, the body before any charset is
// touched, the number of bytes, and how far an answer came that broke off. It reads the body to
// its end, decompresses and bounds it, and hands none up: colly would copy it twice, transcode it,
// and inflate what is not to be inflated.
type wire struct {
	f    *Fetcher
	base http.RoundTripper
	x    *exchange
	gate barrier // nil but for pairs
	max  int     // bytes of the body
	buf  []byte  // for bodies, reused
}

// RoundTrip implements http.RoundTripper. It is called once for each exchange.
func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	x := w.x
	x.url = req.URL.String()
	x.started = w.f.opt.Clock.Now()
	ctx, cancel := context.WithCancelCause(req.Context())
	defer cancel(nil)
	dog := watch(&w.f.opt.Timeouts, cancel)
	defer dog.stop()

	res, conn, err := w.send(ctx, req)
	if err == nil {
		defer res.Body.Close()
		x.status, x.header = res.StatusCode, res.Header
		if conn != nil {
			x.head, x.headExact = conn.take()
		}
		if !x.headExact {
			x.head = rebuildHead(res)
		}
		dog.body()
		err = w.read(res, dog)
		if err != nil && ctx.Err() == nil {
			err = bodyFault(err)
		}
	}
	x.finished = w.f.opt.Clock.Now()
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		x.err = err
		if x.status == 0 {
			return nil, err
		}
	}
	return &http.Response{
		Status: res.Status, StatusCode: res.StatusCode, Proto: res.Proto, ProtoMajor: res.ProtoMajor, ProtoMinor: res.ProtoMinor,
		Header: res.Header, Body: http.NoBody, Uncompressed: true, Request: req,
	}, nil
}

// send sends the request and waits for the header of its answer.
func (w *wire) send(ctx context.Context, req *http.Request) (res *http.Response, conn *recorder, err error) {
	x := w.x
	ready := func() {
		if w.gate != nil {
			w.gate.arrive(ctx)
		}
		x.sent, x.sentReal = w.f.opt.Clock.Now(), time.Now()
	}
	if w.f.net == nil {
		ready()
		res, err = w.base.RoundTrip(req.WithContext(ctx))
		return res, nil, err
	}
	if w.f.net.proxy != nil {
		if err := w.f.net.checkBehindProxy(ctx, req.URL); err != nil {
			return nil, nil, err
		}
	}
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		if conn, _ = info.Conn.(*recorder); conn != nil {
			conn.start()
		}
		ready()
	}})
	res, err = w.base.RoundTrip(req.WithContext(traced))
	return res, conn, err
}

// read reads the body.
func (w *wire) read(res *http.Response, dog *watchdog) error {
	x := w.x
	// What is compressed is shorter than what it stands for, but for a little overhead.
	in := &counter{r: res.Body, dog: dog, left: int64(w.max) + 64<<10}
	defer func() { x.onWire = in.n }()
	known, rest, err := codings(res.Header["Content-Encoding"])
	if err != nil {
		return err
	}
	x.removed, x.coding = known, rest
	if len(known) == 0 {
		return w.slurp(in)
	}
	// A body without a byte is not compressed, whatever the header says.
	var first [1]byte
	if _, err := io.ReadFull(in, first[:]); err != nil {
		x.removed = nil
		if err == io.EOF {
			return nil
		}
		return err
	}
	var r io.Reader = io.MultiReader(bytes.NewReader(first[:]), in)
	for i := len(known) - 1; i >= 0; i-- {
		decoder, done, err := w.f.decoders.open(known[i], &source{r: r})
		if err != nil {
			return err
		}
		defer done()
		r = decoder
	}
	if err := w.slurp(r); err != nil {
		return err
	}
	if x.truncated && in.n < int64(len(x.body))/maxRatio {
		x.body = nil
		return &fault{Bomb, "a body that expands without measure"}
	}
	if !x.truncated {
		// Decoders may stop before the end, and a connection is reused only if it was read to it.
		_, _ = io.CopyN(io.Discard, in, 4<<10)
	}
	return nil
}

// maxRatio is the expansion from which on a body that exceeds the limit is a bomb. Markup expands
// tenfold, generated lists fiftyfold; deflate can reach a thousandfold.
const maxRatio = 200

// slurp reads to the end, to the limit, or to an error, and keeps what it has read.
func (w *wire) slurp(r io.Reader) error {
	if w.buf == nil {
		w.buf = make([]byte, 64<<10)
	}
	buf, n := w.buf, 0
	var err error
	for err == nil && n <= w.max {
		if n == len(buf) {
			buf = append(buf, make([]byte, len(buf))...)
		}
		var m int
		m, err = r.Read(buf[n:])
		n += m
	}
	if n > w.max {
		n, w.x.truncated = w.max, true
	}
	w.x.body = bytes.Clone(buf[:n])
	if len(buf) <= 1<<20 {
		w.buf = buf // a larger one is not kept for the rare long page
	}
	if err == io.EOF || w.x.truncated {
		return nil
	}
	return err
}

// counter counts the bytes of a body as they arrive.
type counter struct {
	r    io.Reader
	dog  *watchdog
	n    int64
	left int64
}

func (c *counter) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errEndless
	}
	if int64(len(p)) > c.left {
		p = p[:c.left]
	}
	c.dog.waits.Store(true)
	n, err := c.r.Read(p)
	c.dog.waits.Store(false)
	c.n += int64(n)
	c.left -= int64(n)
	c.dog.bytes.Add(int64(n))
	return n, err
}
