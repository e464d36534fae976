package series

import (
	"context"
	"net/http"

	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/monitor/novelty"
	"github.com/strandlinehq/strandline/monitor/novelty/eval"
	"github.com/strandlinehq/strandline/store"
)

// truthPage is the truth of the pages' own dates: when a page says that it was
// published (SCIENCE 2.10).
const truthPage = "page"

// recordsAtOnce bounds the records that are in memory.
const recordsAtOnce = 256

// datedPages are the pages of U that say when they were published, of at most limit
// pages of U, evenly spread.
func datedPages(ctx context.Context, db *store.DB, set *pageSet, graph *novelty.Graph, limit int) (*truth, error) {
	t := &truth{name: truthPage}
	a := agesOf(set)
	step := max(1, (graph.Len()+limit-1)/limit)
	var batch []store.PageID
	read := func() error {
		records, err := db.PageRecords(ctx, set.snapshot.ID, batch)
		if err != nil {
			return err
		}
		for _, page := range batch {
			index, _ := graph.Index(uint32(page.Number()))
			if month, ok := set.published(records[page]); ok {
				t.add(index, month, a)
			}
		}
		t.asked += len(batch)
		batch = batch[:0]
		return nil
	}
	for _, c := range set.pages {
		if index, ok := graph.Index(uint32(c.page.Number())); !ok || index%step != 0 {
			continue
		}
		if batch = append(batch, c.page); len(batch) == recordsAtOnce {
			if err := read(); err != nil {
				return nil, err
			}
		}
	}
	return t, read()
}

// published is the earliest month in which a record says that its page was
// published. Records that cannot be read say nothing.
func (s *pageSet) published(record []byte) (eval.Month, bool) {
	if record == nil {
		return 0, false
	}
	page, err := extract.DecodeRecord(record)
	if err != nil {
		return 0, false
	}
	var earliest eval.Month
	for _, d := range page.Dates {
		if d.Kind != extract.Published {
			continue
		}
		if m, ok := s.monthIn(d.Value); ok && (earliest == 0 || m < earliest) {
			earliest = m
		}
	}
	return earliest, earliest != 0
}

// monthIn reads the month of a date as pages write them: with the year first, as
// in ISO 8601, or as in HTTP.
func (s *pageSet) monthIn(date string) (eval.Month, bool) {
	if at, err := http.ParseTime(date); err == nil {
		m := eval.MonthOf(at)
		return m, m.Year() >= firstYear && m.Year() <= s.snapshot.StartedAt.Year()+1
	}
	return s.dater().Of("/" + date)
}

// dater finds months that may be meant.
func (s *pageSet) dater() eval.Dater {
	return eval.Dater{First: firstYear, Last: s.snapshot.StartedAt.Year() + 1}
}
