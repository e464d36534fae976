package warc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// readHead reads a record head, from "WARC/" to the empty line. Lines may end
// in LF alone and may be folded. A head that cannot be read is returned as
// *Damage with the reader moved to the next one.
func (r *Reader) readHead() (version string, h Header, flaws []*Damage, err error) {
	at := r.s.position()
	bad := func(format string, args ...any) error {
		return r.lost(&Damage{BadHeader, at, fmt.Sprintf(format, args...)})
	}
	r.head = r.head[:0]
	from := 0 // start of the line being read; it may be longer than the buffer
	for {
		line, err := r.s.cur().ReadSlice('\n')
		r.head = append(r.head, line...)
		switch {
		case len(r.head) > r.opt.MaxHeader:
			return "", nil, nil, bad("record head of more than %d bytes", r.opt.MaxHeader)
		case err == nil:
			if l := bytes.TrimRight(r.head[from:], "\r\n"); len(l) > 0 {
				from = len(r.head)
				continue
			}
			version, h, flaws, ok := parseHead(r.head, at)
			if !ok {
				return "", nil, nil, bad("no version in %s", show(r.head))
			}
			return version, h, flaws, nil
		case errors.Is(err, io.EOF):
			if !r.s.zipped {
				d := &Damage{Truncated, at, "the file ends inside a record head"}
				_ = r.final(io.EOF)
				return "", nil, nil, d
			}
			switch err = r.s.advance(); {
			case err == nil:
				continue
			case errors.Is(err, errNextRecord):
				return "", nil, nil, &Damage{BadHeader, at, "gzip member ends inside a record head"}
			case errors.Is(err, io.EOF):
				_ = r.final(io.EOF)
				return "", nil, nil, &Damage{Truncated, at, "the file ends inside a record head"}
			}
			return "", nil, nil, r.broken(err)
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", nil, nil, r.broken(err)
		}
	}
}

// parseHead takes a complete head apart. Lines without a colon are flaws and
// are left out, as nobody can know what they mean.
func parseHead(b []byte, at int64) (version string, h Header, flaws []*Damage, ok bool) {
	line, rest, _ := bytes.Cut(b, []byte("\n"))
	version = strings.TrimSpace(strings.TrimPrefix(string(line), magic))
	if version == "" || len(version) > 16 || version[0] < '0' || version[0] > '9' {
		return "", nil, nil, false
	}
	if !utf8.Valid(rest) {
		flaws = append(flaws, &Damage{BadHeader, at, "record head is not UTF-8; read as ISO 8859-1"})
	}
	h, bad := parseFields(rest)
	if bad > 0 {
		flaws = append(flaws, &Damage{BadHeader, at, fmt.Sprintf("%d head lines without a field name", bad)})
	}
	return version, h, flaws, true
}

// parseFields reads "name: value" lines up to an empty one. Both WARC/1.1
// (section 4) and HTTP fold long values: a line that starts with a space or
// tab belongs to the line before. It also counts the lines that are no field.
func parseFields(b []byte) (h Header, bad int) {
	// One string and one slice hold all fields, whatever their number.
	h = make(Header, 0, bytes.Count(b, []byte("\n")))
	text := cleanText(b)
	open := false // whether the last line was a field that may go on
	for len(text) > 0 {
		line, rest, _ := strings.Cut(text, "\n")
		text = rest
		line = strings.TrimRight(line, "\r")
		if line == "" {
			break
		}
		if line[0] == ' ' || line[0] == '\t' {
			more := strings.Trim(line, " \t")
			switch {
			case !open:
				bad++
			case more != "":
				// Gathering all folds of one value at once keeps a head of a
				// hundred thousand folds linear.
				h[len(h)-1].Value, text = unfold(h[len(h)-1].Value, more, text)
			}
			continue
		}
		name, value, found := strings.Cut(line, ":")
		name = strings.TrimRight(name, " \t")
		if open = found && name != ""; !open {
			bad++
			continue
		}
		h = append(h, Field{name, strings.Trim(value, " \t\r")})
	}
	return h, bad
}

// unfold joins value, the first folded line and those that follow in text, each
// with one space between, and returns the text behind them.
func unfold(value, more, text string) (joined, rest string) {
	var b strings.Builder
	b.WriteString(value)
	for {
		if more != "" {
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(more)
		}
		if text == "" || (text[0] != ' ' && text[0] != '\t') {
			return b.String(), text
		}
		more, text, _ = strings.Cut(text, "\n")
		more = strings.Trim(more, " \t\r")
	}
}

// cleanText makes a head a valid string: bytes that are not UTF-8 are read as
// ISO 8859-1, which loses nothing, and NUL becomes a space (RFC 9110, section
// 5.5, allows no other way to keep the field).
func cleanText(b []byte) string {
	var s string
	if utf8.Valid(b) {
		s = string(b)
	} else {
		var sb strings.Builder
		sb.Grow(len(b) + len(b)/8)
		for _, c := range b {
			sb.WriteRune(rune(c))
		}
		s = sb.String()
	}
	return strings.ReplaceAll(s, "\x00", " ")
}

// show quotes the first bytes of b for a message.
func show(b []byte) string {
	const most = 24
	if len(b) > most {
		return fmt.Sprintf("%q...", b[:most])
	}
	return fmt.Sprintf("%q", b)
}
