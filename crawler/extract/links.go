package extract

import (
	"bytes"
	"net/url"
	"strings"

	"golang.org/x/net/html/atom"
)

// linkData gathers links. They are resolved at the end, since a base element
// holds for the links before it, too.
type linkData struct {
	raw    []rawLink
	anchor []byte // anchor texts
	open   int32  // the link whose element is open, -1 if none
	base   span
	clean  []byte // scratch of one URL
}

type rawLink struct {
	href     span // of the arena
	from, to uint32
	kind     LinkKind
	rel      Rel
}

func (l *linkData) reset() {
	l.raw, l.anchor, l.open, l.base = l.raw[:0], l.anchor[:0], -1, span{}
}

// inspectLink takes a link or the base.
func (s *sink) inspectLink(a atom.Atom, attrs []attr) {
	switch a {
	case atom.A:
		s.addLink(Anchor, get(attrs, "href"), relOf(get(attrs, "rel")))
	case atom.Area:
		s.addLink(Area, get(attrs, "href"), relOf(get(attrs, "rel")))
	case atom.Frame, atom.Iframe:
		s.addLink(Frame, get(attrs, "src"), 0)
	case atom.Link:
		for word := range bytes.FieldsSeq(get(attrs, "rel")) {
			if equalFold(word, "canonical") {
				s.addLink(Canonical, get(attrs, "href"), 0)
				break
			}
		}
	case atom.Base:
		if href := trimSpace(get(attrs, "href")); s.links.base.end == 0 && len(href) > 0 && len(href) <= maxURL {
			s.links.base = s.keep(href)
		}
	}
}

func (s *sink) addLink(kind LinkKind, href []byte, rel Rel) {
	href = trimSpace(href)
	if len(href) == 0 || len(href) > maxURL || len(s.links.raw) >= maxLinks || otherScheme(href) {
		return
	}
	if kind == Anchor {
		s.links.open = int32(len(s.links.raw))
	}
	at := uint32(len(s.links.anchor))
	s.links.raw = append(s.links.raw, rawLink{href: s.keep(href), from: at, to: at, kind: kind, rel: rel})
}

// otherScheme sorts out the common references that lead to no page before they
// cost anything.
func otherScheme(href []byte) bool {
	i := bytes.IndexByte(href[:min(len(href), 12)], ':')
	if i < 0 {
		return false
	}
	for _, name := range [...]string{"javascript", "mailto", "tel", "data", "about", "blob", "ftp"} {
		if equalFold(href[:i], name) {
			return true
		}
	}
	return false
}

// relOf reads the words of a rel attribute that crawlers heed.
func relOf(v []byte) Rel {
	var r Rel
	for word := range bytes.FieldsSeq(v) {
		switch {
		case equalFold(word, "nofollow"):
			r |= NoFollowLink
		case equalFold(word, "ugc"):
			r |= UGC
		case equalFold(word, "sponsored"):
			r |= Sponsored
		}
	}
	return r
}

// refresh takes the target of a refresh pragma: "5; url='/next'".
func (s *sink) refresh(content []byte) {
	v := bytes.TrimLeft(content, " \t\r\n\f0123456789.")
	if len(v) == len(content) || len(v) == 0 {
		return
	}
	v = bytes.TrimLeft(v, " \t\r\n\f;,")
	if len(v) >= 3 && equalFold(v[:3], "url") {
		if t := bytes.TrimLeft(v[3:], " \t\r\n\f"); len(t) > 0 && t[0] == '=' {
			v = bytes.TrimLeft(t[1:], " \t\r\n\f")
		}
	}
	if len(v) > 0 && (v[0] == '"' || v[0] == '\'') {
		quote := v[0]
		v = v[1:]
		if i := bytes.IndexByte(v, quote); i >= 0 {
			v = v[:i]
		}
	}
	s.addLink(Refresh, v, 0)
}

// anchorText adds visible text to the open link.
func (l *linkData) anchorText(b []byte, space bool) {
	k := &l.raw[l.open]
	size := int(k.to - k.from)
	if size >= maxAnchor {
		return
	}
	if space && size > 0 {
		l.anchor = append(l.anchor, ' ')
		size++
	}
	l.anchor = append(l.anchor, clip(b, max(0, maxAnchor-size))...)
	k.to = uint32(len(l.anchor))
}

// resolve returns the links with absolute http or https URLs. What cannot be
// resolved leads nowhere and is left out.
func (s *sink) resolve(page string) []Link {
	if len(s.links.raw) == 0 {
		return nil
	}
	base, err := url.Parse(page)
	if err != nil {
		base = &url.URL{}
	}
	if s.links.base.end > 0 {
		if b, err := parseRef(s.links.tidy(s.bytes(s.links.base))); err == nil {
			if b = base.ResolveReference(b); b.Scheme == "http" || b.Scheme == "https" {
				base = b
			}
		}
	}
	anchors := string(s.links.anchor)
	links := make([]Link, 0, len(s.links.raw))
	for _, r := range s.links.raw {
		ref, err := parseRef(s.links.tidy(s.bytes(r.href)))
		if err != nil {
			continue
		}
		u := base.ResolveReference(ref)
		if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			continue
		}
		text := strings.TrimSuffix(anchors[r.from:r.to], " ")
		links = append(links, Link{URL: u.String(), Text: text, Kind: r.kind, Rel: r.rel})
	}
	return links
}

// tidy applies the parts of the URL standard that net/url lacks: tabs and line
// ends are dropped, and before the query a backslash is a slash.
func (l *linkData) tidy(href []byte) string {
	if bytes.IndexByte(href, '\\') < 0 && !bytes.ContainsAny(href, "\t\r\n") {
		return string(href)
	}
	l.clean = l.clean[:0]
	path := true
	for _, c := range href {
		switch {
		case c == '\t' || c == '\r' || c == '\n':
			continue
		case c == '?' || c == '#':
			path = false
		case c == '\\' && path:
			c = '/'
		}
		l.clean = append(l.clean, c)
	}
	return string(l.clean)
}

// parseRef parses a reference. A percent sign that begins no escape, which
// net/url refuses and browsers let pass, is escaped.
func parseRef(ref string) (*url.URL, error) {
	u, err := url.Parse(ref)
	if err == nil || !strings.Contains(ref, "%") {
		return u, err
	}
	var b strings.Builder
	for i := 0; i < len(ref); i++ {
		b.WriteByte(ref[i])
		if ref[i] == '%' && !(i+2 < len(ref) && isHex(ref[i+1]) && isHex(ref[i+2])) {
			b.WriteString("25")
		}
	}
	return url.Parse(b.String())
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
