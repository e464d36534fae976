package extract

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/transform"
)

// CharsetSource tells how the encoding of a body was decided.
type CharsetSource uint8

const (
	FromGuess  CharsetSource = iota // by looking at the bytes
	FromBOM                         // by a byte order mark
	FromHeader                      // by the Content-Type header
	FromMeta                        // by a meta element
	FromXML                         // by the XML declaration
)

// String returns the name of the source in lower case.
func (c CharsetSource) String() string {
	names := [...]string{"guess", "bom", "header", "meta", "xml"}
	if int(c) < len(names) {
		return names[c]
	}
	return "unknown"
}

// decoder turns bodies into UTF-8. It keeps its buffer from body to body.
type decoder struct {
	buf []byte
}

// decoded is a body in valid UTF-8 without NUL and byte order mark. The text is
// the body itself or the decoder's buffer.
type decoded struct {
	text   []byte
	name   string
	from   CharsetSource
	misfit bool // the bytes do not fit the label
}

// decode decides on the encoding as browsers do (HTML standard 13.2.3.2): byte
// order mark, header, declaration in the markup, guess. It departs from them
// where the bytes show that the label is wrong: then it guesses, too.
func (d *decoder) decode(body []byte, contentType string) decoded {
	enc, name, from := label(body, contentType)
	if from == FromBOM {
		body = body[len(bomOf(body)):]
	}
	if enc == nil {
		name, enc = guess(body)
	}
	text, bad := d.read(enc, name, body)
	out := decoded{text: text, name: name, from: from}
	if from != FromGuess {
		out.misfit = tooMany(text, bad) || from != FromBOM && isUTF8InDisguise(name, body)
	}
	if out.misfit {
		if other, e := guess(body); other != name {
			keep := append([]byte(nil), text...)
			if text2, bad2 := d.read(e, other, body); bad2 <= bad/4 {
				out.text, out.name, out.from = text2, other, FromGuess
			} else {
				out.text = keep
			}
		}
	}
	out.text = d.dropNUL(out.text)
	return out
}

// isUTF8InDisguise reports whether a body with another label is UTF-8. Under a
// single-byte encoding a few characters may look so by chance; pairs of bytes of an
// East Asian one would have to do so all of them; and UTF-16 of markup is full of
// zero bytes.
func isUTF8InDisguise(name string, body []byte) bool {
	switch {
	case name == "utf-8" || name == "iso-2022-jp":
		return false
	case strings.HasPrefix(name, "utf-16"):
		return len(body) > 0 && bytes.IndexByte(body, 0) < 0 && utf8.Valid(body)
	}
	good, bad := countUTF8(body)
	if singleByte(name) {
		return good >= 4 && bad*20 <= good
	}
	return good >= 8 && bad == 0
}

// tooMany reports whether bad characters are more than a few slips: one in
// twenty of those outside of ASCII.
func tooMany(text []byte, bad int) bool {
	if bad < 3 {
		return false
	}
	wide := 0
	for _, c := range text {
		if c >= 0xC0 {
			wide++
		}
	}
	return bad*20 > wide
}

// label returns the encoding that the response or the page names, nil if none.
func label(body []byte, contentType string) (encoding.Encoding, string, CharsetSource) {
	if bom := bomOf(body); bom != "" {
		name := "utf-8"
		switch bom {
		case "\xFE\xFF":
			name = "utf-16be"
		case "\xFF\xFE":
			name = "utf-16le"
		}
		e, _ := htmlindex.Get(name)
		return e, name, FromBOM
	}
	if e, name := lookup(charsetParam(contentType)); e != nil {
		return e, name, FromHeader
	}
	if e, name := lookup(xmlEncoding(body)); e != nil {
		e, name = lookup(notUTF16(name)) // who can read it knows that it is not UTF-16
		return e, name, FromXML
	}
	if e, name := prescan(body); e != nil {
		return e, name, FromMeta
	}
	return nil, "", FromGuess
}

func bomOf(body []byte) string {
	for _, bom := range [...]string{"\xEF\xBB\xBF", "\xFE\xFF", "\xFF\xFE"} {
		if bytes.HasPrefix(body, []byte(bom)) {
			return bom
		}
	}
	return ""
}

// lookup finds an encoding by any of its labels. The "replacement" encoding,
// which stands for ones that browsers refuse, counts as none.
func lookup(label string) (encoding.Encoding, string) {
	if label == "" {
		return nil, ""
	}
	e, err := htmlindex.Get(label)
	if err != nil || e == encoding.Replacement {
		return nil, ""
	}
	name, err := htmlindex.Name(e)
	if err != nil {
		return nil, ""
	}
	return e, name
}

// charsetParam returns the charset parameter of a Content-Type. It forgives
// what mime.ParseMediaType does not: repeated parameters, missing semicolons.
func charsetParam(contentType string) string {
	low := strings.ToLower(contentType)
	for {
		_, after, found := strings.Cut(low, "charset")
		if !found {
			return ""
		}
		low = after
		v, ok := strings.CutPrefix(strings.TrimLeft(after, " \t"), "=")
		if !ok {
			continue
		}
		v = strings.TrimLeft(v, " \t")
		if v != "" && (v[0] == '"' || v[0] == '\'') {
			v, _, _ = strings.Cut(v[1:], v[:1])
			return strings.TrimSpace(v)
		}
		if i := strings.IndexAny(v, ";, \t"); i >= 0 {
			v = v[:i]
		}
		return v
	}
}

func notUTF16(name string) string {
	if strings.HasPrefix(name, "utf-16") {
		return "utf-8"
	}
	return name
}

// singleByte reports the encodings in which any bytes are text, so that a wrong
// label does not show as an error.
func singleByte(name string) bool {
	return strings.HasPrefix(name, "windows-") || strings.HasPrefix(name, "iso-8859-") ||
		strings.HasPrefix(name, "koi8-") || name == "macintosh" || name == "ibm866"
}

// read decodes body and counts the characters that could not be decoded.
func (d *decoder) read(enc encoding.Encoding, name string, body []byte) ([]byte, int) {
	if name == "utf-8" {
		if utf8.Valid(body) {
			return body, 0
		}
		return d.repair(body)
	}
	t := enc.NewDecoder().Transformer
	if cap(d.buf) < 2*len(body)+64 {
		d.buf = make([]byte, 2*len(body)+64)
	}
	dst, n := d.buf[:cap(d.buf)], 0
	for src := body; ; {
		nd, ns, err := t.Transform(dst[n:], src, true)
		n += nd
		src = src[ns:]
		if !errors.Is(err, transform.ErrShortDst) {
			break
		}
		grown := make([]byte, 2*len(dst))
		copy(grown, dst[:n])
		dst = grown
	}
	d.buf = dst
	return dst[:n], bytes.Count(dst[:n], []byte("\uFFFD"))
}

// repair puts U+FFFD for each byte that is not part of valid UTF-8.
func (d *decoder) repair(body []byte) ([]byte, int) {
	out, bad := d.buf[:0], 0
	for len(body) > 0 {
		i := 0
		for i < len(body) {
			if body[i] < utf8.RuneSelf {
				i++
				continue
			}
			r, n := utf8.DecodeRune(body[i:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			i += n
		}
		out = append(out, body[:i]...)
		body = body[i:]
		if len(body) > 0 {
			out = append(out, "\uFFFD"...)
			body = body[1:]
			bad++
		}
	}
	d.buf = out
	return out, bad
}

// dropNUL removes NUL characters, which HTML drops from text and PostgreSQL
// cannot store. It does not change the body.
func (d *decoder) dropNUL(b []byte) []byte {
	if bytes.IndexByte(b, 0) < 0 {
		return b
	}
	out := make([]byte, 0, len(b))
	for _, c := range b {
		if c != 0 {
			out = append(out, c)
		}
	}
	return out
}
