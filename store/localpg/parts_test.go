package localpg

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
)

func itoa(n int) string { return strconv.Itoa(n) }

// startStranger starts a process of the account that is no server.
func startStranger(t *testing.T, a account) int {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sleep", "600")
	cmd.SysProcAttr = a.process()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return cmd.Process.Pid
}

// fakeInstall makes programs that claim to be of the version.
func fakeInstall(t *testing.T, dir, version string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\necho 'postgres (PostgreSQL) " + version + "'\n"
	for _, name := range []string{"initdb", "postgres"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestFind(t *testing.T) {
	t.Parallel()
	tmp := t.TempDir()
	old := fakeInstall(t, tmp+"/13/bin", "13.4")
	good := fakeInstall(t, tmp+"/16/bin", "16.1 (Debian 16.1-1)")
	beta := fakeInstall(t, tmp+"/19/bin", "19beta1")
	odd := fakeInstall(t, tmp+"/odd/bin", "of sorts")
	none := filepath.Join(tmp, "none")
	linked := filepath.Join(tmp, "linked")
	if err := os.Mkdir(linked, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"initdb", "postgres"} {
		if err := os.Symlink(filepath.Join(good, name), filepath.Join(linked, name)); err != nil {
			t.Fatal(err)
		}
	}
	is16 := Install{BinDir: good, Version: "16.1", Major: 16}
	tests := []struct {
		name   string
		binDir string
		search []string
		major  int // 0: any
		want   Install
		err    string
	}{
		{name: "given", binDir: good, search: []string{beta}, want: is16},
		{name: "given is too old", binDir: old, search: []string{good}, err: "13.4"},
		{name: "given is empty", binDir: none, search: []string{good}, err: none},
		{name: "given is no PostgreSQL", binDir: odd, err: "of sorts"},
		{name: "links are resolved", search: []string{linked}, want: is16},
		{name: "first that fits", search: []string{none, odd, old, good, beta}, want: is16},
		{name: "beta", search: []string{beta, good}, want: Install{BinDir: beta, Version: "19beta1", Major: 19}},
		{name: "wanted major", search: []string{beta, good}, major: 16, want: is16},
		{name: "wanted major is missing", search: []string{beta, good}, major: 17, err: "19beta1"},
		{name: "nothing", search: []string{none}, err: "apt install postgresql"},
		{name: "nowhere", err: "database URL"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := find(t.Context(), tt.binDir, func(context.Context) []string { return tt.search },
				func(in Install) bool { return tt.major == 0 || in.Major == tt.major })
			if (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Fatalf("find error = %v, want %q in it", err, tt.err)
			}
			if err != nil && !errors.Is(err, ErrMissing) {
				t.Errorf("error %v is not ErrMissing", err)
			}
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q has more than one line", err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("find (-want +got):\n%s", diff)
			}
		})
	}
}

func TestStartMissing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o711); err != nil {
		t.Fatal(err)
	}
	if _, err := Start(t.Context(), Options{Dir: dir, BinDir: filepath.Join(dir, "none")}); !errors.Is(err, ErrMissing) {
		t.Errorf("Start without binaries: %v, want ErrMissing", err)
	}
}

func TestNewestFirst(t *testing.T) {
	t.Parallel()
	got := newestFirst([]string{"/usr/lib/postgresql/9.6/bin", "/usr/lib/postgresql/15/bin", "/usr/lib/postgresql/9/bin", "/x/bin", "/usr/lib/postgresql/17/bin"})
	want := []string{"/usr/lib/postgresql/17/bin", "/usr/lib/postgresql/15/bin", "/usr/lib/postgresql/9/bin", "/usr/lib/postgresql/9.6/bin", "/x/bin"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("newestFirst (-want +got):\n%s", diff)
	}
}

func FuzzParseVersion(f *testing.F) {
	f.Add("postgres (PostgreSQL) 15.13 (Debian 15.13-0+deb12u1)\n")
	f.Add("postgres (PostgreSQL) 18devel")
	f.Add("postgres (PostgreSQL) 99999999999999999999")
	f.Add("")
	f.Fuzz(func(t *testing.T, line string) {
		in, err := parseVersion(line)
		if err == nil && (in.Major < 0 || !strings.HasPrefix(strings.TrimLeft(in.Version, "0"), itoa(in.Major)) && in.Major != 0) {
			t.Errorf("parseVersion(%q) = %+v", line, in)
		}
	})
}

func FuzzParsePidFile(f *testing.F) {
	f.Add([]byte("4711\n/d/data\n1700000000\n5432\n/d/run\n\n  1 2\nready   \n"))
	f.Add([]byte("-4711\n/d/data\n"))
	f.Add([]byte("-9223372036854775808"))
	f.Add([]byte(""))
	f.Fuzz(func(t *testing.T, b []byte) {
		p := parsePidFile(b)
		if p.pid < 0 || len(p.lines) == 0 {
			t.Errorf("parsePidFile(%q) = %+v", b, p)
		}
		if got := strings.Join(p.lines, "\n"); got != string(b) {
			t.Errorf("the lines of %q give %q", b, got)
		}
	})
}

func TestParsePidFile(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]pidFile{
		"":                             {},
		"12\n":                         {pid: 12},
		"-12\n":                        {pid: 12},
		"x\n":                          {},
		"12\n/d\n1\n5432\n/s\n\n1 2\n": {pid: 12, socketDir: "/s"},
	} {
		got := parsePidFile([]byte(content))
		if got.pid != want.pid || got.socketDir != want.socketDir {
			t.Errorf("parsePidFile(%q) = %+v, want %+v", content, got, want)
		}
	}
}

func TestSocketURL(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ socket, database string }{
		{"/run/x", "strandline"},
		{"/with space/and+plus/ü&?", "odd name/é?"},
	} {
		c, err := pgx.ParseConfig(socketURL(tt.socket, tt.database))
		if err != nil {
			t.Fatal(err)
		}
		if c.Host != tt.socket || c.Database != tt.database || c.User != superuser || c.Port != port || c.TLSConfig != nil {
			t.Errorf("socketURL(%q, %q) is read as host %q, database %q, user %q, port %d", tt.socket, tt.database, c.Host, c.Database, c.User, c.Port)
		}
	}
}

// fakeInfo is a file of an owner and a mode.
type fakeInfo struct {
	fs.FileInfo
	mode     fs.FileMode
	uid, gid uint32
}

func (i fakeInfo) Mode() fs.FileMode { return i.mode }
func (i fakeInfo) Sys() any          { return &syscall.Stat_t{Uid: i.uid, Gid: i.gid} }

func TestMaySearch(t *testing.T) {
	t.Parallel()
	a := account{uid: 100, gid: 200, groups: []uint32{200, 201}}
	for _, tt := range []struct {
		info fakeInfo
		want bool
	}{
		{fakeInfo{mode: 0o700, uid: 100}, true},
		{fakeInfo{mode: 0o677, uid: 100}, false}, // the owner's bits alone count for the owner
		{fakeInfo{mode: 0o710, gid: 200}, true},
		{fakeInfo{mode: 0o710, gid: 201}, true},
		{fakeInfo{mode: 0o701, gid: 201}, false},
		{fakeInfo{mode: 0o701, gid: 7}, true},
		{fakeInfo{mode: 0o776, gid: 7}, false},
	} {
		if got := a.maySearch(tt.info); got != tt.want {
			t.Errorf("maySearch(%o of %d:%d) = %v", tt.info.mode, tt.info.uid, tt.info.gid, got)
		}
	}
}

func TestRootFolder(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 { // the server runs as who starts it
		f, err := openFolder(filepath.Join(t.TempDir(), "state"), "")
		if err != nil {
			t.Fatal(err)
		}
		f.close()
		if f.owner.drop {
			t.Errorf("%s drops to %q", f.path, f.owner.name)
		}
		return
	}
	dir := filepath.Join(t.TempDir(), "state")
	_, err := openFolder(dir, "")
	want := fmt.Sprintf("cannot enter %s: chmod o+x", filepath.Dir(filepath.Dir(dir)))
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("below a closed directory: %v, want %q in it", err, want)
	}

	open := t.TempDir()
	if err := os.Chmod(filepath.Dir(open), 0o711); err != nil {
		t.Fatal(err)
	}
	if _, err := openFolder(open, "root"); err == nil || !strings.Contains(err.Error(), "PostgreSQL refuses") {
		t.Errorf("user root: %v", err)
	}
	// A directory that root made for itself, as os.MkdirTemp does.
	if err := os.Chmod(open, 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := openFolder(open, "nobody")
	if err != nil {
		t.Fatal(err)
	}
	f.close()
	if f.owner.name != "nobody" {
		t.Errorf("owner %q, want nobody", f.owner.name)
	}
	// The owner of what is there wins.
	f, err = openFolder(open, "postgres")
	if err != nil {
		t.Fatal(err)
	}
	f.close()
	if f.owner.name != "nobody" {
		t.Errorf("owner %q, want nobody still", f.owner.name)
	}
}

func TestLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	f := &folder{path: dir, root: root}
	defer f.close()
	write := func(s string) (tail string) {
		t.Helper()
		file, from, err := f.openLog()
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if _, err := file.WriteString(s); err != nil {
			t.Fatal(err)
		}
		return tailLog(file, from)
	}
	if got, want := write("one\ntwo\n"), ": one\n\ttwo"; got != want {
		t.Errorf("tail %q, want %q", got, want)
	}
	if got, want := write("three\n"), ": three"; got != want {
		t.Errorf("tail %q, want the last start only, %q", got, want)
	}
	if got := write(""); got != "" {
		t.Errorf("tail of nothing %q", got)
	}
	long := strings.Repeat("0123456789\n", maxLog/10)
	if got := strings.Count(write(long), "\n"); got != 5 {
		t.Errorf("tail has %d line ends, want 5", got)
	}
	write("new\n")
	st, err := os.Stat(filepath.Join(dir, logName))
	if err != nil || st.Size() != 4 {
		t.Errorf("log of %d bytes (%v), want 4", st.Size(), err)
	}
	if st, err := os.Stat(filepath.Join(dir, logName+".1")); err != nil || st.Size() < maxLog {
		t.Errorf("the long log was not set aside (%v)", err)
	}
}
