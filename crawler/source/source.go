// Package source lists the pages that a site names itself: in sitemaps, with
// their indexes, and in feeds.
//
// A Lister fetches the documents through whatever Get it is given and returns
// one list of canonical URLs with the dates that the site claims for them. Those
// dates are hints, often wrong; weighing them is the scheduler's work. Which
// pages join or leave a watch is the store's; this package compares nothing.
package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/strandlinehq/strandline/crawler/feed"
	"github.com/strandlinehq/strandline/crawler/sitemap"
)

// Document is a fetched sitemap or feed.
type Document struct {
	URL  string // where it came from in the end
	Body []byte
}

// Get fetches a document, politely.
type Get func(ctx context.Context, url string) (Document, error)

// Entry is a page that a source names.
type Entry struct {
	URL string // canonical
	// Claimed is when the page last changed, by the site's word; zero if it says nothing.
	Claimed time.Time
}

// Options for New. The zero value is good.
type Options struct {
	// MaxPages bounds one list; zero means 50,000.
	MaxPages int
	// MaxDocuments bounds the sitemaps of one index; zero means 100.
	MaxDocuments int
}

// Lister lists pages. It is safe for concurrent use.
type Lister struct {
	get       Get
	canonical func(base, ref string) (string, error)
	opt       Options
}

// New returns a Lister. Canonical gives the canonical form of a URL.
func New(get Get, canonical func(base, ref string) (string, error), opt Options) *Lister {
	if opt.MaxPages == 0 {
		opt.MaxPages = sitemap.MaxEntries
	}
	if opt.MaxDocuments == 0 {
		opt.MaxDocuments = 100
	}
	return &Lister{get: get, canonical: canonical, opt: opt}
}

// ErrCut says that a list was longer than the options allow; what fits is returned with it. It is wrapped
// only where nothing else is wrong with the list: other faults may hide pages that would have fitted.
var ErrCut = errors.New("the list is longer than is taken")

// Sitemap lists the pages of a sitemap, or of all sitemaps of an index. With an
// error it returns what was read before it: a broken sitemap is no reason to
// think that its pages are gone.
func (l *Lister) Sitemap(ctx context.Context, url string) ([]Entry, error) {
	list := l.list()
	queue := []string{url}
	seen := map[string]bool{url: true}
	var faults []error
	var cut error
	for n := 0; len(queue) > 0; n++ {
		if n == l.opt.MaxDocuments {
			cut = fmt.Errorf("sitemap %s: %w: %d sitemaps are left", url, ErrCut, len(queue))
			break
		}
		next := queue[0]
		queue = queue[1:]
		doc, err := l.get(ctx, next)
		if err != nil {
			faults = append(faults, fmt.Errorf("sitemap %s: %w", next, err))
			continue
		}
		parsed, err := sitemap.Parse(bytes.NewReader(doc.Body), sitemap.Options{})
		if err != nil {
			faults = append(faults, fmt.Errorf("sitemap %s: %w", next, err))
		}
		for _, e := range parsed.Entries {
			list.add(doc.URL, e.Loc, e.LastMod)
		}
		for _, c := range parsed.Children {
			child, err := l.canonical(doc.URL, c.Loc)
			if err == nil && !seen[child] {
				seen[child] = true
				queue = append(queue, child)
			}
		}
	}
	return list.entries, whole(errors.Join(faults...), errors.Join(cut, list.fault(url)))
}

// Feed lists the pages of an RSS, Atom or JSON feed.
func (l *Lister) Feed(ctx context.Context, url string) ([]Entry, error) {
	doc, err := l.get(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("feed %s: %w", url, err)
	}
	list := l.list()
	parsed, err := feed.Parse(bytes.NewReader(doc.Body), doc.URL, feed.Options{})
	if err != nil {
		err = fmt.Errorf("feed %s: %w", url, err)
	}
	for _, e := range parsed.Entries {
		claimed := e.Updated
		if claimed.IsZero() {
			claimed = e.Published
		}
		list.add(doc.URL, e.URL, claimed)
	}
	return list.entries, whole(err, list.fault(url))
}

// whole joins what is wrong with a list with what was cut off, which is told as ErrCut only alone.
func whole(fault, cut error) error {
	if fault == nil || cut == nil {
		return errors.Join(fault, cut)
	}
	return fmt.Errorf("%w; %v", fault, cut) //nolint:errorlint // see ErrCut
}

// list gathers distinct entries.
type list struct {
	*Lister
	entries []Entry
	index   map[string]int
	dropped int
}

func (l *Lister) list() *list { return &list{Lister: l, index: map[string]int{}} }

func (l *list) add(base, ref string, claimed time.Time) {
	url, err := l.canonical(base, ref)
	if err != nil {
		return
	}
	if i, ok := l.index[url]; ok {
		if claimed.After(l.entries[i].Claimed) {
			l.entries[i].Claimed = claimed
		}
		return
	}
	if len(l.entries) == l.opt.MaxPages {
		l.dropped++
		return
	}
	l.index[url] = len(l.entries)
	l.entries = append(l.entries, Entry{URL: url, Claimed: claimed})
}

func (l *list) fault(url string) error {
	if l.dropped == 0 {
		return nil
	}
	return fmt.Errorf("%s: %w: %d pages are left out", url, ErrCut, l.dropped)
}
