package main

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"time"

	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/robotcache"
	"github.com/strandlinehq/strandline/crawler/robots"
)

// network asks the host of one page: its name, and its robots.txt by the fetcher that
// would fetch it, with the same proxy, limits and refusals.
func (d *doctor) network(ctx context.Context) {
	if d.page == "" {
		d.warn("dns", "the configuration names no page to try", "add a watch, or name a page: 'strandline doctor https://example.org/'")
		return
	}
	u, err := url.Parse(withScheme(d.page))
	if err != nil || u.Hostname() == "" {
		d.fault("dns", fmt.Sprintf("%q is not the URL of a web page", d.page), "write it as https://example.org/page")
		return
	}
	if d.config.Crawler.Proxy == "" && !d.lookUp(ctx, u.Hostname()) {
		return
	}
	fetcher, _, err := d.app.newFetcher(&d.config.Crawler, clock.Real{}, nil)
	if err != nil {
		d.fault("robots", err.Error(), "correct the section crawler")
		return
	}
	defer fetcher.Close()
	origin := u.Scheme + "://" + u.Host
	ctx, cancel := context.WithTimeout(ctx, 2*d.config.Crawler.Timeout.Std())
	defer cancel()
	rules, err := fetcher.Robots().Rules(ctx, origin)
	switch {
	case err != nil:
		d.fault("robots", fmt.Sprintf("%s/robots.txt: %v", origin, err), "try again; if it stays so, look at the proxy and the firewall")
	case rules.Policy == robots.Unreachable && rules.Err != nil:
		d.fault("robots", fmt.Sprintf("%s/robots.txt cannot be had: %v", origin, rules.Err), "nothing of the host is fetched until it answers; look at the proxy, the firewall and crawler.allow_networks")
	case rules.Policy == robots.Unreachable:
		d.fault("robots", fmt.Sprintf("%s/robots.txt was answered with status %d", origin, rules.Status), "nothing of the host is fetched until it answers; ask its operator")
	case !rules.Allowed(u.String()):
		d.fault("robots", fmt.Sprintf("%s/robots.txt forbids %s to %s", origin, u, robots.Token(d.config.Crawler.UserAgent)),
			"leave the page out, or ask the host's operator; your own hosts go into crawler.robots_ignore_hosts")
	case rules.Policy == robotcache.Ignored:
		d.ok("robots", "not asked at %s, by crawler.robots_ignore_hosts", u.Hostname())
	default:
		pause := max(rules.CrawlDelay(), d.config.Crawler.Host.Delay.Std())
		d.ok("robots", "%s allows %s, a fetch every %s", origin, u, pause)
	}
}

// lookUp resolves a host.
func (d *doctor) lookUp(ctx context.Context, host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	before := time.Now()
	addresses, err := (&net.Resolver{}).LookupNetIP(ctx, "ip", host)
	if err != nil {
		d.fault("dns", err.Error(), "correct the name of the host, or the name servers in /etc/resolv.conf")
		return false
	}
	d.ok("dns", "%s has %d addresses, found in %s", host, len(addresses), time.Since(before).Round(time.Millisecond))
	return true
}
