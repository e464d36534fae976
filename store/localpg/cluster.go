package localpg

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ErrVersion says that the cluster was made by a major version of PostgreSQL
// that is not the one at hand.
var ErrVersion = errors.New("other major version of PostgreSQL")

// clusterMajor returns the major version that made the cluster, 0 if there is
// no cluster yet.
func (f *folder) clusterMajor() (int, error) {
	b, err := f.root.ReadFile(filepath.Join(dataName, "PG_VERSION"))
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := f.root.Stat(dataName); err == nil {
			return 0, fmt.Errorf("%s has no file PG_VERSION, so it is no cluster or a damaged one: restore it, or move it away to begin with an empty database", f.data())
		}
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil || major <= 0 {
		return 0, fmt.Errorf("%s/PG_VERSION holds %.20q, not a version: restore the cluster, or move it away to begin with an empty database", f.data(), b)
	}
	return major, nil
}

func (f *folder) data() string { return filepath.Join(f.path, dataName) }

// chooseInstall finds the binaries for the cluster: those of its own version
// if it exists, the best otherwise.
func (f *folder) chooseInstall(ctx context.Context, binDir string) (Install, error) {
	major, err := f.clusterMajor()
	if err != nil {
		return Install{}, err
	}
	in, err := find(ctx, binDir, searchDirs, func(in Install) bool { return major == 0 || in.Major == major })
	if errors.Is(err, ErrMissing) && major > 0 {
		other, otherErr := Find(binDir)
		if otherErr != nil {
			return Install{}, otherErr
		}
		return Install{}, fmt.Errorf("%w: %s was made by PostgreSQL %d, installed is %d (%s): apt install postgresql-%[3]d to go on with it, or move the data over with pg_upgrade or pg_dumpall, or move the folder away to begin anew",
			ErrVersion, f.data(), major, other.Major, other.BinDir)
	}
	if err != nil {
		return Install{}, err
	}
	return in, f.owner.canEnter(in.BinDir)
}

// makeCluster makes the cluster unless it is there. It comes into being by a
// rename, so that an initdb that was cut short leaves nothing that looks like
// one.
func (f *folder) makeCluster(ctx context.Context, in Install, o Options, log *slog.Logger) error {
	if major, err := f.clusterMajor(); err != nil || major > 0 {
		return err
	}
	f.sweepInit(log)
	began := time.Now()
	name := initPrefix + strconv.FormatInt(began.UnixNano(), 36)
	if err := f.mkdir(name); err != nil {
		return err
	}
	// The C locale sorts and compares by bytes, the same on every machine, and
	// no update of the system's collations can break an index; character classes
	// are Unicode's all the same, so that lower() and text search know letters
	// beyond ASCII. Connections come through the socket's folder or not at all.
	args := []string{
		"--pgdata", filepath.Join(f.path, name), "--username", superuser, "--encoding", "UTF8",
		"--locale", "C", "--lc-ctype", "C.UTF-8",
		"--auth-local", "trust", "--auth-host", "reject", "--no-instructions",
	}
	if o.Unsafe {
		args = append(args, "--no-sync")
	}
	cmd := exec.CommandContext(ctx, in.Path("initdb"), args...)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = f.path, environment(), f.owner.process()
	// initdb runs postgres, which must not outlive it: end the whole session.
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		_ = f.root.RemoveAll(name) // else swept by the next start
		if ctx.Err() != nil {
			return fmt.Errorf("initdb: %w", context.Cause(ctx))
		}
		return fmt.Errorf("initdb: %w%s", err, quoteLog(out))
	}
	if err := f.root.Rename(name, dataName); err != nil {
		return err
	}
	log.Info("private PostgreSQL cluster made", "dir", f.data(), "version", in.Version, "took", time.Since(began))
	return nil
}

// sweepInit removes what earlier attempts left. An initdb whose parent was
// killed may still be at work there; what it adds meanwhile is for the next
// sweep.
func (f *folder) sweepInit(log *slog.Logger) {
	entries, err := fs.ReadDir(f.root.FS(), ".")
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), initPrefix) {
			err = errors.Join(err, f.root.RemoveAll(e.Name()))
		}
	}
	if err != nil {
		log.Debug("leftovers of initdb not removed", "error", err)
	}
}

// environment is what the server's programs get to see: nothing that would
// change what they do (PGDATA, PGPORT, LC_ALL ...), and no secrets of ours.
func environment() []string {
	env := []string{"LC_ALL=C", "TZ=UTC"}
	for _, name := range []string{"PATH", "LD_LIBRARY_PATH", "TMPDIR"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// openLog opens the server's log for appending, after setting aside a long one,
// and returns where this start's lines begin.
func (f *folder) openLog() (*os.File, int64, error) {
	if st, err := f.root.Stat(logName); err == nil && st.Size() > maxLog {
		if err := f.root.Rename(logName, logName+".1"); err != nil {
			return nil, 0, err
		}
	}
	file, err := f.create(logName, os.O_RDWR|os.O_APPEND)
	if err != nil {
		return nil, 0, err
	}
	from, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		file.Close()
		return nil, 0, err
	}
	return file, from, nil
}

// tailLog returns the last lines that the server wrote after offset from,
// ready to be put behind an error.
func tailLog(file *os.File, from int64) string {
	const most = 4096
	st, err := file.Stat()
	if err != nil {
		return ""
	}
	buf := make([]byte, max(0, min(most, st.Size()-from)))
	n, err := file.ReadAt(buf, st.Size()-int64(len(buf)))
	if err != nil && !errors.Is(err, io.EOF) {
		return ""
	}
	return quoteLog(buf[:n])
}

// quoteLog returns the last lines of what a program said, behind a colon.
func quoteLog(out []byte) string {
	const lines = 6
	out = bytes.TrimSpace(out)
	if len(out) == 0 {
		return ""
	}
	all := strings.Split(string(out), "\n")
	return ": " + strings.Join(all[max(0, len(all)-lines):], "\n\t")
}
