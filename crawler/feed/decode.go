package feed

import (
	"bufio"
	"bytes"
	"io"
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// declaration is an XML declaration at the start of a document.
var declaration = regexp.MustCompile(`^\s*<\?xml\s[^>]*\?>`)

// declaredEncoding finds the encoding in a declaration.
var declaredEncoding = regexp.MustCompile(`\sencoding\s*=\s*["']([A-Za-z0-9._:-]+)["']`)

// decode returns a document as UTF-8 without its XML declaration and leading space. The encoding
// is that of a byte order mark, else the declared one, else UTF-8. The XML parser would stop at
// octets that are wrong in the encoding and at control characters; here the former become U+FFFD
// and the latter blanks.
func decode(r io.Reader) (*bufio.Reader, error) {
	raw := bufio.NewReader(r)
	head, err := raw.Peek(512)
	if len(head) == 0 && err != io.EOF {
		return nil, err
	}
	enc := unicode.UTF8.NewDecoder().Transformer
	if m := declaredEncoding.FindSubmatch(declaration.Find(head)); m != nil {
		// A declaration read as ASCII cannot be in UTF-16, whatever it says.
		if e, name := charset.Lookup(string(m[1])); e != nil && !strings.HasPrefix(name, "utf-16") {
			enc = e.NewDecoder().Transformer
		}
	}
	text := bufio.NewReader(blankControls{transform.NewReader(raw, unicode.BOMOverride(enc))})
	skipSpace(text)
	head, err = text.Peek(512)
	if len(head) == 0 && err != io.EOF {
		return nil, err
	}
	if _, err := text.Discard(len(declaration.Find(head))); err != nil {
		return nil, err
	}
	skipSpace(text)
	return text, nil
}

// blankControls replaces the controls that XML forbids by blanks, in UTF-8.
type blankControls struct{ r io.Reader }

func (c blankControls) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	for i, x := range b[:n] {
		if x < ' ' && x != '\t' && x != '\n' && x != '\r' {
			b[i] = ' '
		}
	}
	return n, err
}

// plainText makes one line of text of a title: markup removed, entities read, white space joined.
// Formats differ in whether a title is text or markup, and feeds do not keep to them.
func plainText(s string) string {
	if strings.ContainsAny(s, "<&") {
		var out bytes.Buffer
		z := html.NewTokenizer(strings.NewReader(s))
		for tt := z.Next(); tt != html.ErrorToken; tt = z.Next() {
			if tt == html.TextToken {
				out.Write(z.Text())
			}
		}
		s = out.String()
	}
	return strings.Join(strings.Fields(s), " ")
}
