package cdxquery

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/strandlinehq/strandline/crawler/warc/cdxj"
)

// Collector takes captures in the order of the index and keeps the lines of an
// answer. It is made by Query.Collector.
type Collector struct {
	q     *Query
	lines []cdxj.Entry
	last  Place // of the last line
	next  bool  // there is a capture beyond the limit
	key   string
	seen  string // digest told last under the key
	stamp string // timestamp told last under it
}

// Collector returns an empty collector.
func (q *Query) Collector() *Collector { return &Collector{q: q} }

// Add takes a capture; it reports whether more are wanted.
func (c *Collector) Add(e cdxj.Entry, at Place) bool {
	if c.next {
		return false
	}
	if e.Key == "" || strings.ContainsAny(e.Key[:1], "!@#") {
		return true // no line can begin with what marks the lines about an index
	}
	for _, f := range c.q.filters {
		if f.fits(value(e, f.field)) == f.not {
			return true
		}
	}
	if e.Key != c.key {
		c.key, c.seen, c.stamp = e.Key, "", ""
	}
	stamp := ""
	if c.q.byStamp > 0 {
		stamp = value(e, "timestamp")
	}
	if c.q.byDigest && e.Digest != "" && e.Digest == c.seen || c.q.byStamp > 0 && c.stamp != "" && stamp[:c.q.byStamp] == c.stamp[:c.q.byStamp] {
		c.last = at // the answer that goes on begins behind it: it knows no digest before
		return true
	}
	if len(c.lines) == c.q.Limit {
		c.next = true
		return false
	}
	c.seen, c.stamp, c.last = e.Digest, stamp, at
	c.lines = append(c.lines, e)
	return true
}

// Firsts reports whether of captures of one page that follow each other with one
// content the first is enough.
func (q *Query) Firsts() bool { return q.byDigest && q.byStamp == 0 && len(q.filters) == 0 }

// Next returns the place to go on from; it is false where the answer is whole.
func (c *Collector) Next() (Place, bool) { return c.last, c.next }

// value is a field of a capture as text.
func value(e cdxj.Entry, field string) string {
	switch field {
	case "urlkey":
		return e.Key
	case "timestamp":
		return e.Time.UTC().Format(cdxj.TimeLayout)
	case "url":
		return e.URL
	case "mime":
		return e.MIME
	case "status":
		return strconv.Itoa(e.Status)
	case "digest":
		return e.Digest
	}
	return ""
}

// Write writes the answer: CDXJ, or one JSON array of arrays, the names of the
// fields first. Where the place to go on from is asked for and there is one, it
// stands behind an empty line or an empty array.
func (c *Collector) Write() ([]byte, error) {
	var out bytes.Buffer
	if c.q.JSON {
		return c.writeJSON()
	}
	for _, e := range c.lines {
		line, err := c.line(e)
		if err != nil {
			return nil, err
		}
		out.Write(line)
	}
	if c.next && c.q.ShowKey {
		out.WriteString("\n" + c.last.String() + "\n")
	}
	return out.Bytes(), nil
}

// line is a capture as a line of CDXJ. With a choice of fields the object has
// those only.
func (c *Collector) line(e cdxj.Entry) ([]byte, error) {
	if c.q.Fields == nil {
		return e.AppendTo(nil)
	}
	line := []byte(e.Key + " " + value(e, "timestamp") + " {")
	first := true
	for _, name := range c.q.Fields {
		if name == "urlkey" || name == "timestamp" {
			continue
		}
		text, err := encode(value(e, name))
		if err != nil {
			return nil, err
		}
		if !first {
			line = append(line, ", "...)
		}
		first = false
		line = append(line, `"`+name+`": `+text...)
	}
	return append(line, "}\n"...), nil
}

func (c *Collector) writeJSON() ([]byte, error) {
	fields := c.q.Fields
	if fields == nil {
		fields = Fields()
	}
	rows := make([][]string, 0, len(c.lines)+3)
	rows = append(rows, fields)
	for _, e := range c.lines {
		row := make([]string, len(fields))
		for i, name := range fields {
			row[i] = value(e, name)
		}
		rows = append(rows, row)
	}
	if c.next && c.q.ShowKey {
		rows = append(rows, []string{}, []string{c.last.String()})
	}
	text, err := encode(rows)
	return []byte(text + "\n"), err
}

func encode(v any) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return strings.TrimRight(b.String(), "\n"), err
}
