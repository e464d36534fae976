package localpg

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/internal/need"
)

// helperDir, when set in the environment, turns the test binary into a user of
// the private server of that directory: it says "ready", waits for the end of
// its input, and closes.
const helperDir = "LOCALPG_HELPER_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(helperDir); dir != "" {
		os.Exit(helperMain(dir))
	}
	os.Exit(m.Run())
}

func helperMain(dir string) int {
	s, err := Start(context.Background(), Options{Dir: dir, Unsafe: true})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("ready")
	io.Copy(io.Discard, os.Stdin)
	if err := s.Close(); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// helper is another process that uses the server.
type helper struct {
	cmd *exec.Cmd
	in  io.Closer
}

func startHelper(t *testing.T, dir string) *helper {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), helperDir+"="+dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("helper said %q", line)
	}
	return &helper{cmd: cmd, in: in}
}

// kill ends the helper as kill -9 does.
func (h *helper) kill(t *testing.T) {
	t.Helper()
	if err := h.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	h.cmd.Wait()
}

// leave lets the helper close the server.
func (h *helper) leave(t *testing.T) {
	t.Helper()
	h.in.Close()
	if err := h.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}

// stateDir returns an empty directory, and skips the test without PostgreSQL.
func stateDir(t *testing.T) string {
	t.Helper()
	if _, err := Find(""); err != nil {
		need.Missing(t, "%v", err)
	}
	dir := t.TempDir()
	// t.TempDir lets nobody else in, not even the user that runs the server.
	if err := os.Chmod(filepath.Dir(dir), 0o711); err != nil {
		t.Fatal(err)
	}
	return dir
}

func mustStart(t *testing.T, o Options) *Server {
	t.Helper()
	o.Unsafe = true
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s, err := Start(ctx, o)
	if err != nil {
		t.Fatalf("Start: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

func mustClose(t *testing.T, s *Server) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
}

// query returns the one value that sql gives.
func query[T any](t *testing.T, s *Server, database, sql string) T {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.URL(database))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var v T
	if err := conn.QueryRow(t.Context(), sql).Scan(&v); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return v
}

func run(t *testing.T, s *Server, database, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.URL(database))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// serverPid returns the pid in the pid file, 0 without one.
func serverPid(t *testing.T, dir string) int {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "postgres", "data", "postmaster.pid"))
	if err != nil {
		return 0
	}
	return parsePidFile(b).pid
}

// awaitGone fails the test unless the process ends soon.
func awaitGone(t *testing.T, pid int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for {
		// A zombie is as good as gone.
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if !exists(pid) || err == nil && strings.Contains(string(b), ") Z ") {
			return
		}
		if err := pause(ctx, pollEvery); err != nil {
			t.Fatalf("process %d is still there", pid)
		}
	}
}
