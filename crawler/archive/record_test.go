package archive_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha1" //nolint:gosec // the digest of archives
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
)

// Records are written by hand here, so that the import is not tested by what our
// own writer does alone.

// record writes a record of the given head fields and block.
func record(block string, fields ...string) string {
	return lied(len(block), block, fields...)
}

// lied is record with a length of one's own.
func lied(length int, block string, fields ...string) string {
	return "WARC/1.1\r\n" + strings.Join(fields, "\r\n") + fmt.Sprintf("\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", length, block)
}

// captured gives the fields of a capture; at is a minute of 1 May 2021 or a
// whole date.
func captured(kind, url, at string, more ...string) []string {
	if len(at) < 10 {
		at = "2021-05-01T00:" + at + ":00Z"
	}
	return append([]string{
		"WARC-Type: " + kind, "WARC-Record-ID: <urn:uuid:" + kind + at + url[:min(len(url), 60)] + ">", "WARC-Date: " + at,
		"WARC-Target-URI: " + url, "Content-Type: application/http;msgtype=response",
	}, more...)
}

// answer is an HTTP message.
func answer(payload string, head ...string) string {
	return strings.Join(head, "\r\n") + "\r\n\r\n" + payload
}

const ok, html = "HTTP/1.1 200 OK", "Content-Type: text/html; charset=utf-8"

// page is a sound response record.
func page(url, at, payload string, more ...string) string {
	more = append(more, "WARC-Payload-Digest: "+sha1Of(payload))
	return record(answer(payload, ok, html, "X-At: "+at), captured("response", url, at, more...)...)
}

// revisit is a record that repeats a payload.
func revisit(url, at, digest string, more ...string) string {
	more = append(more, "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest", "WARC-Payload-Digest: "+digest)
	return record(answer("", ok, html, "X-At: "+at), captured("revisit", url, at, more...)...)
}

func sha1Of(payload string) string {
	sum := sha1.Sum([]byte(payload)) //nolint:gosec // see the import
	return "sha1:" + base32.StdEncoding.EncodeToString(sum[:])
}

func sha256Of(payload string) string {
	sum := sha256.Sum256([]byte(payload))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// text is a small page of its own words.
func text(words string) string {
	return "<!doctype html><html lang=en><head><title>A page</title></head><body><p>" + words + "</p></body></html>"
}

func gzipped(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, s)
	_ = w.Close()
	return b.String()
}

func brotlied(s string) string {
	var b bytes.Buffer
	w := brotli.NewWriter(&b)
	_, _ = io.WriteString(w, s)
	_ = w.Close()
	return b.String()
}

// chunked cuts a payload into chunks of n bytes.
func chunked(s string, n int) string {
	var b strings.Builder
	for len(s) > 0 {
		part := s[:min(n, len(s))]
		fmt.Fprintf(&b, "%x\r\n%s\r\n", len(part), part)
		s = s[len(part):]
	}
	return b.String() + "0\r\n\r\n"
}

// members puts each record into a gzip member of its own.
func members(records ...string) string {
	var b strings.Builder
	for _, r := range records {
		b.WriteString(gzipped(r))
	}
	return b.String()
}
