package warc

import (
	"bytes"
	"strconv"
	"strings"
)

// HTTPMessage is the block of a response, request or revisit record.
type HTTPMessage struct {
	// Head is the head exactly as recorded, status line to empty line; Payload
	// the bytes behind it, with their codings. Both share memory with the block.
	Head    []byte
	Payload []byte

	Proto  string // "HTTP/1.1", as recorded
	Status int    // of a response; 0 when the status line has none
	Reason string // of a response
	Method string // of a request
	Target string // of a request

	Header   Header // fields in order; see Header for text that is not UTF-8
	BadLines int    // head lines that are no field
	Ended    bool   // the head ends in an empty line, as it must
}

// ParseHTTP takes an HTTP message apart. It accepts what is found in archives:
// lines that end in LF, folded fields, a status line without reason, with extra
// spaces or in lower case, HTTP/2 written as text, a head alone without its
// empty line. For a block with no start line, or a head beyond 1 MiB, it returns
// a *Damage of kind BadHTTP with offset -1, beside a message whose Payload is
// the whole block.
func ParseHTTP(block []byte) (*HTTPMessage, error) {
	n := headEnd(block[:min(len(block), maxHTTPHead)], 0)
	m := &HTTPMessage{Ended: n >= 0}
	if n < 0 {
		if n = len(block); n > maxHTTPHead {
			return &HTTPMessage{Payload: block}, &Damage{BadHTTP, -1, "HTTP head does not end: " + show(block)}
		}
	}
	line, rest, _ := bytes.Cut(block[:n], []byte("\n"))
	if !m.startLine(cleanText(bytes.TrimRight(line, "\r"))) {
		return &HTTPMessage{Payload: block}, &Damage{BadHTTP, -1, "no HTTP start line but " + show(block)}
	}
	m.Head, m.Payload = block[:n:n], block[n:]
	m.Header, m.BadLines = parseFields(rest)
	return m, nil
}

// startLine reads a status line or request line.
//
//	status-line  = version SP code [ SP reason ]
//	request-line = method SP target SP version
func (m *HTTPMessage) startLine(line string) bool {
	first, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	if isProto(first) {
		m.Proto = first
		code, reason, _ := strings.Cut(strings.TrimSpace(rest), " ")
		n, err := strconv.ParseUint(code, 10, 16)
		if err != nil || n > 999 {
			// A status nobody can read: keep the words, the code stays 0.
			m.Reason = strings.TrimSpace(rest)
			return true
		}
		m.Status, m.Reason = int(n), strings.TrimSpace(reason)
		return true
	}
	i := strings.LastIndexByte(rest, ' ')
	if i < 0 || first == "" || !isProto(rest[i+1:]) {
		return false
	}
	m.Method, m.Target, m.Proto = first, strings.TrimSpace(rest[:i]), rest[i+1:]
	return true
}

// isProto accepts "HTTP", "HTTP/1.1", "HTTP/2" and so on in any letter case, and
// "ICY", with which audio servers answer.
func isProto(s string) bool {
	name, version, slash := strings.Cut(s, "/")
	if strings.EqualFold(name, "ICY") {
		return !slash
	}
	return strings.EqualFold(name, "HTTP") && strings.Trim(version, "0123456789.") == ""
}

// MediaType returns Content-Type in lower case, without parameters.
func (m *HTTPMessage) MediaType() string {
	t, _, _ := strings.Cut(m.Header.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(t))
}
