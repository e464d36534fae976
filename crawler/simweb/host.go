package simweb

import (
	"fmt"
	"time"
)

// HostKind is the kind of a host; it decides on its name, its mix of pages and how much it publishes.
type HostKind uint8

const (
	News HostKind = iota
	Government
	Shop
	Forum
	Blog
	Reference
)

func (k HostKind) String() string { return hostKinds[k].name }

// RobotsPolicy is what a host's robots.txt says.
type RobotsPolicy uint8

const (
	RobotsPrivate    RobotsPolicy = iota // Disallow: /private/, but Allow: /private/open
	RobotsAllowAll                       // an empty Disallow
	RobotsCrawlDelay                     // as RobotsPrivate, with a Crawl-delay
	RobotsMissing                        // 404: everything is allowed
	RobotsError                          // 503, always: nothing may be fetched
	RobotsDenyAll                        // Disallow: /
)

func (p RobotsPolicy) String() string {
	return [...]string{"private", "allow-all", "crawl-delay", "missing", "error", "deny-all"}[p]
}

// Host is the public account of a host.
type Host struct {
	Name       string
	Home       string // URL of the home page
	Kind       HostKind
	Category   string
	Language   string // ISO 639-1
	Charset    string
	Robots     RobotsPolicy
	CrawlDelay time.Duration
	Feed       string // URL of the Atom or RSS feed
	Sitemap    string // URL; what it says of lastmod may be a lie, see SitemapLies
	// SitemapLies is set where every lastmod is the time of the request.
	SitemapLies bool
}

type host struct {
	w     *World
	index int
	seed  uint64
	Host
	lang          *language
	charsetByMeta bool
	standing      int // indexes below are standing pages, the others articles
	past          int // articles of before the epoch
	spacing       time.Duration
	topics        [sections]int // one a section
}

const (
	sections      = 6
	fixedPages    = 20 // the first standing pages, the same on every host: see page.go
	newsPastLimit = 20 * 365 * 24 * time.Hour
)

var hostKinds = [...]struct {
	name     string
	category string
	labels   []string
	suffixes []string
	standing float64 // share of the pages
	articles float64 // of Options.ArticlesPerDay
}{
	News:       {"news", "News", []string{"news", "daily", "herald"}, []string{"sim.test", "co.test", "sim.test"}, 0.3, 1},
	Government: {"government", "Government", []string{"council", "agency"}, []string{"gov.test"}, 0.7, 0.2},
	Shop:       {"shop", "Shopping", []string{"store", "market"}, []string{"co.test", "shop.test"}, 0.85, 0.05},
	Forum:      {"forum", "Society", []string{"talk", "board"}, []string{"org.test", "sim.test"}, 0.5, 0.5},
	Blog:       {"blog", "Personal", []string{"notes", "diary"}, []string{"blog.test", "sim.test"}, 0.35, 0.3},
	Reference:  {"reference", "Reference", []string{"library", "guide"}, []string{"edu.test", "org.test"}, 0.9, 0.05},
}

// The orders in which hosts take their kinds, languages and robots rules. The lengths have no common
// factor with each other, so that the combinations mix.
var (
	kindOrder     = [...]HostKind{News, Government, News, Shop, Blog, News, Forum, Reference, News, Shop, Government}
	languageOrder = [...]string{"en", "en", "en", "en", "en", "de", "en", "en", "en", "ja", "en", "fr", "en"}
	robotsOrder   = [...]RobotsPolicy{
		RobotsPrivate, RobotsAllowAll, RobotsCrawlDelay, RobotsPrivate, RobotsMissing, RobotsPrivate, RobotsAllowAll,
		RobotsPrivate, RobotsCrawlDelay, RobotsPrivate, RobotsError, RobotsPrivate, RobotsMissing, RobotsPrivate, RobotsDenyAll, RobotsPrivate,
	}
)

func (w *World) newHost(i int) *host {
	o := w.opts
	h := &host{w: w, index: i, seed: mix(w.seed, forHost, uint64(i))}
	d := dice{h.seed}
	h.Kind = kindOrder[i%len(kindOrder)]
	kind := hostKinds[h.Kind]
	h.Category = kind.category
	label, suffix := kind.labels[d.intn(len(kind.labels))], kind.suffixes[d.intn(len(kind.suffixes))]
	if i < len(kindOrder) { // the first of each kind carry the plain names
		label, suffix = kind.labels[0], kind.suffixes[0]
	}
	h.Name = fmt.Sprintf("%s-%02d.%s", label, i, suffix)
	if o.OwnDomains {
		h.Name = fmt.Sprintf("%s-%02d-%s", label, i, suffix)
		for j := len(h.Name) - len(".test") - 1; j > 0; j-- {
			if h.Name[j] == '.' {
				h.Name = h.Name[:j] + "-" + h.Name[j+1:]
			}
		}
	}
	h.Home = "http://" + h.Name + "/"
	h.Language = languageOrder[i%len(languageOrder)]
	if o.EnglishOnly {
		h.Language = "en"
	}
	for j := range w.languages {
		if w.languages[j].code == h.Language {
			h.lang = &w.languages[j]
		}
	}
	h.Charset, h.charsetByMeta = charsetOf(h.Language, i)
	if h.Robots = robotsOrder[i%len(robotsOrder)]; o.PlainRobots {
		h.Robots = RobotsAllowAll
	}
	if h.Robots == RobotsCrawlDelay {
		h.CrawlDelay = time.Duration(d.between(2, 5)) * time.Second
	}
	h.Feed = h.Home + [...]string{"feed.atom", "rss.xml"}[i%2]
	h.Sitemap = h.Home + "sitemap.xml"
	h.SitemapLies = d.chance(0.25)

	h.standing = max(int(kind.standing*float64(o.PagesPerHost)), fixedPages+12)
	h.past = max(o.PagesPerHost-h.standing, 4)
	h.spacing = time.Duration(float64(24*time.Hour) / (o.ArticlesPerDay * kind.articles)).Truncate(time.Second)
	h.spacing = max(min(h.spacing, newsPastLimit/time.Duration(h.past)), 10*time.Second).Truncate(time.Second)
	for s, first := 0, d.intn(len(topicNames)); s < sections; s++ {
		h.topics[s] = (first + s) % len(topicNames)
	}
	return h
}

// charsetOf gives English mostly UTF-8 and the others what their old sites have, declared by the header
// or only by a meta element.
func charsetOf(lang string, i int) (charset string, byMeta bool) {
	round := i / len(languageOrder)
	switch {
	case lang == "ja" && round%3 == 0:
		return "Shift_JIS", false
	case lang == "ja" && round%3 == 1:
		return "EUC-JP", true
	case lang == "fr" && round%2 == 0:
		return "windows-1252", true
	case lang == "de" && round%2 == 0:
		return "windows-1252", false
	}
	return "utf-8", i%5 == 2
}

// birth is when article number n is published. Articles follow each other at the host's spacing, each at
// a random place in the first nine tenths of its turn.
func (h *host) birth(n int) time.Duration {
	u := unit(mix(h.seed, forArticle, uint64(n)))
	return (time.Duration(n-h.past)*h.spacing + time.Duration(u*0.9*float64(h.spacing))).Truncate(time.Second)
}

// newest is the number of the last article published at or before t, or -1.
func (h *host) newest(t time.Duration) int {
	n := int(t/h.spacing) + h.past + 1
	for n >= 0 && h.birth(n) > t {
		n--
	}
	return max(n, -1)
}
