package fetch_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/strandlinehq/strandline/crawler/fetch"
)

func prefixes(p ...string) []netip.Prefix {
	var all []netip.Prefix
	for _, s := range p {
		all = append(all, netip.MustParsePrefix(s))
	}
	return all
}

// TestGuardRefuses tries addresses that a public page may link to and must not reach. None is
// allowed, so nothing of this leaves the machine.
func TestGuardRefuses(t *testing.T) {
	t.Parallel()
	address := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a request arrived") })
	port := address[len("http://127.0.0.1"):]
	f := newFetcher(t, fetch.Options{AllowNetworks: []netip.Prefix{}})
	for _, u := range []string{
		address + "/", "http://localhost" + port + "/", "http://[::1]" + port + "/", "http://[::ffff:127.0.0.1]" + port + "/", "http://0.0.0.0" + port + "/",
		"http://2130706433" + port + "/", "http://0x7f.1" + port + "/", "http://127.1" + port + "/",
		"http://10.0.0.1/", "http://192.168.1.1/", "http://172.16.0.1/", "http://100.64.0.1/", "http://169.254.169.254/latest/meta-data/", "http://168.63.129.16/",
		"http://[fe80::1]/", "http://[fd00:ec2::254]/", "http://[64:ff9b::7f00:1]/", "http://[2002:7f00:1::]/", "http://224.0.0.1/", "http://255.255.255.255/",
		"http://8.8.8.8:25/", "https://8.8.8.8:22/",
	} {
		r := f.Fetch(t.Context(), fetch.Request{URL: u})
		check(t, &r, fetch.Denied, fetch.AddressRefused)
	}
}

// TestGuardBehindRedirects refuses what an allowed host redirects to.
func TestGuardBehindRedirects(t *testing.T) {
	t.Parallel()
	var to string
	address := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) })
	f := newFetcher(t, fetch.Options{AllowNetworks: prefixes("127.0.0.1/32")})
	for _, to = range []string{"http://127.0.0.2/", "http://169.254.169.254/", "http://[::1]:8080/"} {
		r := f.Fetch(t.Context(), fetch.Request{URL: address + "/"})
		check(t, &r, fetch.Denied, fetch.AddressRefused)
		if r.FinalURL != address+"/" || len(r.Redirects) != 1 || r.Redirects[0].To != to {
			t.Errorf("final %s, redirects %+v", r.FinalURL, r.Redirects)
		}
	}
}

// names is a name server in memory.
type names struct {
	mu     sync.Mutex
	answer func(name string, counts bool) []netip.Addr
}

func (n *names) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, StrictErrors: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go n.serve(server)
		return client, nil
	}}
}

// serve answers questions as over TCP, with their length before them.
func (n *names) serve(c net.Conn) {
	defer c.Close()
	var size [2]byte
	for {
		if _, err := io.ReadFull(c, size[:]); err != nil {
			return
		}
		buf := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(c, buf); err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(buf) != nil || len(m.Questions) != 1 {
			return
		}
		m.Response, m.Additionals = true, nil
		m.Authoritative, m.RecursionAvailable = true, true
		q := m.Questions[0]
		n.mu.Lock()
		addresses := n.answer(q.Name.String(), q.Type == dnsmessage.TypeA)
		n.mu.Unlock()
		if len(addresses) == 0 {
			m.RCode = dnsmessage.RCodeNameError
		}
		if q.Type == dnsmessage.TypeA {
			for _, a := range addresses {
				m.Answers = append(m.Answers, dnsmessage.Resource{
					Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
					Body:   &dnsmessage.AResource{A: a.As4()},
				})
			}
		}
		out, err := m.Pack()
		if err != nil {
			return
		}
		if _, err := c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(out))), out...)); err != nil {
			return
		}
	}
}

// TestRebinding looks a name up that leads to an allowed address the first time and to another one
// later: the guard sees the address of each connection.
func TestRebinding(t *testing.T) {
	t.Parallel()
	var lookups atomic.Int32
	n := &names{answer: func(name string, counts bool) []netip.Addr {
		if name != "rebind.example." {
			return nil
		}
		if !counts || lookups.Add(1) == 1 {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.2")}
	}}
	s := httptest.NewServer(noRobots(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, article(500)) }))
	defer s.Close()
	s.Config.SetKeepAlivesEnabled(false) // every request looks the name up
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	f := newFetcher(t, fetch.Options{AllowNetworks: prefixes("127.0.0.1/32"), Resolver: n.resolver()})
	address := "http://rebind.example:" + u.Port() + "/page"
	r := f.Fetch(t.Context(), fetch.Request{URL: address}) // the first look-up was for robots.txt
	check(t, &r, fetch.Denied, fetch.AddressRefused)
	if lookups.Load() < 2 {
		t.Errorf("the name was looked up %d times", lookups.Load())
	}
	r = f.Fetch(t.Context(), fetch.Request{URL: "http://unknown.example/"})
	check(t, &r, fetch.Failed, fetch.NoHost)
}

func TestUnconnected(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + l.Addr().String() + "/"
	_ = l.Close()
	f := newFetcher(t, fetch.Options{})
	r := f.Fetch(t.Context(), fetch.Request{URL: address})
	check(t, &r, fetch.Failed, fetch.Unconnected)
}

// TestProxy goes through a proxy on loopback, which needs no permission, and is not used to reach
// what is refused.
func TestProxy(t *testing.T) {
	t.Parallel()
	var hosts []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		hosts = append(hosts, r.URL.Host)
		_, _ = io.WriteString(w, article(500))
	}))
	defer proxy.Close()
	n := &names{answer: func(name string, _ bool) []netip.Addr {
		switch name {
		case "public.example.":
			return []netip.Addr{netip.MustParseAddr("9.9.9.9")}
		case "inside.example.":
			return []netip.Addr{netip.MustParseAddr("10.1.2.3")}
		}
		return nil
	}}
	f := newFetcher(t, fetch.Options{AllowNetworks: []netip.Prefix{}, Proxy: proxy.URL, Resolver: n.resolver()})
	for _, tc := range []struct {
		host   string
		kind   fetch.Kind
		reason fetch.Reason
	}{
		{"public.example", fetch.Content, ""},
		{"only-the-proxy.example", fetch.Content, ""},
		{"inside.example", fetch.Denied, fetch.AddressRefused},
		{"169.254.169.254", fetch.Denied, fetch.AddressRefused},
		{"9.9.9.9:25", fetch.Denied, fetch.AddressRefused},
	} {
		r := f.Fetch(t.Context(), fetch.Request{URL: "http://" + tc.host + "/"})
		check(t, &r, tc.kind, tc.reason)
	}
	if len(hosts) != 2 {
		t.Errorf("the proxy was asked for %q", hosts)
	}
}

// TestTLSFaults meets a host that accepts connections and does not speak TLS.
func TestTLSFaults(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(net.Conn){
		"hangs":       wait,
		"speaks HTTP": func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n"); wait(c) },
		"closes":      func(net.Conn) {},
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				go func() {
					defer c.Close()
					answer(c)
				}()
			}
		}()
		limits := hasty()
		limits.TLS = 200 * time.Millisecond
		r := newFetcher(t, fetch.Options{Timeouts: limits}).Fetch(t.Context(), fetch.Request{URL: "https://" + l.Addr().String() + "/"})
		if r.Kind != fetch.Failed || r.Reason != fetch.TLS {
			t.Errorf("%s: %s %q (%s), want %s %q", name, r.Kind, r.Reason, r.Text, fetch.Failed, fetch.TLS)
		}
	}
}
