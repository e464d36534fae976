package daemon

import (
	"testing"
	"time"
)

// TestClaimAskedForWhileOneRuns: what is put off, comes due again or is announced while a claim runs may not
// be in sight of that claim, whose own plan then must not put off the next one.
func TestClaimAskedForWhileOneRuns(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	in := now.Add
	for _, test := range []struct {
		name   string
		before []time.Duration // asked for before the claim
		during []time.Duration
		next   time.Duration // of what the claim saw; 0: nothing
		want   time.Duration
	}{
		{name: "nothing is due", want: 10 * time.Second},
		{name: "something is due later", next: 6 * time.Second, want: 4 * time.Second},
		{name: "put off meanwhile", during: []time.Duration{3 * time.Second, time.Second, 2 * time.Second}, want: time.Second},
		{name: "put off meanwhile, but others are due before", during: []time.Duration{5 * time.Second}, next: 6 * time.Second, want: 4 * time.Second},
		{name: "the claim came for what was asked before it", before: []time.Duration{time.Second}, want: 10 * time.Second},
	} {
		r := &run{Daemon: &Daemon{opt: Options{Lookahead: 8 * time.Second}}}
		r.nextClaim = now
		for _, at := range test.before {
			r.claimBy(in(at))
		}
		r.claiming, r.claimAgain = true, time.Time{}
		for _, at := range test.during {
			r.claimBy(in(at))
		}
		r.claiming = false
		var next time.Time
		if test.next > 0 {
			next = in(test.next)
		}
		r.planClaim(now, next)
		if got := r.nextClaim.Sub(now); got != test.want {
			t.Errorf("%s: the next claim comes after %s, want %s", test.name, got, test.want)
		}
	}
}
