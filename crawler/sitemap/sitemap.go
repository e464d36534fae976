// Package sitemap reads sitemaps: lists of addresses that a site offers to crawlers (the Sitemaps
// protocol 0.9).
//
// [Parse] takes the three forms there are, XML with addresses, XML with further sitemaps (an
// index) and plain text with one address a line, compressed with gzip or not, and tells them apart
// by their first bytes. What a site says about its pages is a hint, often wrong, so nothing here
// is an error that could be read over: unknown elements and extensions (alternate languages,
// images, video, news), other namespaces and unreadable values are skipped, and of a broken or too
// large document the part before is returned with the error.
//
// Left out: fetching, and the protocol's rule that a sitemap speaks only of its own host and
// folder; the crawler has its own rules on what may be added.
package sitemap

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// The limits of the protocol on one sitemap.
const (
	MaxEntries = 50_000
	MaxBytes   = 50 << 20 // uncompressed
)

var (
	// ErrFormat says that the document is no sitemap.
	ErrFormat = errors.New("not a sitemap")
	// ErrLimit says that the document is larger than allowed and was read in part.
	ErrLimit = errors.New("sitemap exceeds limit")
)

// Options are the limits of a Parse. The zero value has those of the protocol.
type Options struct {
	MaxEntries int   // entries and children together; 0 means MaxEntries
	MaxBytes   int64 // uncompressed; 0 means MaxBytes
}

// Sitemap is what one document lists.
type Sitemap struct {
	Entries  []Entry
	Children []Child
}

// Entry is one page.
type Entry struct {
	Loc        string    // address, trimmed, else as written; not empty
	LastMod    time.Time // zero if absent or unreadable; a date alone means its start in UTC
	ChangeFreq string    // always, hourly, daily, weekly, monthly, yearly, never; empty if absent
	Priority   float64   // 0 to 1 within the site; 0.5 if absent, as the protocol says
}

// Child is a sitemap that an index lists.
type Child struct {
	Loc     string
	LastMod time.Time
}

// Parse reads one sitemap. The result is never nil and holds what was read before an error, which
// may wrap ErrFormat or ErrLimit, or be that of the reader or of the XML or gzip format.
func Parse(r io.Reader, opt Options) (*Sitemap, error) {
	if opt.MaxEntries <= 0 {
		opt.MaxEntries = MaxEntries
	}
	if opt.MaxBytes <= 0 {
		opt.MaxBytes = MaxBytes
	}
	p := &parser{left: opt.MaxEntries, out: new(Sitemap)}
	return p.out, p.parse(r, opt.MaxBytes)
}

// parser collects entries up to a number.
type parser struct {
	left int
	out  *Sitemap
}

func (p *parser) parse(r io.Reader, maxBytes int64) error {
	raw := bufio.NewReader(r)
	if magic, _ := raw.Peek(2); string(magic) == "\x1f\x8b" {
		z, err := gzip.NewReader(raw)
		if err != nil {
			return fmt.Errorf("read gzip header: %w", err)
		}
		raw = bufio.NewReader(z)
	}
	in := &source{r: raw, total: maxBytes, token: maxToken}
	// Sitemaps are UTF-8 by definition, and addresses ASCII; a byte order mark may say UTF-16.
	text := bufio.NewReader(transform.NewReader(in, unicode.BOMOverride(unicode.UTF8.NewDecoder())))
	for {
		head, err := text.Peek(1)
		switch {
		case len(head) == 0 && err == io.EOF:
			return fmt.Errorf("%w: empty", ErrFormat)
		case len(head) == 0:
			return fmt.Errorf("read sitemap: %w", err)
		case bytes.ContainsAny(head, " \t\r\n"):
			if _, err := text.Discard(1); err != nil {
				return fmt.Errorf("read sitemap: %w", err)
			}
			continue
		case head[0] == '<':
			return p.xml(in, text)
		}
		return p.text(in, text)
	}
}

// entry adds an entry, unless it has no address.
func (p *parser) entry(e Entry) error {
	if e.Loc == "" {
		return nil
	}
	if p.left == 0 {
		return fmt.Errorf("%w: too many entries", ErrLimit)
	}
	p.left--
	p.out.Entries = append(p.out.Entries, e)
	return nil
}

// child adds a child, unless it has no address.
func (p *parser) child(c Child) error {
	if c.Loc == "" {
		return nil
	}
	if p.left == 0 {
		return fmt.Errorf("%w: too many sitemaps", ErrLimit)
	}
	p.left--
	p.out.Children = append(p.out.Children, c)
	return nil
}

// text reads one address a line. Lines that are none are skipped; if all are, it is no sitemap.
func (p *parser) text(in *source, r *bufio.Reader) error {
	for {
		in.token = maxToken
		line, err := r.ReadString('\n')
		if line = strings.TrimSpace(line); isAddress(line) {
			if err := p.entry(Entry{Loc: line, Priority: defaultPriority}); err != nil {
				return err
			}
		}
		switch {
		case err == io.EOF && len(p.out.Entries) == 0:
			return fmt.Errorf("%w: no address in text", ErrFormat)
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("read text sitemap: %w", err)
		}
	}
}

func isAddress(s string) bool {
	for _, scheme := range []string{"http://", "https://"} {
		if len(s) > len(scheme) && strings.EqualFold(s[:len(scheme)], scheme) {
			return !strings.ContainsAny(s, " \t<>\"")
		}
	}
	return false
}

// maxToken is the most bytes read for one XML token or line. It keeps a tag with a million
// attributes from filling the memory.
const maxToken = 1 << 20

// source hands on bytes up to a total, and up to a number for the token being read, which the
// parser sets anew before each.
type source struct {
	r     io.Reader
	total int64
	token int
}

func (s *source) Read(b []byte) (int, error) {
	if s.token <= 0 {
		return 0, fmt.Errorf("%w: one element of more than 1 MiB", ErrLimit)
	}
	if s.total <= 0 {
		// Only a byte more is too much.
		if n, err := io.ReadFull(s.r, make([]byte, 1)); n == 0 {
			return 0, err
		}
		return 0, fmt.Errorf("%w: too many bytes", ErrLimit)
	}
	b = b[:min(int64(len(b)), int64(s.token), s.total)]
	n, err := s.r.Read(b)
	s.token -= n
	s.total -= int64(n)
	return n, err
}
