package analyze

import (
	"bytes"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/store"
)

// gatherer keeps of each capture its time and what names its content, and of
// each content what the measures need.
type gatherer struct {
	parts    Parts
	pages    map[string][]seen
	contents map[contentKey]*content
	bySHA1   map[sha1Key]*content
	words    vocabulary
	counter  extract.Counter
	pack     *zstd.Encoder
	unpack   *zstd.Decoder
}

// contentKey names a content by page, since the same bytes may be read by
// another header elsewhere.
type contentKey struct {
	url  string
	hash store.SHA256
}

type sha1Key struct {
	url string
	sum store.SHA1
}

// seen is a capture that showed the page. Its payload, if it is not its own, may
// come later, by one of two hashes and from one of two pages.
type seen struct {
	at       time.Time
	same     bool // the server said that nothing was modified
	hash     store.SHA256
	sum      store.SHA1
	refersTo string
}

// content is what is kept of a payload.
type content struct {
	text   extract.Hash
	words  bag
	tokens int    // words with their repetitions, |D|
	record []byte // zstd frame of the extracted record; nil if no elements are measured
}

func newGatherer(parts Parts) (*gatherer, error) {
	pack, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false), zstd.WithWindowSize(1<<20))
	if err != nil {
		return nil, err
	}
	unpack, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	return &gatherer{
		parts: parts, pages: map[string][]seen{}, contents: map[contentKey]*content{}, bySHA1: map[sha1Key]*content{},
		words: vocabulary{ids: map[string]uint32{}}, pack: pack, unpack: unpack,
	}, nil
}

// add takes a capture of the files. Those that failed show nothing of the page.
func (g *gatherer) add(c *store.Capture) error {
	if c.Outcome != "" && c.Outcome != store.NotModified {
		return nil
	}
	hash := c.Content()
	g.pages[c.URL] = append(g.pages[c.URL], seen{
		at: c.StartedAt, same: c.Outcome == store.NotModified, hash: hash, sum: c.PayloadSHA1, refersTo: c.RefersTo,
	})
	if c.Payload == nil {
		return nil
	}
	key := contentKey{c.URL, hash}
	if _, ok := g.contents[key]; ok {
		return nil
	}
	read, err := g.read(c.Extract(c.Payload))
	if err != nil {
		return err
	}
	g.contents[key] = read
	g.bySHA1[sha1Key{c.URL, store.SHA1(sha1Sum(c.Payload))}] = read
	return nil
}

// read keeps what the measures need of a payload.
func (g *gatherer) read(e store.Extract) (*content, error) {
	page, err := extract.DecodeRecord(e.Record)
	if err != nil {
		return nil, err
	}
	g.counter.Reset()
	g.counter.Add(page.Text())
	c := &content{text: e.TextHash}
	c.words, c.tokens = g.words.bag(&g.counter)
	if g.parts.DOM {
		c.record = bytes.Clone(g.pack.EncodeAll(e.Record, nil))
	}
	return c, nil
}

// page gives the extracted page of a content.
func (g *gatherer) page(c *content) (*extract.Page, error) {
	record, err := g.unpack.DecodeAll(c.record, nil)
	if err != nil {
		return nil, err
	}
	return extract.DecodeRecord(record)
}

// content finds what a capture showed, nil if no file brought it.
func (g *gatherer) content(url string, s *seen) *content {
	for _, from := range [...]string{url, s.refersTo} {
		if from == "" {
			continue
		}
		if s.hash != (store.SHA256{}) {
			if c := g.contents[contentKey{from, s.hash}]; c != nil {
				return c
			}
		}
		if s.sum != (store.SHA1{}) {
			if c := g.bySHA1[sha1Key{from, s.sum}]; c != nil {
				return c
			}
		}
	}
	return nil
}
