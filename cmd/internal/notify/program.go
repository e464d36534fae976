package notify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/strandlinehq/strandline/monitor/notice"
	"github.com/strandlinehq/strandline/store"
)

// Program runs a program for each message, with the message as JSON on its standard
// input. Exit status 0 takes the message; any other has it tried again. It runs without
// a shell, in a process group of its own, with PATH, HOME, LANG and TZ of the daemon as
// its environment.
type Program struct{ args []string }

// NewProgram returns the program with its arguments.
func NewProgram(args []string) *Program { return &Program{args} }

// head keeps the first bytes that are written to it.
type head struct {
	bytes.Buffer
	most int
}

func (h *head) Write(p []byte) (int, error) {
	if room := h.most - h.Len(); room > 0 {
		h.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// Send runs the program. When ctx ends first its process group is killed.
func (p *Program) Send(ctx context.Context, _ time.Time, n store.Notification) error {
	body, err := pack(n)
	if err != nil {
		return err
	}
	name := filepath.Base(p.args[0])
	said := &head{most: 4096}
	cmd := exec.CommandContext(ctx, p.args[0], p.args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(append(body, '\n')), nil, said
	cmd.Env = []string{}
	for _, key := range []string{"PATH", "HOME", "LANG", "TZ"} {
		if v, ok := os.LookupEnv(key); ok {
			cmd.Env = append(cmd.Env, key+"="+v)
		}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("%s did not end in time and was killed", name)
	case errors.As(err, &exit):
		if text := notice.Shorten(said.String(), 200); text != "" {
			return fmt.Errorf("%s: %w: %s", name, exit, text)
		}
		return fmt.Errorf("%s: %w", name, exit)
	}
	return errors.New(line(err.Error()))
}

// File appends messages to a file, a line of JSON each, and makes it when it is missing.
type File struct{ path string }

// NewFile returns the file at path.
func NewFile(path string) *File { return &File{path} }

// Send appends a message in one write and has it on the disk when it returns.
func (f *File) Send(_ context.Context, _ time.Time, n store.Notification) error {
	body, err := pack(n)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(f.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(append(body, '\n'))
	return errors.Join(err, file.Sync(), file.Close())
}
