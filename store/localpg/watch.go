package localpg

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
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
pid=$(head -n 1 "$2") && kill -INT "$pid" || exit 0
while [ -e "$2" ] && kill -0 "$pid"; do sleep 0.05; done
`

// watch leaves a process behind that stops the server when its last user has
// gone for the given time. It ends with the server, or with the next attempt to
// stop it. It runs as the owner of the server, so that it can do nothing else
// than what the server could.
func (f *folder) watch(linger time.Duration) error {
	for _, program := range []string{"sh", "flock"} {
		if _, err := exec.LookPath(program); err != nil {
			return err
		}
	}
	var locks []*os.File
	for _, name := range []string{startLock, usersLock} {
		file, err := f.create(name, os.O_RDWR)
		if err != nil {
			return fmt.Errorf("watch the users: %w", err)
		}
		defer file.Close()
		locks = append(locks, file)
	}
	seconds := strconv.FormatFloat(linger.Seconds(), 'f', 3, 64)
	cmd := exec.CommandContext(context.Background(), "sh", "-c", watchScript, "strandline-watch-postgres", seconds,
		filepath.Join(f.data(), "postmaster.pid"))
	cmd.Dir, cmd.Env = f.path, environment()
	cmd.SysProcAttr = f.owner.process()
	cmd.ExtraFiles = locks
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("watch the users: %w", err)
	}
	go cmd.Wait() // keeps no zombie; ends with the script
	return nil
}
