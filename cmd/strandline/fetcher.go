package main

import (
	"net/http"

	"github.com/strandlinehq/strandline/configs"
	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/fetch"
	"github.com/strandlinehq/strandline/crawler/gate"
)

// newFetcher makes the fetcher that a configuration asks for, with its gate.
// Transport stands in for the network; nil means the network.
func (a *app) newFetcher(c *configs.Crawler, clk clock.Clock, transport http.RoundTripper) (*fetch.Fetcher, *gate.Gate, error) {
	delay := c.Host.Delay.Std()
	if delay == 0 {
		delay = -1 // to the gate zero is its default
	}
	g := gate.New(gate.Options{Connections: c.Host.Connections, Delay: delay})
	opt := fetch.Options{
		UserAgent: c.UserAgent,
		Timeouts: fetch.Timeouts{
			Connect: c.ConnectTimeout.Std(), TLS: c.ConnectTimeout.Std(), Header: c.HeaderTimeout.Std(), Total: c.Timeout.Std(),
			Rate: int(c.MinRate.Bytes()),
		},
		MaxBody: int(c.MaxBody.Bytes()), Proxy: c.Proxy.Reveal(), Gate: g, Clock: clk, Transport: transport, Logger: a.log,
	}
	for _, n := range c.AllowNetworks {
		opt.AllowNetworks = append(opt.AllowNetworks, n.Prefix)
	}
	for _, h := range c.RobotsIgnoreHosts {
		opt.RobotsIgnoreHosts = append(opt.RobotsIgnoreHosts, string(h))
	}
	f, err := fetch.New(opt)
	if err != nil {
		return nil, nil, usageError{err}
	}
	return f, g, nil
}
