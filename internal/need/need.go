// Package need says what becomes of a test on a machine that lacks something.
//
// A person's machine may lack a program: the test is skipped and says what is
// missing. Under CI (the environment variable CI is set) no program may be missing
// and the test fails, so that none stops running there unnoticed. Real page
// histories are not part of the project: the tests that want them are skipped
// unless a folder is named, which then has to hold them. Left out: PostgreSQL,
// which store/pgtest looks for by the rule of programs.
package need

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// corpusVar names the folder of the real page histories, which a clone does not bring.
const corpusVar = "STRANDLINE_CORPUS"

// Missing ends a test for the lack of something: it is skipped, under CI it fails.
func Missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// Program ends a test where a program is not in PATH.
func Program(t testing.TB, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		Missing(t, "the program %s is not installed", name)
	}
}

// Corpus returns the archives of real page histories that are named, without
// .warc.gz, or all of them: files of the folder that STRANDLINE_CORPUS names. A
// folder that is named has to have them.
func Corpus(t testing.TB, names ...string) []string {
	t.Helper()
	dir := os.Getenv(corpusVar)
	if dir == "" {
		t.Skipf("%s names no folder of *.warc.gz with real page histories", corpusVar)
	}
	if len(names) == 0 {
		files, err := filepath.Glob(filepath.Join(dir, "*.warc.gz"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no *.warc.gz in %s=%s: %v", corpusVar, dir, err)
		}
		return files
	}
	files := make([]string, len(names))
	for i, name := range names {
		files[i] = filepath.Join(dir, name+".warc.gz")
		if _, err := os.Stat(files[i]); err != nil {
			t.Fatalf("%s=%s lacks an archive: %v", corpusVar, dir, err)
		}
	}
	return files
}
