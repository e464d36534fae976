package fetch

import (
	"crypto/x509"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/gate"
	"github.com/strandlinehq/strandline/crawler/robotcache"
)

// Options are the choices of a Fetcher. The zero value is a good default, but for the user agent.
type Options struct {
	// UserAgent is the header sent with every request. Its product token is what robots.txt files
	// call us.
	UserAgent string
	// Timeouts bound how long the network may take.
	Timeouts Timeouts
	// MaxBody is the length, in bytes after decompression, at which a body is cut; zero means 10 MiB.
	MaxBody int
	// MaxHeader is the length, in bytes, beyond which the header of an answer is refused; zero
	// means 256 KiB.
	MaxHeader int
	// MaxRedirects is how many redirects are followed; zero means 10, negative none.
	MaxRedirects int
	// AllowNetworks are addresses that may be fetched from though they are not public: loopback,
	// private, link-local and the like are refused by default.
	AllowNetworks []netip.Prefix
	// Proxy is the URL of an HTTP or SOCKS5 proxy; empty means none. The environment is not asked.
	// Behind a proxy the guard of addresses is weaker, see the package comment.
	Proxy string
	// RobotsIgnoreHosts are host names whose robots.txt is not obeyed.
	RobotsIgnoreHosts []string
	// RobotsTTL is how long a robots.txt is used; zero means a day.
	RobotsTTL time.Duration
	// Gate says when a host may be asked. The scheduler should share it; nil means one of its own
	// with default politeness.
	Gate *gate.Gate
	// Patience is how long a fetch waits for a host that a redirect or a robots.txt leads to; zero
	// means a minute. A host that is busy for longer makes the fetch Skipped.
	Patience time.Duration
	// Clock is the time of politeness, of ages and of what is recorded; nil means the machine's.
	// Timeouts and the skew of pairs are always in the machine's time.
	Clock clock.Clock
	// Resolver looks names up; nil means the machine's.
	Resolver *net.Resolver
	// Transport carries requests in place of the network, for simulated webs. Timeouts other than
	// Total, the guard of addresses, the proxy and exact headers do not apply to it.
	Transport http.RoundTripper
	// TrustedRoots, if set, replaces the machine's certificate authorities.
	TrustedRoots *x509.CertPool
	// Logger gets a line for what an operator should know; nil means none.
	Logger *slog.Logger
}

// Timeouts bound the parts of one request. Zero means the default that each names.
type Timeouts struct {
	// Connect is for the look-up of the name and the connection (10 s), TLS for the handshake (10 s).
	Connect, TLS time.Duration
	// Header is from the request to the end of the answer's header (20 s).
	Header time.Duration
	// Total is for the whole request with its body (30 s).
	Total time.Duration
	// Rate is the least speed of a body in bytes a second (512), averaged over each Window (5 s).
	Rate   int
	Window time.Duration
}

func (o Options) withDefaults() (Options, *url.URL, error) {
	t := &o.Timeouts
	set(&t.Connect, 10*time.Second)
	set(&t.TLS, 10*time.Second)
	set(&t.Header, 20*time.Second)
	set(&t.Total, 30*time.Second)
	set(&t.Rate, 512)
	set(&t.Window, 5*time.Second)
	set(&o.MaxBody, 10<<20)
	set(&o.MaxHeader, 256<<10)
	set(&o.MaxRedirects, 10)
	set(&o.Patience, time.Minute)
	o.MaxRedirects = max(o.MaxRedirects, 0)
	if o.UserAgent == "" {
		return o, nil, fmt.Errorf("fetch: no user agent is set")
	}
	if o.MaxBody < 0 || o.MaxHeader < 0 {
		return o, nil, fmt.Errorf("fetch: limit of body (%d) or header (%d) is negative", o.MaxBody, o.MaxHeader)
	}
	if o.Clock == nil {
		o.Clock = clock.Real{}
	}
	if o.Gate == nil {
		o.Gate = gate.New(gate.Options{})
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Proxy == "" {
		return o, nil, nil
	}
	proxy, err := url.Parse(o.Proxy)
	if err != nil {
		// The text of the error would show a password.
		return o, nil, fmt.Errorf("fetch: proxy is not a URL")
	}
	switch proxy.Scheme {
	case "http", "https", "socks5", "socks5h":
	default:
		return o, nil, fmt.Errorf("fetch: proxy scheme %q: want http, https or socks5", proxy.Scheme)
	}
	if proxy.Hostname() == "" {
		return o, nil, fmt.Errorf("fetch: proxy has no host")
	}
	return o, proxy, nil
}

func (o *Options) robots() robotcache.Options {
	return robotcache.Options{Agent: o.UserAgent, TTL: o.RobotsTTL, IgnoreHosts: o.RobotsIgnoreHosts, Clock: o.Clock}
}

func set[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
