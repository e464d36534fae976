package localpg

import (
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
)

// account is whom the server runs as, and who owns its folder.
type account struct {
	name     string
	uid, gid uint32
	groups   []uint32
	drop     bool // we are root and have to become this account
}

// self is the account of a process that is not root.
func self() account {
	return account{name: "uid " + strconv.Itoa(os.Geteuid()), uid: uint32(os.Geteuid()), gid: uint32(os.Getegid())}
}

// unprivileged finds the account that root runs the server as: the wanted one,
// else postgres, else nobody.
func unprivileged(wanted string) (account, error) {
	names := []string{wanted}
	if wanted == "" {
		names = []string{"postgres", "nobody"}
	}
	for _, name := range names {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		a, err := fromUser(u)
		if err == nil && a.uid == 0 {
			err = fmt.Errorf("user %s is root, as which PostgreSQL refuses to run", name)
		}
		return a, err
	}
	return account{}, fmt.Errorf("root cannot run PostgreSQL and there is no user %q to run it instead: name one, or start as another user", names)
}

// owner is the account with the number uid, which may be unknown to the system,
// as in a container.
func owner(uid, gid uint32) account {
	if u, err := user.LookupId(strconv.FormatUint(uint64(uid), 10)); err == nil {
		if a, err := fromUser(u); err == nil {
			return a
		}
	}
	return account{name: fmt.Sprintf("uid %d", uid), uid: uid, gid: gid, drop: true}
}

func fromUser(u *user.User) (account, error) {
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return account{}, fmt.Errorf("user %s: %w", u.Username, err)
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return account{}, fmt.Errorf("user %s: %w", u.Username, err)
	}
	a := account{name: u.Username, uid: uint32(uid), gid: uint32(gid), drop: true}
	ids, _ := u.GroupIds() // without them the account only has fewer rights
	for _, id := range ids {
		if g, err := strconv.ParseUint(id, 10, 32); err == nil {
			a.groups = append(a.groups, uint32(g))
		}
	}
	return a, nil
}

// process returns the attributes of a child that runs as the account, in a
// session of its own: an interrupt typed at our terminal is for us to handle.
func (a account) process() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true}
	if a.drop {
		attr.Credential = &syscall.Credential{Uid: a.uid, Gid: a.gid, Groups: a.groups}
	}
	return attr
}

// own gives a file that root made to the account.
func (a account) own(file *os.File) error {
	if !a.drop {
		return nil
	}
	return file.Chown(int(a.uid), int(a.gid))
}

// canEnter returns nil if the account may pass through every folder on the way
// to dir and dir itself, judged by mode bits. What we are not root for, the
// system tells us itself.
func (a account) canEnter(dir string) error {
	if !a.drop {
		return nil
	}
	for at := dir; ; at = filepath.Dir(at) {
		st, err := os.Stat(at)
		if err != nil {
			return err
		}
		if !a.maySearch(st) {
			return fmt.Errorf("user %s, as whom root runs PostgreSQL, cannot enter %s: chmod o+x %[2]s, or choose another directory, or start as another user than root", a.name, at)
		}
		if at == filepath.Dir(at) {
			return nil
		}
	}
}

func (a account) maySearch(st fs.FileInfo) bool {
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return true
	}
	mode := st.Mode().Perm()
	switch {
	case sys.Uid == a.uid:
		return mode&0o100 != 0
	case sys.Gid == a.gid || slices.Contains(a.groups, sys.Gid):
		return mode&0o010 != 0
	default:
		return mode&0o001 != 0
	}
}
