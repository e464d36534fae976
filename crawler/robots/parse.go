package robots

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// MaxBytes is how much of a file is read, the least that RFC 9309 section 2.5 allows. A caller
// that limits its download should let one byte more through, so that Parse can tell a file that
// was cut and drop the part of a line at its end.
const MaxBytes = 500 << 10

// Parse reads a robots.txt. Lines end in CR, LF or both; a byte order mark is skipped; of a file
// longer than MaxBytes, the lines that end within them count. The File keeps no part of body.
func Parse(body []byte) *File {
	if len(body) > MaxBytes {
		body = body[:bytes.LastIndexAny(body[:MaxBytes+1], "\r\n")+1]
	}
	for _, c := range []byte("\xef\xbb\xbf") {
		if len(body) > 0 && body[0] == c {
			body = body[1:]
		}
	}
	var p parser
	for len(body) > 0 {
		line := body
		if i := bytes.IndexAny(body, "\r\n"); i >= 0 {
			line, body = body[:i], body[i+1:]
		} else {
			body = nil
		}
		if i := bytes.IndexByte(line, '#'); i >= 0 {
			line = line[:i]
		}
		p.line(string(bytes.Trim(line, space)))
	}
	return p.file()
}

const space = " \t\v\f"

// parser turns lines into groups.
type parser struct {
	builder
	grouped bool // a group has begun
	naming  bool // the last line that counts was a user-agent line
}

func (p *parser) line(line string) {
	key, value, ok := strings.Cut(line, ":")
	if !ok {
		words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(space, r) })
		if len(words) != 2 {
			return
		}
		key, value = words[0], words[1]
	}
	key, value = strings.Trim(key, space), strings.Trim(value, space)
	switch strings.ToLower(key) {
	case "user-agent", "useragent", "user agent":
		if !p.naming {
			p.begin()
			p.grouped, p.naming = true, true
		}
		if value == "*" || strings.HasPrefix(value, "*") && strings.ContainsRune(space, rune(value[1])) {
			p.agent("*")
		} else if token := leadingToken(value); token != "" {
			p.agent(strings.ToLower(token))
		}
	case "allow":
		p.rule(value, true)
	case "disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw":
		p.rule(value, false)
	case "crawl-delay":
		if d, ok := parseDelay(value); ok && p.grouped {
			p.delay(d)
		}
	case "sitemap", "site-map":
		if value != "" {
			p.sitemaps = append(p.sitemaps, value)
		}
	}
}

// leadingToken is Token without its care for headers: a file may well name mozilla.
func leadingToken(s string) string {
	end := 0
	for end < len(s) && isTokenByte(s[end]) {
		end++
	}
	return s[:end]
}

func (p *parser) rule(pattern string, allow bool) {
	p.naming = false
	if !p.grouped || pattern == "" {
		return
	}
	strict := normalise(pattern, true)
	r := rule{length: int32(len(strict)), allow: allow}
	add := func(normal string) {
		r.pattern, r.anchored = strings.CutSuffix(normal, "$")
		p.add(r)
	}
	add(strict)
	if loose := loosen(strict); loose != strict {
		add(loose)
	}
}

// parseDelay reads seconds with an optional fraction.
func parseDelay(s string) (time.Duration, bool) {
	for i := range len(s) {
		if (s[i] < '0' || s[i] > '9') && s[i] != '.' {
			return 0, false
		}
	}
	seconds, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(seconds, 1) {
		return 0, false
	}
	if seconds >= MaxCrawlDelay.Seconds() {
		return MaxCrawlDelay, true
	}
	return time.Duration(seconds * float64(time.Second)), true
}

// builder collects groups and, in the end, packs all their strings into one.
type builder struct {
	groups   []group
	sitemaps []string
}

func (b *builder) begin()             { b.groups = append(b.groups, group{}) }
func (b *builder) last() *group       { return &b.groups[len(b.groups)-1] }
func (b *builder) agent(token string) { b.last().agents = append(b.last().agents, token) }
func (b *builder) add(r rule)         { b.last().rules = append(b.last().rules, r) }

func (b *builder) delay(d time.Duration) {
	g := b.last()
	g.delay, g.hasDelay = max(g.delay, d), true
}

// file returns the finished File. Groups that name nobody are dropped, slices get their exact
// size, and the strings become parts of one, since each would otherwise keep its line alive.
func (b *builder) file() *File {
	var text strings.Builder
	b.each(func(s *string) { text.WriteString(*s) })
	rest := text.String()
	b.each(func(s *string) { *s, rest = rest[:len(*s)], rest[len(*s):] })

	f := &File{text: text.Len(), sitemaps: slices.Clip(slices.Clone(b.sitemaps))}
	for _, g := range b.groups {
		if len(g.agents) == 0 {
			continue
		}
		slices.SortStableFunc(g.rules, func(x, y rule) int {
			if d := cmp.Compare(y.length, x.length); d != 0 {
				return d
			}
			return boolInt(y.allow) - boolInt(x.allow)
		})
		g.agents, g.rules = slices.Clip(slices.Clone(g.agents)), slices.Clip(slices.Clone(g.rules))
		f.groups = append(f.groups, g)
	}
	f.groups = slices.Clip(slices.Clone(f.groups))
	return f
}

// each visits every string that the file will hold.
func (b *builder) each(visit func(*string)) {
	b.sitemaps = slices.Clone(b.sitemaps) // may belong to another file
	for i := range b.sitemaps {
		visit(&b.sitemaps[i])
	}
	for i := range b.groups {
		g := &b.groups[i]
		if len(g.agents) == 0 {
			continue
		}
		for j := range g.agents {
			visit(&g.agents[j])
		}
		for j := range g.rules {
			visit(&g.rules[j].pattern)
		}
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
