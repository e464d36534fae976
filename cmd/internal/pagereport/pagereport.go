// Package pagereport makes the tables and figures of one page: its changes, change
// curve, terms, lifespans, staying power and blocks (paper A Figures 2 and 4 to 7,
// Table 3). The command report prints them and the web pages show them, so that
// both say the same.
//
// The main type is Page: a page with its analysis, brought up to its last fetch by
// monitor.ReadAnalysis. Left out: measuring (package monitor), drawing (chart) and
// printing (report).
package pagereport

import (
	"fmt"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/report"
	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/store"
)

// Page is a page to report on.
type Page struct {
	DB       *store.DB
	Page     store.Page
	Analysis *monitor.Analysis
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") }

// noteCover says what the measures of a page rest on.
func (r *Page) noteCover(t *report.Table) {
	a := r.Analysis
	t.Note("%s; %d of %d hourly slots from %s have one.", versions(a.Versions), len(a.Observed), a.Slots, stamp(a.Origin))
	if a.Damaged > 0 {
		t.Note("%s left out: what was extracted cannot be read.", versionsAre(a.Damaged))
	}
	if a.Beyond > 0 {
		t.Note("%s left out, more than seven years after the first.", versionsAre(a.Beyond))
	}
}

func versions[N int | int32](n N) string {
	if n == 1 {
		return "1 version"
	}
	return fmt.Sprintf("%d versions", n)
}

func versionsAre[N int | int32](n N) string {
	if n == 1 {
		return "1 version is"
	}
	return versions(n) + " are"
}
