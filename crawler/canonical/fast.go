package canonical

import (
	"bytes"
	"strings"
)

// The fast way handles a reference when base and reference are plain: printable ASCII without the
// characters that the standard encodes, moves or drops. Whenever it is in doubt it says so, and
// slow decides. It may never give another answer than slow.
//
// Passed through unchanged by the standard and by our rules:
//
//	path    all of RFC 3986 pchar and '/', without percent-codes
//	query   the same and '?', without the apostrophe, which the standard encodes
//
// Percent-codes are normalised on the way; one that decodes to a dot in a path is left to slow,
// as it may form a dot segment.

const (
	inPath  = 1 << iota // allowed in a path
	inQuery             // allowed in a query
	inHost              // allowed in a host
)

var plain = func() (t [256]uint8) {
	for c := range t {
		switch b := byte(c); {
		case 'a' <= b && b <= 'z', isDigit(b):
			t[c] = inPath | inQuery | inHost
		case b == '-', b == '.', b == '_':
			t[c] = inPath | inQuery | inHost
		case 'A' <= b && b <= 'Z', strings.IndexByte("~!$&()*+,;=:@/", b) >= 0:
			t[c] = inPath | inQuery
		case b == '\'':
			t[c] = inPath
		case b == '?':
			t[c] = inQuery
		}
	}
	return t
}()

// fast gives the canonical form of a plain reference; ok is false when slow must be asked.
func (f *Former) fast(base, ref string) (canonical string, ok bool) {
	var room [256]byte
	buf := room[:0]
	ref = trimControl(ref)
	if rest, https, ok := cutScheme(ref); ok {
		if buf, rest, ok = appendOrigin(buf, https, rest); !ok {
			return "", false
		}
		return f.finish(buf, "", rest)
	}
	if i := strings.IndexAny(ref, ":/?#"); i >= 0 && ref[i] == ':' {
		return "", false // perhaps a scheme
	}
	rest, https, ok := cutScheme(base)
	if !ok {
		return "", false
	}
	buf, rest, ok = appendOrigin(buf, https, rest)
	if !ok {
		return "", false
	}
	if strings.HasPrefix(ref, "//") {
		if buf, rest, ok = appendOrigin(buf[:0], https, ref[2:]); !ok {
			return "", false
		}
		return f.finish(buf, "", rest)
	}
	if strings.HasPrefix(ref, "/") {
		return f.finish(buf, "", ref)
	}
	return f.finish(buf, rest, ref)
}

// cutScheme removes a leading http:// or https://.
func cutScheme(s string) (rest string, https, ok bool) {
	if !strings.HasPrefix(s, "http") {
		return "", false, false
	}
	s = s[4:]
	if strings.HasPrefix(s, "s") {
		s, https = s[1:], true
	}
	if !strings.HasPrefix(s, "://") {
		return "", false, false
	}
	return s[3:], https, true
}

// appendOrigin appends scheme, host and port from s, which begins with the host, and returns what
// follows them.
func appendOrigin(buf []byte, https bool, s string) (out []byte, rest string, ok bool) {
	i := 0
	for i < len(s) && plain[s[i]]&inHost != 0 {
		i++
	}
	host := s[:i]
	if !plainName(host) && !plainIPv4(host) {
		return nil, "", false
	}
	if https {
		buf = append(buf, "https://"...)
	} else {
		buf = append(buf, "http://"...)
	}
	buf = append(buf, host...)
	s = s[i:]
	if s != "" && s[0] == ':' {
		port, n := 0, 1
		for n < len(s) && n <= 5 && isDigit(s[n]) {
			port = port*10 + int(s[n]-'0')
			n++
		}
		if n == 1 || s[1] == '0' || port > 65535 {
			return nil, "", false
		}
		if https && port != 443 || !https && port != 80 {
			buf = append(buf, s[:n]...)
		}
		s = s[n:]
	}
	if s != "" && s[0] != '/' && s[0] != '?' && s[0] != '#' {
		return nil, "", false
	}
	return buf, s, true
}

// plainName reports whether a host of lower-case letters, digits, dots, hyphens and underscores is
// sure to stand as it is. A last label that begins with a digit may be read as an address, and two
// hyphens may announce punycode.
func plainName(host string) bool {
	if host == "" || len(host) > 253 {
		return false
	}
	start := 0
	for i := 0; ; i++ {
		if i < len(host) && host[i] != '.' {
			if host[i] == '-' && (i == start || host[i-1] == '-') {
				return false
			}
			continue
		}
		if i == start || i-start > 63 || host[i-1] == '-' {
			return false
		}
		if i == len(host) {
			return isLetter(host[start])
		}
		start = i + 1
	}
}

// plainIPv4 reports whether host is four decimal numbers up to 255 without leading zeros.
func plainIPv4(host string) bool {
	for part := range 4 {
		n, i := 0, 0
		for i < len(host) && i < 4 && isDigit(host[i]) {
			n = n*10 + int(host[i]-'0')
			i++
		}
		if i == 0 || n > 255 || i > 1 && host[0] == '0' {
			return false
		}
		host = host[i:]
		if part < 3 {
			if host == "" || host[0] != '.' {
				return false
			}
			host = host[1:]
		}
	}
	return host == ""
}

// finish appends path and query of ref to the origin in buf. Base is what follows the origin in
// the base URL, if ref is relative to it.
func (f *Former) finish(buf []byte, base, ref string) (canonical string, ok bool) {
	root := len(buf)
	buf = append(buf, '/')
	query := ""
	if strings.HasPrefix(base, "/") {
		if buf, query, ok = appendPath(buf, root, base[1:]); !ok {
			return "", false
		}
	} else {
		query = base
	}
	switch {
	case ref == "" || ref[0] == '#': // the base itself, with its query
	case ref[0] == '?':
		query = ref
	default:
		if ref[0] == '/' {
			ref = ref[1:]
		}
		buf = buf[:bytes.LastIndexByte(buf, '/')+1]
		if buf, query, ok = appendPath(buf, root, ref); !ok {
			return "", false
		}
	}
	if strings.HasPrefix(query, "?") {
		at := len(buf)
		buf = append(buf, '?')
		if buf, ok = appendQuery(buf, query[1:]); !ok {
			return "", false
		}
		buf = buf[:at+1+len(f.tracking.strip(buf[at+1:]))]
		if len(buf) == at+1 {
			buf = buf[:at]
		}
	}
	if len(buf) > MaxLength {
		return "", false
	}
	return string(buf), true
}

// appendPath appends the segments of s up to its query or fragment, which it returns. Buf ends in
// a slash; the path begins at root, and dot segments do not climb above it.
func appendPath(buf []byte, root int, s string) (out []byte, rest string, ok bool) {
	i := 0
	for {
		at := len(buf)
		for i < len(s) && s[i] != '/' {
			if c := s[i]; plain[c]&inPath != 0 {
				buf = append(buf, c)
				i++
				continue
			}
			if s[i] != '%' {
				break
			}
			c, ok := percentByte(s[i:])
			if !ok || c == '.' {
				return nil, "", false
			}
			buf = appendByte(buf, c)
			i += 3
		}
		if i < len(s) && s[i] != '/' && s[i] != '?' && s[i] != '#' {
			return nil, "", false
		}
		more := i < len(s) && s[i] == '/'
		switch string(buf[at:]) {
		case ".":
			buf = buf[:at]
		case "..":
			buf = buf[:at]
			if at-1 > root {
				buf = buf[:bytes.LastIndexByte(buf[:at-1], '/')+1]
			}
		default:
			if more {
				buf = append(buf, '/')
			}
		}
		if !more {
			return buf, s[i:], true
		}
		i++
	}
}

// appendQuery appends s up to its fragment.
func appendQuery(buf []byte, s string) (out []byte, ok bool) {
	for i := 0; i < len(s) && s[i] != '#'; i++ {
		switch c := s[i]; {
		case plain[c]&inQuery != 0:
			buf = append(buf, c)
		case c == '%':
			c, ok := percentByte(s[i:])
			if !ok {
				return nil, false
			}
			buf = appendByte(buf, c)
			i += 2
		default:
			return nil, false
		}
	}
	return buf, true
}
