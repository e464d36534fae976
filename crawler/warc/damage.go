package warc

import "fmt"

// Kind says what sort of damage was met; the set is closed, so it can label a
// metric or a column.
type Kind string

// The kinds of damage.
const (
	Truncated Kind = "truncated"  // the file ends inside a record or gzip member
	BadHeader Kind = "bad-header" // no record head where one must be, or an unreadable one
	BadLength Kind = "bad-length" // Content-Length missing, unreadable, or not where the block ends
	BadGzip   Kind = "bad-gzip"   // gzip member that does not inflate, or bytes between members
	BadDigest Kind = "bad-digest" // block or payload differs from its digest, or the digest is unreadable
	BadHTTP   Kind = "bad-http"   // block that is no HTTP message, or a body its codings do not fit
	BadDate   Kind = "bad-date"   // WARC-Date missing or unreadable
	BadURI    Kind = "bad-uri"    // WARC-Target-URI missing or no absolute URI
)

// Kinds lists every Kind.
func Kinds() []Kind {
	return []Kind{Truncated, BadHeader, BadLength, BadGzip, BadDigest, BadHTTP, BadDate, BadURI}
}

// Damage is something wrong in a file. As an error of Reader.Next or Record.Read
// it is recoverable: call Next again for the following record.
type Damage struct {
	Kind Kind
	// Offset counts bytes of the file as stored (compressed, where it is): the
	// start of the record or member concerned, or of the bytes nobody can read.
	// It is -1 where the offset is unknown, as in ParseHTTP.
	Offset int64
	Msg    string
}

// Error returns kind, offset and message in one line.
func (d *Damage) Error() string {
	if d.Offset < 0 {
		return fmt.Sprintf("warc: %s: %s", d.Kind, d.Msg)
	}
	return fmt.Sprintf("warc: %s at offset %d: %s", d.Kind, d.Offset, d.Msg)
}

// NotWARCError is returned by NewReader for input that is no WARC file at all.
type NotWARCError struct {
	Found string // what the input is instead, for a person to read
}

// Error says what was found.
func (e *NotWARCError) Error() string {
	return "not a WARC file: found " + e.Found
}
