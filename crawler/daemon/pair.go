package daemon

import (
	"context"
	"time"

	"github.com/strandlinehq/strandline/crawler/burst"
	"github.com/strandlinehq/strandline/store"
)

// A page that changed within the first two minutes of a round gets pairs of requests
// at one moment (SCIENCE A6), from which its noise is learned.
const (
	pairLead    = 3 * time.Minute    // from the snapshot that asks for pairs to the first
	pairEvery   = 30 * time.Minute   // from one pair to the next; noise counts after ten minutes
	pairRefresh = 7 * 24 * time.Hour // of a page whose noise is known, so that it stays so
)

// PairFetcher is a Fetcher that can fetch a page twice at the same moment. A daemon
// whose Fetcher is none makes no pairs.
type PairFetcher interface {
	FetchPair(ctx context.Context, job Job) Pair
}

// Pair is what came of two requests at one moment.
type Pair struct {
	A, B         Attempt
	SentA, SentB time.Time     // when each request went out
	Skew         time.Duration // between them, by the machine's clock
	Accepted     bool          // both brought content and Skew is small enough
}

// Learner learns from pairs what of a page is noise; monitor.MaskLearner is one.
type Learner interface {
	// Learn takes what is known of a page, nil for nothing, and the records of two
	// versions fetched at a time. It returns what is known then: Mask, Rules, Pairs.
	Learn(mask, a, b []byte, at time.Time) (store.Mask, error)
}

// pairResult is a pair with what was read out of it.
type pairResult struct {
	Pair
	a, b store.Extract
	mask *store.Mask
}

// fetchPair makes a pair. Reading and learning go on in the worker, since the loop
// does not wait.
func (r *run) fetchPair(ctx context.Context, j *job) Attempt {
	p := &pairResult{Pair: r.pairs.FetchPair(ctx, j.request())}
	out := p.A
	out.pair = p
	if !p.Accepted {
		return out
	}
	read := func(a Attempt) store.Extract {
		return r.reader.Read(a.source(j.URL), a.Payload)
	}
	p.a, p.b = read(p.A), read(p.B)
	if r.opt.Learner == nil {
		return out
	}
	at := p.A.StartedAt
	m, err := r.opt.Learner.Learn(j.Burst.Mask, p.a.Record, p.b.Record, at)
	if err != nil {
		r.opt.Logger.Warn("nothing was learned from a pair", "url", j.URL, "error", err)
		return out
	}
	m.Page, m.Watch, m.LearnedAt, m.Active = j.Page, j.shot.watch.ID, at, j.shot.watch.Masks
	p.mask = &m
	return out
}

// finishPair makes the rows of both requests.
func (r *run) finishPair(f *finished, a Attempt) {
	p := a.pair
	if p == nil { // the fetch panicked, or was given up
		f.caps = append(f.caps, r.shotCapture(f, a))
		f.step = r.pairStep(f, a.StartedAt, &pairResult{})
		r.add(f)
		return
	}
	second := r.judge(f.job, p.B)
	if second.StartedAt.Before(a.StartedAt.Add(time.Microsecond)) {
		second.StartedAt = a.StartedAt.Add(time.Microsecond) // the rows are told apart by it
	}
	if second.FinishedAt.Before(second.StartedAt) {
		second.FinishedAt = second.StartedAt
	}
	for i, leg := range []Attempt{a, second} {
		c := r.shotCapture(f, leg)
		sent, extract := p.SentA, p.a
		if i == 1 {
			sent, extract = p.SentB, p.b
		}
		c.Detail = leg.also(struct {
			Request  int       `json:"request"`
			SentAt   time.Time `json:"sent_at"`
			Skew     float64   `json:"skew_ms"`
			Accepted bool      `json:"accepted"`
		}{i, sent, float64(p.Skew.Microseconds()) / 1000, p.Accepted})
		if c.Extract != nil && p.Accepted {
			c.Extract = func([]byte) store.Extract { return extract }
		}
		f.caps = append(f.caps, c)
	}
	f.bytes += len(second.Payload)
	f.step = r.pairStep(f, a.StartedAt, p)
	r.add(f)
}

// pairStep counts a pair and plans the next one.
func (r *run) pairStep(f *finished, started time.Time, p *pairResult) func([16]byte, store.Stored) burstStep {
	return func(text [16]byte, s store.Stored) burstStep {
		row := *f.Burst
		var n burst.Pairs
		if n.UnmarshalBinary(row.Pairs) != nil {
			n = burst.Pairs{}
		}
		out := burstStep{}
		if p.Accepted && sawText(text, s) {
			differ := p.a.TextHash != p.b.TextHash
			if n.Record(started, started.Add(p.Skew), differ) {
				out.results = append(out.results, pairBurstResult(f.Page, n.Accepted, started, p.Skew, s.Version, differ))
			}
			out.mask = p.mask
		} else {
			n.Fail()
		}
		row.Pairs, _ = n.MarshalBinary() // never fails
		switch {
		case n.Wanted(burst.PairOptions{}):
			row.PairDue = started.Add(pairEvery).Truncate(time.Microsecond)
		case n.Accepted > 0 && p.mask != nil && len(p.mask.Rules) > 0, !p.Accepted && len(row.Mask) > 0:
			row.PairDue = started.Add(pairRefresh).Truncate(time.Microsecond)
		default:
			row.PairDue = time.Time{}
		}
		out.row = pack(row, unpack(row))
		return out
	}
}

// pairBurstResult is the n-th pair of a page as a row of the table of the change
// within the hour, at 0 minutes. Both requests are stored in one batch, so that the
// first saw the version before the second's if their texts differ.
func pairBurstResult(page store.PageID, n int, started time.Time, skew time.Duration, version int32, differ bool) store.BurstResult {
	first := version
	if differ {
		first--
	}
	return store.BurstResult{Page: page, Round: -n, Snapshot: 1, StartedAt: started, Delay: skew, FirstVersion: first, Version: version, Changed: differ}
}
