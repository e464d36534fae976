package notify

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/strandlinehq/strandline/monitor/notice"
	"github.com/strandlinehq/strandline/store"
)

// sweepPages is how many pages of a watch are told at a time to fail.
const sweepPages = 200

// Sweep looks for what no single change shows: pages that fail or answer again, watches
// in which nothing changes, digests that are due. It also forgets old messages.
func (j *Judge) Sweep(ctx context.Context) error {
	watches := j.sorted()
	if len(watches) > 0 {
		if _, err := j.db.Notices(ctx, func(tx *store.Tx) error {
			now := j.now()
			for _, w := range watches {
				for _, look := range []func(context.Context, *store.Tx, *Watch, time.Time) error{j.failing, j.silent, j.digest} {
					if err := look(ctx, tx, w, now); err != nil {
						return fmt.Errorf("watch %s: %w", w.Name, err)
					}
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return j.db.PruneOutbox(ctx, j.now().Add(-keepFor))
}

// failing tells once that a page fails, and once that it answers again.
func (j *Judge) failing(ctx context.Context, tx *store.Tx, w *Watch, now time.Time) error {
	known, err := tx.ToldFailing(ctx, w.ID)
	if err != nil {
		return err
	}
	tell := func(p store.FailingPage, m notice.Message, failing time.Time) error {
		told, err := tx.NoticePage(ctx, w.ID, p.Page)
		if err != nil {
			return err
		}
		m.At, m.Source, m.Title, m.URL, m.Link = now, w.source(), p.Title, p.URL, j.link("/pages/%d", p.Page)
		m.ID = notice.ID(m.Kind, w.Name, p.URL, later(told.Failing, p.Since))
		told.Failing = failing
		if err := tx.PutNoticePage(ctx, w.ID, p.Page, told); err != nil {
			return err
		}
		return j.tell(ctx, tx, w, m)
	}
	if len(known) > 0 {
		back, err := tx.AnsweringPages(ctx, known)
		if err != nil {
			return err
		}
		for _, p := range back {
			if err := tell(p, notice.Message{Kind: notice.KindRecovered}, time.Time{}); err != nil {
				return err
			}
		}
	}
	if w.Failures == 0 {
		return nil
	}
	if known == nil {
		known = []store.PageID{}
	}
	pages, err := tx.FailingPages(ctx, w.ID, w.Failures, known, sweepPages)
	if err != nil {
		return err
	}
	for _, p := range pages {
		m := notice.Message{Kind: notice.KindFailing, Note: fmt.Sprintf("%d fetches in a row failed, the first on %s UTC", p.Failures, p.Since.UTC().Format("2006-01-02 15:04"))}
		if reason := notice.Shorten(p.Error, 200); reason != "" {
			m.Note += "; the last: " + reason
		} else if p.Status > 0 {
			m.Note += fmt.Sprintf("; the last with status %d", p.Status)
		}
		if err := tell(p, m, now); err != nil {
			return err
		}
	}
	return nil
}

// later gives the later of two times.
func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// silent tells once that nothing has changed for longer than expected.
func (j *Judge) silent(ctx context.Context, tx *store.Tx, w *Watch, now time.Time) error {
	if w.Expect == 0 {
		return nil
	}
	state, err := tx.NoticeWatch(ctx, w.ID, now)
	if err != nil || !state.Quiet.IsZero() || now.Sub(state.Changed) < w.Expect {
		return err
	}
	state.Quiet = now
	if err := tx.PutNoticeWatch(ctx, w.ID, state); err != nil {
		return err
	}
	return j.tell(ctx, tx, w, notice.Message{
		ID: notice.ID(notice.KindQuiet, w.Name, state.Changed), Kind: notice.KindQuiet, At: now, Source: w.source(), Title: w.Name,
		Note: fmt.Sprintf("Nothing has changed since %s UTC; a change was expected within %s.", state.Changed.UTC().Format("2006-01-02 15:04"), inDays(w.Expect)),
		Link: j.link("/pages"),
	})
}

// moved keeps when a watch last changed, and tells when that ends a silence.
func (j *Judge) moved(ctx context.Context, tx *store.Tx, w *Watch, at time.Time) error {
	if w.Expect == 0 {
		return nil
	}
	state, err := tx.NoticeWatch(ctx, w.ID, at)
	if err != nil || at.Before(state.Changed) {
		return err
	}
	since, quiet := state.Changed, !state.Quiet.IsZero()
	state.Changed, state.Quiet = at, time.Time{}
	if err := tx.PutNoticeWatch(ctx, w.ID, state); err != nil || !quiet {
		return err
	}
	return j.tell(ctx, tx, w, notice.Message{
		ID: notice.ID(notice.KindMoving, w.Name, at), Kind: notice.KindMoving, At: at, Source: w.source(), Title: w.Name,
		Note: fmt.Sprintf("Nothing had changed since %s UTC.", since.UTC().Format("2006-01-02 15:04")), Link: j.link("/pages"),
	})
}

// digest sends what was gathered when its period has ended.
func (j *Judge) digest(ctx context.Context, tx *store.Tx, w *Watch, now time.Time) error {
	due, packed, err := tx.TakeDeferred(ctx, w.ID, now)
	if err != nil || len(packed) == 0 {
		return err
	}
	items := make([]notice.Message, len(packed))
	for i, p := range packed {
		if err := json.Unmarshal(p, &items[i]); err != nil {
			return fmt.Errorf("read a message of a digest: %w", err)
		}
	}
	return j.send(ctx, tx, w, notice.Digest(w.source(), due, items))
}

// inDays writes a length of time, whole days as days.
func inDays(d time.Duration) string {
	if d%(24*time.Hour) == 0 {
		return fmt.Sprintf("%d d", d/(24*time.Hour))
	}
	return d.String()
}
