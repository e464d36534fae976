// Package series computes which pages of the snapshots of a series are new, when a
// snapshot has ended: classes, novelty and how far the scores may be trusted
// (SCIENCE T1 to T9).
//
// [Update] cuts what was imported into snapshots and computes all that are not
// computed yet, in order of time; it works the same behind a crawl and on archives.
// [Recompute] does it again with other parameters. What is written depends on the
// stored pages and links only: the same data give the same rows.
//
// The formulas are in monitor/novelty; this package feeds them from the store. It
// keeps a few bytes for each page that the database knows, numbered by its id, and
// the links of a snapshot packed as they are stored while they fit into
// [Options.LinkBytes]; beyond it reads them from the database in each pass.
//
// Redirects (SCIENCE C5): a link to a URL that redirected in the snapshot counts for
// the page at its end, and that page counts as known where any of its aliases was
// known before. So a page that moved is old under its new name, and links that
// still use the old one are not lost.
//
// Pages whose URLs look like traps (SCIENCE T16) are left out of W, with their links.
//
// Scores are judged by two truths: the month in a page's URL, and the date of
// publication that the page gives itself.
//
// Pages of U that are copies of older ones are told by monitor/copies and counted apart
// (SCIENCE T15); they stay in U, and their scores as they are.
//
// When unidentified pages appeared is estimated from the crawls of the pages that link
// to them, with and without the link.
//
// Left out: fetching (crawler).
package series
