package sitemap

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

const (
	maxDepth        = 64
	maxField        = 16 << 10 // bytes kept of the text of one element
	defaultPriority = 0.5
)

// xml reads the XML forms. An entry is a url element in the root, a child a sitemap element there;
// their values are elements directly in them, so that the loc of an image does not count.
// Namespaces are not looked at, since many files have them wrong.
func (p *parser) xml(in *source, r io.Reader) error {
	d := xml.NewDecoder(r)
	d.Strict = false // addresses with a bare ampersand are common
	d.Entity = xml.HTMLEntity
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // decoded already
	depth, rooted := 0, false
	kind, field := "", ""
	var text strings.Builder
	values := make(map[string]string)
	for {
		in.token = maxToken
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			if rooted && depth == 0 {
				return nil
			}
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return fmt.Errorf("read xml sitemap: %w", err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			depth, rooted = depth+1, true
			name := strings.ToLower(t.Name.Local)
			switch {
			case depth > maxDepth:
				return fmt.Errorf("%w: elements nested too deeply", ErrLimit)
			case depth == 1 && name != "urlset" && name != "sitemapindex":
				return fmt.Errorf("%w: root element is %.40q", ErrFormat, name)
			case depth == 2:
				kind = name
				clear(values)
			case depth == 3:
				field = name
				text.Reset()
			}
		case xml.CharData:
			if depth == 3 && text.Len()+len(t) <= maxField {
				text.Write(t)
			}
		case xml.EndElement:
			switch depth {
			case 3:
				if values[field] == "" {
					values[field] = strings.TrimSpace(text.String())
				}
			case 2:
				if err := p.element(kind, values); err != nil {
					return err
				}
			}
			depth--
		}
	}
}

// element adds what a finished child of the root says.
func (p *parser) element(kind string, values map[string]string) error {
	switch kind {
	case "url":
		return p.entry(Entry{
			Loc:        values["loc"],
			LastMod:    parseTime(values["lastmod"]),
			ChangeFreq: changeFreq(values["changefreq"]),
			Priority:   priority(values["priority"]),
		})
	case "sitemap":
		return p.child(Child{Loc: values["loc"], LastMod: parseTime(values["lastmod"])})
	}
	return nil
}

func changeFreq(s string) string {
	switch s = strings.ToLower(s); s {
	case "always", "hourly", "daily", "weekly", "monthly", "yearly", "never":
		return s
	}
	return ""
}

func priority(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= 0 && v <= 1) {
		return defaultPriority
	}
	return v
}

// parseTime reads the forms of W3C Datetime, from a year to fractions of a second, and forgives a
// blank in place of the T, a zone without its colon, or none, which is read as UTC.
func parseTime(s string) time.Time {
	for _, layout := range []string{
		"2006-01-02", time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04Z0700",
		"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01", "2006",
		"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 Z07:00", "2006-01-02 15:04:05 Z0700", "2006-01-02 15:04:05", "2006-01-02 15:04",
	} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}
