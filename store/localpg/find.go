package localpg

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// MinMajor is the oldest major version of PostgreSQL that the program supports.
const MinMajor = 15

// ErrMissing says that no usable PostgreSQL is installed.
var ErrMissing = errors.New("PostgreSQL " + strconv.Itoa(MinMajor) +
	" or later not found: apt install postgresql, or give a database URL")

// Install is an installed PostgreSQL.
type Install struct {
	BinDir  string // where initdb and postgres are, symbolic links resolved
	Version string // as PostgreSQL writes it: "15.13", "18beta1"
	Major   int    // 15
}

// Path returns the path of one of the programs of the installation, which need
// not exist: distributions pack psql apart from the server.
func (in Install) Path(program string) string { return filepath.Join(in.BinDir, program) }

// Find looks for a PostgreSQL of major version [MinMajor] or later. A binDir
// that is not empty is the only place looked at. Else the first that fits wins
// of: PATH, `pg_config --bindir`, and where distributions and the PostgreSQL
// build put it, newest first. The error is [ErrMissing], with what was found
// wanting.
func Find(binDir string) (Install, error) {
	return find(context.Background(), binDir, searchDirs, func(in Install) bool { return true })
}

// find returns the first installation of the searched folders that also
// satisfies fits.
func find(ctx context.Context, binDir string, search func(context.Context) []string, fits func(Install) bool) (Install, error) {
	dirs := []string{binDir}
	if binDir == "" {
		dirs = search(ctx)
	}
	var faults []string
	for _, dir := range dirs {
		in, err := inspect(ctx, dir)
		if ctx.Err() != nil {
			return Install{}, context.Cause(ctx)
		}
		switch {
		case err == nil && in.Major >= MinMajor && fits(in):
			return in, nil
		case err == nil:
			faults = append(faults, fmt.Sprintf("%s has version %s", dir, in.Version))
		case binDir != "" || !errors.Is(err, os.ErrNotExist):
			faults = append(faults, err.Error())
		}
	}
	if len(faults) > 0 {
		slices.Sort(faults)
		return Install{}, fmt.Errorf("%w (%s)", ErrMissing, strings.Join(slices.Compact(faults), "; "))
	}
	return Install{}, ErrMissing
}

// searchDirs returns the folders to look at, best first. They need not exist.
func searchDirs(ctx context.Context) []string {
	dirs := filepath.SplitList(os.Getenv("PATH"))
	if path, err := exec.LookPath("pg_config"); err == nil {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		if out, err := exec.CommandContext(ctx, path, "--bindir").Output(); err == nil {
			dirs = append(dirs, strings.TrimSpace(string(out)))
		}
	}
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin",          // Debian, Ubuntu
		"/usr/pgsql-*/bin",                   // PostgreSQL's own packages for Red Hat
		"/usr/libexec/postgresql*",           // Alpine
		"/opt/homebrew/opt/postgresql@*/bin", // Homebrew on arm64
		"/usr/local/opt/postgresql@*/bin",    // Homebrew on amd64
		"/usr/local/pgsql/bin",               // built from source
		"/usr/local/postgresql*/bin", "/opt/*/postgresql/bin",
	} {
		found, _ := filepath.Glob(pattern) // the patterns are well formed
		dirs = append(dirs, newestFirst(found)...)
	}
	return slices.DeleteFunc(dirs, func(d string) bool { return !filepath.IsAbs(d) })
}

var digits = regexp.MustCompile(`[0-9]+`)

// newestFirst sorts folders by the last number in their path, falling: the
// major version, in every layout.
func newestFirst(dirs []string) []string {
	version := func(dir string) int {
		all := digits.FindAllString(dir, -1)
		if len(all) == 0 {
			return 0
		}
		n, _ := strconv.Atoi(all[len(all)-1])
		return n
	}
	slices.SortStableFunc(dirs, func(a, b string) int { return cmp.Compare(version(b), version(a)) })
	return dirs
}

// inspect asks the programs of one folder for their version. The error is
// os.ErrNotExist when one of them is not there.
func inspect(ctx context.Context, dir string) (Install, error) {
	for _, program := range []string{"initdb", "postgres"} {
		path := filepath.Join(dir, program)
		st, err := os.Stat(path)
		if err != nil {
			return Install{}, err
		}
		if st.IsDir() || st.Mode()&0o111 == 0 {
			return Install{}, fmt.Errorf("%s is not a program", path)
		}
	}
	// initdb finds its share folder beside the real file, and so do we.
	path, err := filepath.EvalSymlinks(filepath.Join(dir, "postgres"))
	if err != nil {
		return Install{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return Install{}, fmt.Errorf("%s --version: %w", path, err)
	}
	in, err := parseVersion(string(out))
	if err != nil {
		return Install{}, fmt.Errorf("%s --version: %w", path, err)
	}
	in.BinDir = filepath.Dir(path)
	if _, err := os.Stat(in.Path("initdb")); err != nil {
		in.BinDir = dir // the links lead to different folders
	}
	return in, nil
}

var versionLine = regexp.MustCompile(`\(PostgreSQL\) (([0-9]{1,4})[^\s]*)`)

// parseVersion reads what postgres --version prints, such as
// "postgres (PostgreSQL) 15.13 (Debian 15.13-0+deb12u1)".
func parseVersion(line string) (Install, error) {
	m := versionLine.FindStringSubmatch(line)
	if m == nil {
		return Install{}, fmt.Errorf("no PostgreSQL version in %.80q", line)
	}
	major, err := strconv.Atoi(m[2])
	if err != nil {
		return Install{}, err
	}
	return Install{Version: m[1], Major: major}, nil
}
