package cdxj

import (
	"net"
	"slices"
	"strings"

	"golang.org/x/net/idna"
)

// SURT returns the key under which captures of url are filed: the URL in an
// order that sorts a site together (Sort-friendly URI Reordering Transform), in
// the canonical form that pywb and the Wayback Machine look up.
//
//	http://www.Example.com:80/A/?b=2&a=1#x  com,example)/a?a=1&b=2
//
// In detail: scheme, user, fragment and the default port go; the host is put in
// lower case and Punycode, loses a leading "www." or "www" with digits, and is
// reversed with commas, addresses of IPv4 included; another port follows as
// ":port"; percent-escapes are undone until nothing changes, then written for
// control characters, space, "#", "%" and bytes beyond ASCII; "." and ".."
// and empty segments of the path are resolved, and a slash at its end goes; the
// parameters of the query are sorted, an empty query goes; all is lower case.
//
// As in those programs, the key of http is that of https, and URLs that differ
// only in letter case fall together: a look-up must compare the "url" field if
// it matters. Session ids in the URL are kept, where pywb drops some. A URL of
// another kind, such as "dns:example.com" or "urn:x", is its own key in lower
// case. The result has no space, line end or byte beyond ASCII.
func SURT(url string) string {
	url = clean(url)
	if url == "" {
		return "-"
	}
	scheme, rest, ok := strings.Cut(url, ":")
	scheme = strings.ToLower(scheme)
	if !ok || !isScheme(scheme) || !strings.HasPrefix(rest, "//") {
		return strings.ToLower(escape(unescape(url)))
	}
	rest, _, _ = strings.Cut(rest[2:], "#")
	i := strings.IndexAny(rest, "/?\\")
	if i < 0 {
		i = len(rest)
	}
	authority, rest := rest[:i], rest[i:]
	path, query, _ := strings.Cut(rest, "?")
	key := hostKey(scheme, authority) + ")" + pathKey(path)
	if query = queryKey(query); query != "" {
		key += "?" + query
	}
	return strings.ToLower(key)
}

// clean takes off space around a URL, and the tabs and line ends inside it that
// browsers drop.
func clean(url string) string {
	url = strings.Trim(url, " \t\r\n\f\v\x00")
	if !strings.ContainsAny(url, "\t\r\n") {
		return url
	}
	return strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(url)
}

func isScheme(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (i == 0 || (c < '0' || c > '9') && c != '+' && c != '-' && c != '.') {
			return false
		}
	}
	return s != ""
}

// maxHost is the longest host, in bytes of UTF-8, that is put in Punycode; names
// of the DNS have 253 characters.
const maxHost = 1024

// hostKey returns the reversed host with its port.
func hostKey(scheme, authority string) string {
	host := authority[strings.LastIndexByte(authority, '@')+1:]
	port := ""
	if i := strings.LastIndexByte(host, ':'); i >= 0 && strings.Trim(host[i+1:], "0123456789") == "" {
		host, port = host[:i], strings.TrimLeft(host[i+1:], "0")
	}
	if strings.HasPrefix(scheme, "http") && (port == "80" && scheme == "http" || port == "443" && scheme == "https") ||
		scheme == "ftp" && port == "21" {
		port = ""
	}
	host = strings.ToLower(unescape(host))
	if len(host) <= maxHost { // Punycode takes time by the square of the length
		if ascii, err := idna.Lookup.ToASCII(host); err == nil {
			host = ascii
		}
	}
	host = stripWWW(strings.Trim(host, "."))
	if !strings.HasPrefix(host, "[") && net.ParseIP(host) != nil && strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if !strings.HasPrefix(host, "[") { // an IPv6 address has no parts to reverse
		parts := strings.Split(host, ".")
		slices.Reverse(parts)
		host = strings.Join(parts, ",")
	}
	host = escape(host)
	if port != "" {
		host += ":" + port
	}
	return host
}

// stripWWW takes "www.", "www2." and so on off a host.
func stripWWW(host string) string {
	rest, ok := strings.CutPrefix(host, "www")
	if !ok {
		return host
	}
	rest = strings.TrimLeft(rest, "0123456789")
	if rest, ok = strings.CutPrefix(rest, "."); ok && rest != "" {
		return rest
	}
	return host
}

// pathKey resolves a path; the result starts with a slash and ends with none
// unless it is the root.
func pathKey(path string) string {
	path = strings.ReplaceAll(unescape(path), "\\", "/")
	var out []string
	for seg := range strings.SplitSeq(path, "/") {
		switch seg {
		case "", ".":
		case "..":
			out = out[:max(0, len(out)-1)]
		default:
			out = append(out, escape(seg))
		}
	}
	return "/" + strings.Join(out, "/")
}

// queryKey sorts the parameters of a query. They are put in lower case before,
// since that is how keys compare.
func queryKey(query string) string {
	query = strings.ToLower(escape(unescape(query)))
	if !strings.Contains(query, "&") {
		return query
	}
	args := strings.Split(query, "&")
	slices.SortFunc(args, func(a, b string) int {
		an, av, _ := strings.Cut(a, "=")
		bn, bv, _ := strings.Cut(b, "=")
		if c := strings.Compare(an, bn); c != 0 {
			return c
		}
		return strings.Compare(av, bv)
	})
	return strings.Join(args, "&")
}

// unescape undoes percent-escapes, and those that this brings out, in one pass:
// an escape is complete when its last digit is written, so it is enough to look
// at the end of the output each time.
func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := range len(s) {
		out = append(out, s[i])
		for n := len(out); n >= 3 && out[n-3] == '%'; n = len(out) {
			hi, ok1 := unhex(out[n-2])
			lo, ok2 := unhex(out[n-1])
			if !ok1 || !ok2 {
				break
			}
			out = append(out[:n-3], hi<<4|lo)
		}
	}
	return string(out)
}

func escape(s string) string {
	const digits = "0123456789abcdef"
	bad := func(c byte) bool { return c <= ' ' || c >= 0x7f || c == '#' || c == '%' }
	n := 0
	for i := range len(s) {
		if bad(s[i]) {
			n++
		}
	}
	if n == 0 {
		return s
	}
	out := make([]byte, 0, len(s)+2*n)
	for i := range len(s) {
		if c := s[i]; bad(c) {
			out = append(out, '%', digits[c>>4], digits[c&15])
		} else {
			out = append(out, c)
		}
	}
	return string(out)
}

func unhex(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}
