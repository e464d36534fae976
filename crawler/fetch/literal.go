package fetch

import (
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// Refused says why an address can be told to be refused before any name is looked up: its host is a number that is
// not public, or a name that stands for the machine itself, or its port is none of web pages. Nil means
// that it may be fetched, or that only the look-up of its name will tell. Canonical is a canonical URL, in which numbers
// have their usual form.
func Refused(canonical string, allowed []netip.Prefix) error {
	u, err := url.Parse(canonical)
	if err != nil {
		return fmt.Errorf("%s: not a URL", canonical)
	}
	g := newGuard(allowed)
	if g.open() {
		return nil
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") { // RFC 6761
		host = "127.0.0.1"
		if len(allowed) > 0 && g.safe.SafeAddr(netip.IPv6Loopback()) == nil {
			host = "::1"
		}
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return nil //nolint:nilerr // a name; where it leads is asked when it is fetched
	}
	port, err := strconv.ParseUint(portOf(u), 10, 16)
	if err != nil {
		return fmt.Errorf("%s: not a port", u.Host)
	}
	to := netip.AddrPortFrom(ip.Unmap(), uint16(port))
	if err := g.port(to); err != nil {
		return err
	}
	if err := g.safe.SafeAddr(to.Addr()); err != nil {
		return fmt.Errorf("%s is no public address: %w", to.Addr(), err)
	}
	return nil
}
