// Package feed reads the feeds of sites: RSS 0.9x, 1.0 (RDF) and 2.0, Atom (RFC 4287, and the
// older 0.3) and JSON Feed 1.x.
//
// A crawler wants to know which pages a feed names and when they were published or updated, so
// [Parse] returns just that: for each entry its address, made absolute, its id, title and times.
// The format is told from the document, not from its content type. Feeds in the wild are often
// not well formed: wrong characters, undeclared entities, unclosed elements and unreadable dates
// are read over, and of what cannot be read over the part before is returned with the error.
//
// Left out: contents, authors, categories, enclosures and the fetching itself.
package feed

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"net/url"
	"strings"
	"time"
)

// The default limits.
const (
	MaxEntries = 5_000
	MaxBytes   = 16 << 20
)

var (
	// ErrFormat says that the document is no feed.
	ErrFormat = errors.New("not a feed")
	// ErrLimit says that the document is larger than allowed and was read in part.
	ErrLimit = errors.New("feed exceeds limit")
)

// Options are the limits of a Parse. The zero value has the default ones.
type Options struct {
	MaxEntries int   // 0 means MaxEntries
	MaxBytes   int64 // 0 means MaxBytes
}

// The formats.
const (
	RSS  = "rss" // any but 1.0
	RDF  = "rdf" // RSS 1.0
	Atom = "atom"
	JSON = "json"
)

// Feed is what one document says.
type Feed struct {
	Format  string // one of the constants
	Title   string
	Entries []Entry
}

// Entry is one item that names a page. Items without an http or https address are left out.
type Entry struct {
	URL       string    // absolute, not canonical
	ID        string    // as the feed has it; the URL if it has none
	Title     string    // plain text on one line
	Published time.Time // in UTC; zero if absent or unreadable
	Updated   time.Time // in UTC; zero if absent or unreadable
}

// Parse reads one feed. Base is the address it was fetched from, against which relative addresses
// are resolved. The result is never nil and holds what was read before an error, which may wrap
// ErrFormat or ErrLimit, or be that of the reader or of the XML or JSON format.
func Parse(r io.Reader, base string, opt Options) (*Feed, error) {
	if opt.MaxEntries <= 0 {
		opt.MaxEntries = MaxEntries
	}
	if opt.MaxBytes <= 0 {
		opt.MaxBytes = MaxBytes
	}
	p := &parser{out: new(Feed), left: opt.MaxEntries, base: resolve(nil, base)}
	in := &source{r: r, total: opt.MaxBytes, token: maxToken}
	text, err := decode(in)
	if err != nil {
		return p.out, fmt.Errorf("read feed: %w", err)
	}
	head, err := text.Peek(1)
	switch {
	case err == nil && head[0] == '<':
		err = p.xml(in, text)
	case err == nil && head[0] == '{':
		in.token = math.MaxInt // the JSON parser sets no limit of its own
		err = p.json(text)
	case err == nil || errors.Is(err, io.EOF):
		err = ErrFormat
	default:
		err = fmt.Errorf("read feed: %w", err)
	}
	return p.out, err
}

// parser collects entries up to a number.
type parser struct {
	out  *Feed
	left int
	base *url.URL // nil if unknown
}

// item is an entry as the formats have it, before its address is chosen.
type item struct {
	base               *url.URL
	links              []string // candidates, best first
	id, title          string
	published, updated string
}

// add chooses the address of an item and adds the entry.
func (p *parser) add(it item) error {
	e := Entry{
		ID:        strings.TrimSpace(it.id),
		Title:     plainText(it.title),
		Published: parseTime(it.published),
		Updated:   parseTime(it.updated),
	}
	for _, link := range it.links {
		if u := resolve(it.base, link); u != nil && strings.TrimSpace(link) != "" {
			e.URL = u.String()
			break
		}
	}
	if e.URL == "" {
		return nil
	}
	if e.ID == "" {
		e.ID = e.URL
	}
	if p.left == 0 {
		return fmt.Errorf("%w: too many entries", ErrLimit)
	}
	p.left--
	p.out.Entries = append(p.out.Entries, e)
	return nil
}

// resolve returns ref against base, or nil if that gives no http or https address with a host.
func resolve(base *url.URL, ref string) *url.URL {
	u, err := url.Parse(strings.TrimSpace(ref))
	if err != nil {
		return nil
	}
	if base != nil {
		u = base.ResolveReference(u)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil
	}
	return u
}

// maxToken is the most bytes read for one XML token. It keeps a tag with a million attributes
// from filling the memory; whole articles fit.
const maxToken = 2 << 20

// source hands on bytes up to a total, and up to a number for the token being read, which the XML
// parser sets anew before each.
type source struct {
	r     io.Reader
	total int64
	token int
}

func (s *source) Read(b []byte) (int, error) {
	if s.token <= 0 {
		return 0, fmt.Errorf("%w: one element of more than 2 MiB", ErrLimit)
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

// skipSpace drops white space at the start.
func skipSpace(r *bufio.Reader) {
	for {
		c, err := r.ReadByte()
		if err != nil {
			return
		}
		if c > ' ' {
			_ = r.UnreadByte() // a byte was just read
			return
		}
	}
}
