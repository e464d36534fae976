package configs

import (
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Config is a whole configuration, every value set.
type Config struct {
	// Where the data are kept.
	Database Database `yaml:"database"`
	// The folder of the private PostgreSQL and of what is kept beside it.
	StateDir Path `yaml:"state_dir"`
	// When the disk of the state directory counts as nearly full.
	Disk Disk `yaml:"disk"`
	// The pages, feeds and the API.
	HTTP HTTP `yaml:"http"`
	// How pages are fetched.
	Crawler Crawler `yaml:"crawler"`
	// How long fetches and versions are kept.
	Retention Retention `yaml:"retention"`
	// Pages that are fetched again and again on a schedule.
	Watches []Watch `yaml:"watches"`
	// Parts of the web that are crawled breadth-first at long intervals.
	Series []Series `yaml:"series"`
	// Collections of pages on a subject, summed up each period.
	Topics []Topic `yaml:"topics"`
	// Where messages go.
	Targets []Target `yaml:"targets"`

	// Files names the files read, in order; empty for the built-in defaults.
	Files []string `yaml:"-"`
	// Warnings lists what is allowed but surely not meant.
	Warnings Errors `yaml:"-"`

	parts []part
}

// Disk says how much room the program leaves.
type Disk struct {
	// Pages are fetched only while this much is free, so that PostgreSQL never runs out of it; 0 for no such bound.
	MinFree Size `yaml:"min_free"`
}

// Database says which PostgreSQL to use.
type Database struct {
	// Connection URL or keyword string; empty for a private PostgreSQL under state_dir.
	URL Secret `yaml:"url"`
	// File that holds the connection URL.
	URLFile SecretFile `yaml:"url_file"`
}

func (d *Database) check(s *section) {
	if d.URL != "" && d.URLFile != "" {
		s.fault("url_file", "", "stands beside url", "one of the two")
	}
}

// HTTP says where the pages are served.
type HTTP struct {
	// Address and port to listen on.
	Listen string `yaml:"listen"`
	// Address by which people reach the pages, for links in messages; empty: from listen.
	BaseURL URL `yaml:"base_url"`
	// File with the token that a reader must give to see anything; empty: whoever reaches the address may.
	TokenFile SecretFile `yaml:"token_file"`
	// File with the token of readers who may also change things.
	EditorTokenFile SecretFile `yaml:"editor_token_file"`
	// Header in which a reverse proxy names the user that it has let in; empty for none.
	UserHeader string `yaml:"user_header"`
	// Networks of the proxies whose header is believed; empty: the machine itself.
	TrustedProxies []Network `yaml:"trusted_proxies"`
	// Users who may also change things; all others only look.
	Editors []string `yaml:"editors"`
}

func (h *HTTP) check(s *section) {
	host, port, err := net.SplitHostPort(h.Listen)
	n, portErr := strconv.ParseUint(port, 10, 16)
	if err != nil || portErr != nil || strings.ContainsAny(host, "/ ") {
		s.fault("listen", h.Listen, "is not an address to listen on", "host:port such as 127.0.0.1:8080 or :8080")
		return
	}
	if h.UserHeader != "" && strings.Trim(strings.ToLower(h.UserHeader), "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		s.fault("user_header", h.UserHeader, "is not the name of a header field", "letters, digits and -, such as X-Remote-User")
	}
	if len(h.Editors)+len(h.TrustedProxies) > 0 && h.UserHeader == "" {
		s.warn("user_header", "", "is empty, so that editors and trusted_proxies mean nothing")
	}
	open := h.TokenFile == "" && h.EditorTokenFile == "" && h.UserHeader == ""
	if ip := net.ParseIP(host); open && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		s.warn("listen", h.Listen, "lets everybody who reaches it read and change things; token_file or user_header would ask who they are")
	}
	if n != 0 && n < 1024 {
		s.warn("listen", h.Listen, "is a port that only root or a service with CAP_NET_BIND_SERVICE may open")
	}
}

// Crawler says how pages are fetched.
type Crawler struct {
	// Sent as User-Agent; the part before the first slash is the name that robots.txt files are asked for.
	UserAgent string `yaml:"user_agent"`
	// How many fetches run at once.
	Workers int `yaml:"workers" jsonschema:"minimum=1,maximum=10000"`
	// Politeness towards one host.
	Host Politeness `yaml:"host"`
	// The longest time of one fetch, from its first byte sent to its last received.
	Timeout Duration `yaml:"timeout"`
	// The longest time until a connection stands, TLS included.
	ConnectTimeout Duration `yaml:"connect_timeout"`
	// The longest time until the answer's header is there.
	HeaderTimeout Duration `yaml:"header_timeout"`
	// The least number of bytes a second, over five seconds, at which a body may arrive.
	MinRate Size `yaml:"min_rate"`
	// The longest body after decompression; of a longer one this much is kept and flagged.
	MaxBody Size `yaml:"max_body"`
	// Whether robots.txt is obeyed: it always is.
	Robots string `yaml:"robots" jsonschema:"enum=obey"`
	// Your own hosts, on which robots.txt is not asked.
	RobotsIgnoreHosts []Host `yaml:"robots_ignore_hosts"`
	// Ranges of loopback, private and link-local addresses that may be fetched from.
	AllowNetworks []Network `yaml:"allow_networks"`
	// HTTP, HTTPS or SOCKS5 proxy for all fetches; empty for none.
	Proxy Secret `yaml:"proxy"`
	// Query parameters that the canonical form of a URL leaves out; a * at the end stands for any rest.
	TrackingParams []string `yaml:"tracking_params"`
	// How many answers that a page is not there (404, 410 and what stands for them), since it was last seen, make it gone.
	GoneAfter int `yaml:"gone_after" jsonschema:"minimum=1,maximum=1000"`
}

// Politeness bounds what one host sees of us.
type Politeness struct {
	// Connections to a host at once.
	Connections int `yaml:"connections" jsonschema:"minimum=1,maximum=64"`
	// Pause between two fetches from a host; Crawl-delay and Retry-After raise it.
	Delay Duration `yaml:"delay"`
}

func (c *Crawler) setDefaults() {
	*c = Crawler{
		UserAgent:      "strandline/1.0 (+https://github.com/strandlinehq/strandline)",
		Workers:        64,
		Host:           Politeness{Connections: 1, Delay: Duration(time.Second)},
		Timeout:        Duration(30 * time.Second),
		ConnectTimeout: Duration(10 * time.Second),
		HeaderTimeout:  Duration(20 * time.Second),
		MinRate:        1 << 10,
		MaxBody:        10 << 20,
		Robots:         "obey",
		TrackingParams: []string{"utm_*", "fbclid", "gclid", "dclid", "gbraid", "wbraid", "msclkid", "yclid", "igshid", "mc_cid", "mc_eid", "_hsenc", "_hsmi"},
		GoneAfter:      5,
	}
}

func (c *Crawler) check(s *section) {
	product, _, _ := strings.Cut(c.UserAgent, "/")
	product, _, _ = strings.Cut(product, " ")
	if product == "" || strings.Trim(strings.ToLower(product), "abcdefghijklmnopqrstuvwxyz-_") != "" || strings.ContainsFunc(c.UserAgent, func(r rune) bool { return r < ' ' || r > '~' }) {
		s.fault("user_agent", c.UserAgent, "does not start with a product name that robots.txt can hold (RFC 9309, 2.2.1)", `letters, - and _, then a slash and a version, in ASCII, such as "strandline/1.0 (+https://example.org/contact)"`)
	}
	if c.Timeout < Duration(time.Second) {
		s.fault("timeout", c.Timeout.String(), "is too short", "1s or more")
	}
	for _, part := range []struct {
		key   string
		value *Duration
	}{{"connect_timeout", &c.ConnectTimeout}, {"header_timeout", &c.HeaderTimeout}} {
		switch {
		case !s.has(part.key):
			*part.value = min(*part.value, c.Timeout) // the default bends to a timeout that was set
		case *part.value > c.Timeout && !s.failed("timeout"):
			s.fault(part.key, part.value.String(), "is longer than timeout", "at most "+c.Timeout.String())
		case *part.value == 0:
			s.fault(part.key, part.value.String(), "leaves no time", "more than 0s, at most timeout")
		}
	}
	if c.MaxBody < 1<<10 {
		s.fault("max_body", c.MaxBody.String(), "is too small for any page", "1KiB to 16MiB")
	}
	if c.MaxBody > 16<<20 {
		s.fault("max_body", c.MaxBody.String(), "is more than can be stored in one piece", "1KiB to 16MiB")
	}
	if c.Proxy != "" {
		u, err := url.Parse(c.Proxy.Reveal())
		if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "socks5") {
			s.fault("proxy", redacted, "is not a proxy", "http://host:port, https://host:port or socks5://host:port")
		}
	}
	for i, p := range c.TrackingParams {
		if name := strings.TrimSuffix(p, "*"); name == "" || strings.ContainsAny(name, "*&=# ?") {
			s.fault("tracking_params["+strconv.Itoa(i)+"]", p, "is not the name of a query parameter", "a name such as fbclid, or its beginning and a * such as utm_*")
		}
	}
}

// Retention says how long things are kept. Of fetches and of versions nothing is given up unless the key stands in a
// configuration file: see [Config.Given].
type Retention struct {
	// The log of fetches.
	Fetches Keep `yaml:"fetches"`
	// The versions of pages, thinned step by step.
	Versions Thinning `yaml:"versions"`
}

// Thinning keeps every version at first, then one a day, then one a month.
type Thinning struct {
	// How long every version is kept.
	All Keep `yaml:"all"`
	// How long the last version of each day is kept.
	Daily Keep `yaml:"daily"`
	// How long the last version of each month is kept.
	Monthly Keep `yaml:"monthly"`
}

func (t *Thinning) check(s *section) {
	if t.Daily < t.All && !s.failed("all") {
		s.fault("daily", t.Daily.String(), "is shorter than all", "at least "+t.All.String())
	}
	if t.Monthly < t.Daily && !s.failed("daily") {
		s.fault("monthly", t.Monthly.String(), "is shorter than daily", "at least "+t.Daily.String())
	}
}

func (c *Config) setDefaults() {
	*c = Config{
		StateDir: "/var/lib/strandline",
		Disk:     Disk{MinFree: 1 << 30},
		HTTP:     HTTP{Listen: "127.0.0.1:8080"},
		Retention: Retention{
			Fetches:  Keep(400 * day),
			Versions: Thinning{All: Keep(90 * day), Daily: Keep(3 * year), Monthly: Forever},
		},
	}
	c.Crawler.setDefaults()
}

func (c *Config) check(s *section) {
	if c.StateDir == "" {
		s.fault("state_dir", "", "is empty", "a folder such as /var/lib/strandline")
	}
}

// Given reports whether a key, such as retention.versions, stands in one of the configuration files, with its default
// or any other value. Deleting is done where somebody has asked for it in writing, not by default.
func (c *Config) Given(key string) bool {
	for _, p := range c.parts {
		if _, ok := p.keys[key]; ok {
			return true
		}
	}
	return false
}

// Default gives the built-in configuration: everything at its default and nothing to watch.
func Default() *Config {
	c := new(Config)
	c.setDefaults()
	return c
}
