// Package sample draws the pages to be watched from a log of visits, as paper A
// section 3.1 does (SCIENCE A1, A2): pages are binned by how many people visit
// them, how often each returns and after how long, and every bin that is not
// empty gives the same number of pages, so that the rare kinds are there too.
//
// A Counter takes the visits in any order, in bounded memory, and gives the Stats
// of each page. A Drawer takes these and draws. Which pages it draws depends on
// the pages' addresses alone, not on their order: a page's place in its bin is
// the hash of its address.
//
// Pages and users are known by their Hash only. Left out: reading logs, the
// canonical form of addresses, and whether a page can be fetched; Draw asks for
// that.
package sample
