package store

import (
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// headDictionary is what most answers' heads are made of; a head packed with it
// as the dictionary takes a third. It belongs to the stored form: a better one
// gets a number of its own and the old one stays.
const headDictionary = "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n" +
	"Strict-Transport-Security: max-age=31536000; includeSubDomains; preload\r\nX-Content-Type-Options: nosniff\r\n" +
	"X-Frame-Options: SAMEORIGIN\r\nX-XSS-Protection: 1; mode=block\r\nReferrer-Policy: strict-origin-when-cross-origin\r\n" +
	"Content-Security-Policy: default-src 'self'\r\nAccess-Control-Allow-Origin: *\r\nVia: 1.1 varnish\r\nX-Cache: HIT\r\nAge: 0\r\n" +
	"Expires: Thu, 01 Jan 1970 00:00:00 GMT\r\nPragma: no-cache\r\nCache-Control: no-cache, no-store, must-revalidate, private, public, max-age=0\r\n" +
	"Accept-Ranges: bytes\r\nVary: Accept-Encoding, User-Agent, Cookie\r\nServer: nginx\r\nServer: Apache\r\nServer: cloudflare\r\n" +
	"Date: Mon, 01 Jan 2024 00:00:00 GMT\r\nLast-Modified: Mon, 01 Jan 2024 00:00:00 GMT\r\nETag: W/\"\r\nContent-Length: \r\n" +
	"Content-Type: text/html; charset=utf-8\r\n\r\n"

const (
	headForm     = 1       // first byte of a packed head: zstd with headDictionary
	maxHeadBytes = 1 << 20 // a larger head is cut when it is packed
)

type headCodec struct {
	enc *zstd.Encoder
	dec *zstd.Decoder
	err error
}

// heads makes the codec once; both ends are safe for concurrent use.
var heads = sync.OnceValue(func() headCodec {
	dict := []byte(headDictionary)
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderDictRaw(1, dict), zstd.WithEncoderConcurrency(2),
		zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderCRC(false), zstd.WithWindowSize(64<<10))
	if err != nil {
		return headCodec{err: err}
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderDictRaw(1, dict), zstd.WithDecoderConcurrency(2),
		zstd.WithDecoderMaxMemory(2*maxHeadBytes))
	return headCodec{enc: enc, dec: dec, err: err}
})

// packHead packs a status line with its header fields.
func packHead(head []byte) ([]byte, error) {
	c := heads()
	if c.err != nil {
		return nil, fmt.Errorf("pack head: %w", c.err)
	}
	if len(head) > maxHeadBytes {
		head = head[:maxHeadBytes]
	}
	return c.enc.EncodeAll(head, []byte{headForm}), nil
}

// unpackHead gives back what packHead packed.
func unpackHead(packed []byte) ([]byte, error) {
	if len(packed) == 0 {
		return nil, nil
	}
	if packed[0] != headForm {
		return nil, fmt.Errorf("unpack head: unknown form %d", packed[0])
	}
	c := heads()
	if c.err != nil {
		return nil, fmt.Errorf("unpack head: %w", c.err)
	}
	head, err := c.dec.DecodeAll(packed[1:], nil)
	if err != nil {
		return nil, fmt.Errorf("unpack head: %w", err)
	}
	return head, nil
}
