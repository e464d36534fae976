package mask

import (
	"encoding/binary"
	"errors"
	"time"
)

var errState = errors.New("mask: state is damaged")

const (
	stateFormat = 1
	maxString   = 1024 // bytes of a selector or pattern
	maxChunk    = 1 << 16
	maxUnix     = 1 << 37 // year 6325
)

// MarshalBinary returns the Mask for the page's row, some 60 bytes a rule. All
// numbers but the first are uvarints:
//
//	format (one byte), pairs, number of rules, then of each:
//	  selector: bytes shared with the last one, length of the rest, the rest
//	  kind, and for Tokens: chunk, length of the pattern, pattern
//	  pairs, quiet, first (Unix seconds), last-first, hash
func (m *Mask) MarshalBinary() ([]byte, error) {
	b := []byte{stateFormat}
	put := func(v int) { b = binary.AppendUvarint(b, uint64(v)) }
	text := func(s string) { put(len(s)); b = append(b, s...) }
	put(m.pairs)
	put(len(m.rules))
	last := ""
	for _, r := range m.rules {
		n := 0
		for n < min(len(last), len(r.Selector)) && last[n] == r.Selector[n] {
			n++
		}
		put(n)
		text(r.Selector[n:])
		last = r.Selector
		put(int(r.Kind))
		if r.Kind == Tokens {
			put(r.Chunk)
			text(r.Pattern)
		}
		put(r.Pairs)
		put(r.Quiet)
		first := max(0, r.First.Unix())
		put(int(first))
		put(int(max(0, r.Last.Unix()-first)))
		put(int(r.hash))
	}
	return b, nil
}

// UnmarshalBinary restores what MarshalBinary returned. No bytes at all are the
// zero Mask. On an error the Mask is not changed.
func (m *Mask) UnmarshalBinary(b []byte) error {
	if len(b) == 0 {
		*m = Mask{}
		return nil
	}
	if b[0] != stateFormat {
		return errState
	}
	r := reader{b: b[1:]}
	n := Mask{pairs: r.uint(1 << 40)}
	last := ""
	for range r.uint(maxRules) {
		rule := r.rule(last)
		last = rule.Selector
		if k := len(n.rules); r.bad || k > 0 && compareRules(n.rules[k-1], rule) >= 0 {
			return errState
		}
		n.rules = append(n.rules, rule)
	}
	if r.bad || len(r.b) > 0 {
		return errState
	}
	*m = n
	return nil
}

// reader reads a state; after the first fault it is bad and gives zeros.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) rule(last string) Rule {
	var rule Rule
	shared := r.uint(len(last))
	rule.Selector = last[:shared] + r.text()
	rule.Kind = Kind(r.uint(int(Block)))
	if rule.Kind == Tokens {
		rule.Chunk = r.uint(maxChunk)
		rule.Pattern = r.text()
	}
	rule.Pairs, rule.Quiet = r.uint(1<<40), r.uint(1<<40)
	first := int64(r.uint(maxUnix))
	rule.First = time.Unix(first, 0).UTC()
	rule.Last = time.Unix(first+int64(r.uint(maxUnix)), 0).UTC()
	rule.hash = uint32(r.uint(1<<32 - 1))
	var err error
	if rule.path, err = parsePath(rule.Selector); err != nil || len(rule.Selector) > maxString {
		r.bad = true
	}
	if rule.form, err = parsePattern(rule.Pattern); err != nil || rule.form.String() != rule.Pattern || (rule.Kind == Tokens) != (len(rule.form) > 0) {
		r.bad = true
	}
	return rule
}

// uint reads an uvarint up to most.
func (r *reader) uint(most int) int {
	v, n := binary.Uvarint(r.b)
	if r.bad || n <= 0 || v > uint64(most) || n > 1 && r.b[n-1] == 0 {
		r.bad = true
		return 0
	}
	r.b = r.b[n:]
	return int(v)
}

func (r *reader) text() string {
	n := r.uint(maxString)
	if r.bad || n > len(r.b) {
		r.bad = true
		return ""
	}
	s := string(r.b[:n])
	r.b = r.b[n:]
	return s
}
