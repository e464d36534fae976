// Package robots reads robots.txt files and answers whether a URL may be fetched, as RFC 9309, the
// Robots Exclusion Protocol, demands (SCIENCE A3).
//
// [Parse] makes a [File] of any bytes; a file never fails to parse, lines that mean nothing are
// skipped. [File.Allowed] answers for a crawler and a URL. [ForStatus] decides what follows from
// the status of the answer, when there is no file to parse.
//
// Where the RFC leaves room, the choice is the one that fetches less, and it follows what the most
// widely used published matcher does:
//
//   - A line without a colon counts if it has exactly two words ("disallow /"). The misspellings
//     useragent, "user agent", dissallow, dissalow, disalow, diasllow, disallaw and site-map are
//     understood; no others.
//   - Blank, unknown, Sitemap and Crawl-delay lines neither begin nor end a group, so user-agent
//     lines around them still belong together.
//   - A product token in the file ends at the first character other than a letter, '-' or '_'
//     ("User-agent: Foo/2.1" and "Foo Bar" both name foo); tokens must then be equal but for case.
//   - A pattern is compared from the start of the path. One that begins with neither '/' nor '*'
//     matches nothing.
//   - After a question mark, the characters : / ? @ ' equal their percent-codes, since there they
//     separate nothing (the RFC's own example in section 2.2.2); elsewhere codes of reserved
//     characters differ from the characters.
//
// Left out: fetching, redirects and caching, which belong to the crawler, and meta tags and
// headers, which concern indexing.
package robots

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unsafe"
)

// File is what one robots.txt says. The zero File allows everything. A File does not change and
// may be used concurrently.
type File struct {
	groups   []group
	sitemaps []string
	text     int // bytes of all strings
}

// group is the rules of a set of user agents.
type group struct {
	agents   []string // product tokens in lower case, or "*"
	rules    []rule   // most specific first, allow before disallow
	delay    time.Duration
	hasDelay bool
}

// rule is one allow or disallow line.
type rule struct {
	pattern  string // normal form, without the '$' at the end
	length   int32  // octets of the normal form with it: how specific the rule is
	allow    bool
	anchored bool // the pattern ended in '$'
}

// Denied says that robots.txt forbids a URL. It is the error of callers that must refuse a fetch.
type Denied struct {
	Agent string // product token
	URL   string
}

func (d *Denied) Error() string {
	return fmt.Sprintf("robots.txt forbids %s to fetch %s", d.Agent, d.URL)
}

// Allowed reports whether the crawler may fetch an address, which is an absolute URL or a path
// with its query, beginning with '/'. Agent is a product token or a whole User-Agent header, see
// Token. The most specific rule decides, the one with the longest pattern; allow wins a tie.
// /robots.txt itself is always allowed (RFC 9309 section 2.2.2).
func (f *File) Allowed(agent, address string) bool {
	path := pathOf(address)
	if path == "/robots.txt" || strings.HasPrefix(path, "/robots.txt?") {
		return true
	}
	if len(f.groups) == 0 {
		return true
	}
	strict := normalise(path, false)
	loose := loosen(strict)
	allow, best := true, int32(-1)
	for g := range f.matching(agent) {
		for i := range g.rules {
			r := &g.rules[i]
			if r.length < best || r.length == best && allow {
				break
			}
			if r.matches(strict) || loose != strict && r.matches(loose) {
				allow, best = r.allow, r.length
				break
			}
		}
	}
	return allow
}

// MaxCrawlDelay is the longest delay that CrawlDelay returns. Hosts that ask for more would in
// effect forbid a crawl, which they can say in plainer words.
const MaxCrawlDelay = time.Hour

// CrawlDelay returns the pause between fetches that the file asks of a crawler, at most
// MaxCrawlDelay, and whether it asks for one. The line is no part of RFC 9309. Of several, the
// longest counts.
func (f *File) CrawlDelay(agent string) (delay time.Duration, ok bool) {
	for g := range f.matching(agent) {
		if g.hasDelay {
			delay, ok = max(delay, g.delay), true
		}
	}
	return delay, ok
}

// Sitemaps returns the values of the Sitemap lines in their order, as written. They are meant to
// be absolute URLs, of any host.
func (f *File) Sitemaps() []string { return slices.Clone(f.sitemaps) }

// Size returns about how many bytes of memory the file holds.
func (f *File) Size() int {
	n := int(unsafe.Sizeof(*f)) + f.text + cap(f.sitemaps)*int(unsafe.Sizeof(""))
	n += cap(f.groups) * int(unsafe.Sizeof(group{}))
	for _, g := range f.groups {
		n += cap(g.agents)*int(unsafe.Sizeof("")) + cap(g.rules)*int(unsafe.Sizeof(rule{}))
	}
	return n
}

// Only returns a File that answers for every agent as f does for the given one, and holds nothing
// else. It is what a cache should keep: many files are long lists of other crawlers.
func (f *File) Only(agent string) *File {
	var b builder
	b.begin()
	b.agent("*")
	for g := range f.matching(agent) {
		for _, r := range g.rules {
			b.add(r)
		}
		if g.hasDelay {
			b.delay(g.delay)
		}
	}
	b.sitemaps = f.sitemaps
	return b.file()
}

// matching yields the groups that bind a crawler: those that name its token, or else those for all
// ("*"). RFC 9309 section 2.2.1 has them read as one group.
func (f *File) matching(agent string) func(yield func(*group) bool) {
	token := strings.ToLower(Token(agent))
	if !slices.ContainsFunc(f.groups, func(g group) bool { return slices.Contains(g.agents, token) }) {
		token = "*"
	}
	return func(yield func(*group) bool) {
		for i := range f.groups {
			if g := &f.groups[i]; slices.Contains(g.agents, token) && !yield(g) {
				return
			}
		}
	}
}

// Token returns the product token of a User-Agent header, which is what robots.txt files name: the
// leading letters, hyphens and underscores ("strandline/1.0 (+https://example.org/)" gives
// strandline). Of a header that poses as a browser it is the token behind "compatible;"
// ("Mozilla/5.0 (compatible; ourbot/1.0)" gives ourbot). It is empty if there is none.
func Token(agent string) string {
	agent = strings.TrimSpace(agent)
	if strings.HasPrefix(agent, "Mozilla/") {
		if _, after, ok := strings.Cut(agent, "compatible;"); ok {
			agent = strings.TrimSpace(after)
		}
	}
	end := 0
	for end < len(agent) && isTokenByte(agent[end]) {
		end++
	}
	return agent[:end]
}

func isTokenByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '-' || c == '_'
}
