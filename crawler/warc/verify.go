package warc

import (
	"bytes"
	"fmt"
	"hash"
	"strings"
)

// maxHTTPHead is how many bytes the head of an HTTP message may have.
const maxHTTPHead = 1 << 20

// checker computes the digests a record declares while its block passes by.
//
// What the payload of a chunked response is, writers disagree on: some digest
// the bytes behind the head as received, some with the chunks removed. Either
// is accepted.
type checker struct {
	rec       *Record
	want      [2]Digest // block, payload
	block     hash.Hash
	payload   hash.Hash
	unchunked hash.Hash
	chunks    *dechunker
	head      []byte // HTTP head so far
	inHead    bool
}

// newChecker returns nil when there is nothing to check. A digest that cannot be
// read says nothing about the block, so it is a flaw of the head. The payload digest of
// a revisit is that of the capture it repeats, and that of a segmented record
// covers all segments: neither can be checked here.
func newChecker(rec *Record) *checker {
	c := &checker{rec: rec}
	for i, name := range []string{"WARC-Block-Digest", "WARC-Payload-Digest"} {
		v := rec.Header.Get(name)
		if v == "" {
			continue
		}
		d, err := ParseDigest(v)
		if err != nil {
			rec.flaw(BadDigest, name+": "+err.Error())
			continue
		}
		c.want[i] = d
	}
	c.block = NewHash(c.want[0].Algo)
	if rec.Type != TypeRevisit && rec.Type != TypeContinuation && !rec.Header.Has("WARC-Segment-Number") {
		c.payload = NewHash(c.want[1].Algo)
	}
	if c.block == nil && c.payload == nil {
		return nil
	}
	c.inHead = c.payload != nil && rec.IsHTTP()
	return c
}

func (c *checker) write(p []byte) {
	if c.block != nil {
		c.block.Write(p)
	}
	if c.payload == nil {
		return
	}
	if c.inHead {
		if p = c.skipHead(p); c.inHead || c.payload == nil {
			return
		}
	}
	c.payload.Write(p)
	if c.chunks != nil {
		c.chunks.write(p)
	}
}

// skipHead gathers the HTTP head and returns the payload bytes of p behind it.
func (c *checker) skipHead(p []byte) []byte {
	const step = 4 << 10 // most heads are shorter, and p may be a long read
	for len(p) > 0 {
		had := len(c.head)
		take := min(len(p), step)
		c.head = append(c.head, p[:take]...)
		if n := headEnd(c.head, max(0, had-3)); n >= 0 {
			c.inHead = false
			if h, _ := parseFields(c.head[:n]); chunkedField(h) {
				c.unchunked = NewHash(c.want[1].Algo)
				c.chunks = &dechunker{w: c.unchunked}
			}
			return p[n-had:]
		}
		if len(c.head) > maxHTTPHead {
			// No message head; nobody knows where a payload would start.
			c.inHead, c.payload = false, nil
			return nil
		}
		p = p[take:]
	}
	return nil
}

// headEnd returns the length of an HTTP head in b, its empty line included, -1
// if b has no empty line; b has none that ends before from.
func headEnd(b []byte, from int) int {
	for {
		i := bytes.IndexByte(b[from:], '\n')
		if i < 0 {
			return -1
		}
		from += i + 1
		switch {
		case from < len(b) && b[from] == '\n':
			return from + 1
		case from+1 < len(b) && b[from] == '\r' && b[from+1] == '\n':
			return from + 2
		}
	}
}

// chunkedField tells whether the last transfer coding is chunked.
func chunkedField(h Header) bool {
	v := h.Values("Transfer-Encoding")
	if len(v) == 0 {
		return false
	}
	last := v[len(v)-1]
	last = last[strings.LastIndexByte(last, ',')+1:]
	return strings.EqualFold(strings.TrimSpace(last), "chunked")
}

// result returns what differs, and whether a block digest fits, which proves
// the length of the block as well.
func (c *checker) result() (bad *Damage, proven bool) {
	if c.block != nil {
		got := Digest{c.want[0].Algo, c.block.Sum(nil)}
		if proven = got.Equal(c.want[0]); !proven {
			return &Damage{BadDigest, c.rec.Offset, fmt.Sprintf("block digest is %s, declared %s", got, c.want[0])}, false
		}
	}
	if c.payload == nil {
		return nil, proven
	}
	got := Digest{c.want[1].Algo, c.payload.Sum(nil)}
	if got.Equal(c.want[1]) {
		return nil, proven
	}
	if c.unchunked != nil && (Digest{got.Algo, c.unchunked.Sum(nil)}).Equal(c.want[1]) {
		return nil, proven
	}
	return &Damage{BadDigest, c.rec.Offset, fmt.Sprintf("payload digest is %s, declared %s", got, c.want[1])}, proven
}
