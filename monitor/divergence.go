package monitor

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/strandlinehq/strandline/monitor/terms"
	"github.com/strandlinehq/strandline/store"
)

// Diverged is a term of a page with its divergence from all pages.
type Diverged struct {
	terms.Scored
	PDoc, PCol float64 // over all versions; PCol is 0 for a term that the model does not have
}

// Divergences returns the divergence of each kept term of a page from all pages:
// over all versions, from the language model as it is stored, and in the page's
// first hour, computed from what was seen in it (SCIENCE A24, A25).
func (a *Analysis) Divergences(ctx context.Context, db *store.DB) ([]Diverged, error) {
	names := make([]string, len(a.Terms))
	for i, r := range a.Terms {
		names[i] = r.Term
	}
	shares, err := db.Shares(ctx, names)
	if err != nil {
		return nil, err
	}
	first, err := a.firstHour(ctx, db)
	if err != nil {
		return nil, err
	}
	out := make([]Diverged, len(a.Terms))
	for i, r := range a.Terms {
		d := Diverged{Scored: terms.Scored{Term: r.Term, Power: r.Power, HasPower: r.HasPower}, PDoc: r.PDoc, PCol: shares[r.Term]}
		if v, ok := terms.Diverge(r.PDoc, d.PCol); ok {
			d.Div, d.HasDiv = v.Div, true
		}
		if v, ok := first[r.Term]; ok {
			d.At, d.HasAt = v, true
		}
		out[i] = d
	}
	return out, nil
}

// firstHour returns the divergences in the hour of the page's first version.
func (a *Analysis) firstHour(ctx context.Context, db *store.DB) (map[string]float64, error) {
	if len(a.Observed) == 0 {
		return nil, nil
	}
	at := time.Unix((a.Origin.Unix()+1800)/3600*3600, 0).UTC()
	var own, all terms.Pool
	err := db.View(ctx, func(tx *store.Tx) error {
		r := &poolReader{ctx: ctx, tx: tx, from: at, to: at.Add(time.Hour), rules: map[string]ruling{}, page: a.page}
		p, err := terms.NewPool(r.show, math.MaxInt)
		if err != nil {
			return err
		}
		all = *p
		r.only, r.full = true, false
		if p, err = terms.NewPool(r.show, math.MaxInt); err != nil {
			return err
		}
		own = *p
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := make(map[string]float64, len(own.Terms))
	for _, t := range own.Terms {
		i, ok := slices.BinarySearchFunc(all.Terms, t.Term, func(a terms.PoolTerm, name string) int { return cmp.Compare(a.Term, name) })
		if !ok {
			continue
		}
		if d, ok := terms.Diverge(share(t.Sum), share(all.Terms[i].Sum)); ok {
			out[t.Term] = d.Div
		}
	}
	return out, nil
}

func share(sum int64) float64 { return math.Ldexp(float64(sum), -terms.PoolBits) }
