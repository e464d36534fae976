package monitor

import (
	"context"
	"errors"

	"github.com/strandlinehq/strandline/store"
)

// flagBatch is how many changes of a page are flagged anew in one transaction.
const flagBatch = 64

// flagChanges goes through the changes of pages whose noise became known, or was
// switched on or off, after they were measured. While masks count a flag is only ever
// set: a rule that pairs no longer confirm was right in its time. When they are switched
// off all flags go.
func (m *Monitor) flagChanges(ctx context.Context) error {
	for {
		more, err := m.db.FlagChanges(ctx, flagBatch, func(tx *store.Tx, s store.StaleMask) (map[int32]bool, error) {
			return m.flags(ctx, tx, s)
		})
		if err != nil || !more {
			return err
		}
	}
}

func (m *Monitor) flags(ctx context.Context, tx *store.Tx, s store.StaleMask) (map[int32]bool, error) {
	out := map[int32]bool{}
	var todo []store.Todo
	for version, masked := range s.Masked {
		switch {
		case !s.Active:
			out[version] = false
		case !masked:
			todo = append(todo, store.Todo{Page: s.Page, Version: version})
		}
	}
	if len(todo) == 0 {
		return out, nil
	}
	steps, err := tx.Steps(ctx, todo)
	if err != nil {
		return nil, err
	}
	for _, step := range steps {
		// One at a time: a page's records may be large, and few pages are at it at once.
		keys := []store.ContentKey{{Bucket: step.Page.Bucket(), Hash: step.Before}, {Bucket: step.Page.Bucket(), Hash: step.After}}
		records, err := tx.Records(ctx, keys)
		if errors.Is(err, store.ErrDamaged) || errors.Is(err, store.ErrNotFound) {
			m.log.Warn("a change could not be held against its page's noise", "page", step.Page, "version", step.Version, "error", err)
			continue
		}
		if err != nil {
			return nil, err
		}
		masked, err := MaskLearner{}.Masked(s.Mask, records[keys[0]], records[keys[1]], step.At)
		if err != nil {
			m.log.Warn("a change could not be held against its page's noise", "page", step.Page, "version", step.Version, "error", err)
			continue
		}
		out[step.Version] = masked
	}
	return out, nil
}
