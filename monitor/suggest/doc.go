// Package suggest offers rules for the ignore list of a watch, from the versions of its
// pages and from what pairs taught of their noise (SCIENCE 2.2, A29, A31).
//
// A part of a page is offered if it lives no longer than from one fetch to the next:
// it differs in nearly all fetches, whatever else the page does. Parts that
// keep their shape, "You are visitor 1,204 of this page", are offered as a regular
// expression; small elements that share nothing from fetch to fetch as a selector,
// but only if pairs of simultaneous requests showed them, since a list of headlines
// looks the same in a history alone.
//
// Page gathers the evidence of one page, Rules joins that of several. Each rule is
// tried on the versions it comes from: it must be the whole difference of some of
// them, or take part in it, and may not remove much of a page.
//
// Left out: where versions come from, and applying rules (monitor/ignore).
package suggest
