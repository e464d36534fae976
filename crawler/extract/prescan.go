package extract

import (
	"bytes"

	"golang.org/x/net/html"
	"golang.org/x/text/encoding"
)

// prescanSize is how far a meta element is looked for. The HTML standard asks
// for 1024 bytes and then lets the parser start over when it meets a meta later;
// this is near enough to both.
const prescanSize = 8 << 10

// prescan looks for a meta element that names an encoding (13.2.3.2, "prescan").
func prescan(body []byte) (encoding.Encoding, string) {
	body = body[:min(len(body), prescanSize)]
	if !containsFold(body, "charset") {
		return nil, ""
	}
	z := html.NewTokenizer(bytes.NewReader(body))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return nil, ""
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			if string(name) == "body" {
				return nil, ""
			}
			if string(name) != "meta" {
				continue
			}
			var direct, content string
			pragma := false
			for more {
				var key, val []byte
				key, val, more = z.TagAttr()
				switch string(key) {
				case "charset":
					direct = string(val)
				case "content":
					content = string(val)
				case "http-equiv":
					pragma = equalFold(trimSpace(val), "content-type")
				}
			}
			if direct == "" && pragma {
				direct = charsetParam(content)
			}
			if e, found := lookup(direct); e != nil {
				if found == "x-user-defined" {
					return lookup("windows-1252")
				}
				return lookup(notUTF16(found))
			}
		}
	}
}

// containsFold reports whether b holds s, which is ASCII in lower case.
func containsFold(b []byte, s string) bool {
	for i := 0; i+len(s) <= len(b); i++ {
		if b[i]|0x20 == s[0] && equalFold(b[i:i+len(s)], s) {
			return true
		}
	}
	return false
}

// xmlEncoding returns the encoding of an XML declaration at the start of body.
func xmlEncoding(body []byte) string {
	if !bytes.HasPrefix(body, []byte("<?xml")) {
		return ""
	}
	decl, _, found := bytes.Cut(body[:min(len(body), 1024)], []byte("?>"))
	if !found {
		return ""
	}
	_, v, found := bytes.Cut(decl, []byte("encoding"))
	if !found {
		return ""
	}
	v = trimSpace(v)
	if len(v) == 0 || v[0] != '=' {
		return ""
	}
	v = trimSpace(v[1:])
	if len(v) == 0 || v[0] != '"' && v[0] != '\'' {
		return ""
	}
	v, _, _ = bytes.Cut(v[1:], v[:1])
	return string(v)
}
