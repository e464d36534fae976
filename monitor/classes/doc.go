// Package classes tells how pages of different classes change (paper A section
// 4.1, Table 1 and Figure 3; SCIENCE A10 to A14).
//
// Measure sums up the changes of one page; Summarise forms the rows of the table
// for a Kind of class, such as the top-level domain; Compare says which of their
// differences are more than chance, by permutation tests with Holm's correction;
// NewHistogram counts pages by their means. Printed has the paper's own totals,
// to stand beside ours.
//
// Means over pages leave out those that did not change, which are counted apart.
// Since the mean of the gaps that fit in a window is too low, the rate of a
// Poisson process stands beside it, estimated from every visit. What is undefined
// is said by a second result or a count of 0, never by NaN.
//
// Left out: where the changes come from, and the classes' labels.
package classes
