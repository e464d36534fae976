package monitor

import (
	"context"
	"errors"

	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/store"
)

// measureSnapshots measures the snapshots of fast rounds that differ from the first
// of their round (SCIENCE A7, A8). The two versions need not follow one another, so
// that the measure of a step will not do. Doing it twice does no harm.
func (m *Monitor) measureSnapshots(ctx context.Context) error {
	for {
		todo, err := m.db.UnmeasuredSnapshots(ctx, batchVersions)
		if err != nil || len(todo) == 0 {
			return err
		}
		var done []store.Snapshot
		for _, s := range todo {
			s.Dice, err = m.snapshotDice(ctx, s)
			switch {
			case err == nil:
				done = append(done, s)
			case errors.Is(err, errUnmeasurable):
				m.log.Error("snapshot dropped", "page", s.Page, "round", s.Round, "snapshot", s.Snapshot, "error", err)
				if err := m.db.DropSnapshot(ctx, s); err != nil {
					return err
				}
			default:
				return err
			}
		}
		if len(done) > 0 {
			if err := m.db.PutSnapshotDice(ctx, done); err != nil {
				return err
			}
		}
	}
}

func (m *Monitor) snapshotDice(ctx context.Context, s store.Snapshot) (float64, error) {
	a, b, err := m.db.SnapshotRecords(ctx, s)
	if errors.Is(err, store.ErrDamaged) || errors.Is(err, store.ErrNotFound) {
		return 0, errors.Join(errUnmeasurable, err)
	}
	if err != nil {
		return 0, err
	}
	before, err := extract.DecodeRecord(a)
	if err != nil {
		return 0, errors.Join(errUnmeasurable, err)
	}
	after, err := extract.DecodeRecord(b)
	if err != nil {
		return 0, errors.Join(errUnmeasurable, err)
	}
	shared, from, to := newMemo(), newContent(before, nil), newContent(after, nil)
	shared.count(from)
	shared.count(to)
	return from.words.Dice(to.words), nil
}
