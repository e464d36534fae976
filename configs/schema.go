package configs

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// keyOf gives the key of a field of the schema, "" for a field that is none.
func keyOf(f reflect.StructField) string {
	if key := f.Tag.Get("yaml"); f.IsExported() && key != "-" {
		return key
	}
	return ""
}

// fieldOf gives the field with that key.
func fieldOf(t reflect.Type, key string) (reflect.StructField, bool) {
	for i := range t.NumField() {
		if f := t.Field(i); key != "" && keyOf(f) == key {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

// keysOf gives the keys of a section in the order of the schema.
func keysOf(t reflect.Type) []string {
	var keys []string
	for i := range t.NumField() {
		if key := keyOf(t.Field(i)); key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}

// hasKeys tells a section from a value that merely is a struct in Go.
func hasKeys(t reflect.Type) bool { return t.Kind() == reflect.Struct && len(keysOf(t)) > 0 }

// limits are what the jsonschema tag of a field allows; the zero limits allow everything.
type limits struct {
	minimum, maximum, below *float64
	enum                    []string
}

func limitsOf(f reflect.StructField) limits {
	var l limits
	for setting := range strings.SplitSeq(f.Tag.Get("jsonschema"), ",") {
		key, value, _ := strings.Cut(setting, "=")
		number, err := strconv.ParseFloat(value, 64)
		switch {
		case key == "enum":
			l.enum = append(l.enum, value)
		case err != nil:
		case key == "minimum":
			l.minimum = &number
		case key == "maximum":
			l.maximum = &number
		case key == "exclusiveMaximum":
			l.below = &number
		}
	}
	return l
}

// holds reports whether the number is within the limits.
func (l limits) holds(n float64) bool {
	return (l.minimum == nil || n >= *l.minimum) && (l.maximum == nil || n <= *l.maximum) && (l.below == nil || n < *l.below)
}

// allows reports whether the text is one of the enum, if there is any.
func (l limits) allows(text string) bool { return len(l.enum) == 0 || slices.Contains(l.enum, text) }

// String says the limits in words.
func (l limits) String() string {
	number := func(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
	switch {
	case len(l.enum) > 0:
		return strings.Join(l.enum, ", ")
	case l.minimum != nil && l.maximum != nil:
		return fmt.Sprintf("%s to %s", number(*l.minimum), number(*l.maximum))
	case l.minimum != nil && l.below != nil:
		return fmt.Sprintf("%s or more, less than %s", number(*l.minimum), number(*l.below))
	}
	return ""
}
