package monitor

import (
	"context"

	"github.com/strandlinehq/strandline/monitor/copies"
	"github.com/strandlinehq/strandline/store"
)

// findCopies looks at the versions in the queue of copies until it is empty: all of them
// can be found from then on, and pages that are new are looked up (SCIENCE T15). Pages
// that a snapshot crawls are looked up when it is computed.
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
			if err := copies.Sketches(ctx, m.db, refs); err != nil {
				return err
			}
			var asked []copies.Asked
			for _, r := range refs {
				if r.Version == 1 {
					asked = append(asked, copies.Asked{Page: r.Page, Version: r.Version, At: r.FirstSeen})
				}
			}
			_, err = copies.Find(ctx, m.db, asked, copies.Options{})
			return err
		})
		if err != nil || n == 0 {
			return err
		}
	}
}
