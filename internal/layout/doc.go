// Package layout holds no code. Its tests hold the order of the folders: which
// package may import which of ours, in which packages each larger library may
// be used, and that ARCHITECTURE.md names every library there is.
//
// Data runs one way, from fetching to the pages that a person reads, and the
// imports run the other way, towards the store. The table in table_test.go is
// the rule; a package that stands in no row of it fails the test, so that a new
// one is given its place when it is made.
package layout
