package configs

import (
	"bytes"
	"errors"
	"io"
	"strings"

	yaml "go.yaml.in/yaml/v4"
)

// parseTree reads YAML; the tree of an empty file is nil.
func parseTree(name string, data []byte) (*yaml.Node, *Error) {
	loader, err := yaml.NewLoader(bytes.NewReader(data))
	if err != nil {
		return nil, syntaxError(name, data, err)
	}
	root, err := nextDocument(loader)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, syntaxError(name, data, err)
	}
	second, err := nextDocument(loader)
	switch {
	case errors.Is(err, io.EOF):
		return root, nil
	case err != nil:
		return nil, syntaxError(name, data, err)
	}
	e := &Error{File: name, Message: "holds a second document; a configuration is one"}
	if second != nil {
		e.Line, e.Column = second.Line, second.Column
	}
	return nil, e
}

// nextDocument gives the top node of the next document, nil for an empty one, io.EOF after the last.
func nextDocument(loader *yaml.Loader) (*yaml.Node, error) {
	n := new(yaml.Node)
	if err := loader.Load(n); err != nil {
		return nil, err
	}
	for n.Kind == yaml.DocumentNode {
		if len(n.Content) == 0 {
			return nil, nil
		}
		n = n.Content[0]
	}
	if n.Kind == 0 {
		return nil, nil
	}
	return n, nil
}

// syntaxError gives the fault of a text that is no YAML.
func syntaxError(name string, data []byte, err error) *Error {
	e := &Error{File: name, Message: "is not YAML: " + strings.TrimPrefix(err.Error(), "yaml: ")}
	if one, ok := errors.AsType[*yaml.LoadError](err); ok {
		e.Line, e.Column = one.Mark.Line, one.Mark.Column
		e.Message = "is not YAML: " + strings.TrimPrefix(one.Message, "yaml: ")
		if one.ContextMsg != "" {
			e.Message += " " + one.ContextMsg
		}
	}
	if hint := syntaxHint(line(data, e.Line), e.Column); hint != "" {
		e.Message += "; " + hint
	}
	return e
}

// line gives the n-th line of the data, from 1; empty when there is none.
func line(data []byte, n int) string {
	for text := range bytes.Lines(data) {
		if n--; n == 0 {
			return string(text)
		}
	}
	return ""
}

// syntaxHint says what to do about the two faults of syntax that a schedule and an editor bring most often.
func syntaxHint(line string, column int) string {
	at := []rune(line)
	if column < 1 || column > len(at) {
		return ""
	}
	switch c := at[column-1]; c {
	case '@', '%', '`', '*':
		return "a value that starts with " + string(c) + " needs quotes"
	case '\t':
		return "indent with spaces"
	}
	return ""
}
