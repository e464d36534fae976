package store

// A statement is one piece of SQL with its kind. Statements are package-level
// constants in all but name; a test reads them from the source and holds each
// kind's rule against a twin of the schema that is partitioned by bucket.
type statement struct {
	kind kind
	sql  string
}

// kind says which servers of a cluster a statement may touch.
type kind int

const (
	// routed statements touch one bucket's tables only: each distributed table
	// in them is filtered by bucket.
	routed kind = iota
	// all statements read over all buckets. They may not lock rows.
	all
	// local statements touch only tables that are not distributed.
	local
)
