// Package novelty tells which pages of a snapshot are really new: the novelty
// measure of Toyoda and Kitsuregawa 2006 (SCIENCE T1 to T3).
//
// A snapshot is a set of crawled pages W and the links from them. [Classify] parts
// W into pages that are known to be old, O, those of them that the snapshot before
// crawled too, L2, and the unidentified pages U, which were seen for the first time
// and may be new or just overlooked until now. [Build] lays out the links into U as
// a [Graph], and [Graph.Score] computes how certain it is that each page of U
// appeared since the snapshot before:
//
//	N(p) = 1                                      p in L2
//	N(p) = 0                                      p in O \ L2
//	N(p) = (1-delta) * sum over q in I(p) of N(q) / |I(p)|   p in U
//
// where I(p) are the distinct pages that link to p. A score of 0 means that nothing
// is known, not that the page is old.
//
// Pages are dense numbers from 0, in slices with an entry a page; links come as a
// stream that can be read again ([Links]), so that the links of a snapshot need
// never be in memory at once. The graph keeps only what the iteration reads: links
// between pages of U, four bytes each, and twelve bytes for each page of U, its links
// from old pages being constants. One graph serves every delta.
//
// Left out: where snapshots come from and where scores go (package store), how good
// the scores are (monitor/novelty/eval), pages found between snapshots
// (monitor/novelty/window), and copies of old pages, which are new URLs to this
// measure (SCIENCE T15).
package novelty
