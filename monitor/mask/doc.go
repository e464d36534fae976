// Package mask learns what of a page is noise (counters, clocks, ads, ids) from
// instant pairs: two versions fetched at the same moment, whose differences
// cannot be news (SCIENCE A6, 2.2, 3.6). A change that touches only masked
// parts is then told from one that touches content.
//
// A Mask holds the rules of one page. Each is an element, by a path that is a CSS
// selector, and what varies in it:
//
//   - Tokens: a pattern of one chunk of its text, "Page served in {number} secs";
//     only what stands in braces may vary, the rest must be there to the letter;
//   - Order: the same children in another order;
//   - Block: the whole element, where two versions share nothing.
//
// Learn takes a pair, Compare two versions, Text gives a version without its
// noise, from which come the words for a Dice coefficient that noise does not
// move. A clock that shows minutes does not differ within a pair; it is
// recognised by showing the time of the fetch, again and again.
//
// The package errs towards reporting: a rule needs two pairs some time apart to
// count, so that a server that is late with a true change once teaches nothing; it
// is dropped when pairs stop confirming it; a large element is never masked; and
// what differs between pairs but not within one is never taken for noise. The
// price of Block is that true news inside of such an element are masked as well.
//
// Left out: attributes and markup (only visible text counts), noise that two
// requests share, such as a picture of the day, and notifying.
package mask
