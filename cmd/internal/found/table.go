package found

import (
	"fmt"

	"github.com/strandlinehq/strandline/cmd/internal/report"
	"github.com/strandlinehq/strandline/store"
)

// Table lists how many pages with the words are new with each snapshot of a series
// (SCIENCE T11); nothing stands where a snapshot failed, is not computed, or has texts
// that the search does not know yet. Unlike says what hinders comparing the snapshots; empty: nothing.
func Table(series, words string, threshold float64, counts []store.KeywordSnapshot, unlike string) *report.Table {
	t := &report.Table{
		Name: "keyword-novelty", Title: fmt.Sprintf("New pages with %s in the snapshots of series %s", words, series),
		Columns: []string{"snapshot", "started", "old page, new word", "new page", "uncertain", "captured", "share of captured"},
	}
	behind := 0
	for _, k := range counts {
		if !k.Known {
			if k.Status != store.SnapshotFailed {
				behind++
			}
			t.Add(k.Snapshot, k.At, nil, nil, nil, nil, nil)
			continue
		}
		var share any
		if k.Capture > 0 {
			share = float64(k.NewWord+k.Novel+k.Uncertain) / float64(k.Capture)
		}
		t.Add(k.Snapshot, k.At, k.NewWord, k.Novel, k.Uncertain, k.Capture, share)
	}
	if unlike != "" {
		t.Note("%s", unlike)
	}
	t.Note("Old page, new word: crawled before, when its text did not fit. New page: not known before, of novelty %g or more; uncertain: of less.", threshold)
	if behind > 0 {
		t.Note("Snapshots that are a gap (%d) are being crawled, not computed, or not all of their texts are indexed yet (a daemon does both; see status).", behind)
	}
	t.Note("In the first snapshot nothing is known before, so that its pages are uncertain for want of anything to compare with.")
	return t
}
