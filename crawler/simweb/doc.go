// Package simweb is a small web that never was: a few dozen hosts whose pages are written, edited,
// moved and deleted as a clock moves, and which knows exactly what changed when. The demo watches it in
// place of the internet, and tests hold the crawler and the measures against its truth.
//
// The main type is [World]. Everything it says is a pure function of the seed, the address and the time, so
// equal [Options] give equal webs whatever is asked first, and a world of any number of pages needs
// memory for its hosts only:
//
//	w, err := simweb.New(clock, simweb.Options{Seed: 7})
//	client := &http.Client{Transport: w.Transport()} // no sockets; or w.Serve for a loopback proxy
//	changes := w.Changes(url, from, to)              // what a crawler ought to have found
//
// The text can be read: each topic has its grammar and its words, and planted events (a flood, an election)
// are reported by several hosts in different words, brought up to date with new numbers, and repeated
// later as old news. The truth says of each sentence which event it tells of and whether it was news then.
//
// How a time becomes a page. A page has a process of change times (process.go): one change a cell, or an
// exact Poisson process drawn cell by cell, so that any instant is reached without replaying the past. A
// change rewrites one to six slots; the sentence in a slot is the one of the last change that hit it,
// found by walking back through the changes (content.go). All times of change are whole seconds and no
// page changes twice in one second, as Last-Modified could not tell such versions apart.
//
// Left out: HTTPS and CONNECT, cookies, forms that do something, images, and markup that is broken on purpose.
package simweb
