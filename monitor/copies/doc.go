// Package copies finds pages whose text, when they were new, was that of another page
// before: copies, moves and mirrors (SCIENCE T15, 2.3).
//
//   - [Sketches] keeps, for versions, keys of their texts: of the main text, and of all.
//   - [Find] looks pages up by these keys, takes the oldest pages that share most of them
//     as candidates, and confirms each by the Jaccard coefficient of 5-word shingles, read
//     from the stored records. Within a site the main texts are compared, without the
//     lines that other pages of the host have too; across sites the main texts or all
//     text, whichever is more alike.
//
// What it costs goes by how many pages are asked, not by how many there are: of each key
// the oldest pages alone are looked at, a bounded number, which are the ones that can be
// the source.
//
// A page with .9 of its shingles in common with an older one is a copy of it; or moved, if
// that page is gone, redirects, or is no longer found; or a twin, if one snapshot saw both
// for the first time, since then nobody knows which was first. From .6 on it is near.
//
// Left out: copies of a part of a page, translations, and which of two twins has the text
// from the other.
package copies
