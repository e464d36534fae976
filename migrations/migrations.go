// Package migrations carries the numbered SQL files that make and change the
// database schema, embedded so that one binary is enough.
//
// Each file holds one idea, runs in one transaction and has a way down. A file
// that has been released is never edited: a change is a new file. Private
// tables live in schema core, the views for analysts in schema api_v1; every
// table, view and column has a comment, because people read the schema in psql
// and the view api_v1.data_dictionary is made from those comments.
//
// The tables of page data carry the bucket of their host in every key, so that
// the same schema can be spread over several servers by bucket: see
// ARCHITECTURE.md, "Keys".
package migrations

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"sort"
)

// FS holds the SQL files at its root.
//
//go:embed *.sql
var FS embed.FS

// Fingerprint returns a hash over the names and contents of all migrations.
// Two programs with the same fingerprint make the same schema; tests use it to
// name the template database.
func Fingerprint() (string, error) {
	names, err := fs.Glob(FS, "*.sql")
	if err != nil {
		return "", err
	}
	sort.Strings(names)
	h := sha256.New()
	for _, name := range names {
		data, err := fs.ReadFile(FS, name)
		if err != nil {
			return "", err
		}
		h.Write([]byte(name))
		h.Write([]byte{0})
		h.Write(data)
	}
	return hex.EncodeToString(h.Sum(nil))[:16], nil
}
