package localpg

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

const (
	pingPatience = 5 * time.Second  // for one connection attempt
	sayEvery     = 10 * time.Second // how often a long wait is logged

	// A starting server makes its pid file and fills it in two steps. A file
	// that is still empty after this was emptied by a crash of the machine.
	emptyPatience = time.Second
)

// attach looks for a running server and returns its socket folder once it
// answers. A server that is still starting is waited for, as is one that is
// just stopping, which then counts as none.
func (f *folder) attach(ctx context.Context, log *slog.Logger) (socketDir string, ok bool, err error) {
	began, said := time.Now(), time.Now()
	for {
		p, err := f.readPidFile()
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return "", false, nil
		case err != nil:
			return "", false, err
		case p.pid == 0 && time.Since(began) > emptyPatience,
			p.pid != 0 && !f.isServer(p.pid):
			return "", false, nil
		case p.socketDir != "" && ping(ctx, p.socketDir) == nil:
			log.Debug("private PostgreSQL joined", "pid", p.pid, "socket", p.socketDir)
			return p.socketDir, true, nil
		}
		if time.Since(said) > sayEvery {
			said = time.Now()
			log.Info("private PostgreSQL awaited", "pid", p.pid, "took", time.Since(began))
		}
		if err := pause(ctx, pollEvery); err != nil {
			return "", false, fmt.Errorf("wait for the running server, pid %d: %w", p.pid, err)
		}
	}
}

// ping returns nil if the server takes a connection.
func ping(ctx context.Context, socketDir string) error {
	ctx, cancel := context.WithTimeout(ctx, pingPatience)
	defer cancel()
	conn, err := pgconn.Connect(ctx, socketURL(socketDir, "postgres"))
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

// launch starts the server and returns its socket folder once it answers. The
// server is a session of its own and goes on when we end.
func (f *folder) launch(ctx context.Context, in Install, o Options, log *slog.Logger) (string, error) {
	if p, err := f.readPidFile(); err == nil {
		log.Warn("private PostgreSQL had crashed, recovering", "pid", p.pid)
		f.dropSocketDir(p.socketDir)
	}
	if err := f.forgetStale(); err != nil {
		return "", err
	}
	socketDir, err := f.socketDir()
	if err != nil {
		return "", err
	}
	out, from, err := f.openLog()
	if err != nil {
		return "", err
	}
	defer out.Close()

	began := time.Now()
	// Not CommandContext: the server must outlive ctx once it runs.
	cmd := exec.Command(in.Path("postgres"), append([]string{"-D", f.data()}, arguments(o.settings(socketDir))...)...)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = f.path, environment(), f.owner.process()
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		f.dropSocketDir(socketDir)
		return "", err
	}
	// The goroutine ends with the server, which may be long after our Close if
	// others use it; without it a dead server would stay a zombie.
	exited := make(chan exit, 1)
	go func() { exited <- exit{cmd.Wait()} }()

	if err := f.awaitReady(ctx, socketDir, exited, cmd.Process, log); err != nil {
		f.dropSocketDir(socketDir)
		return "", fmt.Errorf("%w%s", err, tailLog(out, from))
	}
	log.Info("private PostgreSQL started", "version", in.Version, "pid", cmd.Process.Pid, "user", f.owner.name,
		"socket", socketDir, "took", time.Since(began))
	return socketDir, nil
}

// exit is how a process ended.
type exit struct{ err error }

// awaitReady polls until the new server answers. If that does not come about,
// the server is gone when it returns.
func (f *folder) awaitReady(ctx context.Context, socketDir string, exited <-chan exit, server *os.Process, log *slog.Logger) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	say := time.NewTicker(sayEvery)
	defer say.Stop()
	for {
		select {
		case e := <-exited:
			err := e.err
			if err == nil {
				err = errors.New("exit status 0")
			}
			return fmt.Errorf("postgres ended while starting: %w", err)
		case <-ctx.Done():
			_ = server.Signal(syscall.SIGQUIT) // fails only if it has just ended
			select {
			case <-exited: // how it ended says less than why it was stopped
			case <-time.After(pingPatience):
				_ = server.Kill()
				<-exited
			}
			return fmt.Errorf("postgres was not ready: %w", context.Cause(ctx))
		case <-say.C:
			log.Info("private PostgreSQL awaited", "pid", server.Pid)
		case <-tick.C:
			if ping(ctx, socketDir) == nil {
				return nil
			}
		}
	}
}

// stop ends the server, if it runs, and returns when it is gone. The caller
// holds both locks exclusively.
func (f *folder) stop(log *slog.Logger) error {
	p, err := f.readPidFile()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !f.isServer(p.pid) {
		return nil // it crashed; the next start recovers
	}
	began := time.Now()
	// Fast shutdown: connections are cut, everything is written out.
	if err := f.signal(p.pid, syscall.SIGINT, stopPatience); err != nil {
		log.Warn("private PostgreSQL did not stop in time, cut short", "pid", p.pid, "took", time.Since(began))
		if err := f.signal(p.pid, syscall.SIGQUIT, pingPatience); err != nil {
			return err
		}
	}
	f.dropSocketDir(p.socketDir)
	log.Info("private PostgreSQL stopped", "pid", p.pid, "took", time.Since(began))
	return nil
}

// signal sends sig to the server and waits until it has ended.
func (f *folder) signal(pid int, sig syscall.Signal, patience time.Duration) error {
	if err := syscall.Kill(pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("stop postgres, pid %d: %w", pid, err)
	}
	ctx, cancel := context.WithTimeoutCause(context.Background(), patience,
		fmt.Errorf("postgres, pid %d, still runs %v after it was told to stop", pid, patience))
	defer cancel()
	for f.isServer(pid) {
		if err := pause(ctx, pollEvery); err != nil {
			return err
		}
	}
	return nil
}
