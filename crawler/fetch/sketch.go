package fetch

import (
	"bytes"
	"strings"
)

// sketch is what can be seen of a page at a glance: enough to tell a page from the stand-ins that
// servers send for it, at a small part of the cost of parsing it. Text is in lower case, with white
// space collapsed.
type sketch struct {
	title, heading string // of the first title and h1
	text           string // visible, up to maxGlance bytes; headings too
	long           bool   // there is more than that
	prose          int    // runs of text that are as long as a paragraph
	password       bool   // there is a field for a password
	challenge      bool   // there are scripts or fields that check for robots
}

// Bounds of a glance.
const (
	maxGlance  = 6000    // bytes of visible text
	maxMarkup  = 1 << 18 // bytes that are looked at
	paragraph  = 160     // bytes of text that no button or menu has
	enoughText = 3       // paragraphs that make a page
	shortPage  = 1500    // bytes of visible text that an error page may have
	tinyPage   = 400     // bytes of a page that says one thing
)

// isPage reports whether there is enough text for the page to be one, whatever it says.
func (s *sketch) isPage() bool { return s.long || s.prose >= enoughText }

// inline are the elements that do not end a run of text.
func isInline(tag string) bool {
	switch tag {
	case "a", "abbr", "b", "bdi", "bdo", "cite", "code", "em", "i", "kbd", "mark", "q", "s", "small", "span", "strong", "sub", "sup", "time", "u", "wbr", "font", "tt":
		return true
	}
	return false
}

// sketchOf looks at a page, from its start until it has seen enough.
func sketchOf(body []byte) *sketch {
	if len(body) > maxMarkup {
		body = body[:maxMarkup]
	}
	s := &sketch{}
	var text, run []byte
	into := "" // "title" or "h1" while inside
	var caught []byte
	flush := func() {
		if len(run) >= paragraph {
			s.prose++
		}
		text = append(text, run...)
		if len(run) > 0 {
			text = append(text, ' ')
		}
		run = run[:0]
	}
	for len(body) > 0 && !s.isPage() {
		open := bytes.IndexByte(body, '<')
		if open < 0 {
			open = len(body)
		}
		if into == "title" {
			caught = appendText(caught, body[:open])
		} else {
			run = appendText(run, body[:open])
			if into == "h1" {
				caught = appendText(caught, body[:open])
			}
		}
		s.long = len(text)+len(run) > maxGlance
		body = body[open:]
		if len(body) == 0 {
			break
		}
		name, closes, rest := tagAt(body)
		tag := body[:len(body)-len(rest)]
		body = rest
		switch {
		case name == "":
			// a comment, a declaration, or a '<' in the text
		case (name == "script" || name == "style" || name == "noscript" || name == "template" || name == "svg") && !closes:
			s.look(tag)
			inner, after := skipTo(body, name)
			if name == "script" {
				s.look(inner[:min(len(inner), 4<<10)])
			}
			body = after
		case name == into && closes:
			s.catch(into, caught)
			into, caught = "", caught[:0]
			flush()
		case (name == "title" && s.title == "" || name == "h1" && s.heading == "") && !closes && into == "":
			flush()
			into = name
		case name == "input" || name == "iframe" || name == "form" || name == "div":
			s.look(tag)
			flush()
		case !isInline(name):
			flush()
		}
	}
	if into != "" {
		s.catch(into, caught)
	}
	flush()
	if len(text) > maxGlance {
		text = text[:maxGlance]
	}
	s.text = strings.TrimSpace(string(text))
	return s
}

func (s *sketch) catch(into string, text []byte) {
	t := strings.TrimSpace(string(text[:min(len(text), 512)]))
	if into == "title" {
		s.title = t
	} else {
		s.heading = t
	}
}

// look searches a tag or the start of a script for what asks for a password or a proof.
func (s *sketch) look(b []byte) {
	if len(b) > 4<<10 {
		b = b[:4<<10]
	}
	lower := bytes.ToLower(b)
	if bytes.HasPrefix(lower, []byte("<input")) && bytes.Contains(lower, []byte("password")) {
		s.password = true
	}
	for _, mark := range challenges {
		if bytes.Contains(lower, []byte(mark)) {
			s.challenge = true
		}
	}
}

// tagAt reads a tag at the start of b: its name in lower case, whether it is an end tag, and what
// follows it. The name is empty if it is none.
func tagAt(b []byte) (name string, closes bool, rest []byte) {
	if bytes.HasPrefix(b, []byte("<!--")) {
		if end := bytes.Index(b[4:], []byte("-->")); end >= 0 {
			return "", false, b[4+end+3:]
		}
		return "", false, nil
	}
	i := 1
	if i < len(b) && b[i] == '/' {
		closes = true
		i++
	}
	start := i
	for i < len(b) && (b[i]|0x20 >= 'a' && b[i]|0x20 <= 'z' || i > start && b[i] >= '0' && b[i] <= '9') {
		i++
	}
	if i == start && !bytes.HasPrefix(b, []byte("<!")) && !bytes.HasPrefix(b, []byte("<?")) && !closes {
		return "", false, b[1:] // a '<' in the text
	}
	end := bytes.IndexByte(b[i:], '>')
	if end < 0 {
		return "", false, nil
	}
	if i-start > 16 {
		return "x", closes, b[i+end+1:] // some element of no interest
	}
	return strings.ToLower(string(b[start:i])), closes, b[i+end+1:]
}

// skipTo returns what stands before the end tag of an element that holds no text, and what stands
// behind it.
func skipTo(b []byte, name string) (inner, rest []byte) {
	for from := 0; ; {
		i := bytes.Index(b[from:], []byte("</"))
		if i < 0 {
			return b, nil
		}
		at := from + i
		after := b[at+2:]
		if len(after) >= len(name) && strings.EqualFold(string(after[:len(name)]), name) {
			if end := bytes.IndexByte(after, '>'); end >= 0 {
				return b[:at], after[end+1:]
			}
			return b[:at], nil
		}
		from = at + 2
	}
}

// appendText appends text to a run: lower case, white space collapsed, the commonest entities
// decoded.
func appendText(run, b []byte) []byte {
	if len(b) == 0 {
		return run
	}
	if bytes.IndexByte(b, '&') >= 0 {
		b = entities(b)
	}
	for _, c := range b {
		switch {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f':
			if len(run) == 0 || run[len(run)-1] == ' ' {
				continue
			}
			c = ' '
		case 'A' <= c && c <= 'Z':
			c |= 0x20
		}
		run = append(run, c)
	}
	return run
}

func entities(b []byte) []byte {
	for _, e := range [...][2]string{{"&nbsp;", " "}, {"&#39;", "'"}, {"&rsquo;", "'"}, {"&#8217;", "'"}, {"&quot;", `"`}, {"&amp;", "&"}} {
		b = bytes.ReplaceAll(b, []byte(e[0]), []byte(e[1]))
	}
	return b
}
