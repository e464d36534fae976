package extract

import (
	"bytes"

	"golang.org/x/net/html/atom"
)

// headData is what a page says about itself.
type headData struct {
	title                 []byte
	titleDone             bool
	capture               captureKind
	lang, contentLanguage span
	dates                 []rawDate
}

// captureKind tells what the text of the open hidden element is wanted for.
type captureKind uint8

const (
	captureNone captureKind = iota
	captureTitle
	captureJSON
)

type rawDate struct {
	kind  DateKind
	value span
}

func (h *headData) reset() { *h = headData{title: h.title[:0], dates: h.dates[:0]} }

func (h *headData) endHidden() {
	if h.capture == captureTitle {
		h.titleDone = true
	}
	h.capture = captureNone
}

// inspect takes what an element says about the page or where it leads.
func (s *sink) inspect(a atom.Atom, attrs []attr) {
	switch a {
	case atom.A, atom.Area, atom.Link, atom.Frame, atom.Iframe, atom.Base:
		s.inspectLink(a, attrs)
	case atom.Meta:
		s.inspectMeta(attrs)
	case atom.Html:
		if v := get(attrs, "lang"); len(v) > 0 {
			s.head.lang = s.keep(clip(trimSpace(v), maxDate))
		} else if v := get(attrs, "xml:lang"); len(v) > 0 {
			s.head.lang = s.keep(clip(trimSpace(v), maxDate))
		}
	case atom.Time:
		s.date(Mentioned, get(attrs, "datetime"))
	case atom.Title:
		if !s.head.titleDone {
			s.head.capture = captureTitle
		}
	case atom.Script:
		if equalFold(trimSpace(get(attrs, "type")), "application/ld+json") {
			s.head.capture = captureJSON
		}
	}
}

func (s *sink) hiddenText(raw []byte) {
	switch s.head.capture {
	case captureTitle:
		if len(s.head.title) < maxTitle {
			s.head.title = append(s.head.title, clip(raw, 2*maxTitle)...)
		}
	case captureJSON:
		s.jsonDates(raw)
	}
}

func (s *sink) date(kind DateKind, v []byte) {
	v = trimSpace(v)
	if len(v) == 0 || len(v) > maxDate || len(s.head.dates) >= maxDates {
		return
	}
	s.head.dates = append(s.head.dates, rawDate{kind, s.keep(v)})
}

func (s *sink) inspectMeta(attrs []attr) {
	content := get(attrs, "content")
	if len(content) == 0 {
		return
	}
	name := trimSpace(get(attrs, "name"))
	switch {
	case equalFold(name, "robots"):
		s.robots(content)
	case dateName(name) != 0:
		s.date(dateName(name), content)
	default:
		for _, key := range [...]string{"property", "itemprop"} {
			if k := dateName(trimSpace(get(attrs, key))); k != 0 {
				s.date(k, content)
				break
			}
		}
	}
	switch pragma := trimSpace(get(attrs, "http-equiv")); {
	case equalFold(pragma, "content-language"):
		if s.head.contentLanguage.end == 0 {
			s.head.contentLanguage = s.keep(clip(trimSpace(content), maxDate))
		}
	case equalFold(pragma, "refresh"):
		s.refresh(content)
	}
}

// dateName returns the kind of date that a meta name, property or itemprop
// gives, 0 for other names.
func dateName(name []byte) DateKind {
	if len(name) < 4 || len(name) > 32 {
		return 0
	}
	switch string(bytes.ToLower(name)) {
	case "article:published_time", "datepublished", "og:published_time", "date", "dc.date", "dcterms.created",
		"dc.date.issued", "dcterms.issued", "pubdate":
		return Published
	case "article:modified_time", "datemodified", "og:updated_time", "last-modified", "dcterms.modified",
		"dc.date.modified":
		return Modified
	}
	return 0
}

// robots reads a robots meta: a list of words separated by commas.
func (s *sink) robots(content []byte) {
	for word := range bytes.SplitSeq(content, []byte(",")) {
		switch word = trimSpace(word); {
		case equalFold(word, "noindex"):
			s.flags |= NoIndex
		case equalFold(word, "nofollow"):
			s.flags |= NoFollow
		case equalFold(word, "none"):
			s.flags |= NoIndex | NoFollow
		}
	}
}

// jsonDates takes the strings of "datePublished" and "dateModified" members
// out of a JSON-LD script. It reads no more of the JSON than that: such scripts
// are often malformed, and the dates stand at any depth.
func (s *sink) jsonDates(raw []byte) {
	for len(s.head.dates) < maxDates {
		i := bytes.Index(raw, []byte(`"date`))
		if i < 0 {
			return
		}
		raw = raw[i+len(`"date`):]
		var kind DateKind
		switch {
		case bytes.HasPrefix(raw, []byte(`Published"`)):
			kind, raw = Published, raw[len(`Published"`):]
		case bytes.HasPrefix(raw, []byte(`Modified"`)):
			kind, raw = Modified, raw[len(`Modified"`):]
		default:
			continue
		}
		v := bytes.TrimLeft(raw[:min(len(raw), 2*maxDate)], " \t\r\n")
		if len(v) == 0 || v[0] != ':' {
			continue
		}
		v = bytes.TrimLeft(v[1:], " \t\r\n")
		if len(v) == 0 || v[0] != '"' {
			continue
		}
		if end := bytes.IndexByte(v[1:], '"'); end > 0 {
			s.date(kind, v[1:1+end])
		}
	}
}

// get returns the value of the first attribute with the key.
func get(attrs []attr, key string) []byte {
	for _, a := range attrs {
		if string(a.key) == key {
			return a.val
		}
	}
	return nil
}

// equalFold compares b with s, which is ASCII in lower case.
func equalFold(b []byte, s string) bool {
	if len(b) != len(s) {
		return false
	}
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != s[i] {
			return false
		}
	}
	return true
}
