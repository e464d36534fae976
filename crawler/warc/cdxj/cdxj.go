// Package cdxj reads and writes CDXJ, the sorted index that tells where in which
// WARC file the captures of a URL are. A line is
//
//	key SP timestamp SP {"url": ..., "mime": ..., "status": ..., "digest": ...,
//	"length": ..., "offset": ..., "filename": ...}
//
// with the key of SURT, 14 digits of UTC, and a JSON object whose values are
// strings, as pywb writes them. Entry is the line as a value; Parse, AppendTo
// and Sort are what there is to do with it.
//
// Left out: the classic CDX of columns, ZipNum clusters, and reading the WARC
// files (package warc has offset and length of every record).
package cdxj

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// TimeLayout is the form of a timestamp, for time.Format in UTC.
const TimeLayout = "20060102150405"

// MaxLine is how long a line may be, in bytes.
const MaxLine = 1 << 20

// Entry is one line of an index.
type Entry struct {
	Key      string    // SURT of URL
	Time     time.Time // of the capture, UTC, whole seconds
	URL      string
	MIME     string // "warc/revisit" for a revisit, as is the custom
	Status   int    // HTTP status; 0 is written as "-"
	Digest   string // of the payload, as the WARC file has it
	Length   int64  // bytes of the record in the file; -1 if unknown
	Offset   int64  // where the record starts in the file; -1 if unknown
	Filename string
}

// headerMarks start the lines that describe an index; no key starts with one.
const headerMarks = "!@#"

// ErrHeader is returned by Parse for lines that are no entry and no mistake:
// empty ones, and those that describe the index.
var ErrHeader = errors.New("cdxj: line holds no entry")

// New returns an entry for a capture of url, with its key. Length and Offset are
// unknown.
func New(url string, at time.Time) Entry {
	return Entry{Key: SURT(url), Time: at.UTC().Truncate(time.Second), URL: url, Length: -1, Offset: -1}
}

// AppendTo appends the line of e, with its line end, to b. Fields without a
// value are left out. Text that is not UTF-8 is written with U+FFFD in place of
// bad bytes. The error is that of a key or time no line can hold.
func (e Entry) AppendTo(b []byte) ([]byte, error) {
	if e.Key == "" || strings.ContainsAny(e.Key, " \r\n\x00") || strings.ContainsAny(e.Key[:1], headerMarks) || !utf8.ValidString(e.Key) {
		return b, fmt.Errorf("cdxj: key %q cannot be written", e.Key)
	}
	if y := e.Time.UTC().Year(); y < 0 || y > 9999 {
		return b, fmt.Errorf("cdxj: year %d cannot be written", y)
	}
	b = append(b, e.Key...)
	b = append(b, ' ')
	b = e.Time.UTC().AppendFormat(b, TimeLayout)
	b = append(b, " {"...)
	status := "-"
	if e.Status > 0 {
		status = strconv.Itoa(e.Status)
	}
	start := len(b)
	for _, f := range []struct{ name, value string }{
		{"url", e.URL},
		{"mime", e.MIME},
		{"status", status},
		{"digest", e.Digest},
		{"length", number(e.Length)},
		{"offset", number(e.Offset)},
		{"filename", e.Filename},
	} {
		if f.value == "" {
			continue
		}
		if len(b) > start {
			b = append(b, ", "...)
		}
		b = append(b, '"')
		b = append(b, f.name...)
		b = append(b, `": `...)
		b = appendString(b, f.value)
	}
	return append(b, '}', '\n'), nil
}

func number(n int64) string {
	if n < 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// appendString writes a JSON string and leaves <, > and & readable.
func appendString(b []byte, s string) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return append(b, bytes.TrimRight(buf.Bytes(), "\n")...)
}

// Parse reads one line, with or without its line end. Numbers may be JSON
// numbers or strings; fields it does not know are passed over, as are trailing
// spaces. It returns ErrHeader for lines that are no entry by design.
func Parse(line []byte) (Entry, error) {
	line = bytes.TrimRight(line, " \t\r\n")
	if len(line) == 0 || bytes.ContainsAny(line[:1], headerMarks) || bytes.HasPrefix(line, []byte(" CDX")) {
		return Entry{}, ErrHeader
	}
	if len(line) > MaxLine {
		return Entry{}, fmt.Errorf("cdxj: line of %d bytes", len(line))
	}
	key, rest, _ := bytes.Cut(line, []byte(" "))
	stamp, object, ok := bytes.Cut(rest, []byte(" "))
	if !ok || len(key) == 0 {
		return Entry{}, fmt.Errorf("cdxj: no key, timestamp and object in %s", show(line))
	}
	if !utf8.Valid(key) || bytes.ContainsAny(key, "\r\n\x00") {
		return Entry{}, fmt.Errorf("cdxj: unreadable key %s", show(key))
	}
	at, err := time.Parse(TimeLayout, string(stamp))
	if err != nil || len(stamp) != len(TimeLayout) {
		return Entry{}, fmt.Errorf("cdxj: unreadable timestamp %s", show(stamp))
	}
	var v struct {
		URL, MIME, Digest, Filename text
		Status, Length, Offset      text
	}
	if err := json.Unmarshal(object, &v); err != nil {
		return Entry{}, fmt.Errorf("cdxj: object of %s: %w", show(key), err)
	}
	e := Entry{Key: string(key), Time: at, URL: string(v.URL), MIME: string(v.MIME), Digest: string(v.Digest), Filename: string(v.Filename), Length: -1, Offset: -1}
	if v.Status != "" && v.Status != "-" {
		n, err := strconv.ParseUint(string(v.Status), 10, 16)
		if err != nil {
			return Entry{}, fmt.Errorf("cdxj: unreadable status %s", show([]byte(v.Status)))
		}
		e.Status = int(n)
	}
	if e.Length, err = v.Length.size(); err == nil {
		e.Offset, err = v.Offset.size()
	}
	return e, err
}

// text is a JSON string or number.
type text string

// UnmarshalJSON implements json.Unmarshaler.
func (t *text) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		return json.Unmarshal(b, (*string)(t))
	}
	var n json.Number
	if err := json.Unmarshal(b, &n); err != nil {
		return err
	}
	*t = text(n)
	return nil
}

// size reads a count of bytes, -1 when there is none.
func (t text) size() (int64, error) {
	if t == "" || t == "-" {
		return -1, nil
	}
	n, err := strconv.ParseUint(string(t), 10, 63)
	if err != nil {
		return -1, fmt.Errorf("cdxj: unreadable number %s", show([]byte(t)))
	}
	return int64(n), nil
}

// Compare orders entries as lines of an index are: by the bytes of the key, then
// by time.
func Compare(a, b Entry) int {
	if c := strings.Compare(a.Key, b.Key); c != 0 {
		return c
	}
	return cmp.Compare(a.Time.Unix(), b.Time.Unix())
}

// Sort sorts entries by Compare; captures of the same second keep their order.
func Sort(entries []Entry) { slices.SortStableFunc(entries, Compare) }

// show quotes the first bytes of b for a message.
func show(b []byte) string {
	const most = 60
	if len(b) > most {
		return fmt.Sprintf("%q...", b[:most])
	}
	return fmt.Sprintf("%q", b)
}
