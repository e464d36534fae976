package fetch

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
)

// recorder is a connection that keeps the header of the next answer, byte by byte.
type recorder struct {
	net.Conn

	mu   sync.Mutex // the transport reads in a goroutine of its own
	on   bool
	buf  []byte
	seen int // bytes of buf in which the end of the header was looked for
}

// start begins to keep what is read. It is called before the request is written, so that whatever
// comes belongs to its answer.
func (r *recorder) start() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.on, r.buf, r.seen = true, r.buf[:0], 0
}

// take returns the header, with the empty line, and whether it was seen to its end.
func (r *recorder) take() ([]byte, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.on || len(r.buf) == 0 {
		r.on = false
		return nil, false
	}
	return bytes.Clone(r.buf), true
}

// Read reads from the connection. The transport bounds the length of a header, and with it what is
// kept.
func (r *recorder) Read(p []byte) (int, error) {
	n, err := r.Conn.Read(p)
	if n > 0 {
		r.keep(p[:n])
	}
	return n, err
}

func (r *recorder) keep(p []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.on {
		return
	}
	r.buf = append(r.buf, p...)
	for {
		end := headEnd(r.buf, max(0, r.seen-3))
		if end < 0 {
			r.seen = len(r.buf)
			return
		}
		if !isInterim(r.buf[:end]) {
			r.buf, r.on = r.buf[:end], false
			return
		}
		r.buf, r.seen = append(r.buf[:0], r.buf[end:]...), 0
	}
}

// headEnd returns where a header ends, behind its empty line, or -1. Lines may end in a bare LF.
func headEnd(b []byte, from int) int {
	for i := from; i < len(b); i++ {
		n := bytes.IndexByte(b[i:], '\n')
		if n < 0 {
			return -1
		}
		i += n
		switch rest := b[i+1:]; {
		case len(rest) >= 1 && rest[0] == '\n':
			return i + 2
		case len(rest) >= 2 && rest[0] == '\r' && rest[1] == '\n':
			return i + 3
		}
	}
	return -1
}

// isInterim reports whether a header is of a 1xx answer, which announces the real one.
func isInterim(head []byte) bool {
	_, status, _ := bytes.Cut(head, []byte(" "))
	return len(status) > 0 && status[0] == '1' && !bytes.HasPrefix(status, []byte("101"))
}

// rebuildHead writes a header that was not recorded: the fields sorted by name, several of one name
// in their order.
func rebuildHead(res *http.Response) []byte {
	var b bytes.Buffer
	text := http.StatusText(res.StatusCode)
	fmt.Fprintf(&b, "HTTP/%d.%d %03d %s\r\n", max(res.ProtoMajor, 1), res.ProtoMinor, res.StatusCode, text)
	names := make([]string, 0, len(res.Header))
	for name := range res.Header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, value := range res.Header[name] {
			fmt.Fprintf(&b, "%s: %s\r\n", name, value)
		}
	}
	b.WriteString("\r\n")
	return b.Bytes()
}
