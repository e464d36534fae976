// Package popular computes the measures of Jatowt, Bun and Ishizuka: which terms
// and sentences carry the popular changes of a collection of pages in a period,
// which pages keep bringing them, and which pages the collection should take in
// next (SCIENCE J1 to J4, J7, J8, J10 to J12).
//
//   - Weights gives the weight of every term of the period's new sentences (J1),
//     Forms the words to show for their stems (J8).
//   - Score is what a page's change is worth (J3), Static what a page's text is
//     worth (J2), UpToDate what its history of changes is worth (J4).
//   - New lists the sentences that a page did not have before (J7).
//   - Rank orders the period's sentences as the paper does (J11).
//   - Parents, Candidates and Admit are the steps of the expansion (J10), between
//     which a caller fetches pages; Expand is all three where the links are known.
//   - Precision is the share of added pages that are on topic (J12).
//
// Everything is a plain function of its arguments. The formulas are the paper's
// to the letter: what later work does better (novelty, rewrites, boilerplate) is
// in the packages beside this one. Left out: cutting pages into sentences and
// terms, which monitor/text does, and everything that fetches or stores.
package popular
