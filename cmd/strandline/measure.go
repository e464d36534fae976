package main

import (
	"io"

	"github.com/strandlinehq/strandline/cmd/internal/measure"
)

// measureCmd applies one formula to a document from stdin.
type measureCmd struct {
	Name string `arg:"" help:"The formula: ${measures}."`
}

// maxDocument bounds the document in bytes.
const maxDocument = 256 << 20

// Run prints the result as JSON.
func (c *measureCmd) Run(a *app) error {
	document, err := io.ReadAll(io.LimitReader(a.stdin, maxDocument+1))
	if err != nil {
		return err
	}
	if len(document) > maxDocument {
		return usagef("the document is longer than %d MiB", maxDocument>>20)
	}
	out, err := measure.Apply(c.Name, document)
	if err != nil {
		return usageError{err}
	}
	return a.printJSON(out)
}
