package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/internal/need"
)

const unitFile = "../../configs/systemd/strandline.service"

// TestUnitIsHardened has systemd rate the unit, where it is installed: 2.0 or better of 10.
func TestUnitIsHardened(t *testing.T) {
	t.Parallel()
	need.Program(t, "systemd-analyze")
	out, err := exec.CommandContext(t.Context(), "systemd-analyze", "security", "--offline=true", "--threshold=20", "--no-pager", unitFile).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	for line := range strings.SplitSeq(string(out), "\n") {
		if strings.Contains(line, "Unknown key") || strings.Contains(line, "ignoring") {
			t.Error(line)
		}
	}
}

// unitValue gives the value of a key of the unit.
func unitValue(t *testing.T, key string) string {
	t.Helper()
	text, err := os.ReadFile(unitFile)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^` + key + `=(.*)$`).FindSubmatch(text)
	if found == nil {
		t.Fatalf("the unit has no %s", key)
	}
	return string(found[1])
}

// manager stands in for systemd: it receives what a service notifies.
type manager struct {
	conn  *net.UnixConn
	lines chan string
}

func newManager(t *testing.T) *manager {
	t.Helper()
	dir, err := os.MkdirTemp("", "notify") //nolint:usetesting // short: a socket's path has a limit
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(dir, "s"), Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	m := &manager{conn, make(chan string, 1000)}
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := conn.Read(buf)
			if err != nil {
				return
			}
			for line := range strings.SplitSeq(strings.TrimSpace(string(buf[:n])), "\n") {
				m.lines <- line
			}
		}
	}()
	return m
}

// await waits for a notification and returns all that came before it.
func (m *manager) await(ctx context.Context, t *testing.T, want string) (before []string) {
	t.Helper()
	for {
		select {
		case line := <-m.lines:
			if line == want {
				return before
			}
			before = append(before, line)
		case <-ctx.Done():
			t.Fatalf("no %s, only %q", want, before)
		}
	}
}

// TestUnitsCommandLine starts the program as its unit does, with this test in the place
// of systemd: ready, watchdog, reload, stop.
func TestUnitsCommandLine(t *testing.T) {
	t.Parallel()
	url := newDatabase(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "strandline.yaml")
	configure := func(workers int) {
		text := fmt.Sprintf("database: {url_file: db.url}\nstate_dir: %s/state\nhttp: {listen: '127.0.0.1:0'}\ncrawler: {workers: %d}\n", dir, workers)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	configure(3)
	// The secret comes as a credential.
	if err := os.Mkdir(filepath.Join(dir, "credentials"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "credentials", "db.url"), []byte(url), 0o400); err != nil {
		t.Fatal(err)
	}
	m := newManager(t)
	environment := append(os.Environ(), "NOTIFY_SOCKET="+m.conn.LocalAddr().String(), "WATCHDOG_USEC=400000", "CREDENTIALS_DIRECTORY="+filepath.Join(dir, "credentials"))
	command := func(key string) *exec.Cmd {
		words := strings.Fields(unitValue(t, key))
		if words[0] != "/usr/bin/strandline" {
			t.Fatalf("%s starts %s", key, words[0])
		}
		c := exec.CommandContext(t.Context(), "strandline", slices.Concat([]string{"--config", file}, words[1:])...)
		c.Env = environment
		return c
	}
	daemon := command("ExecStart")
	stderr, err := daemon.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	log := make(chan string, 1)
	address := make(chan string, 1)
	go func() {
		var all strings.Builder
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			all.WriteString(lines.Text() + "\n")
			if _, at, ok := strings.Cut(lines.Text(), "the pages are at "); ok {
				address <- at
			}
		}
		log <- all.String()
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	m.await(ctx, t, "READY=1")
	m.await(ctx, t, "WATCHDOG=1")
	m.await(ctx, t, "WATCHDOG=1")
	at := <-address
	for page, want := range map[string]string{
		"metrics": "strandline_config_last_reload_successful 1", "healthz": `"status":"ok"`, "version": `"version"`,
	} {
		if got := get(ctx, t, at+page); !strings.Contains(got, want) {
			t.Errorf("/%s has no %s:\n%s", page, want, got)
		}
	}

	configure(4)
	out, err := command("ExecReload").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "crawler.workers") {
		t.Errorf("reload: %v\n%s", err, out)
	}
	m.await(ctx, t, "RELOADING=1")
	m.await(ctx, t, "READY=1")
	// Every refused file is told to the daemon, by the unit's own reload and by a signal, and a good one mends it:
	// a fault beside its state directory, one that hides it (the service's process is asked then), and a signal.
	for _, c := range []struct{ text, fault string }{
		{fmt.Sprintf("state_dir: %s/state\nnosuch: 1\n", dir), "nosuch"}, {"crawler: [\n", "strandline.yaml:"}, {"nosuch: 1\n", ""},
	} {
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if c.fault == "" {
			if err := daemon.Process.Signal(syscall.SIGHUP); err != nil {
				t.Fatal(err)
			}
		} else {
			reload := command("ExecReload")
			reload.Env = append(slices.Clone(environment), fmt.Sprintf("MAINPID=%d", daemon.Process.Pid))
			if out, err := reload.CombinedOutput(); err == nil || !strings.Contains(string(out), c.fault) {
				t.Errorf("reload of %q: %v\n%s", c.text, err, out)
			}
		}
		m.await(ctx, t, "RELOADING=1")
		m.await(ctx, t, "READY=1")
		if got := get(ctx, t, at+"metrics"); !strings.Contains(got, "strandline_config_last_reload_successful 0") {
			t.Errorf("the metrics do not tell of the refused %q", c.text)
		}
		configure(4)
		if out, err := command("ExecReload").CombinedOutput(); err != nil {
			t.Errorf("reload of the old file: %v\n%s", err, out)
		}
		m.await(ctx, t, "READY=1")
		if got := get(ctx, t, at+"metrics"); !strings.Contains(got, "strandline_config_last_reload_successful 1") {
			t.Error("the metrics do not tell of the good reload")
		}
	}

	// All or nothing also where the last step fails: the series cannot be stored, the watch before it could.
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, `alter table core.series add constraint refuses check (name <> 'last')`); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	more := "watches: [{name: mine, urls: ['http://127.0.0.1:1/']}]\nseries: [{name: last, seeds: ['http://127.0.0.1:1/']}]\n"
	if err := os.WriteFile(file, append(good, more...), 0o600); err != nil {
		t.Fatal(err)
	}
	var running int
	if out, err := command("ExecReload").CombinedOutput(); err == nil || !strings.Contains(string(out), "stays in force") {
		t.Errorf("a reload whose last step fails: %v\n%s", err, out)
	}
	if err := conn.QueryRow(ctx, `select count(*) from core.watch where paused_at is null`).Scan(&running); err != nil || running != 0 {
		t.Errorf("%d watches of the refused configuration run, %v", running, err)
	}
	if _, err := conn.Exec(ctx, `alter table core.series drop constraint refuses`); err != nil {
		t.Fatal(err)
	}
	if out, err := command("ExecReload").CombinedOutput(); err != nil {
		t.Errorf("the same when it can be stored: %v\n%s", err, out)
	}
	if err := conn.QueryRow(ctx, `select count(*) from core.watch where paused_at is null`).Scan(&running); err != nil || running != 1 {
		t.Errorf("%d watches run, want 1, %v", running, err)
	}

	if err := daemon.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	m.await(ctx, t, "STOPPING=1")
	text := <-log
	if err := daemon.Wait(); err != nil {
		t.Errorf("the daemon ended with %v\n%s", err, text)
	}
	if !strings.Contains(text, "<3>msg=\"configuration refused") || strings.Contains(text, url) {
		t.Errorf("log:\n%s", text)
	}
}

func get(ctx context.Context, t *testing.T, url string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// TestTurns holds when the watchdog is fed.
func TestTurns(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	for turned, want := range map[time.Time]bool{
		{}: true, now: true, now.Add(-29 * time.Second): true, now.Add(-30 * time.Second): false, now.Add(-time.Hour): false,
	} {
		if got := turns(turned, now, time.Minute); got != want {
			t.Errorf("turned at %v: %t", turned, got)
		}
	}
}
