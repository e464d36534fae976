// Package adaptive decides how often each page is worth fetching when there is
// a budget of fetches an hour for all of them (SCIENCE 2.1).
//
// Pages are taken to change as Poisson processes. Fetching a page whose last
// fetch is t hours old is worth
//
//	V(t) = m U(t),  U(t) = 1/d - (t + 1/d) e^{-d t}
//
// with importance m and rate d (changes an hour): what the fetch adds to the
// time-averaged freshness (Olston and Pandey, WWW 2008). A page is due when
// V reaches one threshold, the same for all pages. If the threshold makes the
// visits meet the budget, the intervals are those of the optimum of Cho and
// Garcia-Molina (TODS 2003), page by page and without a central solve.
//
// The parts, each a plain value without a clock or storage:
//
//   - Estimator learns the rate of a page from its visits and is stored in the page's row;
//   - Page gives value and interval for a threshold, Curve the same for a page
//     whose change curve is known;
//   - MakePlan finds the threshold for a set of hosts, their limits and a budget,
//     and Controller keeps it right between plans;
//   - Signals weighs hints such as the lastmod of a sitemap by how right they were;
//   - Optimum, RandomVisits, Uniform, Proportional and PerfectSignals are what a
//     schedule is held against.
//
// Left out: the queue of due pages, politeness towards hosts while fetching, and
// rates that follow the hour of the day.
package adaptive
