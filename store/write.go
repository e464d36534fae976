package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"golang.org/x/sync/errgroup"

	"github.com/strandlinehq/strandline/store/body"
)

// Stages of the program that look at every new version. A version is queued for
// each of them in the transaction that stores it.
const (
	StageChange = "change" // measures of how pages change
	StageSearch = "search" // the index of texts
)

var stages = []string{StageChange, StageSearch}

// Write stores captures in one transaction and says what became of each. It may
// be called from several goroutines; captures of one page wait for each other.
//
// Captures may come in any order and more than once: the versions of a page are
// the same in the end (see timeline.go). On an error nothing of the batch is
// stored, and the batch can be given again. Keep batches to some hundred
// captures and a few megabytes of payload: all of a batch is in memory.
func (db *DB) Write(ctx context.Context, caps []*Capture) ([]Stored, error) {
	if len(caps) == 0 {
		return nil, nil
	}
	return db.WriteWith(ctx, caps, nil)
}

// WriteWith is Write, and calls then in the same transaction, after the captures
// were written: what it writes by the Tx is stored with them or not at all. It is
// called again when the transaction has to be repeated. With no captures it runs
// alone.
func (db *DB) WriteWith(ctx context.Context, caps []*Capture, then func(context.Context, *Tx, []Stored) error) ([]Stored, error) {
	if len(caps) == 0 {
		err := db.inTxAgain(ctx, func(tx pgx.Tx) error { return then(ctx, &Tx{db: db, tx: tx}, nil) })
		if err != nil {
			return nil, fmt.Errorf("store captures: %w", err)
		}
		return nil, nil
	}
	for _, c := range caps {
		if err := c.check(); err != nil {
			return nil, err
		}
		// PostgreSQL keeps microseconds; finer times would not compare equal later.
		c.StartedAt = c.StartedAt.Truncate(time.Microsecond).UTC()
		c.FinishedAt = c.FinishedAt.Truncate(time.Microsecond).UTC()
	}
	sightings := make([]Sighting, len(caps))
	for i, c := range caps {
		sightings[i] = Sighting{c.URL, c.StartedAt}
		if c.PermanentURL != "" {
			sightings = append(sightings, Sighting{c.PermanentURL, c.StartedAt})
		}
	}
	ids, err := db.ResolvePages(ctx, sightings)
	if err != nil {
		return nil, err
	}
	for _, c := range caps {
		if ids[c.URL] == 0 {
			return nil, fmt.Errorf("store capture: %q is no canonical URL", c.URL)
		}
	}
	if err := db.ensurePartitions(ctx, caps); err != nil {
		return nil, err
	}
	if err := db.resolveRevisits(ctx, caps, ids); err != nil {
		return nil, err
	}
	if err := db.extractAhead(ctx, caps, ids); err != nil {
		return nil, err
	}
	for try := 0; ; {
		b := newBatch(db, caps, ids)
		err := db.inTx(ctx, func(tx pgx.Tx) error {
			if err := b.write(ctx, tx); err != nil || then == nil {
				return err
			}
			return then(ctx, &Tx{db: db, tx: tx}, b.results())
		})
		switch {
		case err == nil:
			b.remember()
			return b.results(), nil
		case errors.Is(err, errUnread):
			// Extracting and resolving links is done without the transaction, which
			// holds locks and a connection; this comes to an end, since each round
			// reads more captures.
			err = db.read(ctx, b.unread)
		case try < 3 && worthRetry(err):
			try++
			err = nil
		}
		if err != nil {
			return nil, fmt.Errorf("store captures: %w", err)
		}
	}
}

// errUnread stops a transaction that needs what captures say before they were read.
var errUnread = errors.New("captures have to be read first")

func (c *Capture) check() error {
	if c.Outcome == NotModified {
		c.Payload, c.PayloadHash = nil, SHA256{} // such an answer names no content of its own
	}
	if len(c.Payload) > body.MaxSize { // nothing else of the batch shall suffer
		c.Outcome, c.Error = Failed, fmt.Sprintf("payload of %d bytes is more than can be stored", len(c.Payload))
		c.Payload, c.PayloadHash = nil, SHA256{}
	}
	switch {
	case c.StartedAt.IsZero():
		return fmt.Errorf("store capture of %s: no start time", c.URL)
	case c.Kind == "":
		return fmt.Errorf("store capture of %s: no kind", c.URL)
	case c.Outcome == "" && c.hash() == (SHA256{}) && c.PayloadSHA1 == (SHA1{}):
		return fmt.Errorf("store capture of %s: neither outcome nor payload", c.URL)
	}
	return nil
}

// worthRetry tells errors that another try may not meet: lost races.
func worthRetry(err error) bool {
	if errors.Is(err, errLostRace) {
		return true
	}
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return false
	}
	switch pg.Code {
	case "40001", "40P01", "23505": // serialisation failure, deadlock, unique violation
		return true
	}
	return false
}

// extractAhead extracts, on all cores and outside the transaction, what the
// transaction will most likely need: each content that differs from the one
// before it.
func (db *DB) extractAhead(ctx context.Context, caps []*Capture, ids map[string]PageID) error {
	pages := pagesOf(caps, ids)
	states, err := db.States(ctx, pages)
	if err != nil {
		return err
	}
	before := make(map[PageID]SHA256, len(pages))
	for id, s := range states {
		before[id] = s.Hash
	}
	ordered := slices.Clone(caps)
	slices.SortStableFunc(ordered, func(a, b *Capture) int { return a.StartedAt.Compare(b.StartedAt) })
	var unread []unreadCapture
	for _, c := range ordered {
		if c.Outcome != "" || c.Payload == nil {
			continue
		}
		id := ids[c.URL]
		if before[id] == c.hash() {
			continue
		}
		before[id] = c.hash()
		unread = append(unread, unreadCapture{c, c.Payload})
	}
	return db.read(ctx, unread)
}

// unreadCapture is a capture that starts a version, with its payload.
type unreadCapture struct {
	*Capture
	payload []byte
}

// read extracts what captures say, on all cores, and finds or makes the pages
// that they link to.
func (db *DB) read(ctx context.Context, caps []unreadCapture) error {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, c := range caps {
		g.Go(func() error { c.read(c.payload); return ctx.Err() })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	var sightings []Sighting
	for _, c := range caps {
		for _, l := range c.extract.Links {
			sightings = append(sightings, Sighting{l.URL, c.StartedAt})
		}
	}
	ids, err := db.ResolvePages(ctx, sightings)
	if err != nil {
		return err
	}
	for _, c := range caps {
		for _, l := range c.extract.Links {
			if id := ids[l.URL]; id != 0 {
				c.targets = append(c.targets, Target{Page: id, NoFollow: l.NoFollow})
				if c.KeepLinks {
					c.Linked = append(c.Linked, LinkedPage{Page: id, URL: l.URL, NoFollow: l.NoFollow})
				}
			}
		}
	}
	return nil
}

func pagesOf(caps []*Capture, ids map[string]PageID) []PageID {
	pages := make([]PageID, len(caps))
	for i, c := range caps {
		pages[i] = ids[c.URL]
	}
	slices.Sort(pages)
	return slices.Compact(pages)
}

// batch is one Write on its way through a transaction.
type batch struct {
	db    *DB
	caps  []*Capture
	ids   map[string]PageID
	pages []*pageBatch // by page id
	blobs *blobBatch

	unread []unreadCapture // what write found that it needs
}

// pageBatch is the part of a batch that falls on one page.
type pageBatch struct {
	id       PageID
	state    *PageState
	fresh    []*observation // of this batch
	dropped  []*observation // of this batch, stored before
	obs      []*observation // to be written: fresh ones, or all when laid anew
	timeline timeline
	extended *versionRow // last version of the database, when the batch extends it
	relaid   bool
	// readable holds, for a page laid anew, the contents that can become versions:
	// they have been read before, or a capture of the batch can read them.
	readable map[SHA256]bool
	// thinned holds, for a page laid anew, the contents that retention gave up: they
	// take their place in the timeline and nothing is stored of them.
	thinned map[SHA256]bool
	// measured are the page's changes that cannot be measured again.
	measured []measuredChange
}

// quick reports whether all captures of the page ask for time before size.
func (p *pageBatch) quick() bool {
	for _, o := range p.fresh {
		if o.capture == nil || !o.capture.Quick {
			return false
		}
	}
	return true
}

func newBatch(db *DB, caps []*Capture, ids map[string]PageID) *batch {
	b := &batch{db: db, caps: caps, ids: ids}
	byPage := map[PageID]*pageBatch{}
	for _, c := range caps {
		id := ids[c.URL]
		p := byPage[id]
		if p == nil {
			p = &pageBatch{id: id}
			byPage[id] = p
			b.pages = append(b.pages, p)
		}
		o := &observation{
			at: c.StartedAt, finished: c.FinishedAt, due: c.DueAt, outcome: c.Outcome, kind: c.Kind, watch: c.WatchID,
			status: c.Status, err: c.Error, detail: c.Detail, bytes: c.received(), hash: c.hash(), sha1: c.PayloadSHA1, refersTo: c.RefersTo,
			capture: c,
		}
		if o.finished.IsZero() {
			o.finished = o.at
		}
		o.head = c.Head
		p.fresh = append(p.fresh, o)
	}
	slices.SortFunc(b.pages, func(x, y *pageBatch) int { return cmp.Compare(x.id, y.id) })
	return b
}

func (b *batch) write(ctx context.Context, tx pgx.Tx) error {
	pages := make([]PageID, len(b.pages))
	for i, p := range b.pages {
		pages[i] = p.id
	}
	states, err := lockStates(ctx, tx, pages)
	if err != nil {
		return err
	}
	b.blobs = newBlobBatch(b.db, tx)
	for _, p := range b.pages {
		p.state = states[p.id]
		sortObservations(p.fresh)
		if err := b.layTimeline(ctx, tx, p); err != nil {
			return err
		}
	}
	if err := b.prepareVersions(ctx); err != nil {
		return err
	}
	if err := b.blobs.store(ctx); err != nil {
		return err
	}
	return b.writeRows(ctx, tx)
}

// layTimeline decides outcomes and versions of a page's observations.
func (b *batch) layTimeline(ctx context.Context, tx pgx.Tx, p *pageBatch) error {
	if !p.state.LastFetched.IsZero() && !p.fresh[0].at.After(p.state.LastFetched) {
		return b.relay(ctx, tx, p)
	}
	p.fresh, p.dropped = dropDuplicates(nil, p.fresh, nil)
	p.obs = p.fresh
	if p.state.Version > 0 {
		p.extended = &versionRow{
			number: p.state.Version, first: p.state.VersionSince, last: p.state.VersionSeen, hash: p.state.Hash,
			textHash: p.state.textHash, textSince: p.state.textSince,
		}
		p.timeline.last = p.extended
	}
	return b.place(ctx, p)
}

// place runs the timeline once it is known which contents can be stored.
func (b *batch) place(ctx context.Context, p *pageBatch) error {
	numberAttempts(p.obs)
	for _, o := range p.obs {
		if o.content() && o.capture != nil && o.capture.Payload != nil {
			b.blobs.offer(p.id, o.hash, o.capture.Payload)
		}
	}
	var lookup error
	p.timeline.place(p.obs, func(o *observation) bool {
		if p.thinned[o.hash] {
			return true
		}
		if p.readable != nil && !p.readable[o.hash] {
			return false
		}
		ok, err := b.blobs.has(ctx, p.id, o.hash)
		if err != nil {
			lookup = err
		}
		return ok
	})
	return lookup
}

// results says what became of each capture, in the order given to Write.
func (b *batch) results() []Stored {
	byCapture := make(map[*Capture]Stored, len(b.caps))
	for _, p := range b.pages {
		for _, o := range p.fresh {
			byCapture[o.capture] = Stored{Page: p.id, Version: o.version, Outcome: o.outcome}
		}
		for _, o := range p.dropped {
			s := Stored{Page: p.id, Outcome: Skipped, Duplicate: true}
			if o.twin != nil { // it brought what its first import had missed
				s = Stored{Page: p.id, Version: o.twin.version, Outcome: o.twin.outcome}
			}
			byCapture[o.capture] = s
		}
	}
	out := make([]Stored, len(b.caps))
	for i, c := range b.caps {
		out[i] = byCapture[c]
	}
	return out
}

// remember puts into the cache what the transaction has made true.
func (b *batch) remember() { b.blobs.remember() }
