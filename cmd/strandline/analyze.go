package main

import (
	"context"
	"fmt"

	"github.com/strandlinehq/strandline/cmd/internal/analyze"
	"github.com/strandlinehq/strandline/crawler/archive"
	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/crawler/warc"
)

// analyzeCmd measures WARC files without a database.
type analyzeCmd struct {
	Files []string `arg:"" name:"file" help:"WARC files, plain or gzip."`
	Parts []string `help:"Parts to compute: changes." default:"changes" enum:"changes"`
}

// Run prints one JSON object a page.
func (c *analyzeCmd) Run(ctx context.Context, a *app) error {
	config, err := a.config()
	if err != nil {
		return err
	}
	if err := checkFiles(c.Files); err != nil {
		return err
	}
	reader := intake.New(canonical.New(canonical.Options{Tracking: config.Crawler.TrackingParams}))
	told := 0
	report, err := analyze.Pages(ctx, reader, c.Files, archive.ImportOptions{
		MaxPayload: config.Crawler.MaxBody.Bytes(),
		Damaged: func(file string, d *warc.Damage) {
			if told++; told <= maxDamageLines {
				fmt.Fprintf(a.stderr, "%s: offset %d: %s: %s\n", file, d.Offset, d.Kind, d.Msg)
			}
		},
	}, func(p analyze.Page) error { return a.printJSON(p) })
	if err != nil {
		return err
	}
	if told > maxDamageLines {
		fmt.Fprintf(a.stderr, "%d more damaged records\n", told-maxDamageLines)
	}
	_ = report
	return nil
}
