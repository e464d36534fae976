package main

import (
	"fmt"
	"net/netip"

	"github.com/strandlinehq/strandline/configs"
	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/fetch"
)

// refusedAddresses warns of what the configuration names and will never be fetched, as far as the address itself says so.
func refusedAddresses(c *configs.Config) configs.Errors {
	var allowed []netip.Prefix
	for _, n := range c.Crawler.AllowNetworks {
		allowed = append(allowed, n.Prefix)
	}
	former := canonical.New(canonical.Options{Tracking: c.Crawler.TrackingParams})
	var out configs.Errors
	told := map[configs.URL]bool{} // in the list being looked at
	look := func(key string, u configs.URL) {
		address, err := former.URL("", string(u))
		if err != nil {
			return // no configuration with such a URL is loaded
		}
		if err := fetch.Refused(address, allowed); err != nil {
			e := c.Fault(key, fmt.Sprintf("will be refused each time it is to be fetched: %v", err), "public addresses, and those of crawler.allow_networks")
			e.Found = string(u)
			out = append(out, e)
			told[u] = true
		}
	}
	list := func(key string, urls []configs.URL) {
		for i, u := range urls {
			look(fmt.Sprintf("%s[%d]", key, i), u)
		}
	}
	for i := range c.Watches {
		w, at := &c.Watches[i], fmt.Sprintf("watches[%d].", i)
		clear(told)
		list(at+"urls", w.URLs)
		for j := range w.Known {
			look(fmt.Sprintf("%spages[%d].url", at, j), w.Known[j].URL)
		}
		list(at+"sitemaps", w.Sitemaps)
		list(at+"feeds", w.Feeds)
		for _, u := range w.Pages() { // those left are of urls_file
			if !told[u] {
				look(at+"urls_file", u)
			}
		}
	}
	for i := range c.Series {
		clear(told)
		list(fmt.Sprintf("series[%d].seeds", i), c.Series[i].Seeds)
	}
	return out
}
