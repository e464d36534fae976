package localpg

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

const (
	dataName   = "data"
	runName    = "run"
	logName    = "postgres.log"
	initPrefix = "init-"

	// maxSocketDir bounds the length of the socket's folder. The path of a
	// Unix socket has at most 107 bytes on Linux and 103 on the BSDs, and
	// PostgreSQL adds "/.s.PGSQL.5432".
	maxSocketDir = 103 - len("/.s.PGSQL.5432")

	// A log that is longer than this at start is set aside, in the place of
	// the one set aside before it.
	maxLog = 1 << 20
)

// folder is Dir/postgres. Files in it are reached through root, which follows
// no link that leads out of it: when we are root, the folder belongs to a less
// trusted account.
type folder struct {
	path  string // absolute, free of symbolic links
	root  *os.Root
	owner account
}

// openFolder opens Dir/postgres and makes it if it is missing.
func openFolder(dir, wanted string) (*folder, error) {
	if dir == "" {
		return nil, errors.New("no state directory given")
	}
	asRoot := os.Geteuid() == 0
	perm := fs.FileMode(0o700)
	if asRoot {
		perm = 0o711
	}
	if err := os.MkdirAll(dir, perm); err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	f := &folder{path: filepath.Join(dir, "postgres")}
	if f.owner, err = claim(f.path, wanted); err != nil {
		return nil, err
	}
	if f.owner.drop {
		if err := admit(dir); err != nil {
			return nil, err
		}
		if err := f.owner.canEnter(dir); err != nil {
			return nil, err
		}
	}
	if f.root, err = os.OpenRoot(f.path); err != nil {
		return nil, err
	}
	return f, nil
}

// claim makes the folder if it is missing, and returns whom it belongs to. That
// account runs the server, as PostgreSQL insists on owning its data.
func claim(path, wanted string) (account, error) {
	asRoot := os.Geteuid() == 0
	err := os.Mkdir(path, 0o700)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return account{}, err
	}
	st, err := os.Lstat(path)
	if err != nil {
		return account{}, err
	}
	sys, ok := st.Sys().(*syscall.Stat_t)
	switch {
	case !st.IsDir() || !ok:
		return account{}, fmt.Errorf("%s is not a directory", path)
	case !asRoot && sys.Uid != uint32(os.Geteuid()):
		return account{}, fmt.Errorf("%s belongs to %s: start as that user or as root", path, owner(sys.Uid, sys.Gid).name)
	case st.Mode().Perm()&0o077 != 0:
		// Who can enter it can become the database's superuser.
		if err := os.Chmod(path, 0o700); err != nil {
			return account{}, err
		}
	}
	switch {
	case !asRoot:
		return self(), nil
	case sys.Uid != 0:
		return owner(sys.Uid, sys.Gid), nil
	}
	a, err := unprivileged(wanted)
	if err != nil {
		return account{}, err
	}
	return a, os.Lchown(path, int(a.uid), int(a.gid))
}

// admit lets other accounts pass through, not look into, a state directory that
// root made for itself, such as one of os.MkdirTemp. The folders above it are
// not ours to change.
func admit(dir string) error {
	st, err := os.Stat(dir)
	if err != nil {
		return err
	}
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok || sys.Uid != 0 || st.Mode().Perm()&0o001 != 0 {
		return nil
	}
	return os.Chmod(dir, st.Mode().Perm()|0o011)
}

func (f *folder) close() { f.root.Close() }

// create opens a file of the folder, made if missing and then given to its
// owner. flag is added to os.O_CREATE.
func (f *folder) create(name string, flag int) (*os.File, error) {
	file, err := f.root.OpenFile(name, flag|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.owner.own(file); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// mkdir makes a folder in the folder for its owner alone.
func (f *folder) mkdir(name string) error {
	if err := f.root.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if !f.owner.drop {
		return nil
	}
	return f.root.Lchown(name, int(f.owner.uid), int(f.owner.gid))
}

// socketDir returns a folder for the socket that only the owner can enter. It
// is run/ unless the path is too long or holds a comma, which parts hosts in a
// URL; then one under os.TempDir or /tmp, under
// a name that nobody can have taken before. Other processes learn it from
// postmaster.pid.
func (f *folder) socketDir() (string, error) {
	if run := filepath.Join(f.path, runName); len(run) <= maxSocketDir && !strings.ContainsAny(run, ",\n") {
		return run, f.mkdir(runName)
	}
	var refused error
	for _, parent := range []string{os.TempDir(), "/tmp"} {
		parent, err := filepath.EvalSymlinks(parent)
		if err == nil {
			err = f.owner.canEnter(parent)
		}
		if err == nil && len(parent)+len("/")+len(shortPrefix)+10 > maxSocketDir {
			err = fmt.Errorf("%s is too long a path for a socket", parent)
		}
		if err != nil {
			refused = errors.Join(refused, err)
			continue
		}
		dir, err := os.MkdirTemp(parent, shortPrefix)
		if err != nil {
			refused = errors.Join(refused, err)
			continue
		}
		if f.owner.drop {
			err = os.Lchown(dir, int(f.owner.uid), int(f.owner.gid))
		}
		return dir, err
	}
	return "", fmt.Errorf("no place for a socket with a short path: %w", refused)
}

const shortPrefix = "strandline-pg-"

// dropSocketDir removes a folder made by socketDir outside of ours, with what a
// dead server left in it.
func (f *folder) dropSocketDir(dir string) {
	if !strings.HasPrefix(filepath.Base(dir), shortPrefix) {
		return
	}
	st, err := os.Lstat(dir)
	if err != nil || !st.IsDir() {
		return
	}
	if sys, ok := st.Sys().(*syscall.Stat_t); !ok || sys.Uid != f.owner.uid {
		return
	}
	socket := filepath.Join(dir, fmt.Sprintf(".s.PGSQL.%d", port))
	_ = os.Remove(socket) // what cannot be removed stays, and harms nobody
	_ = os.Remove(socket + ".lock")
	_ = os.Remove(dir)
}
