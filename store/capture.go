package store

import (
	"crypto/sha1" //nolint:gosec // archives name payloads by it; nothing is secured with it
	"crypto/sha256"
	"encoding/json"
	"time"
)

// Outcome is what an attempt to fetch a page came to.
type Outcome string

// The outcomes. New, Changed and Same are decided by the store from the content.
const (
	New         Outcome = "new"
	Changed     Outcome = "changed"
	Same        Outcome = "same"
	NotModified Outcome = "not_modified"
	Gone        Outcome = "gone"
	Failed      Outcome = "error"
	Denied      Outcome = "denied"
	Skipped     Outcome = "skipped"
)

// Kind says why a page was fetched.
type Kind string

// The kinds of fetches.
const (
	KindSchedule Kind = "schedule"
	KindBurst    Kind = "burst"
	KindPair     Kind = "pair"
	KindManual   Kind = "manual"
	KindSnapshot Kind = "snapshot"
	KindTopic    Kind = "topic"
	KindImport   Kind = "import"
	KindSource   Kind = "source" // of a sitemap or feed, by PutSource
)

// SHA256 is the hash of a payload, the content id.
type SHA256 [sha256.Size]byte

// SHA1 is the hash by which archives know a payload.
type SHA1 [sha1.Size]byte

// Capture is one attempt on a page, to be stored by Write.
//
// An attempt that brought content leaves Outcome empty and has a Payload: the
// store decides between New, Changed and Same. NotModified has no payload and
// counts for the last version. Every other outcome makes no version; its
// payload, if any, is kept with the fetch.
type Capture struct {
	URL        string // canonical
	Outcome    Outcome
	Kind       Kind
	WatchID    int32     // 0: none
	DueAt      time.Time // zero: nothing was scheduled
	StartedAt  time.Time
	FinishedAt time.Time
	Status     int    // 0: no answer
	Error      string // reason of a failure
	Detail     json.RawMessage

	Head         []byte // status line and header fields as received, CRLF between
	ETag         string
	LastModified string
	// ValidatedURL is the address that sent ETag and LastModified, where redirects led to another than
	// URL; empty means URL.
	ValidatedURL string
	// PermanentURL is the canonical URL to which URL has moved for good; empty if it has not. It counts
	// where content was seen.
	PermanentURL string
	Coding       string // content coding that Payload still has; usually empty
	MediaType    string
	Payload      []byte
	// PayloadHash names the payload where the payload itself is not at hand: a
	// revisit record, or an answer that is known to be unchanged.
	PayloadHash SHA256
	// PayloadSHA1 does the same for records of archives, which know payloads by
	// this hash; RefersTo is the canonical URL that brought the payload, empty
	// for the capture's own. A payload that is not known yet may come later:
	// see Missing.
	PayloadSHA1 SHA1
	RefersTo    string
	// Extract reads what the payload says; the payload is given to it because a
	// capture may only name it. It is called at most once, and only when the
	// content makes a new version. Nil means that nothing is read.
	Extract func(payload []byte) Extract

	// Quick says that the page may never be fetched again, as in a crawl of a whole
	// site: time counts for more than the size of its first version.
	Quick bool
	// KeepLinks asks for Linked, which is set once the capture was read: the pages
	// that it links to, in the order of the document. What was not read, because
	// the content is that of the version before, has links in the database.
	KeepLinks bool
	Linked    []LinkedPage

	hashed  bool
	lent    bool     // Payload is that of the capture that this one refers to
	extract *Extract // nil until it is needed
	targets []Target // of extract's links
}

// Extract is what was read out of a payload.
type Extract struct {
	Title     string
	Language  string
	Charset   string
	Flags     []string
	Words     int // distinct
	Sentences int
	TextHash  [16]byte
	WordsHash [16]byte
	Record    []byte // compact form of words, sentences and element lines
	Rules     int    // version of the extraction rules
	Links     []Link
}

// Link is a distinct out-link of a page.
type Link struct {
	URL      string // canonical
	NoFollow bool
}

// read makes the extract.
func (c *Capture) read(payload []byte) {
	c.extract = &Extract{}
	if c.Extract != nil {
		*c.extract = c.Extract(payload)
	}
}

// hash returns the content id.
func (c *Capture) hash() SHA256 {
	if !c.hashed {
		if c.Payload != nil {
			c.PayloadHash = sha256.Sum256(c.Payload)
			c.PayloadSHA1 = sha1.Sum(c.Payload) //nolint:gosec // see the import
		}
		c.hashed = true
	}
	return c.PayloadHash
}

// Content returns the content id of the capture's payload; zero without one.
func (c *Capture) Content() SHA256 { return c.hash() }

// received is the number of bytes of payload that the capture itself brought.
func (c *Capture) received() int64 {
	if c.lent {
		return 0
	}
	return int64(len(c.Payload))
}

// Stored says what became of a capture.
type Stored struct {
	Page    PageID
	Version int32 // 0: none
	Outcome Outcome
	// Duplicate is set when this very capture was stored before; nothing was
	// written then.
	Duplicate bool
}
