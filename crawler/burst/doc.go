// Package burst plans the fast fetching of pages that change all the time, and
// keeps what it found: paper A's fast-change crawl (3.2; SCIENCE A5, A7) and
// its instant-change crawl (SCIENCE A6).
//
// A Burst is one page's way through it, a state without a clock that is stored
// in the page's row: a candidate while its hourly series is watched, enrolled
// once that changed often enough, running through its rounds of snapshots at 0,
// 2, 16 and 32 minutes, and done. Its caller fetches what Next names and tells
// Take or Lose. Options.Plan is the whole schedule on paper. A Tally counts
// pages in the manner of the paper's Table 2, and Pairs follows the two requests
// at one moment for pages that change within two minutes.
//
// Left out: the fetching, the barrier that releases the two requests of a pair,
// and what is noise in a pair, which is the matter of monitor/mask.
package burst
