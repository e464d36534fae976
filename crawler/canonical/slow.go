package canonical

import (
	"fmt"
	"strings"

	"github.com/nlnwa/whatwg-url/url"
)

// slow is the definition of the canonical form: the standard's parser, then our rules.
func (f *Former) slow(base, ref string) (canonical string, err error) {
	// The parser is not ours and its input comes from strangers.
	defer func() {
		if r := recover(); r != nil {
			canonical, err = "", fmt.Errorf("%w: parser panicked: %v", ErrInvalid, r)
		}
	}()
	base, ref = clean(base), clean(ref)
	if isAbsolute(ref) {
		base = ""
	}
	if hasLongUser(base) || hasLongUser(ref) {
		return "", fmt.Errorf("%w: long user information", ErrInvalid)
	}
	u, err := url.ParseRef(base, ref)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	scheme := u.Scheme()
	if scheme != "http" && scheme != "https" {
		return "", ErrScheme
	}
	host := strings.TrimSuffix(u.Hostname(), ".")
	if !validHost(host) {
		return "", ErrHost
	}

	var b strings.Builder
	b.WriteString(scheme + "://" + host)
	if port := u.Port(); port != "" {
		b.WriteString(":" + port)
	}
	path := normalisePercent(u.Pathname(), "/")
	if path == "" {
		path = "/"
	}
	b.WriteString(path)
	if query := f.tracking.strip([]byte(normalisePercent(u.Query(), "&"))); len(query) > 0 {
		b.WriteByte('?')
		b.Write(query)
	}
	if b.Len() > MaxLength {
		return "", ErrTooLong
	}
	return b.String(), nil
}

// clean removes what the standard removes before it parses: controls and spaces around, tabs and
// line ends anywhere.
func clean(s string) string {
	s = trimControl(s)
	if strings.ContainsAny(s, "\t\r\n") {
		s = strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(s)
	}
	return s
}

// isAbsolute reports whether a clean reference carries its own scheme and authority.
func isAbsolute(ref string) bool {
	return len(ref) >= 7 && strings.EqualFold(ref[:7], "http://") ||
		len(ref) >= 8 && strings.EqualFold(ref[:8], "https://")
}

// hasLongUser reports whether a clean reference has user information that could make the parser
// slow: its time grows with the square of the length, up to a tenth of a second for 8 KiB.
func hasLongUser(ref string) bool {
	const enough = 1024
	if len(ref) <= enough {
		return false
	}
	rest := ref
	scheme, after, ok := strings.Cut(ref, ":")
	if ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")) {
		rest = after
	}
	authority := strings.TrimLeft(rest, `/\`)
	if len(rest) == len(ref) && len(ref)-len(authority) < 2 {
		return false // a path
	}
	if i := strings.IndexAny(authority, `/\?#`); i >= 0 {
		authority = authority[:i]
	}
	return strings.LastIndexByte(authority, '@') > enough
}

// validHost reports whether the name system could know the host: labels of 1 to 63 octets, 253
// together (RFC 1035 section 2.3.4). The standard's parser lets longer and empty labels through.
func validHost(host string) bool {
	if strings.HasPrefix(host, "[") {
		return true // an IPv6 address, checked by the parser
	}
	if host == "" || len(host) > 253 {
		return false
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > 63 {
			return false
		}
	}
	return true
}

// normalisePercent writes the percent-codes of a path or query in their normal form: unreserved
// characters (RFC 3986 section 2.3) decoded, other codes in upper case. A part between separators
// that holds a percent sign without two hexadecimal digits stays as it is: decoding beside the
// stray sign could form a code that was not there ("%%32e" would become "%2e").
func normalisePercent(s, separator string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	out := make([]byte, 0, len(s))
	for part := range strings.SplitAfterSeq(s, separator) {
		out = appendNormal(out, part)
	}
	return string(out)
}

func appendNormal(out []byte, part string) []byte {
	start := len(out)
	for i := 0; i < len(part); i++ {
		if part[i] != '%' {
			out = append(out, part[i])
			continue
		}
		c, ok := percentByte(part[i:])
		if !ok {
			return append(out[:start], part...)
		}
		out = appendByte(out, c)
		i += 2
	}
	return out
}

// percentByte decodes the percent-code at the start of s.
func percentByte(s string) (c byte, ok bool) {
	if len(s) < 3 {
		return 0, false
	}
	hi, lo := unhex(s[1]), unhex(s[2])
	if hi > 15 || lo > 15 {
		return 0, false
	}
	return hi<<4 | lo, true
}

// appendByte appends what was percent-coded: an unreserved character as itself, else its code.
func appendByte(out []byte, c byte) []byte {
	if isUnreserved(c) {
		return append(out, c)
	}
	const hex = "0123456789ABCDEF"
	return append(out, '%', hex[c>>4], hex[c&15])
}

func isUnreserved(c byte) bool {
	return isLetter(c) || isDigit(c) || c == '-' || c == '.' || c == '_' || c == '~'
}

// unhex gives the value of a hexadecimal digit, or 255.
func unhex(c byte) byte {
	switch {
	case isDigit(c):
		return c - '0'
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 255
}
