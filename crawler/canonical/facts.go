package canonical

import (
	"crypto/sha256"
	"fmt"
	"net/netip"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// Buckets is the number of values of a bucket.
const Buckets = 1 << 12

// Facts are what a canonical URL says about its page without a request.
type Facts struct {
	Origin string   // scheme, host and port as written in the URL: the scope of robots.txt
	Host   string   // host name or address, without port
	Site   string   // registrable domain; the host itself for addresses, single labels and public suffixes
	TLD    string   // last label of the host (SCIENCE A11); empty for addresses
	Depth  int      // non-empty path segments (SCIENCE A11): "/" 0, "/a" and "/a/" 1, "/a/b?x" 2
	Bucket int      // BucketOf(Host)
	Hash   [16]byte // HashOf(URL)
}

// FactsOf returns the facts of a canonical URL. It fails, with an error that wraps ErrInvalid, on
// a string that no Former returned.
func FactsOf(canonical string) (Facts, error) {
	rest, _, ok := cutScheme(canonical)
	if !ok {
		return Facts{}, fmt.Errorf("%w: no scheme", ErrInvalid)
	}
	authority, path, ok := strings.Cut(rest, "/")
	if !ok || authority == "" {
		return Facts{}, fmt.Errorf("%w: no host or no path", ErrInvalid)
	}
	path, _, _ = strings.Cut(path, "?")
	host := authority
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		host = host[:i]
	}
	f := Facts{
		Origin: canonical[:len(canonical)-len(rest)+len(authority)],
		Host:   host,
		Site:   host,
		Bucket: BucketOf(host),
		Hash:   HashOf(canonical),
	}
	if !isAddress(host) {
		f.Site = siteOf(host)
		f.TLD = host[strings.LastIndexByte(host, '.')+1:]
	}
	for segment := range strings.SplitSeq(path, "/") {
		if segment != "" {
			f.Depth++
		}
	}
	return f, nil
}

// BucketOf returns the bucket of a host name: the first 12 bits of its SHA-256, 0 to Buckets-1.
// All rows of a host share its bucket, and the database computes the same number:
//
//	d = sha256(name)    bucket = d[0]*16 + d[1]/16
func BucketOf(host string) int {
	d := sha256.Sum256([]byte(host))
	return int(d[0])<<4 | int(d[1])>>4
}

// HashOf returns the key under which a canonical URL is stored: the first 128 bits of its SHA-256.
func HashOf(canonical string) [16]byte {
	d := sha256.Sum256([]byte(canonical))
	return [16]byte(d[:16])
}

// siteOf returns the registrable domain by the public suffix list, with its private part: blogs
// under one hosting name are different sites.
func siteOf(host string) string {
	site, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return host // a single label, or a public suffix
	}
	return site
}

// isAddress reports whether a canonical host is an IP address. Names that parse as IPv4 were
// written as one by the standard's parser.
func isAddress(host string) bool {
	if strings.HasPrefix(host, "[") {
		return true
	}
	if !isDigit(host[len(host)-1]) {
		return false
	}
	_, err := netip.ParseAddr(host)
	return err == nil
}
