// Package warc reads and writes WARC files (WARC/1.0 and 1.1, ISO 28500; heads
// of the drafts before, such as WARC/0.18, are read as well), plain or gzip.
//
// Reader walks a file of any size in bounded memory and hands out one Record
// after another; a Record is the io.Reader of its block. Files come from
// elsewhere and are trusted in nothing: what is wrong in one is reported as a
// *Damage with a kind, the offset in the file as stored and a message, and
// reading goes on with the next record that can be found. Two kinds of layout
// matter for gzip: one member a record, as the format recommends, and anything
// else that inflates to records (one long member, blocks that do not end where
// records end); only the first allows a record to be fetched by offset and
// length, which is what a CDXJ line holds.
//
// ParseHTTP splits the block of a response or request into head and payload,
// HTTPMessage.Decode removes transfer and content codings within a limit.
// Writer writes WARC/1.1, one gzip member a record, with digests.
//
// Left out: ARC files, .warc.zst, joining continuation records to one block,
// and looking up the record a revisit refers to; the fields for both are here.
package warc

import (
	"strings"
	"time"
)

// Type is the value of WARC-Type in lower case. Types this package does not
// know are passed on as they are.
type Type string

// The record types of WARC/1.1, section 6.
const (
	TypeWarcinfo     Type = "warcinfo"
	TypeResponse     Type = "response"
	TypeResource     Type = "resource"
	TypeRequest      Type = "request"
	TypeMetadata     Type = "metadata"
	TypeRevisit      Type = "revisit"
	TypeConversion   Type = "conversion"
	TypeContinuation Type = "continuation"
)

// The profiles of revisit records in WARC/1.1, section 6.7. Files of WARC/1.0
// use the same addresses with 1.0 in place of 1.1; Record.Revisit folds them.
const (
	ProfileIdenticalPayload = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
	ProfileNotModified      = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
)

// Field is one named field of a record or of an HTTP message.
type Field struct {
	Name, Value string
}

// Header is a list of fields in the order of the file, repeats included.
type Header []Field

// Get returns the value of the first field called name, in any letter case,
// and "" when there is none.
func (h Header) Get(name string) string {
	for i := range h {
		if strings.EqualFold(h[i].Name, name) {
			return h[i].Value
		}
	}
	return ""
}

// Has tells whether a field called name, in any letter case, is present.
func (h Header) Has(name string) bool {
	for i := range h {
		if strings.EqualFold(h[i].Name, name) {
			return true
		}
	}
	return false
}

// Values returns the values of all fields called name, in their order.
func (h Header) Values(name string) []string {
	var out []string
	for i := range h {
		if strings.EqualFold(h[i].Name, name) {
			out = append(out, h[i].Value)
		}
	}
	return out
}

// Revisit is what a revisit record says of the capture it repeats. Fields that
// the record lacks are zero: WARC/1.0 files often have the profile alone, and
// the capture must then be found by URI and payload digest.
type Revisit struct {
	Profile   string    // one of the Profile constants, or the text found
	RefersTo  string    // WARC-Refers-To: id of the record repeated
	TargetURI string    // WARC-Refers-To-Target-URI
	Date      time.Time // WARC-Refers-To-Date
}

// Revisit returns the reference of a revisit record. The block of such a record
// is the HTTP head of the later capture alone, or empty.
func (r *Record) Revisit() Revisit {
	v := Revisit{
		Profile:   r.Header.Get("WARC-Profile"),
		RefersTo:  trimAngles(r.Header.Get("WARC-Refers-To")),
		TargetURI: trimAngles(r.Header.Get("WARC-Refers-To-Target-URI")),
	}
	v.Date, _ = ParseDate(r.Header.Get("WARC-Refers-To-Date"))
	switch {
	case strings.HasSuffix(v.Profile, "/revisit/identical-payload-digest"):
		v.Profile = ProfileIdenticalPayload
	case strings.HasSuffix(v.Profile, "/revisit/server-not-modified"):
		v.Profile = ProfileNotModified
	}
	return v
}

// trimAngles takes off the brackets which WARC/1.0 puts around every URI.
func trimAngles(s string) string {
	if len(s) >= 2 && s[0] == '<' && s[len(s)-1] == '>' {
		return s[1 : len(s)-1]
	}
	return s
}
