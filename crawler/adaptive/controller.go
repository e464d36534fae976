package adaptive

import (
	"math"
	"time"
)

// Controller keeps the number of pages that fall due at the budget by moving the
// threshold: up when too many do, down when too few. It corrects what a Plan
// cannot know: rates that are wrong, that drift, or pages that came and went.
//
// A page feels a new threshold only at its next visit, so that the effect comes
// later by up to the mean interval M = pages/budget. Hence the step
//
//	want = due/over + 2 backlog/M
//	ln threshold += (want/budget - 1) * over / (2 M)
//
// The backlog has to count: once fetches are at the budget no more pages fall due
// than are fetched, however low the threshold is. The term asks for it to be
// gone in M/2.
//
// The demand goes with the threshold to a power of about -1/2 to -2, which leaves
// the loop stable with that delay, and settled after some 10 M. The miss is held
// within ±1, so that an outage or a wave of new pages cannot run the threshold
// off. It is no logarithm: counts scatter, the mean of their logarithms is below that of
// a steady count, and the threshold would come to rest where budget is left over.
//
// The zero Controller is not ready; it is not safe for concurrent use. Its
// state is the threshold, which the caller stores.
type Controller struct {
	budget    float64 // fetches an hour
	mean      float64 // M, hours
	threshold float64
}

// NewController returns a Controller for that many pages and a budget of
// fetches an hour that starts at a threshold, from a Plan or stored. Without a
// positive budget the threshold never moves.
func NewController(pages int, budget, threshold float64) *Controller {
	c := &Controller{threshold: threshold}
	c.Resize(pages, budget)
	return c
}

// Resize tells of another number of pages or budget.
func (c *Controller) Resize(pages int, budget float64) {
	c.budget = positive(budget)
	c.mean = float64(max(pages, 1)) / c.budget
}

// Threshold is the threshold of now. It is never 0 or infinite after Observe.
func (c *Controller) Threshold() float64 { return c.threshold }

// SetThreshold takes the threshold of a new Plan.
func (c *Controller) SetThreshold(threshold float64) { c.threshold = threshold }

// Observe tells how many pages fell due over the time since the last call, fetched
// or not, and how many are due and wait their turn now. A page that is being fetched or
// stored does not wait: were it counted, budget would be left over. Any regular distance does;
// minutes on a large set, an hour on a small one.
func (c *Controller) Observe(due, backlog int, over time.Duration) {
	if c.budget == 0 || over <= 0 {
		return
	}
	h := hours(over)
	want := float64(max(due, 0))/h + 2*float64(max(backlog, 0))/c.mean
	miss := min(want/c.budget-1, 1)
	step := miss * min(h/(2*c.mean), 0.5)
	c.threshold = min(max(c.threshold, 1e-300)*math.Exp(step), 1e300)
}

// Outdated reports whether an interval computed with an older threshold should
// be computed anew before the page falls due: the threshold has sunk to less
// than half, as after a raised budget, and pages that were sent far off would
// not notice for long.
func (c *Controller) Outdated(older float64) bool { return c.threshold < older/2 }
