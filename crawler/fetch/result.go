package fetch

import (
	"net/http"
	"time"
)

// Kind is what a fetch came to, as far as it can be told without the page's past.
type Kind string

// The kinds of results.
const (
	Content     Kind = "content"      // the page is in Body
	NotModified Kind = "not_modified" // it is what the validators stand for
	Failed      Kind = "error"        // see Reason
	Denied      Kind = "denied"       // robots.txt or our guard forbids it
	Skipped     Kind = "skipped"      // it was not asked for: the host is busy until RetryAt
)

// Request is one page to fetch.
type Request struct {
	URL string // canonical
	// ETag and LastModified are the validators of the copy at hand, as received; empty if none.
	ETag, LastModified string
	// ValidatedURL is the address that sent them, the FinalURL of that fetch; empty means URL.
	// They are sent to no other address, where an equal string could mean something else.
	ValidatedURL string
	// Cookies are sent to the host of URL, and make the fetch keep the cookies it is given until it
	// ends. With none, cookies are neither kept nor sent.
	Cookies []*http.Cookie
	// Admitted says that the caller has started a request at the gate, to the host that
	// canonical.FactsOf tells of URL. The fetch ends it there, whatever comes of it, but for a URL
	// that has no host (BadURL). Otherwise the fetch waits at the gate by itself.
	Admitted bool
	// NoFollow makes a redirect the end of the fetch: it failed for the reason Redirected, and
	// Redirects has where it leads.
	NoFollow bool
}

// Hop is a redirect that was received.
type Hop struct {
	URL    string // that was asked
	Status int
	To     string // absolute, as resolved against URL; empty if Location is missing or unusable
	Head   []byte // as Result.Head
}

// Result is what came of a Request. It shares no memory with others.
type Result struct {
	Kind   Kind
	Reason Reason // of everything but Content and NotModified
	Text   string // what exactly happened, for people; of those with a Reason

	// StartedAt and FinishedAt enclose all requests for the page, by the daemon's clock. They are
	// equal if none was sent.
	StartedAt, FinishedAt time.Time
	// SentAt is when the last request went out on its connection.
	SentAt time.Time

	Status int // of the last answer; 0 if there was none
	// Head is the status line and the header fields of the last answer, with CR LF behind each line
	// and an empty line at the end. HeadExact tells that they are the bytes that were received;
	// otherwise (behind a proxy for https, or with Options.Transport) they were put together again,
	// fields sorted by name.
	Head      []byte
	HeadExact bool
	Header    http.Header // of the last answer

	// Body is the page, without its content codings. It is kept with a failure too, as far as it
	// was read, but for refused compression.
	Body []byte
	// Removed are the content codings that were taken off, in the order in which the server
	// applied them. Coding is what could not be taken off, because it is none that we asked for.
	Removed []string
	Coding  string
	// Truncated tells that the body was longer than Options.MaxBody.
	Truncated   bool
	BytesOnWire int64 // of the body, before decompression, all redirects included

	Redirects []Hop
	FinalURL  string // the address of the last request; URL if none was sent
	// PermanentURL is the address to which URL has moved for good, by 301 and 308 answers from the
	// start; empty if it has not. It counts when the Kind is Content or NotModified.
	PermanentURL string

	ETag, LastModified, ContentType string // header fields as received
	// RetryAfter is the pause that the last answer asks for; zero if none.
	RetryAfter time.Duration
	// RetryAt is when the host takes requests again, of a Skipped fetch.
	RetryAt time.Time
}

// fail makes the result a failure, or another kind that has a reason.
func (r *Result) fail(kind Kind, reason Reason, text string) {
	r.Kind, r.Reason, r.Text = kind, reason, text
}
