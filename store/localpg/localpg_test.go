package localpg

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/internal/need"
)

func TestStart(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	began := time.Now()
	s := mustStart(t, Options{Dir: dir, SharedBuffers: "32MB", Settings: map[string]string{"work_mem": "5MB"}})
	t.Logf("first start took %v", time.Since(began))

	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if err := s.EnsureDatabase(t.Context(), `odd "name"`); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	run(t, s, "postgres", `create database kept`)
	run(t, s, "kept", `create table t as select 42 as v`)
	for sql, want := range map[string]string{
		`show shared_buffers`:       "32MB",
		`show work_mem`:             "5MB",
		`show listen_addresses`:     "",
		`show fsync`:                "off",
		`select current_database()`: "kept",
		`select coalesce(host(inet_client_addr()), 'socket')`: "socket",
	} {
		if got := query[string](t, s, "kept", sql); got != want {
			t.Errorf("%s = %q, want %q", sql, got, want)
		}
	}
	if got := query[int](t, s, "postgres", `select count(*)::int from pg_database where datname = 'odd "name"'`); got != 1 {
		t.Errorf("EnsureDatabase made %d databases", got)
	}

	// The folder's permissions are all the protection that there is.
	for _, name := range []string{"", "data", "run"} {
		st, err := os.Stat(filepath.Join(dir, "postgres", name))
		if err != nil {
			t.Fatal(err)
		}
		if perm := st.Mode().Perm(); perm != 0o700 {
			t.Errorf("%s has mode %o, want 700", st.Name(), perm)
		}
	}

	pid := serverPid(t, dir)
	if st, err := os.Stat(filepath.Join("/proc", itoa(pid))); err == nil && os.Geteuid() == 0 {
		if st.Sys().(*syscall.Stat_t).Uid == 0 {
			t.Error("the server runs as root")
		}
	}
	mustClose(t, s)
	mustClose(t, s)
	if got := serverPid(t, dir); got != 0 {
		t.Errorf("pid file of %d after the last Close", got)
	}
	awaitGone(t, pid)

	began = time.Now()
	s = mustStart(t, Options{Dir: dir})
	t.Logf("second start took %v", time.Since(began))
	if got := query[int](t, s, "kept", `select v from t`); got != 42 {
		t.Errorf("after a restart v = %d", got)
	}
}

func TestShared(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)

	// Started by another process, which leaves first.
	h := startHelper(t, dir)
	pid := serverPid(t, dir)
	s := mustStart(t, Options{Dir: dir})
	if got := serverPid(t, dir); got != pid {
		t.Fatalf("pid %d, want that of the running server, %d", got, pid)
	}
	h.leave(t)
	query[int](t, s, "postgres", `select 1`)

	// A second one is killed.
	h = startHelper(t, dir)
	h.kill(t)
	query[int](t, s, "postgres", `select 1`)
	mustClose(t, s)
	if got := serverPid(t, dir); got != 0 {
		t.Fatalf("pid file of %d after the last Close", got)
	}

	// The only user is killed: the server stays for the next.
	h = startHelper(t, dir)
	pid = serverPid(t, dir)
	h.kill(t)
	s = mustStart(t, Options{Dir: dir})
	if got := serverPid(t, dir); got != pid {
		t.Fatalf("pid %d, want that of the orphan, %d", got, pid)
	}
	query[int](t, s, "postgres", `select 1`)
	mustClose(t, s)
	awaitGone(t, pid)

	comeAndGo(t, dir)
}

// comeAndGo lets many use the server at once: whoever is in has one, and the
// last one out stops it.
func comeAndGo(t *testing.T, dir string) {
	t.Helper()
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			for range 3 {
				s, err := Start(t.Context(), Options{Dir: dir, Unsafe: true})
				if err != nil {
					t.Error(err)
					return
				}
				if err := ping(t.Context(), s.socket); err != nil {
					t.Errorf("no server while in use: %v", err)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got := serverPid(t, dir); got != 0 {
		t.Errorf("server %d left running", got)
	}
}

func TestCrashed(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	pidPath := filepath.Join(dir, "postgres", "data", "postmaster.pid")
	s := mustStart(t, Options{Dir: dir})
	run(t, s, "postgres", `create table t as select 42 as v`)
	run(t, s, "postgres", `checkpoint`) // the tests' servers commit late

	pid := serverPid(t, dir)
	crash := func() {
		t.Helper()
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		awaitGone(t, pid)
	}
	restart := func() {
		t.Helper()
		s = mustStart(t, Options{Dir: dir})
		if got := query[int](t, s, "postgres", `select v from t`); got != 42 {
			t.Fatalf("v = %d", got)
		}
		if now := serverPid(t, dir); now == pid {
			t.Fatal("the pid file was not renewed")
		} else {
			pid = now
		}
	}
	crash()
	mustClose(t, s) // a crashed server does not disturb the leaving
	restart()

	// The pid of the dead server now belongs to somebody else.
	crash()
	mustClose(t, s)
	f, err := openFolder(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	stranger := startStranger(t, f.owner)
	b, err := os.ReadFile(pidPath)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "\n")
	if err := os.WriteFile(pidPath, []byte(itoa(stranger)+"\n"+rest), 0o600); err != nil {
		t.Fatal(err)
	}
	restart()
	if !exists(stranger) {
		t.Fatal("the stranger was killed")
	}
	mustClose(t, s)

	// A crash of the machine emptied the file.
	if err := os.WriteFile(pidPath, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	restart()
}

func TestLongPath(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(stateDir(t), strings.Repeat("long", 20), strings.Repeat("path", 20))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s := mustStart(t, Options{Dir: dir})
	other := mustStart(t, Options{Dir: dir})
	if s.socket != other.socket {
		t.Errorf("two socket folders, %s and %s", s.socket, other.socket)
	}
	if len(s.socket) > maxSocketDir || strings.HasPrefix(s.socket, dir) {
		t.Errorf("socket folder %s", s.socket)
	}
	st, err := os.Stat(s.socket)
	if err != nil {
		t.Fatal(err)
	}
	if perm := st.Mode().Perm(); perm != 0o700 {
		t.Errorf("%s has mode %o, want 700", s.socket, perm)
	}
	query[int](t, other, "postgres", `select 1`)
	mustClose(t, other)
	mustClose(t, s)
	if _, err := os.Stat(s.socket); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s was left behind (%v)", s.socket, err)
	}
}

func TestStartFails(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	_, err := Start(t.Context(), Options{Dir: dir, Unsafe: true, Settings: map[string]string{"work_mem": "plenty"}})
	if err == nil || !strings.Contains(err.Error(), `invalid value for parameter "work_mem": "plenty"`) {
		t.Errorf("the error does not quote the server's log: %v", err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Start(ctx, Options{Dir: dir, Unsafe: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("with a cancelled context: %v", err)
	}
	if pid := serverPid(t, dir); pid != 0 {
		t.Errorf("server %d left running", pid)
	}

	s := mustStart(t, Options{Dir: dir}) // none of this hinders the next start
	mustClose(t, s)

	version := filepath.Join(dir, "postgres", "data", "PG_VERSION")
	for content, want := range map[string]string{
		"9.6\n": "not a version",
		"14\n":  "was made by PostgreSQL 14",
		"":      "not a version",
	} {
		if err := os.WriteFile(version, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Start(t.Context(), Options{Dir: dir, Unsafe: true})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("PG_VERSION %q: error %v, want %q in it", content, err, want)
		}
		if got := errors.Is(err, ErrVersion); got != (content == "14\n") {
			t.Errorf("PG_VERSION %q: ErrVersion %v", content, got)
		}
	}
	if err := os.Remove(version); err != nil {
		t.Fatal(err)
	}
	if _, err := Start(t.Context(), Options{Dir: dir, Unsafe: true}); err == nil || !strings.Contains(err.Error(), "no file PG_VERSION") {
		t.Errorf("without PG_VERSION: %v", err)
	}
}

func TestLinger(t *testing.T) {
	t.Parallel()
	need.Program(t, "sh")
	need.Program(t, "flock")
	dir := filepath.Join(stateDir(t), `odd, "né" 'dir'`)
	s := mustStart(t, Options{Dir: dir, Linger: time.Millisecond})
	pid := serverPid(t, dir)
	h := startHelper(t, dir)
	mustClose(t, s)
	h.kill(t) // nobody is left who could stop it
	awaitGone(t, pid)
	// The path holds a comma, so the socket was elsewhere. The watcher holds
	// start.lock until it has tidied up.
	f, err := openFolder(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	gate, err := f.lock(t.Context(), startLock, syscall.LOCK_EX)
	if err != nil {
		t.Fatal(err)
	}
	defer gate.Close()
	if _, err := os.Stat(s.socket); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s was left behind (%v)", s.socket, err)
	}
}

// Whenever a starting process is killed, the next one gets a server.
func TestKilledWhileStarting(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	for i := range 8 {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), helperDir+"="+dir)
		if _, err := cmd.StdinPipe(); err != nil { // keeps it from leaving
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// Spread over what a first start takes: lock, initdb, launch.
		if err := pause(t.Context(), time.Duration(i*i*16)*time.Millisecond); err != nil {
			t.Fatal(err)
		}
		cmd.Process.Kill()
		cmd.Wait()
	}
	s := mustStart(t, Options{Dir: dir})
	query[int](t, s, "postgres", `select 1`)
	pid := serverPid(t, dir)
	mustClose(t, s)
	awaitGone(t, pid)
}
