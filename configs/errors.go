package configs

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Error is one fault in a configuration file.
type Error struct {
	File    string `json:"file"`              // as it was named to Load; empty where no file is concerned
	Line    int    `json:"line,omitempty"`    // from 1; 0 where the fault has no place in the file
	Column  int    `json:"column,omitempty"`  // from 1, in characters
	Key     string `json:"key,omitempty"`     // such as watches[2].schedule, counted within File
	Found   string `json:"found,omitempty"`   // the value found, redacted where it may be secret
	Allowed string `json:"allowed,omitempty"` // the values allowed, in words
	Message string `json:"message"`           // what is wrong; reads on from Found
}

// Error gives one line: file:line:column: key: "found" message; allowed: values.
func (e Error) Error() string {
	var b strings.Builder
	b.WriteString(e.place())
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	if e.Key != "" {
		b.WriteString(e.Key + ": ")
	}
	if e.Found != "" {
		b.WriteString(strconv.Quote(shorten(e.Found)) + " ")
	}
	b.WriteString(e.Message)
	if e.Allowed != "" {
		b.WriteString("; allowed: " + e.Allowed)
	}
	return b.String()
}

// place gives file:line:column as far as it is known.
func (e Error) place() string {
	if e.Line == 0 {
		return e.File
	}
	return fmt.Sprintf("%s:%d:%d", e.File, e.Line, e.Column)
}

// within reports whether another fault concerns the same value, or one that holds it or is held by it.
func (e Error) within(other Error) bool {
	below := func(inner, outer string) bool {
		rest, ok := strings.CutPrefix(inner, outer)
		return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
	}
	return e.File == other.File && (below(e.Key, other.Key) || below(other.Key, e.Key))
}

// shorten keeps a value of any length from filling the screen.
func shorten(s string) string {
	const most = 80
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}

// Errors is every fault of a configuration, in the order of files and lines.
type Errors []Error

// Error gives one line a fault.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, one := range e {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// sort orders the faults of each file by place; the files keep the order in which they were read.
func (e Errors) sort(files []string) {
	slices.SortStableFunc(e, func(a, b Error) int {
		return cmp.Or(
			cmp.Compare(slices.Index(files, a.File), slices.Index(files, b.File)),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column),
		)
	})
}

// fault is what the parser of a single value gives back; the decoder adds file, place, key and the value.
type fault struct {
	message, allowed string
}

func (f *fault) Error() string {
	if f.allowed == "" {
		return f.message
	}
	return f.message + "; allowed: " + f.allowed
}
