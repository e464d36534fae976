// Package trend tells which terms of a topic rise and fall (SCIENCE 2.7, 3.5).
//
//   - G2 compares a period with the history before it: Dunning's likelihood ratio,
//     which holds for small counts where chi-squared and plain ratios do not.
//   - Bursts finds the periods in which a term is in an uncommon state: the batch
//     form of Kleinberg's two-state automaton, solved by Viterbi.
//   - Of makes Rising, Falling or Steady of both, for the last period of a series.
//
// The counting unit is up to the caller; it should be distinct hosts that used
// the term in new text, boilerplate removed, out of those that had new text.
package trend
