// Package seriesreport makes the tables and figures of a series of snapshots: paper
// T's Tables 1 to 3 and Figures 1 to 10, from what is computed and stored.
//
// The main type is Series, made by Read; the command report and the web pages show
// what its methods make. Only and Mark narrow it to one decay of novelty and mark a
// threshold.
//
// Left out: computing novelty (monitor/series) and drawing (cmd/internal/chart).
package seriesreport

import (
	"context"
	"slices"

	"github.com/strandlinehq/strandline/cmd/internal/chart"
	"github.com/strandlinehq/strandline/cmd/internal/report"
	"github.com/strandlinehq/strandline/monitor/series"
	"github.com/strandlinehq/strandline/store"
)

// Series is a series of snapshots with what is computed of them.
type Series struct {
	Name      string
	All       []store.SeriesSnapshot   // in order of time
	Copies    map[int]store.CopyCounts // by numbers; those that were looked at
	Panels    int                      // of a figure, at most: the last ones are drawn; 0: 12
	computed  []computed
	threshold *float64                        // marked in the accuracy
	judged    map[int][]store.NoveltyAccuracy // at the threshold, by numbers; nil: what is stored
	novel     map[int]int64                   // pages of U from the threshold on, by numbers
}

// computed is a snapshot that can be compared with one before it.
type computed struct {
	store.SeriesSnapshot
	*store.NoveltyResult
}

// Read reads the snapshots of a series and their results.
func Read(ctx context.Context, db *store.DB, of store.Series) (*Series, error) {
	s := &Series{Name: of.Name}
	var err error
	if s.All, err = db.Snapshots(ctx, of.ID); err != nil {
		return nil, err
	}
	if s.Copies, err = db.CopyCounts(ctx, of.ID); err != nil {
		return nil, err
	}
	results, err := db.Novelty(ctx, of.ID)
	if err != nil {
		return nil, err
	}
	for _, one := range s.All {
		if res := results[one.Number]; res != nil && !one.ComputedAt.IsZero() {
			s.computed = append(s.computed, computed{one, res})
		}
	}
	return s, nil
}

// Each calls f with the snapshots that can be compared with one before them, in order of
// time, and their results.
func (s *Series) Each(f func(*store.SeriesSnapshot, *store.NoveltyResult)) {
	for i := range s.computed {
		f(&s.computed[i].SeriesSnapshot, s.computed[i].NoveltyResult)
	}
}

// Deltas are the decays of novelty per link that results are stored of, ascending.
func (s *Series) Deltas() []float64 {
	var out []float64
	for _, c := range s.computed {
		for _, b := range c.Distribution {
			out = append(out, b.Delta)
		}
		for _, step := range c.Convergence {
			out = append(out, step.Delta)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Thresholds are those that accuracy is stored of, ascending.
func (s *Series) Thresholds() []float64 {
	var out []float64
	for _, c := range s.computed {
		for _, a := range c.Accuracy {
			out = append(out, a.Threshold)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Only gives the series with the results of one delta alone.
func (s *Series) Only(delta float64) *Series {
	out := *s
	out.computed = slices.Clone(s.computed)
	for i, c := range out.computed {
		res := *c.NoveltyResult
		res.Convergence = chosen(res.Convergence, func(v store.NoveltyStep) bool { return v.Delta == delta })
		res.Distribution = chosen(res.Distribution, func(v store.NoveltyBin) bool { return v.Delta == delta })
		res.Accuracy = chosen(res.Accuracy, func(v store.NoveltyAccuracy) bool { return v.Delta == delta })
		res.Misses = chosen(res.Misses, func(v store.NoveltyMiss) bool { return v.Delta == delta })
		out.computed[i].NoveltyResult = &res
	}
	return &out
}

// Mark gives the series with a threshold that the figure of the accuracy marks.
func (s *Series) Mark(threshold float64) *Series {
	out := *s
	out.threshold = &threshold
	return &out
}

// Tried gives the series with results by parameters that nothing is stored of, by
// numbers of snapshots, in the place of the stored ones.
func (s *Series) Tried(results map[int]*store.NoveltyResult) *Series {
	out := *s
	out.computed = nil
	for _, c := range s.computed {
		if res := results[c.Number]; res != nil {
			out.computed = append(out.computed, computed{c.SeriesSnapshot, res})
		}
	}
	return &out
}

// Count gives the series with what a threshold comes to: the numbers of pages of U that
// it judges novel, and how well it judges those of a known age where nothing is stored
// of that; both by numbers of snapshots.
func (s *Series) Count(novel map[int]int64, results map[int]*store.NoveltyResult) *Series {
	out := *s
	out.novel = novel
	if results != nil {
		out.judged = map[int][]store.NoveltyAccuracy{}
		for number, res := range results {
			out.judged[number] = res.Accuracy
		}
	}
	return &out
}

// chosen are the values that fit, in a slice of their own.
func chosen[T any](all []T, fits func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(all), func(v T) bool { return !fits(v) })
}

// Sizes makes paper T's Tables 1 and 2 with a figure (SCIENCE T6).
func (s *Series) Sizes() (*report.Table, chart.Figure) {
	f := chart.SnapshotSizes{Series: "series " + s.Name}
	for _, one := range s.All {
		f.Snapshots = append(f.Snapshots, chart.SnapshotSize{
			At: one.StartedAt, L2: float64(one.L2), Other: float64(one.OldOther), Unidentified: float64(one.Unidentified), Missing: one.ComputedAt.IsZero(),
		})
	}
	return Snapshots(s.Name, s.All, s.Copies), f
}

// Snapshots makes paper T's Tables 1 and 2 (SCIENCE T6) of a series and its
// snapshots, with what is left of the new pages without copies (T15).
func Snapshots(name string, all []store.SeriesSnapshot, copies map[int]store.CopyCounts) *report.Table {
	t := &report.Table{Title: "Snapshots of series " + name, Columns: []string{
		"snapshot", "started", "finished", "status", "pages", "links", "fringe", "L2", "O \\ L2", "U", "aliases", "failed", "traps", "delta", "iterations",
		"copies", "moved", "twins", "U without", "novel", "novel without",
	}}
	rows := 0
	for _, s := range all {
		row := []any{s.Number, s.StartedAt, s.FinishedAt, string(s.Status)}
		if s.ComputedAt.IsZero() {
			t.Add(append(row, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil)...)
			continue
		}
		rows++
		row = append(row, s.Pages, s.Links, s.Fringe, s.L2, s.OldOther, s.Unidentified, s.Aliases, s.Failed, s.Traps, s.Delta, s.Iterations)
		if c, ok := copies[s.Number]; ok {
			t.Add(append(row, c.Copies, c.Moved, c.Twins, s.Unidentified-c.Copies-c.Moved-c.Twins, c.Novel, c.NovelWithout)...)
		} else {
			t.Add(append(row, nil, nil, nil, nil, nil, nil)...)
		}
		if s.L2+s.OldOther+s.Unidentified != s.Pages {
			t.Note("Snapshot %d: |L2| + |O \\ L2| + |U| = %d, but |W| = %d.", s.Number, s.L2+s.OldOther+s.Unidentified, s.Pages)
		}
	}
	switch {
	case len(all) == 0:
		t.Note("There is nothing to show yet: the series has no snapshot.")
	case len(t.Notes) == 0:
		if rows == 1 {
			t.Note("|L2| + |O \\ L2| + |U| = |W| holds for the one computed snapshot.")
		} else {
			t.Note("|L2| + |O \\ L2| + |U| = |W| holds for each of the %d computed snapshots.", rows)
		}
	}
	if unlike := series.Unlike(all); unlike != "" {
		t.Note("%s", unlike)
	}
	t.Note("L2: old and crawled by the snapshot before; O \\ L2: other old pages; U: not known to be old. The first snapshot has nothing to compare with: all is U.")
	t.Note("Paper: 97, 81 and 96 M pages in three snapshots.")
	return t
}
