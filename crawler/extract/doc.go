// Package extract turns the bytes of one fetched page into what the rest of the
// program compares, counts and follows: the stripped text as lines (SCIENCE
// C3), its sentences, its words (SCIENCE C4), the outline of its elements
// (SCIENCE A26), its links (SCIENCE C5) and what the page says about itself
// (title, language, dates, robots).
//
// An Extractor does the work and is kept by one worker, since it reuses its
// buffers; the Page it returns stands alone. Page.AppendRecord and DecodeRecord
// are the stored form of a page, made to compress well against the record of
// the version before.
//
// Three ways lead to the tree, and the result does not tell them apart:
//
//  1. A light builder (builder.go) follows the part of the HTML5 tree
//     construction in which elements are only ever appended at the open
//     element. Most pages never leave it, and it needs half of the time.
//  2. A page that does leave it (misnested formatting, content in a table
//     outside of its cells, frames, templates) is read by x/net/html.
//  3. A page that x/net/html refuses or would spend too much on stays with the
//     light builder's approximation and is flagged Tokenized.
//
// Left out: fetching, canonical URLs, scripts, styles and everything that needs
// a layout; hidden elements count as visible unless C3 names them.
package extract
