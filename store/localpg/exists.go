package localpg

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Exists reports whether a state directory holds a private PostgreSQL, without making
// or starting anything. One that may not be looked into counts as one: whoever starts
// it is told why it cannot be had.
func Exists(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "postgres", dataName))
	return !errors.Is(err, fs.ErrNotExist)
}
