package robots

import "strings"

// matches reports whether the rule's pattern fits the start of a path in normal form, or the whole
// of it if the pattern is anchored. A star stands for any octets.
//
// Each piece between stars is taken where it first occurs, which leaves the most for the rest, so
// nothing is tried twice and the work is in proportion to the path.
func (r *rule) matches(path string) bool {
	piece, rest, star := strings.Cut(r.pattern, "*")
	if !strings.HasPrefix(path, piece) {
		return false
	}
	path = path[len(piece):]
	for star {
		piece, rest, star = strings.Cut(rest, "*")
		if !star && r.anchored {
			return strings.HasSuffix(path, piece)
		}
		i := strings.Index(path, piece)
		if i < 0 {
			return false
		}
		path = path[i+len(piece):]
	}
	return !r.anchored || path == ""
}

// pathOf returns path and query of an absolute URL, or of what is a path already.
func pathOf(address string) string {
	address, _, _ = strings.Cut(address, "#")
	if i := strings.IndexAny(address, ":/?"); i > 0 && strings.HasPrefix(address[i:], "://") {
		address = address[i+3:]
		if i = strings.IndexAny(address, "/?"); i < 0 {
			return "/"
		}
		address = address[i:]
	}
	if !strings.HasPrefix(address, "/") {
		return "/" + address
	}
	return address
}

// normalise writes a path or pattern so that equal ones are equal octet by octet (RFC 9309 section
// 2.2.2): codes of unreserved characters decoded, other codes in upper case, and everything that
// is neither reserved nor unreserved coded. A percent sign that begins no code becomes one.
//
// In a pattern a star, and a dollar sign at the end, keep their meaning; anywhere else they are
// coded, which is how a pattern names them as characters.
func normalise(s string, pattern bool) string {
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		plain = class[s[i]] == asIs
	}
	if plain {
		return s
	}
	const hex = "0123456789ABCDEF"
	out := make([]byte, 0, len(s)+16)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case class[c] == asIs,
			c == '*' && pattern,
			c == '$' && pattern && i == len(s)-1:
			out = append(out, c)
			continue
		case c == '%' && i+2 < len(s) && unhex(s[i+1]) < 16 && unhex(s[i+2]) < 16:
			c = unhex(s[i+1])<<4 | unhex(s[i+2])
			i += 2
			if isUnreserved(c) {
				out = append(out, c)
				continue
			}
		}
		out = append(out, '%', hex[c>>4], hex[c&15])
	}
	return string(out)
}

// loosen decodes, in the query of a normal form, the codes of characters that separate nothing
// there: RFC 9309 section 2.2.2 has ?baz=https://foo.bar equal ?baz=https%3A%2F%2Ffoo.bar. The
// apostrophe is among them because URL parsers code it in a query. Allowed compares both forms, as
// a pattern with a star need not show where the query begins.
func loosen(normal string) string {
	path, query, ok := strings.Cut(normal, "?")
	if !ok || !strings.Contains(query, "%") {
		return normal
	}
	return path + "?" + looseCodes.Replace(query)
}

var looseCodes = strings.NewReplacer("%3A", ":", "%2F", "/", "%3F", "?", "%40", "@", "%27", "'")

// class tells which bytes normalise leaves alone.
var class = func() (t [256]uint8) {
	for c := range t {
		if b := byte(c); isUnreserved(b) || strings.IndexByte(":/?#[]@!&'()+,;=", b) >= 0 {
			t[c] = asIs
		}
	}
	return t
}()

const asIs = 1

func isUnreserved(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~'
}

// unhex gives the value of a hexadecimal digit, or 255.
func unhex(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 255
}
