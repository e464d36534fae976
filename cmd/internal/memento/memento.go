// Package memento has the forms of RFC 7089 and of the addresses of captures:
// times of the Accept-Datetime field, timestamps of 4 to 14 digits, links, and the
// URL of a page inside the path of another address.
//
// Left out: which captures there are, and answering requests.
package memento

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// StampLayout is the form of a full timestamp, for time.Format in UTC.
const StampLayout = "20060102150405"

// ParseAcceptDatetime reads the value of an Accept-Datetime field (RFC 7089, 2.1.1):
// a date of RFC 1123 in GMT, such as Thu, 31 May 2007 20:35:00 GMT, whose day of
// the week is right.
func ParseAcceptDatetime(field string) (time.Time, error) {
	t, err := time.Parse(http.TimeFormat, strings.TrimSpace(field))
	if err != nil || t.Format(http.TimeFormat) != strings.TrimSpace(field) {
		return time.Time{}, fmt.Errorf("%.60q is not a date such as Thu, 31 May 2007 20:35:00 GMT", field)
	}
	return t.UTC(), nil
}

// ParseStamp reads a timestamp of a year, or of a year with month, day, hour,
// minute or second behind it. It returns the first moment that is meant and the
// first one behind it.
func ParseStamp(stamp string) (from, to time.Time, err error) {
	n := len(stamp)
	bad := fmt.Errorf("%.40q is not a time such as 2026, 20260301 or 20260301120000", stamp)
	if n < 4 || n > len(StampLayout) || n%2 != 0 {
		return from, to, bad
	}
	if from, err = time.Parse(StampLayout[:n], stamp); err != nil {
		return time.Time{}, to, bad
	}
	switch n {
	case 4:
		to = from.AddDate(1, 0, 0)
	case 6:
		to = from.AddDate(0, 1, 0)
	case 8:
		to = from.AddDate(0, 0, 1)
	case 10:
		to = from.Add(time.Hour)
	case 12:
		to = from.Add(time.Minute)
	default:
		to = from.Add(time.Second)
	}
	return from, to, nil
}

// Stamp writes a full timestamp.
func Stamp(t time.Time) string { return t.UTC().Format(StampLayout) }

// MaxURL is how long a URL in an address may be, in bytes.
const MaxURL = 8192

// ErrURL says that an address has no URL of the web in it.
var ErrURL = errors.New("no URL of the web, such as http://example.com/, is in the address")

// TargetURL finds the URL in the rest of an escaped path and the query behind it.
// The URL stands there as it is, with its own escapes and its query, or escaped as
// a whole. Doubled slashes that were made one on the way are made two again, and
// http:// is put before a URL without a scheme.
func TargetURL(rest, query string) (string, error) {
	lower := strings.ToLower(rest[:min(len(rest), 10)])
	if strings.HasPrefix(lower, "http%3a") || strings.HasPrefix(lower, "https%3a") {
		whole, err := url.PathUnescape(rest)
		if err != nil {
			return "", ErrURL
		}
		rest = whole
	}
	if query != "" {
		rest += "?" + query
	}
	if len(rest) > MaxURL {
		return "", fmt.Errorf("the URL in the address has more than %d bytes", MaxURL)
	}
	for _, scheme := range []string{"http:/", "https:/"} {
		if len(rest) > len(scheme) && strings.EqualFold(rest[:len(scheme)], scheme) {
			return scheme + "/" + strings.TrimLeft(rest[len(scheme):], "/"), check(rest[len(scheme):])
		}
	}
	colon := strings.IndexAny(rest, ":/?#")
	if colon >= 0 && rest[colon] == ':' && !startsWithPort(rest[colon+1:]) {
		return "", ErrURL // of another scheme
	}
	return "http://" + rest, check(rest)
}

// startsWithPort tells example.com:80/ from mailto:x.
func startsWithPort(s string) bool {
	digits := strings.TrimLeft(s, "0123456789")
	return len(digits) < len(s) && (digits == "" || strings.ContainsRune("/?#", rune(digits[0])))
}

func check(rest string) error {
	if strings.Trim(rest, "/?#") == "" {
		return ErrURL
	}
	return nil
}

// Link is a link of a Link header field or of a document of type
// application/link-format.
type Link struct {
	URI         string
	Rel         string
	Type        string    // empty: not said
	At          time.Time // of a memento; zero: it is none
	From, Until time.Time // of what a TimeMap lists; zero: not said
}

// String writes the link (RFC 8288, 3), with what would end it early escaped.
func (l Link) String() string {
	var b strings.Builder
	b.WriteString("<" + escape(l.URI) + `>; rel="` + l.Rel + `"`)
	if l.Type != "" {
		b.WriteString(`; type="` + l.Type + `"`)
	}
	for _, p := range []struct {
		name string
		at   time.Time
	}{{"datetime", l.At}, {"from", l.From}, {"until", l.Until}} {
		if !p.at.IsZero() {
			b.WriteString("; " + p.name + `="` + p.at.UTC().Format(http.TimeFormat) + `"`)
		}
	}
	return b.String()
}

// escape takes out of a URI what may not stand between angle brackets.
func escape(uri string) string {
	var b strings.Builder
	for i := range len(uri) {
		switch c := uri[i]; {
		case c <= ' ' || c >= 0x7f || c == '<' || c == '>' || c == '"' || c == '\\' || c == '^' || c == '`' || c == '{' || c == '|' || c == '}':
			fmt.Fprintf(&b, "%%%02X", c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// Join writes links as one field or document, with something between them.
func Join(links []Link, between string) string {
	parts := make([]string, len(links))
	for i, l := range links {
		parts[i] = l.String()
	}
	return strings.Join(parts, between)
}
