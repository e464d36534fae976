package main

import "errors"

// analyzeCmd measures WARC files without a database.
type analyzeCmd struct {
	Files []string `arg:"" name:"file" help:"WARC files, plain or gzip."`
	Parts []string `help:"Parts to compute: changes." default:"changes" enum:"changes"`
}

// Run prints one JSON object a page.
func (c *analyzeCmd) Run(a *app) error { return errors.New("not yet") }
