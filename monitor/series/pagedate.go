package series

import (
	"context"
	"time"

	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/monitor/novelty"
	"github.com/strandlinehq/strandline/monitor/novelty/eval"
	"github.com/strandlinehq/strandline/monitor/pagedate"
	"github.com/strandlinehq/strandline/store"
)

// truthPage is the truth of the pages' own dates: when a page says that it was
// published, its address left aside (SCIENCE 2.10).
const truthPage = "page"

// recordsAtOnce bounds the records that are in memory.
const recordsAtOnce = 256

// datedPages are the pages of U that say when they were published, of at most limit
// pages of U, evenly spread.
func datedPages(ctx context.Context, db *store.DB, set *pageSet, graph *novelty.Graph, limit int) (*truth, error) {
	t := &truth{name: truthPage}
	a := agesOf(set)
	step := max(1, (graph.Len()+limit-1)/limit)
	var asked []store.PageID
	for _, c := range set.pages {
		if index, ok := graph.Index(uint32(c.page.Number())); ok && index%step == 0 {
			asked = append(asked, c.page)
		}
	}
	t.asked = len(asked)
	err := set.eachDated(ctx, db, asked, func(page store.PageID, dates pagedate.Dates) {
		if d, ok := dates.Published(); ok && d.Precision >= pagedate.Month && d.Confidence >= pagedate.Sure {
			index, _ := graph.Index(uint32(page.Number()))
			t.add(index, eval.MonthOf(d.Start), a)
		}
	})
	return t, err
}

// dateUnidentified marks the pages that are in U by the other rules and that, by a
// date of their own, existed before the snapshot before (rule 4). Only their records
// are read, so it costs what is new.
func (s *pageSet) dateUnidentified(ctx context.Context, db *store.DB, classes []novelty.Class) error {
	var asked []store.PageID
	for _, c := range s.pages {
		if classes[c.page.Number()] == novelty.Unidentified {
			asked = append(asked, c.page)
		}
	}
	return s.eachDated(ctx, db, asked, func(page store.PageID, dates pagedate.Dates) {
		if end, ok := dates.OldBefore(); ok && !end.After(s.before.StartedAt) {
			s.flags[page.Number()] |= novelty.Dated
		}
	})
}

// eachDated calls f with the dates of pages of the snapshot that have any.
func (s *pageSet) eachDated(ctx context.Context, db *store.DB, pages []store.PageID, f func(store.PageID, pagedate.Dates)) error {
	for len(pages) > 0 {
		batch := pages[:min(recordsAtOnce, len(pages))]
		pages = pages[len(batch):]
		records, err := db.PageRecords(ctx, s.snapshot.ID, batch)
		if err != nil {
			return err
		}
		for _, page := range batch {
			if dates := datesOf(records[page], s.lastFetch()); len(dates) > 0 {
				f(page, dates)
			}
		}
	}
	return nil
}

// datesOf are the dates that a record gives. Records that cannot be read say nothing.
func datesOf(record []byte, fetched time.Time) pagedate.Dates {
	if record == nil {
		return nil
	}
	page, err := extract.DecodeRecord(record)
	if err != nil {
		return nil
	}
	return pagedate.Of("", page, fetched)
}

// lastFetch bounds the dates that pages of the snapshot can have.
func (s *pageSet) lastFetch() time.Time {
	if s.snapshot.FinishedAt.After(s.snapshot.StartedAt) {
		return s.snapshot.FinishedAt
	}
	return s.snapshot.StartedAt
}

// dater finds months that may be meant.
func (s *pageSet) dater() eval.Dater {
	return eval.Dater{First: firstYear, Last: s.snapshot.StartedAt.Year() + 1}
}
