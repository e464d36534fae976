package fetch

// Reason says why a fetch brought no page. The set is closed: it is stored, counted and shown.
type Reason string

// We did not ask.
const (
	RobotsDenied      Reason = "robots"             // robots.txt forbids the address
	RobotsUnreachable Reason = "robots-unreachable" // robots.txt cannot be had: 5xx, 429 or nonsense
	AddressRefused    Reason = "address-refused"    // not a public address or port
	Busy              Reason = "busy"               // the host takes no request now
	BadURL            Reason = "bad-url"            // neither http nor https, or no URL at all
	Cancelled         Reason = "cancelled"          // the caller's context was done
)

// There was no answer.
const (
	NoHost         Reason = "no-such-host"     // the name does not exist
	DNS            Reason = "dns"              // the name could not be looked up
	Unconnected    Reason = "connect"          // refused, unreachable, or no connection in time
	TLS            Reason = "tls"              // the handshake failed
	BadCertificate Reason = "certificate"      // expired, of another name, or of nobody we trust
	HeaderTimeout  Reason = "header-timeout"   // the header did not end in time
	HeaderTooLong  Reason = "header-too-large" // it did not end within the limit
	Malformed      Reason = "malformed"        // not HTTP
	ClosedEarly    Reason = "closed-early"     // the connection ended before the header did
	ProxyFailed    Reason = "proxy"            // the proxy cannot or will not
	Network        Reason = "network"          // anything else
)

// The answer broke off.
const (
	Timeout     Reason = "timeout"      // not complete in time
	SlowBody    Reason = "slow-body"    // bytes came too slowly
	ShortBody   Reason = "short-body"   // less than announced
	BadEncoding Reason = "bad-encoding" // not in the coding that it names
	Bomb        Reason = "bomb"         // a small body that expands without measure
)

// The redirects lead nowhere.
const (
	TooManyRedirects Reason = "too-many-redirects"
	RedirectLoop     Reason = "redirect-loop"
	BadRedirect      Reason = "bad-redirect"     // no usable Location
	RedirectsDiffer  Reason = "redirects-differ" // of a pair
	Redirected       Reason = "redirect"         // it was not to be followed
)

// The status says no.
const (
	NotFound         Reason = "not-found"         // 404
	Removed          Reason = "removed"           // 410
	Forbidden        Reason = "forbidden"         // 403
	LoginNeeded      Reason = "login-needed"      // 401, 407
	Legal            Reason = "legal"             // 451
	ClientError      Reason = "client-error"      // other 4xx
	Throttled        Reason = "throttled"         // 429
	Unavailable      Reason = "unavailable"       // 503
	ServerError      Reason = "server-error"      // other 5xx
	UnexpectedStatus Reason = "unexpected-status" // 1xx, 206, 304 unasked, and unknown ones
)

// The status says yes, but the content is not the page.
const (
	SoftNotFound Reason = "soft-not-found" // "page not found" with status 200
	HomeRedirect Reason = "home-redirect"  // a deep page redirects to the home page
	LoginWall    Reason = "login-wall"     // a form to log in
	Blocked      Reason = "blocked"        // a check for robots, or a refusal
	ErrorPage    Reason = "error-page"     // an error template
	Empty        Reason = "empty"          // no bytes
)

// Missing reports whether the answer says that the page does not exist, rather than that something
// went wrong.
func (r Reason) Missing() bool {
	switch r {
	case NotFound, Removed, SoftNotFound, HomeRedirect, NoHost:
		return true
	}
	return false
}

// hostFault reports whether the reason is a failure of the host as a whole, for its gate.
func (r Reason) hostFault() bool {
	switch r {
	case NoHost, DNS, Unconnected, TLS, BadCertificate, HeaderTimeout, Malformed, ClosedEarly,
		Network, Timeout, SlowBody, ShortBody:
		return true
	}
	return false
}
