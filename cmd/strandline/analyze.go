package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/strandlinehq/strandline/cmd/internal/analyze"
	"github.com/strandlinehq/strandline/crawler/archive"
	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/crawler/warc"
)

// analyzeCmd measures WARC files without a database.
type analyzeCmd struct {
	Files []string `arg:"" name:"file" help:"WARC files, plain or gzip."`
	Parts []string `help:"Parts to compute: ${enum}." default:"changes,curve,terms,dom" enum:"changes,curve,terms,dom"`
}

// Run prints one JSON object a page.
func (c *analyzeCmd) Run(ctx context.Context, a *app) (err error) {
	config, err := a.config()
	if err != nil {
		return err
	}
	if err := checkFiles(c.Files); err != nil {
		return err
	}
	asked := func(part string) bool { return slices.Contains(c.Parts, part) }
	reader := intake.New(canonical.New(canonical.Options{Tracking: config.Crawler.TrackingParams}))
	told := 0
	opt := analyze.Options{
		Archive: archive.ImportOptions{
			MaxPayload: config.Crawler.MaxBody.Bytes(),
			Damaged: func(file string, d *warc.Damage) {
				if told++; told <= maxDamageLines {
					fmt.Fprintf(a.stderr, "%s: offset %d: %s: %s\n", file, d.Offset, d.Kind, d.Msg)
				}
			},
		},
		Parts: analyze.Parts{Changes: asked("changes"), Curve: asked("curve"), Terms: asked("terms"), DOM: asked("dom")},
	}
	out := bufio.NewWriterSize(a.stdout, 1<<16)
	defer func() { err = errors.Join(err, out.Flush()) }()
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	if _, err := analyze.Pages(ctx, reader, c.Files, opt, func(p analyze.Page) error { return lines.Encode(p) }); err != nil {
		return err
	}
	if told > maxDamageLines {
		fmt.Fprintf(a.stderr, "%d more damaged records\n", told-maxDamageLines)
	}
	return nil
}
