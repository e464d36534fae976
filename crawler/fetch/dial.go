package fetch

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// metadata are addresses that look public but belong to the machine's provider: Azure's wire
// server. The others of their kind lie in ranges that are refused as a whole.
var metadata = netip.MustParsePrefix("168.63.129.16/32")

// guard refuses addresses that are not public. It is asked after the name was looked up, for the
// very address of the connection, so neither redirects nor names that change their address get
// around it.
type guard struct {
	safe    *ssrf.Guardian
	allowed []netip.Prefix
}

func newGuard(allowed []netip.Prefix) *guard {
	var v4, v6 []netip.Prefix
	for _, p := range allowed {
		if p.Addr().Is4() {
			v4 = append(v4, p)
		} else {
			v6 = append(v6, p)
		}
	}
	return &guard{
		allowed: allowed,
		safe: ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(v4...), ssrf.WithAllowedV6Prefixes(v6...),
			ssrf.WithDeniedV4Prefixes(metadata)),
	}
}

// control is a net.Dialer's ControlContext.
func (g *guard) control(_ context.Context, network, address string, raw syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: %s", ssrf.ErrInvalidHostPort, address)
	}
	if err := g.port(to); err != nil {
		return err
	}
	return g.safe.Safe(network, address, raw)
}

// port refuses the ports under 1024 other than 80 and 443, on which mail servers and the like
// listen, which a link can make us talk to.
func (g *guard) port(to netip.AddrPort) error {
	p := to.Port()
	if p == 80 || p == 443 || p >= 1024 {
		return nil
	}
	for _, a := range g.allowed {
		if a.Contains(to.Addr().Unmap()) {
			return nil
		}
	}
	return fmt.Errorf("%w: %d is not for web pages", ssrf.ErrProhibitedPort, p)
}

// open reports whether every address is allowed, so that none need be looked up.
func (g *guard) open() bool {
	var v4, v6 bool
	for _, a := range g.allowed {
		v4 = v4 || a.Bits() == 0 && a.Addr().Is4()
		v6 = v6 || a.Bits() == 0 && a.Addr().Is6()
	}
	return v4 && v6
}

// network builds the transports of a Fetcher.
type network struct {
	opt     *Options
	proxy   *url.URL
	guard   *guard
	guarded net.Dialer
	free    net.Dialer // for the proxy
	tls     *tls.Config
}

func newNetwork(opt *Options, proxy *url.URL) *network {
	n := &network{opt: opt, proxy: proxy, guard: newGuard(opt.AllowNetworks)}
	n.free = net.Dialer{Timeout: opt.Timeouts.Connect, KeepAlive: 30 * time.Second, Resolver: opt.Resolver}
	n.guarded = n.free
	n.guarded.ControlContext = n.guard.control
	n.tls = &tls.Config{
		RootCAs: opt.TrustedRoots, NextProtos: []string{"http/1.1"},
		ClientSessionCache: tls.NewLRUClientSessionCache(4096),
	}
	return n
}

// transport returns a transport that keeps connections for reuse, or one that never shares them.
//
// It speaks HTTP/1.1 alone: a header can be kept byte by byte only there, archives know no other
// form, and with one connection a host HTTP/2 has nothing to give.
func (n *network) transport(reuse bool) *http.Transport {
	t := &http.Transport{
		DialContext:            n.dial,
		DialTLSContext:         n.dialTLS,
		TLSClientConfig:        n.tls,
		TLSHandshakeTimeout:    n.opt.Timeouts.TLS,
		ResponseHeaderTimeout:  n.opt.Timeouts.Header,
		MaxResponseHeaderBytes: int64(n.opt.MaxHeader),
		DisableCompression:     true,
		DisableKeepAlives:      !reuse,
		MaxIdleConns:           512,
		MaxIdleConnsPerHost:    4,
		IdleConnTimeout:        time.Minute,
		ReadBufferSize:         16 << 10,
		Protocols:              new(http.Protocols),
	}
	t.Protocols.SetHTTP1(true)
	if n.proxy != nil {
		t.Proxy = http.ProxyURL(n.proxy)
		t.MaxIdleConnsPerHost = t.MaxIdleConns // all plain requests share the connections to the proxy
	}
	return t
}

func (n *network) dial(ctx context.Context, network, address string) (net.Conn, error) {
	d := &n.guarded
	if n.proxy != nil && address == hostPort(n.proxy) {
		d = &n.free
	}
	c, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &recorder{Conn: c}, nil
}

// dialTLS connects without a proxy. The header is recorded above TLS, where it can be read.
func (n *network) dialTLS(ctx context.Context, network, address string) (net.Conn, error) {
	plain, err := n.guarded.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	cfg := n.tls.Clone()
	cfg.ServerName = host
	c := tls.Client(plain, cfg)
	shake, cancel := context.WithTimeoutCause(ctx, n.opt.Timeouts.TLS, errHandshake)
	defer cancel()
	if err := c.HandshakeContext(shake); err != nil {
		_ = plain.Close()
		switch {
		case isCertificate(err):
			return nil, err
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case shake.Err() != nil:
			return nil, errHandshake
		}
		return nil, &fault{TLS, "TLS handshake: " + err.Error()}
	}
	return &recorder{Conn: c}, nil
}

var errHandshake = &fault{TLS, "the TLS handshake was not over in time"}

// checkBehindProxy refuses what can be seen to lead to an address that is not public. The proxy
// looks the name up again and may see another address; a name that only the proxy knows passes.
func (n *network) checkBehindProxy(ctx context.Context, u *url.URL) error {
	port, err := strconv.ParseUint(portOf(u), 10, 16)
	if err != nil {
		return &fault{BadURL, "port of " + u.Host}
	}
	if n.guard.open() {
		return nil
	}
	var ips []netip.Addr
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil {
		ips = []netip.Addr{ip}
	} else {
		resolver := n.opt.Resolver
		if resolver == nil {
			resolver = net.DefaultResolver
		}
		ctx, cancel := context.WithTimeout(ctx, n.opt.Timeouts.Connect)
		defer cancel()
		ips, err = resolver.LookupNetIP(ctx, "ip", u.Hostname())
		if err != nil {
			return nil //nolint:nilerr // only the proxy may know the name
		}
	}
	for _, ip := range ips {
		to := netip.AddrPortFrom(ip.Unmap(), uint16(port))
		if err := n.guard.port(to); err != nil {
			return err
		}
		if err := n.guard.safe.SafeAddr(to.Addr()); err != nil {
			return err
		}
	}
	return nil
}

// hostPort returns the address at which a proxy is dialled.
func hostPort(u *url.URL) string { return net.JoinHostPort(u.Hostname(), portOf(u)) }

func portOf(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	switch u.Scheme {
	case "https":
		return "443"
	case "socks5", "socks5h":
		return "1080"
	default:
		return "80"
	}
}
