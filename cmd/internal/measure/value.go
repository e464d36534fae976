package measure

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// value is a part of the document with its path. Its accessors panic with an
// *InputError where the document is not as they need it.
type value struct {
	v    any
	path string
}

func (v value) fail(format string, args ...any) {
	panic(&InputError{v.path, fmt.Sprintf(format, args...)})
}

func (v value) kind() string {
	switch v.v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case json.Number:
		return "a number"
	case string:
		return "a string"
	case []any:
		return "a list"
	}
	return "an object"
}

func (v value) null() bool { return v.v == nil }

// object checks that v is an object with no other keys than those named.
func (v value) object(keys ...string) value {
	m, ok := v.v.(map[string]any)
	if !ok {
		v.fail("must be an object, not %s", v.kind())
	}
	for k := range m {
		if !slices.Contains(keys, k) {
			value{nil, v.path + "." + k}.fail("unknown key; known are %s", strings.Join(keys, ", "))
		}
	}
	return v
}

// fields gives the members of an object with free keys, in alphabetical order.
func (v value) fields() (names []string, members map[string]value) {
	m, ok := v.v.(map[string]any)
	if !ok {
		v.fail("must be an object, not %s", v.kind())
	}
	members = make(map[string]value, len(m))
	for k, x := range m {
		names = append(names, k)
		members[k] = value{x, v.path + "." + k}
	}
	slices.Sort(names)
	return names, members
}

// get gives a member that must be there.
func (v value) get(key string) value {
	m, _ := v.v.(map[string]any)
	x, ok := m[key]
	if !ok {
		value{nil, v.path + "." + key}.fail("missing")
	}
	return value{x, v.path + "." + key}
}

// opt gives a member that may be missing.
func (v value) opt(key string) (value, bool) {
	m, _ := v.v.(map[string]any)
	x, ok := m[key]
	return value{x, v.path + "." + key}, ok
}

func (v value) list() []value {
	l, ok := v.v.([]any)
	if !ok {
		v.fail("must be a list, not %s", v.kind())
	}
	out := make([]value, len(l))
	for i, x := range l {
		out[i] = value{x, fmt.Sprintf("%s[%d]", v.path, i)}
	}
	return out
}

func (v value) text() string {
	s, ok := v.v.(string)
	if !ok {
		v.fail("must be a string, not %s", v.kind())
	}
	return s
}

func (v value) texts() []string {
	l := v.list()
	out := make([]string, len(l))
	for i, x := range l {
		out[i] = x.text()
	}
	return out
}

// number reads a number, or a string that holds one, such as "9/10" or "0.5".
func (v value) number() float64 {
	var s string
	switch x := v.v.(type) {
	case json.Number:
		s = x.String()
	case string:
		s = strings.TrimSpace(x)
	default:
		v.fail("must be a number, not %s", v.kind())
	}
	if len(s) > 400 {
		v.fail("is too long for a number")
	}
	if _, exponent, ok := strings.Cut(strings.ToLower(s), "e"); ok && len(strings.TrimLeft(exponent, "+-0")) > 3 {
		v.fail("%q is out of range", s)
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		v.fail("%q is not a number", s)
	}
	f, _ := r.Float64()
	return f
}

func (v value) numbers() []float64 {
	l := v.list()
	out := make([]float64, len(l))
	for i, x := range l {
		out[i] = x.number()
	}
	return out
}

// integer reads a whole number within bounds.
func (v value) integer(least, most int) int {
	f := v.number()
	if f != float64(int(f)) || int(f) < least || int(f) > most {
		v.fail("must be a whole number from %d to %d", least, most)
	}
	return int(f)
}
