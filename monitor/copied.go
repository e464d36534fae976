package monitor

import (
	"context"

	"github.com/strandlinehq/strandline/monitor/copies"
	"github.com/strandlinehq/strandline/store"
)

// asOther is the Dice value below which a version says something else than the one
// before, and may be what a later page copies.
const asOther = 0.5

// findCopies looks at the versions in the queue of copies until it is empty: all of them
// can be found from then on, and pages that are new are looked up (SCIENCE T15). Pages
// of snapshots are looked up when these are computed, since of two that came together
// neither is the older.
//
// What is written does not hang on the transaction that takes the versions out of the
// queue: a version that is taken and not looked up stays queued, and looking again
// writes the same.
func (m *Monitor) findCopies(ctx context.Context) error {
	for {
		n, err := m.db.TakeTodo(ctx, store.StageCopies, batchVersions, func(_ *store.Tx, todo []store.Todo) error {
			refs, err := m.db.VersionRefs(ctx, todo)
			if err != nil {
				return err
			}
			if err := copies.Sketches(ctx, m.db, refs, &m.bodies); err != nil {
				return err
			}
			pages := make([]store.PageID, len(refs))
			for i, r := range refs {
				pages[i] = r.Page
			}
			snapped, err := m.db.InSeries(ctx, pages)
			if err != nil {
				return err
			}
			var asked []copies.Asked
			for _, r := range refs {
				if r.Version == 1 && !snapped[r.Page] {
					asked = append(asked, copies.Asked{Page: r.Page, Version: r.Version, At: r.FirstSeen})
				}
			}
			_, err = copies.Find(ctx, m.db, asked, copies.Options{Cache: &m.bodies})
			return err
		})
		if err != nil || n == 0 {
			return err
		}
	}
}
