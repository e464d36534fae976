package simweb

import (
	"fmt"
	"strings"
	"time"
)

// robotsTxt is the host's robots.txt; ok is false where the answer is an error status.
func (h *host) robotsTxt() (body string, status int) {
	switch h.Robots {
	case RobotsMissing:
		return "no such file\n", 404
	case RobotsError:
		return "service unavailable\n", 503
	case RobotsDenyAll:
		return "# no robots here, please\nUser-agent: *\nDisallow: /\n", 200
	case RobotsAllowAll:
		return "User-agent: *\nDisallow:\n\nSitemap: " + h.Sitemap + "\n", 200
	}
	delay := ""
	if h.CrawlDelay > 0 {
		delay = fmt.Sprintf("Crawl-delay: %d\n", h.CrawlDelay/time.Second)
	}
	return "User-agent: greedybot\nDisallow: /\n\nUser-agent: *\n" + delay +
		"Disallow: /private/\nAllow: /private/open/\n\nSitemap: " + h.Sitemap + "\n", 200
}

// Allowed says what the host's robots.txt means for a crawler that it does not name: whether the page may be
// fetched. A host whose robots.txt answers 503 allows nothing (RFC 9309, 2.3.1.4).
func (w *World) Allowed(url string) bool {
	rest, ok := strings.CutPrefix(url, "http://")
	name, path, _ := strings.Cut(rest, "/")
	h := w.byName[strings.ToLower(name)]
	return ok && h != nil && h.allowed("/"+path)
}

func (h *host) allowed(path string) bool {
	switch h.Robots {
	case RobotsDenyAll, RobotsError:
		return false
	case RobotsAllowAll, RobotsMissing:
		return true
	}
	return !strings.HasPrefix(path, "/private/") || strings.HasPrefix(path, "/private/open/")
}

// sitemapSize is the number of URLs a sitemap holds; hosts with more have an index of several.
const sitemapSize = 10_000

// sitemap writes the sitemap at path, or nil if there is none there. It lists the standing pages and articles that are
// alive and open.
func (h *host) sitemap(path string, t time.Duration) []byte {
	total := h.standing + h.newest(t) + 1
	files := (total + sitemapSize - 1) / sitemapSize
	first, last := 0, min(total, sitemapSize)
	if path == "/sitemap.xml" && files > 1 {
		b := []byte(xmlHead + "<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n")
		for i := range files {
			b = fmt.Appendf(b, "<sitemap><loc>http://%s/sitemap-%d.xml</loc></sitemap>\n", h.Name, i+1)
		}
		return append(b, "</sitemapindex>\n"...)
	}
	if path != "/sitemap.xml" {
		var number int
		if _, err := fmt.Sscanf(path, "/sitemap-%d.xml", &number); err != nil || number < 1 || number > files || path != fmt.Sprintf("/sitemap-%d.xml", number) {
			return nil
		}
		first, last = (number-1)*sitemapSize, min(number*sitemapSize, total)
	}
	b := []byte(xmlHead + "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n")
	for idx := first; idx < last; idx++ {
		if idx >= loginPage && idx < fixedPages || h.private(idx) || !h.life(idx).alive(t) {
			continue
		}
		p := h.page(idx, 0)
		at := t
		if !h.SitemapLies {
			_, at = p.fingerprint(t)
		}
		b = fmt.Appendf(b, "<url><loc>%s</loc><lastmod>%s</lastmod></url>\n", p.url(), h.w.time(at).Format(time.RFC3339))
	}
	return append(b, "</urlset>\n"...)
}

const xmlHead = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"

// feed writes the newest articles as Atom or RSS, whichever the host has.
func (h *host) feed(t time.Duration) []byte {
	articles := h.newestArticles(t, homeList, -1)
	updated := h.w.time(longAgo)
	if len(articles) > 0 {
		updated = h.w.time(articles[0].at)
	}
	atom := strings.HasSuffix(h.Feed, ".atom")
	b := []byte(xmlHead)
	if atom {
		b = fmt.Appendf(b, "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>%s</title><id>%s</id><link href=\"%s\"/><updated>%s</updated>\n",
			h.Name, h.Home, h.Home, updated.Format(time.RFC3339))
	} else {
		b = fmt.Appendf(b, "<rss version=\"2.0\"><channel><title>%s</title><link>%s</link><description>%s</description>\n", h.Name, h.Home, h.lang.latest)
	}
	for _, l := range articles {
		at, title, text := h.w.time(l.at), appendEscaped(nil, l.text()), appendEscaped(nil, h.teaser(l.idx).Text)
		if atom {
			b = fmt.Appendf(b, "<entry><title>%s</title><id>%s</id><link href=\"%s\"/><published>%s</published><updated>%s</updated><summary>%s</summary></entry>\n",
				title, l.url(), l.url(), at.Format(time.RFC3339), at.Format(time.RFC3339), text)
		} else {
			b = fmt.Appendf(b, "<item><title>%s</title><link>%s</link><guid>%s</guid><pubDate>%s</pubDate><description>%s</description></item>\n",
				title, l.url(), l.url(), at.Format(time.RFC1123Z), text)
		}
	}
	if atom {
		return append(b, "</feed>\n"...)
	}
	return append(b, "</channel></rss>\n"...)
}
