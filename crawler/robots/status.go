package robots

import "time"

// Policy says what the answer to a request for robots.txt means (RFC 9309 section 2.3.1).
type Policy string

// The policies.
const (
	Parsed      Policy = "parsed"      // there is a file, and it counts
	Unavailable Policy = "unavailable" // there is no file: everything may be fetched
	Unreachable Policy = "unreachable" // the host cannot say: nothing may be fetched
)

// UnreachableLimit is how long a host may stay unreachable before a crawler may treat its file as
// unavailable (RFC 9309 section 2.3.1.4 speaks of a reasonably long time, "for example, 30 days").
// Until then a copy fetched earlier may be used on.
const UnreachableLimit = 30 * 24 * time.Hour

// MaxAge is how long a file may be used before it must be fetched again (RFC 9309 section 2.4).
const MaxAge = 24 * time.Hour

// MaxRedirects is how many redirects in a row a crawler follows to the file, also to other hosts
// (RFC 9309 section 2.3.1.2). The answer at their end is what ForStatus judges.
const MaxRedirects = 5

// ForStatus returns the rules that follow from the final answer to a request for robots.txt, by
// its HTTP status; status 0 stands for no answer at all.
//
//	2xx             the file is parsed
//	3xx             more than MaxRedirects, or nowhere to go: unavailable
//	429             unreachable: a host that is being asked too much is not asked for pages
//	4xx             unavailable, 401 and 403 too
//	5xx, 0, others  unreachable
//
// The RFC counts 429 among the 4xx; ours is the more polite reading. A body that broke off, or a
// name that did not resolve, is for the caller to report as status 0.
func ForStatus(status int, body []byte) (*File, Policy) {
	switch {
	case 200 <= status && status < 300:
		return Parse(body), Parsed
	case 300 <= status && status < 500 && status != 429:
		return &File{}, Unavailable
	default:
		return Parse([]byte("User-agent: *\nDisallow: /\n")), Unreachable
	}
}
