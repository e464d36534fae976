// Package canonical gives every web address one spelling, so that a page is stored once however
// it is linked, and states the facts that follow from the spelling alone.
//
// A [Former] turns a link and the address of the page that holds it into the canonical URL:
// parsed as browsers do (the WHATWG URL Standard, by nlnwa/whatwg-url), only http and https, the
// host in lower-case ASCII (IDNA, UTS 46) without its trailing dot, no user information, no
// default port, no fragment, dot segments resolved, an empty path written "/", an empty query
// dropped, percent-encoding normalised as RFC 3986 section 6.2.2 says (upper-case digits,
// unreserved characters decoded, nothing else), and the parameters that only track a visitor
// removed. Parameters keep their order, since servers may read it.
//
// The canonical form of a canonical form is itself. [Version] names the rules and is stored with
// what was computed under them.
//
// Parsing by the standard is slow, and a page holds dozens of links. Nearly all of them are plain,
// so a hand-written scan takes those it can prove to come out the same and leaves the rest to the
// parser; the tests hold the two against each other.
//
// [FactsOf] gives host, site, top-level domain, depth, bucket and hash of a canonical URL. [Trap]
// tells addresses that no crawl should enter: session ids, endless calendars and the like (SCIENCE
// T16).
//
// Left out: anything that needs a request (redirects, rel=canonical), the merging of http with
// https or of www with the bare name, and guesses about which other parameters matter.
package canonical

import (
	"errors"
	"strings"
)

// Version is the version of the rules. It rises whenever some URL would get another canonical
// form under default options, because stored hashes then no longer meet.
const Version = 1

// MaxLength is the longest URL, in bytes, that is accepted as a base, as a reference or as a
// result. RFC 9110 section 4.1 asks for at least 8,000; longer ones are inline data or traps.
const MaxLength = 8 << 10

// The reasons for which a reference has no canonical URL.
var (
	ErrTooLong = errors.New("url is longer than 8 KiB")
	ErrScheme  = errors.New("url is neither http nor https")
	ErrHost    = errors.New("url has no usable host name")
	ErrInvalid = errors.New("url cannot be parsed")
)

// Options are the choices of a Former. The zero value is a good default.
type Options struct {
	// Tracking lists query parameters to remove: a name ("fbclid"), or a prefix and a star
	// ("utm_*"). Letters match in either case. Nil means DefaultTracking; an empty list that is
	// not nil removes nothing.
	Tracking []string
}

// Former makes canonical URLs. It holds no state between calls and may be used concurrently.
type Former struct {
	tracking *tracking
}

// New returns a Former with the given options.
func New(opt Options) *Former {
	patterns := opt.Tracking
	if patterns == nil {
		patterns = DefaultTracking()
	}
	return &Former{tracking: newTracking(patterns)}
}

// URL resolves ref against base and returns its canonical form. Base is the absolute URL of the
// page, or of its base element; it may be empty when ref is absolute, and is not looked at when
// ref begins with http:// or https://. The error is or wraps one of ErrTooLong, ErrScheme, ErrHost
// and ErrInvalid.
func (f *Former) URL(base, ref string) (string, error) {
	// First, because mailto: and javascript: links are common and data: links are long.
	if hasForeignScheme(ref) {
		return "", ErrScheme
	}
	if len(base) > MaxLength || len(ref) > MaxLength {
		return "", ErrTooLong
	}
	if u, ok := f.fast(base, ref); ok {
		return u, nil
	}
	return f.slow(base, ref)
}

// hasForeignScheme reports whether ref surely begins with a scheme other than http and https.
func hasForeignScheme(ref string) bool {
	ref = trimControl(ref)
	if ref == "" || !isLetter(ref[0]) {
		return false
	}
	for i := 1; i < len(ref); i++ {
		switch c := ref[i]; {
		case c == ':':
			return !strings.EqualFold(ref[:i], "http") && !strings.EqualFold(ref[:i], "https")
		case isLetter(c), isDigit(c), c == '+', c == '-', c == '.':
		default:
			return false
		}
	}
	return false
}

// trimControl removes ASCII controls and spaces from both ends, as the standard does first.
func trimControl(s string) string {
	for s != "" && s[0] <= ' ' {
		s = s[1:]
	}
	for s != "" && s[len(s)-1] <= ' ' {
		s = s[:len(s)-1]
	}
	return s
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
