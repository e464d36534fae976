package localpg

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// watchScript waits until nobody holds users.lock (descriptor 4), gives new
// users some time, and then stops the server, if there are still none, under
// start.lock (descriptor 3). It never waits for one lock while it holds the
// other. A shell script, because a copy of our own program could not run from
// within a test binary.
const watchScript = `
while :; do
	flock -x 4 || exit 1
	flock -u 4
	sleep "$1"
	flock -x 3 || exit 1
	flock -n -x 4 && break
	flock -u 3
done
run=$(sed -n 5p "$2")
pid=$(head -n 1 "$2") && kill -INT "$pid" || exit 0
while [ -e "$2" ] && kill -0 "$pid"; do sleep 0.05; done
case $run in */` + shortPrefix + `*) rmdir "$run" ;; esac
`

// watchLock is held exclusively by the watcher (descriptor 5), of which there is
// at most one.
const watchLock = "watch.lock"

// watch sees to it that there is a process that stops the server when its last
// user has gone for the given time. It runs as the owner of the server, so that
// it can do nothing that the server could not. The caller holds start.lock.
func (f *folder) watch(linger time.Duration) error {
	for _, program := range []string{"sh", "flock"} {
		if _, err := exec.LookPath(program); err != nil {
			return err
		}
	}
	var files []*os.File
	for _, name := range []string{startLock, usersLock, watchLock} {
		file, err := f.create(name, os.O_RDWR)
		if err != nil {
			return err
		}
		defer file.Close()
		files = append(files, file)
	}
	// The lock belongs to the open file, which the watcher inherits.
	err := syscall.Flock(int(files[2].Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil
	}
	if err != nil {
		return err
	}
	seconds := strconv.FormatFloat(linger.Seconds(), 'f', 3, 64)
	// Not CommandContext: it is to outlive us.
	cmd := exec.Command("sh", "-c", watchScript, "strandline-watch-postgres", seconds, filepath.Join(f.data(), "postmaster.pid"))
	cmd.Dir, cmd.Env, cmd.SysProcAttr, cmd.ExtraFiles = f.path, environment(), f.owner.process(), files
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // leaves no zombie; ends with the script
	return nil
}
