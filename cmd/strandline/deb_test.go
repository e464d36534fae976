//go:build deb

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// installation is a folder in which dpkg keeps a system of its own. Its systemctl only
// notes what it is asked.
type installation struct {
	t    *testing.T
	root string
}

// withSystemctl puts a systemctl that takes notes before the real one.
func (in installation) withSystemctl() {
	in.t.Helper()
	bin := in.t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\necho \"$@\" >>%q\n", in.path("systemctl.log"))
	if err := errors.Join(os.MkdirAll(in.path("run/systemd/system"), 0o755), os.WriteFile(filepath.Join(bin, "systemctl"), []byte(script), 0o755)); err != nil {
		in.t.Fatal(err)
	}
	in.t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
}

// asked checks what systemctl was asked since the last time.
func (in installation) asked(when string, want ...string) {
	in.t.Helper()
	got := strings.Split(strings.TrimSpace(in.read("systemctl.log")), "\n")
	if !slices.Equal(got, want) {
		in.t.Errorf("%s: systemctl was asked %q, want %q", when, got, want)
	}
	in.write("systemctl.log", "")
}

func (in installation) path(name string) string { return filepath.Join(in.root, name) }

// run starts a program and returns what it printed; it must succeed.
func (in installation) run(name string, args ...string) string {
	in.t.Helper()
	out, err := exec.CommandContext(in.t.Context(), name, args...).CombinedOutput()
	if err != nil {
		in.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// dpkg runs on the folder. Maintainer scripts run outside of it and find it in DPKG_ROOT.
func (in installation) dpkg(args ...string) string {
	in.t.Helper()
	return in.run("dpkg", slices.Concat([]string{
		"--root=" + in.root, "--log=/dev/null", "--force-script-chrootless", "--force-depends", "--force-confdef", "--force-confold",
	}, args)...)
}

func (in installation) exists(name string) bool {
	_, err := os.Lstat(in.path(name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		in.t.Fatal(err)
	}
	return err == nil
}

func (in installation) read(name string) string {
	in.t.Helper()
	text, err := os.ReadFile(in.path(name))
	if err != nil {
		in.t.Fatal(err)
	}
	return string(text)
}

func (in installation) write(name, text string) {
	in.t.Helper()
	if err := os.WriteFile(in.path(name), []byte(text), 0o644); err != nil {
		in.t.Fatal(err)
	}
}

// nextVersion makes a package that differs from another in its version and in the
// configuration that it ships.
func (in installation) nextVersion(deb string) string {
	in.t.Helper()
	tree := filepath.Join(in.t.TempDir(), "next")
	in.run("dpkg-deb", "-R", deb, tree)
	control := filepath.Join(tree, "DEBIAN", "control")
	text, err := os.ReadFile(control)
	if err != nil {
		in.t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "Version: ") {
			lines[i] = "Version: 999"
		}
	}
	config := filepath.Join(tree, "etc/strandline/strandline.yaml")
	shipped, err := os.ReadFile(config)
	if err != nil {
		in.t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(control, []byte(strings.Join(lines, "\n")), 0o644),
		os.WriteFile(config, append(shipped, "# New in 999.\n"...), 0o644)); err != nil {
		in.t.Fatal(err)
	}
	out := tree + ".deb"
	in.run("dpkg-deb", "-Znone", "--root-owner-group", "-b", tree, out)
	return out
}

// TestPackage installs the package that make deb has built, starts its program by the
// unit's command line as the unit's user, upgrades, removes and purges it.
func TestPackage(t *testing.T) {
	deb := os.Getenv("STRANDLINE_DEB")
	if deb == "" {
		t.Fatal("STRANDLINE_DEB names no package; 'make test-deb' builds one")
	}
	if os.Geteuid() != 0 {
		t.Fatal("only root can install a package")
	}
	root, err := os.MkdirTemp("", "root") // short enough for the sockets below it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	if err := os.Chmod(root, 0o755); err != nil { // for the service's user
		t.Fatal(err)
	}
	in := installation{t, root}
	for _, dir := range []string{"var/lib/dpkg/updates", "var/lib/dpkg/info", "etc"} {
		if err := os.MkdirAll(in.path(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	in.write("var/lib/dpkg/status", "")
	in.withSystemctl()
	next := in.nextVersion(deb)

	const starts = "enable --now strandline.service strandline-reload.path"
	in.dpkg("-i", deb)
	in.asked("first", "daemon-reload", starts)
	if !strings.Contains(in.read("etc/passwd"), "\nstrandline:") && !strings.HasPrefix(in.read("etc/passwd"), "strandline:") {
		t.Errorf("no user was made:\n%s", in.read("etc/passwd"))
	}
	for _, name := range []string{
		"usr/lib/systemd/system/strandline.service", "etc/strandline/watches.d", "usr/share/man/man1/strandline.1.gz", "usr/share/man/man5/strandline.yaml.5.gz",
		"usr/share/bash-completion/completions/strandline", "usr/share/strandline/grafana/strandline.json", "usr/share/doc/strandline/examples/example.yaml",
	} {
		if !in.exists(name) {
			t.Errorf("%s is not there", name)
		}
	}
	state, err := os.Stat(in.path("var/lib/strandline"))
	if err != nil {
		t.Fatal(err)
	}
	owner := state.Sys().(*syscall.Stat_t)
	if owner.Uid == 0 || state.Mode().Perm() != 0o750 {
		t.Errorf("the state directory belongs to %d with mode %v", owner.Uid, state.Mode())
	}

	// A line in watches.d is all that an operator does.
	in.write("etc/strandline/watches.d/mine.yaml", "watches: [{name: mine, urls: [\"http://127.0.0.1:1/\"]}]\n")
	uid, gid := owner.Uid, owner.Gid
	if _, err := user.LookupId(strconv.FormatUint(uint64(uid), 10)); err != nil {
		// The user is in the folder's own passwd, which initdb does not read: nobody stands in.
		uid, gid = 65534, 65534
		if err := os.Chown(in.path("var/lib/strandline"), int(uid), int(gid)); err != nil {
			t.Fatal(err)
		}
	}
	in.start(uid, gid)

	edited := in.read("etc/strandline/strandline.yaml") + "# My own line.\n"
	in.write("etc/strandline/strandline.yaml", edited)
	in.dpkg("-i", next)
	in.asked("upgrade", "daemon-reload", "daemon-reload", "try-restart strandline.service")
	if got := in.read("etc/strandline/strandline.yaml"); got != edited {
		t.Errorf("the upgrade changed the configuration:\n%s", got)
	}
	in.dpkg("-r", "strandline")
	if in.exists("usr/bin/strandline") || !in.exists("etc/strandline/strandline.yaml") || !in.hasState() {
		t.Error("after the removal: program, configuration or state are not as they should be")
	}
	in.asked("removal", "disable --now strandline-reload.path strandline.service", "daemon-reload")
	in.dpkg("-i", next)
	in.asked("again", "daemon-reload", starts)
	if got := in.read("etc/strandline/strandline.yaml"); got != edited {
		t.Errorf("the second installation changed the configuration:\n%s", got)
	}
	in.dpkg("-r", "strandline")
	said := in.dpkg("-P", "strandline")
	if !strings.Contains(said, "/var/lib/strandline and the user strandline are kept") || !in.hasState() {
		t.Errorf("the purge kept the state %t and said:\n%s", in.hasState(), said)
	}
	if in.exists("etc/strandline/strandline.yaml") || !in.exists("etc/strandline/watches.d/mine.yaml") {
		t.Error("after the purge: the shipped configuration is there, or the operator's own file is not")
	}
}

// hasState reports whether there is something in the state directory.
func (in installation) hasState() bool {
	entries, err := os.ReadDir(in.path("var/lib/strandline"))
	return err == nil && len(entries) > 0
}

// start runs the installed program by the unit's command line as the unit's user, with
// its private PostgreSQL, until it is ready, and stops it.
func (in installation) start(uid, gid uint32) {
	in.t.Helper()
	m := newManager(in.t)
	socket := m.conn.LocalAddr().String()
	if err := errors.Join(os.Chmod(filepath.Dir(socket), 0o755), os.Chmod(socket, 0o777)); err != nil {
		in.t.Fatal(err)
	}
	// The unit's paths are those of a system; here they lie below the folder. The port is any.
	config := in.path("etc/strandline/test.yaml")
	in.write("etc/strandline/test.yaml", fmt.Sprintf("state_dir: %s\nhttp: {listen: '127.0.0.1:0'}\n", in.path("var/lib/strandline")))
	words := strings.Fields(unitValue(in.t, "ExecStart"))
	ctx, cancel := context.WithTimeout(in.t.Context(), 120*time.Second)
	defer cancel()
	daemon := exec.CommandContext(in.t.Context(), in.path(words[0]), slices.Concat([]string{"--config", config}, words[1:])...)
	daemon.Env = []string{"PATH=" + os.Getenv("PATH"), "NOTIFY_SOCKET=" + socket, "HOME=/"}
	daemon.Dir = in.path("var/lib/strandline")
	daemon.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: gid}}
	stderr, err := daemon.StderrPipe()
	if err != nil {
		in.t.Fatal(err)
	}
	if err := daemon.Start(); err != nil {
		in.t.Fatal(err)
	}
	log := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(stderr) // ends with the process
		log <- string(text)
		cancel()
	}()
	stop := context.AfterFunc(ctx, func() { in.t.Logf("the daemon ended, or is not ready: %s", <-log) })
	m.await(ctx, in.t, "READY=1")
	stop()
	if err := daemon.Process.Signal(syscall.SIGTERM); err != nil {
		in.t.Fatal(err)
	}
	text := <-log
	if err := daemon.Wait(); err != nil || !strings.Contains(text, "1 watch") {
		in.t.Errorf("the daemon ended with %v:\n%s", err, text)
	}
	if err := os.Remove(config); err != nil {
		in.t.Fatal(err)
	}
}
