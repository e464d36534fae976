package localpg

import (
	"os"
	"path/filepath"
	"testing"
)

func TestExists(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if Exists(dir) || Exists(filepath.Join(dir, "none")) {
		t.Error("an empty directory counts as a private PostgreSQL")
	}
	if err := os.MkdirAll(filepath.Join(dir, "postgres", dataName), 0o700); err != nil {
		t.Fatal(err)
	}
	if !Exists(dir) {
		t.Error("a private PostgreSQL is not seen")
	}
	if _, err := os.Stat(filepath.Join(dir, "none")); err == nil {
		t.Error("looking made the directory")
	}
}
