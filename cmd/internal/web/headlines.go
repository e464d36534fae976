package web

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/compare"
	"github.com/strandlinehq/strandline/store"
)

// headlinesKept bounds what is remembered; the first page shows some thirty.
const headlinesKept = 4000

// headlines remembers the sentence that stands for a change, since finding it
// reads two versions. The zero headlines is ready.
type headlines struct {
	mu    sync.Mutex // guards known; not held while versions are read
	known map[headlineKey]string
}

// headlineKey names a change. Its time is in it because versions are numbered anew
// when an older capture comes.
type headlineKey struct {
	page    store.PageID
	version int32
	at      int64
}

// of returns the sentence of a change; empty where it has none, or where one of
// its versions is damaged.
func (h *headlines) of(ctx context.Context, db *store.DB, page store.PageID, version int32, at time.Time) (string, error) {
	key := headlineKey{page, version, at.UnixNano()}
	h.mu.Lock()
	line, ok := h.known[key]
	h.mu.Unlock()
	if ok {
		return line, nil
	}
	line, err := compare.Headline(ctx, db, page, version)
	if err != nil && !errors.Is(err, store.ErrDamaged) && !errors.Is(err, store.ErrNotFound) {
		return "", err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.known == nil || len(h.known) >= headlinesKept {
		h.known = map[headlineKey]string{}
	}
	h.known[key] = line
	return line, nil
}
