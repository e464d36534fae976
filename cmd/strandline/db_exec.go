package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/store/localpg"
)

// dbExecCmd runs a program of PostgreSQL on the database.
type dbExecCmd struct {
	Command []string `arg:"" passthrough:"" name:"command" help:"The program with its arguments, such as: pg_dump -Fc -f strandline.dump"`
}

// Run starts the program with the variables that libpq reads (PGHOST and the
// like), so that no password stands on a command line. The private PostgreSQL
// runs as long as the program does. The exit status is the program's.
func (c *dbExecCmd) Run(ctx context.Context, a *app) error {
	config, err := a.config()
	if err != nil {
		return err
	}
	address, server, err := a.database(ctx, config, true)
	if err != nil {
		return err
	}
	defer leave(server)
	env, err := libpqEnv(address)
	if err != nil {
		return unreachable(err)
	}
	command := c.Command
	if command[0] == "--" && len(command) > 1 {
		command = command[1:]
	}
	name, args := command[0], command[1:]
	// The programs of the private server's own installation fit it best.
	if server != nil {
		if in, err := localpg.Find(""); err == nil && !strings.ContainsRune(name, '/') {
			if path := in.Path(name); isProgram(path) {
				name = path
			}
		}
	}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.stdin, a.stdout, a.stderr
	err = cmd.Run()
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended):
		return fmt.Errorf("%s: %s", command[0], ended.ProcessState)
	case errors.Is(err, exec.ErrNotFound):
		return usagef("%s is not in PATH: the programs of PostgreSQL come with the package postgresql-client", name)
	}
	return err
}

// libpqEnv tells the database of address in the variables of libpq.
func libpqEnv(address string) ([]string, error) {
	c, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, err
	}
	env := []string{"PGHOST=" + c.Host, "PGPORT=" + strconv.Itoa(int(c.Port)), "PGUSER=" + c.User, "PGDATABASE=" + c.Database}
	if c.Password != "" {
		env = append(env, "PGPASSWORD="+c.Password)
	}
	for name, variable := range map[string]string{
		"sslmode": "PGSSLMODE", "sslrootcert": "PGSSLROOTCERT", "sslcert": "PGSSLCERT", "sslkey": "PGSSLKEY",
	} {
		if value := settingOf(address, name); value != "" {
			env = append(env, variable+"="+value)
		}
	}
	return env, nil
}

// settingOf reads a setting out of an address in either of its two forms, a URL
// and a list of name=value.
func settingOf(address, name string) string {
	if u, err := url.Parse(address); err == nil && u.Scheme != "" {
		return u.Query().Get(name)
	}
	for _, field := range strings.Fields(address) {
		if value, ok := strings.CutPrefix(field, name+"="); ok {
			return strings.Trim(value, "'")
		}
	}
	return ""
}

func isProgram(path string) bool {
	stat, err := os.Stat(path)
	return err == nil && stat.Mode().IsRegular() && stat.Mode().Perm()&0o111 != 0
}
