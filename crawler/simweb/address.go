package simweb

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// fixedPaths are the paths of the fixed pages that are the same on every host.
var fixedPaths = map[int]string{
	homePage: "/", aboutPage: "/about", livePage: "/live", archivePage: "/archive/", loginPage: "/account/", privatePage: "/private/",
	loopA: "/go/round", loopB: "/go/and-round", chain1: "/go/campaign", chain2: "/go/campaign/step-2", chain3: "/go/campaign/step-3",
	temporary: "/today", movedPage: "/company/about-us.htm", membersPage: "/members/",
}

// path is the address of a page on its host. It ends in the page's index, by which it is found again.
func (h *host) path(idx, part int) string {
	switch {
	case idx == archivePage && part > 0:
		return "/archive/" + monthName(part) + "/"
	case idx >= firstSection && idx < firstSection+sections:
		if part > 0 {
			return fmt.Sprintf("/%s/list-%d", h.sectionSlug(idx-firstSection), part+1)
		}
		return "/" + h.sectionSlug(idx-firstSection) + "/"
	case idx < fixedPages:
		return fixedPaths[idx]
	case idx >= h.standing:
		return h.articlePath(idx)
	}
	section := h.sectionOf(idx)
	tail := h.slug(idx, section) + "-" + strconv.Itoa(idx)
	base := "/" + h.sectionSlug(section) + "/"
	if h.private(idx) {
		base = "/private/"
		if mix(h.seed, forShape, 1, uint64(idx))%4 == 0 {
			base = "/private/open/"
		}
	}
	switch kind, _ := h.kindOf(idx, 0); {
	case kind == Product:
		return base + "item/" + tail
	case kind == Table:
		return base + "tables/" + tail + ".html"
	case h.Kind == Reference:
		letter := tail[:1]
		return base + "a-z/" + letter + "/" + strconv.Itoa(idx%7) + "/" + tail + ".html"
	case h.Kind == Government:
		return base + tail
	}
	return base + tail + ".html"
}

func (h *host) articlePath(idx int) string {
	at := h.w.time(h.birth(idx - h.standing))
	tail := h.slug(idx, 0) + "-" + strconv.Itoa(idx)
	switch h.Kind {
	case Government:
		return at.Format("/press/2006-01/") + tail
	case Shop:
		return "/news/" + tail + ".html"
	case Forum:
		return "/t/" + tail
	case Blog:
		return at.Format("/2006/01/02/") + tail
	case Reference:
		return at.Format("/notes/200601/") + tail + ".html"
	}
	return at.Format("/2006/01/") + tail
}

func (h *host) sectionSlug(s int) string { return topicNames[h.topics[s]] }

// slug makes a piece of an address out of a page's title: lower-case ASCII, at most six words.
func (h *host) slug(idx, section int) string {
	var b strings.Builder
	words, dash := 0, false
	for _, c := range []byte(h.title(idx)) {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			dash = b.Len() > 0
			continue
		}
		if dash {
			if words++; words == 6 {
				break
			}
			b.WriteByte('-')
			dash = false
		}
		b.WriteByte(c)
	}
	if b.Len() < 3 {
		return topicNames[h.topicOf(idx, section)]
	}
	return b.String()
}

// title is the headline of a page; it never changes.
func (h *host) title(idx int) string {
	l := h.lang
	switch {
	case idx == homePage:
		return h.Name
	case idx < firstSection+sections:
		return l.sections[h.topics[idx-firstSection]]
	case idx == aboutPage:
		return l.about
	case idx == livePage || idx == temporary:
		return l.live
	case idx == archivePage:
		return l.archive
	case idx == privatePage:
		return l.private
	case idx < fixedPages:
		return l.imprint + " " + monthName(idx)[5:]
	}
	t := l.teller(mix(h.seed, forTitle, uint64(idx)))
	var room [sentenceRoom]byte
	if idx < h.standing {
		titles := l.topics[h.topics[h.sectionOf(idx)]].titles
		return l.finish(t.write(room[:0], titles[t.intn(len(titles))]))
	}
	r := h.report(idx - h.standing)
	titles := l.topics[r.topic].titles
	if len(r.events) > 0 {
		e := h.w.event(r.events[0])
		titles = l.topics[r.topic].eventTitles
		t.told = &e.told[e.stage(h.birth(idx-h.standing))]
	}
	return l.finish(raise(t.write(room[:0], titles[t.intn(len(titles))]), 0))
}

// Months are counted from January of year 0; part is never 0 for the months that occur.
func monthOf(t time.Time) int    { return t.Year()*12 + int(t.Month()) - 1 }
func monthName(m int) string     { return fmt.Sprintf("%04d-%02d", m/12, m%12+1) }
func monthStart(m int) time.Time { return time.Date(m/12, time.Month(m%12+1), 1, 0, 0, 0, 0, time.UTC) }

// worldEnds is how long after the epoch addresses are still found. Beyond it times would run over.
const worldEnds = 200 * 365 * 24 * time.Hour

// find looks an address up. It knows pages whether or not they exist at any given time; the query is ignored, so
// that a session id leads to the same page.
func (w *World) find(rawURL string) (page, bool) {
	u, err := url.Parse(rawURL)
	if err != nil || u.Scheme != "http" {
		return page{}, false
	}
	h := w.byName[strings.ToLower(u.Hostname())]
	if h == nil {
		return page{}, false
	}
	return h.find(u.Path)
}

func (h *host) find(path string) (page, bool) {
	if path == "" {
		path = "/"
	}
	if idx, ok := h.w.fixed[path]; ok {
		return h.page(idx, 0), true
	}
	if month, ok := strings.CutPrefix(path, "/archive/"); ok {
		at, err := time.Parse("2006-01/", month)
		if err != nil || at.Year() < 1900 || h.w.offset(at) > worldEnds {
			return page{}, false
		}
		return h.monthPage(monthOf(at))
	}
	slug, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	for s := range sections {
		if slug != h.sectionSlug(s) {
			continue
		}
		if rest == "" {
			return h.checked(firstSection+s, 0, path)
		}
		if n, ok := strings.CutPrefix(rest, "list-"); ok {
			part, err := strconv.Atoi(n)
			if err != nil || part < 2 || part > h.parts(s) {
				return page{}, false
			}
			return h.checked(firstSection+s, part-1, path)
		}
	}
	digits := strings.TrimSuffix(path, ".html")
	digits = digits[strings.LastIndexByte(digits, '-')+1:]
	idx, err := strconv.Atoi(digits)
	if err != nil || idx < fixedPages || idx > h.standing+h.past+int(worldEnds/h.spacing) {
		return page{}, false
	}
	return h.checked(idx, 0, path)
}

// checked accepts a page only under its own address.
func (h *host) checked(idx, part int, path string) (page, bool) {
	if h.path(idx, part) != path {
		return page{}, false
	}
	return h.page(idx, part), true
}

// monthPage is the archive of a month; it begins with the month's first article.
func (h *host) monthPage(month int) (page, bool) {
	from, to := h.w.offset(monthStart(month)), h.w.offset(monthStart(month+1))
	first := h.newest(from-1) + 1
	if born := h.birth(first); born < to {
		p := h.page(archivePage, month)
		p.born = born
		return p, true
	}
	return page{}, false
}

// url is the absolute address of a page.
func (p *page) url() string { return "http://" + p.h.Name + p.h.path(p.idx, p.part) }
