// Package neardup finds texts that are copies of each other, or nearly (SCIENCE
// 2.3): the same article on two hosts, a page that moved, a mirror, an address
// with a parameter that changes nothing.
//
//   - Of makes the Sketch of a text: the hash of its words, a 64-bit simhash
//     (Charikar 2002; Manku et al. 2007) and the set of its 5-word shingles
//     (Broder 1997), in full up to a size and as a MinHash sample beyond it.
//   - An Index proposes the texts with a close simhash or a common small shingle.
//   - Compare confirms by the Jaccard coefficient of the shingles, and Class names
//     what it found: Exact, Mirror from .9, Near from .6 (T15).
//
// Within a site two pages share their template, which makes all of them alike;
// there the caller gives the main text only, or counts exact matches alone. Left
// out: finding the main text, and which of two copies was first.
package neardup
