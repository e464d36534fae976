package localpg

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// pidFile is what we read of data/postmaster.pid, which a server writes when it
// starts and removes when it is stopped. Its lines: pid, data folder, start
// time, port, socket folder, TCP address, shared memory key, status.
type pidFile struct {
	pid       int
	socketDir string   // empty while the server has not opened it
	lines     []string // all of them
}

// parsePidFile never fails: what is not there is zero.
func parsePidFile(b []byte) pidFile {
	p := pidFile{lines: strings.Split(string(b), "\n")}
	// A server in single-user mode writes its pid with a minus sign.
	if n, err := strconv.Atoi(strings.TrimSpace(p.lines[0])); err == nil && n > -1<<31 {
		p.pid = max(n, -n)
	}
	if len(p.lines) > 4 {
		p.socketDir = strings.TrimSpace(p.lines[4])
	}
	return p
}

// readPidFile reads postmaster.pid; the error is fs.ErrNotExist without one.
func (f *folder) readPidFile() (pidFile, error) {
	b, err := f.root.ReadFile(filepath.Join(dataName, "postmaster.pid"))
	if err != nil {
		return pidFile{}, err
	}
	return parsePidFile(b), nil
}

// exists reports whether there is a process of that number.
func exists(pid int) bool {
	if pid <= 0 {
		return false
	}
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// isServer reports whether the process is the server of this folder. Pids are
// used again, above all after a restart of the machine. Where there is no
// /proc every process is taken for it.
func (f *folder) isServer(pid int) bool {
	if !exists(pid) {
		return false
	}
	// The command line, unlike the working directory, may be read by all.
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil {
		_, statErr := os.Stat("/proc/self/cmdline")
		return statErr != nil
	}
	return bytes.Contains(line, []byte("\x00"+f.data()+"\x00"))
}

// forgetStale prepares for a start beside the pid file of a dead server. Mostly
// there is nothing to do, as PostgreSQL sees that the pid is dead. If the pid
// now belongs to a stranger, PostgreSQL would refuse to start; we then put our
// own pid in its place, which the server, being our child, knows is no server.
// A file that names a pid must not be removed: its shared memory key lets the server find out
// whether children of the dead server are still at work on the data.
func (f *folder) forgetStale() error {
	name := filepath.Join(dataName, "postmaster.pid")
	p, err := f.readPidFile()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case p.pid == 0:
		st, err := f.root.Stat(name)
		if err != nil || time.Since(st.ModTime()) < emptyPatience {
			return nil // it is being written; PostgreSQL will not start twice
		}
		return f.root.Remove(name)
	case !exists(p.pid) || f.isServer(p.pid):
		return nil
	}
	p.lines[0] = strconv.Itoa(os.Getpid())
	return f.root.WriteFile(name, []byte(strings.Join(p.lines, "\n")), 0o600)
}
