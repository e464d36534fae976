// Package atom writes feeds of RFC 4287. The main type is Feed; Write makes its
// document. Check holds a document against what the RFC demands, and serves tests
// and whoever wants to be sure.
//
// Text that comes from watched pages is only ever text: titles and summaries are of
// type text, and the HTML of a content is written here from plain paragraphs, so
// that no feed reader gets markup of a watched page to show.
//
// Left out: reading feeds of others (crawler/feed), and where entries come from.
package atom

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"
)

// ContentType is the media type of a feed.
const ContentType = "application/atom+xml; charset=utf-8"

// Feed is a feed. ID, Title, Updated and Author must be set.
type Feed struct {
	ID       string // a tag: URI, see Tag; it never changes
	Title    string
	Subtitle string
	Updated  time.Time
	Author   string
	Self     string // absolute address of the feed
	Page     string // absolute address of the page of the same content; empty: none
	Next     string // absolute address of older entries (RFC 5005); empty: none
	Entries  []Entry
}

// Entry is an entry of a feed. ID, Title and Updated must be set, and one of Link
// and Content.
type Entry struct {
	ID         string
	Title      string
	Updated    time.Time
	Published  time.Time // zero: not said
	Link       string    // absolute address of the page that shows more
	Source     string    // absolute address of what it is about, such as the watched page; empty: none
	Categories []string
	Summary    string
	Content    Content
}

// Content is what an entry says, in order.
type Content []Block

// Block is a paragraph or a list of a content.
type Block struct {
	Kind BlockKind
	Text string
	Href string // absolute address that the text links to; empty: none
}

// BlockKind says what a block is.
type BlockKind int

// The kinds of blocks. Blocks of one kind that follow each other, but for
// paragraphs, make one list.
const (
	Paragraph BlockKind = iota
	Added               // a sentence that came
	Removed             // a sentence that went
	Item                // of a plain list
)

// Tag makes a stable id (RFC 4151) of a naming authority, the date from which on it
// gives such ids, as 2026-01-01 or 2026, and what is named. Parts are joined by
// slashes; what no URI may hold is escaped.
func Tag(authority, date string, parts ...string) string {
	escaped := make([]string, len(parts))
	for i, p := range parts {
		escaped[i] = url.PathEscape(p)
	}
	return "tag:" + authority + "," + date + ":" + strings.Join(escaped, "/")
}

// Write returns the document of a feed. The same feed gives the same bytes. The
// error names what is missing.
func Write(f Feed) ([]byte, error) {
	if f.ID == "" || f.Title == "" || f.Updated.IsZero() || f.Author == "" {
		return nil, errors.New("atom: a feed wants an id, a title, a time and an author")
	}
	w := &writer{}
	w.buf.WriteString("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"" + namespace + "\">\n")
	w.element("id", f.ID)
	w.text("title", f.Title)
	if f.Subtitle != "" {
		w.text("subtitle", f.Subtitle)
	}
	w.time("updated", f.Updated)
	w.buf.WriteString("<author><name>" + escape(f.Author) + "</name></author>\n<generator>Strandline</generator>\n")
	w.link("self", "application/atom+xml", f.Self)
	w.link("alternate", "text/html", f.Page)
	w.link("next", "application/atom+xml", f.Next)
	seen := map[string]bool{}
	for i, e := range f.Entries {
		switch {
		case e.ID == "" || e.Title == "" || e.Updated.IsZero() || e.Link == "" && len(e.Content) == 0:
			return nil, fmt.Errorf("atom: entry %d wants an id, a title, a time and a link or a content", i)
		case seen[e.ID]:
			return nil, fmt.Errorf("atom: entry %d has the id %s of another", i, e.ID)
		}
		seen[e.ID] = true
		w.entry(e)
	}
	w.buf.WriteString("</feed>\n")
	return w.buf.Bytes(), nil
}

const namespace = "http://www.w3.org/2005/Atom"

type writer struct{ buf bytes.Buffer }

func (w *writer) element(name, value string) {
	w.buf.WriteString("<" + name + ">" + escape(value) + "</" + name + ">\n")
}

func (w *writer) text(name, value string) {
	w.buf.WriteString("<" + name + ` type="text">` + escape(value) + "</" + name + ">\n")
}

func (w *writer) time(name string, at time.Time) {
	w.element(name, at.UTC().Format("2006-01-02T15:04:05.999999Z"))
}

func (w *writer) link(rel, kind, href string) {
	if href == "" {
		return
	}
	w.buf.WriteString(`<link rel="` + rel + `"`)
	if kind != "" {
		w.buf.WriteString(` type="` + kind + `"`)
	}
	w.buf.WriteString(` href="` + escape(href) + "\"/>\n")
}

func (w *writer) entry(e Entry) {
	w.buf.WriteString("<entry>\n")
	w.element("id", e.ID)
	w.text("title", e.Title)
	w.time("updated", e.Updated)
	if !e.Published.IsZero() {
		w.time("published", e.Published)
	}
	w.link("alternate", "text/html", e.Link)
	w.link("related", "", e.Source)
	for _, c := range e.Categories {
		w.buf.WriteString(`<category term="` + escape(c) + "\"/>\n")
	}
	if e.Summary != "" {
		w.text("summary", e.Summary)
	}
	if len(e.Content) > 0 {
		w.buf.WriteString(`<content type="html">` + escape(e.Content.html()) + "</content>\n")
	}
	w.buf.WriteString("</entry>\n")
}

// html writes the blocks with a handful of elements and everything else escaped.
func (c Content) html() string {
	var b strings.Builder
	open := false
	for i, block := range c {
		line := html.EscapeString(readable(block.Text))
		if block.Href != "" {
			line = `<a href="` + html.EscapeString(block.Href) + `">` + line + "</a>"
		}
		if open && (block.Kind == Paragraph || c[i-1].Kind != block.Kind) {
			b.WriteString("</ul>")
			open = false
		}
		if block.Kind != Paragraph && !open {
			b.WriteString("<ul>")
			open = true
		}
		switch block.Kind {
		case Added:
			b.WriteString("<li><ins>" + line + "</ins></li>")
		case Removed:
			b.WriteString("<li><del>" + line + "</del></li>")
		case Item:
			b.WriteString("<li>" + line + "</li>")
		default:
			b.WriteString("<p>" + line + "</p>")
		}
	}
	if open {
		b.WriteString("</ul>")
	}
	return b.String()
}

// escape makes text that may stand in an element or an attribute.
func escape(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(readable(s))) // a buffer takes everything
	return b.String()
}

// readable takes out what XML cannot hold and what turns the text around it around.
func readable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r':
			return ' '
		case r < 0x20, r == 0x7f, r >= 0x80 && r < 0xa0, r == 0xfffe, r == 0xffff, r == utf8.RuneError:
			return -1
		case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0xfeff:
			return -1
		}
		return r
	}, s)
}
