package notify

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/strandlinehq/strandline/monitor/ignore"
	"github.com/strandlinehq/strandline/monitor/notice"
	"github.com/strandlinehq/strandline/store"
)

// Watch is a watch that tells somebody.
type Watch struct {
	ID   int32
	Name string
	To   []string // names of targets
	Rule notice.Rule
	// Ignore is what the watch leaves out of its pages; it may be nil.
	Ignore *ignore.Rules
	// FlapStates is among how many last texts of a page a change is silent; 0: none.
	FlapStates int
	// Failures in a row are told; 0: none are.
	Failures int
	// Expect is the longest time without a change that is not told; 0: any is.
	Expect time.Duration
	// Digest gives the end of the period in which a time lies; nil: messages go at once.
	Digest func(time.Time) time.Time
}

func (w *Watch) source() string { return "watch " + w.Name }

// Judge turns measured changes, failing pages and silence into messages. Of several on
// one database one works at a time.
type Judge struct {
	db   *store.DB
	now  func() time.Time
	log  *slog.Logger
	base string // address of the pages, without a slash at its end; may be empty

	mu      sync.Mutex // guards watches
	watches map[int32]*Watch
}

// NewJudge returns a judge without watches. Base is the address of the web pages for
// links; empty leaves them out.
func NewJudge(db *store.DB, now func() time.Time, log *slog.Logger, base string) *Judge {
	return &Judge{db: db, now: now, log: log, base: base}
}

// SetWatches replaces the watches that tell somebody.
func (j *Judge) SetWatches(watches []Watch) {
	byID := make(map[int32]*Watch, len(watches))
	for i := range watches {
		byID[watches[i].ID] = &watches[i]
	}
	j.mu.Lock()
	j.watches = byID
	j.mu.Unlock()
}

// sorted are the watches by id.
func (j *Judge) sorted() []*Watch {
	j.mu.Lock()
	defer j.mu.Unlock()
	out := make([]*Watch, 0, len(j.watches))
	for _, w := range j.watches {
		out = append(out, w)
	}
	slices.SortFunc(out, func(a, b *Watch) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

const (
	judgeBatch = 32 // changes in a transaction
	sweepEvery = 5 * time.Second
	keepFor    = 90 * 24 * time.Hour // messages that were delivered
)

// Run judges until ctx is done, and returns nil then. It looks every second of the
// machine, whatever the clock of the messages.
func (j *Judge) Run(ctx context.Context) error {
	pause := poll
	var swept time.Time
	for {
		n, err := j.Changes(ctx)
		if err == nil && time.Since(swept) >= sweepEvery {
			swept = time.Now()
			err = j.Sweep(ctx)
		}
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			pause = min(2*pause, 30*time.Second)
			j.log.Warn("messages wait", "error", err, "pause", pause)
		case n > 0:
			pause = poll
			continue
		default:
			pause = poll
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
	}
}

// Changes judges a batch of changes and returns how many it looked at.
func (j *Judge) Changes(ctx context.Context) (int, error) {
	n := 0
	_, err := j.db.Notices(ctx, func(tx *store.Tx) error {
		todo, err := tx.TakeNotices(ctx, judgeBatch)
		if err != nil {
			return err
		}
		n = len(todo)
		slices.SortFunc(todo, func(a, b store.NoticeTodo) int {
			return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Page, b.Page), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Watch, b.Watch))
		})
		for _, t := range todo {
			j.mu.Lock()
			w := j.watches[t.Watch]
			j.mu.Unlock()
			if w == nil {
				continue // it tells nobody any more
			}
			err := j.change(ctx, tx, w, t)
			if errors.Is(err, store.ErrDamaged) || errors.Is(err, store.ErrNotFound) || errors.Is(err, errUnreadable) {
				j.log.Warn("a change could not be told", "watch", w.Name, "page", t.Page, "version", t.Version, "error", err)
				continue
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}

// change judges one change for one watch.
func (j *Judge) change(ctx context.Context, tx *store.Tx, w *Watch, t store.NoticeTodo) error {
	measured, err := tx.ChangeOf(ctx, t.Page, t.Version)
	if err != nil || !measured.News {
		return err
	}
	step, err := readStep(ctx, j.db, t, w.Ignore)
	if err != nil {
		return err
	}
	if step.before == step.after {
		return nil // what is left without noise and what is ignored is the same
	}
	if err := j.moved(ctx, tx, w, t.At); err != nil {
		return err
	}
	told, err := tx.NoticePage(ctx, w.ID, t.Page)
	if err != nil {
		return err
	}
	states, again := notice.States(told.States).Step(step.before, step.after, w.FlapStates)
	told.States = states
	c := notice.Change{Dice: measured.Dice, Significance: measured.Significance, Added: step.added, Removed: step.removed}
	warn := false
	tell := !again && w.Rule.Match(c)
	if tell {
		window, noisy := notice.Window{Since: told.WindowSince, Count: told.WindowCount}.Add(t.At)
		told.WindowSince, told.WindowCount = window.Since, window.Count
		if warn = noisy && (told.Noisy.IsZero() || t.At.Sub(told.Noisy) >= warnEvery); warn {
			told.Noisy = t.At
		}
	}
	if err := tx.PutNoticePage(ctx, w.ID, t.Page, told); err != nil || !tell {
		return err
	}
	m := notice.Message{
		ID: notice.ID(notice.KindChange, w.Name, measured.URL, t.At), Kind: notice.KindChange, At: t.At, Source: w.source(),
		Title: step.title, URL: measured.URL, Page: int64(t.Page), Version: t.Version, Dice: &c.Dice, Significance: &c.Significance,
		Link: j.link("/pages/%d/diff?a=%d&b=%d", t.Page, t.Version-1, t.Version),
	}
	m.Quote(step.added, step.removed)
	if err := j.tell(ctx, tx, w, m); err != nil || !warn {
		return err
	}
	return j.noisy(ctx, tx, w, t, m)
}

// warnEvery is how often at most a page is called noisy.
const warnEvery = 7 * 24 * time.Hour

// noisy warns of a page that brings too many messages.
func (j *Judge) noisy(ctx context.Context, tx *store.Tx, w *Watch, t store.NoticeTodo, last notice.Message) error {
	return j.tell(ctx, tx, w, notice.Message{
		ID: notice.ID(notice.KindNoisy, w.Name, last.URL, t.At), Kind: notice.KindNoisy, At: t.At, Source: w.source(), Title: last.Title, URL: last.URL,
		Note: fmt.Sprintf("This page brought a dozen messages within a day. 'strandline watch suggest-ignore %s' offers rules for what always differs.", w.Name),
		Link: j.link("/pages/%d", t.Page),
	})
}

// tell sends a message of a watch, or keeps it for its digest.
func (j *Judge) tell(ctx context.Context, tx *store.Tx, w *Watch, m notice.Message) error {
	m.Title = notice.Shorten(m.Title, 300)
	if w.Digest == nil {
		return j.send(ctx, tx, w, m)
	}
	due := w.Digest(m.At)
	if due.IsZero() {
		return j.send(ctx, tx, w, m) // a schedule that has ended
	}
	item, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("pack message: %w", err)
	}
	return tx.Defer(ctx, w.ID, due, item)
}

// send puts a message into the outbox.
func (j *Judge) send(ctx context.Context, tx *store.Tx, w *Watch, m notice.Message) error {
	out, err := Outgoing(m, w.To)
	if err != nil {
		return err
	}
	return tx.Enqueue(ctx, j.now(), out)
}

// link gives an address of the web pages, or "" where their address is not known.
func (j *Judge) link(format string, args ...any) string {
	if j.base == "" {
		return ""
	}
	return j.base + fmt.Sprintf(format, args...)
}
