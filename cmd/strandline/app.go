package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	_ "time/tzdata" // zones of schedules on machines without a zone database

	"github.com/alecthomas/kong"

	"github.com/strandlinehq/strandline/configs"
)

// Exit statuses.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2 // wrong usage or configuration
)

// usageError is an error of the person or the configuration, not of the work.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// app is what every command is given.
type app struct {
	flags  globals
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	log    *slog.Logger
}

// globals are the flags of all commands.
type globals struct {
	Config   string `help:"Configuration file; default /etc/strandline/strandline.yaml, then ./strandline.yaml, then built-in defaults." placeholder:"FILE"`
	Database string `help:"Database URL; default the configuration's; empty means the private PostgreSQL in the state directory." placeholder:"URL"`
	StateDir string `help:"State directory; default the configuration's." placeholder:"DIR"`
	JSON     bool   `name:"json" help:"Print JSON where a person's table would be printed."`
	Log      string `help:"Form of the log on stderr: ${enum}; journal is for a service of systemd." enum:"text,json,journal" default:"text"`
	Verbose  bool   `short:"v" help:"Log more."`

	PrintVersion kong.VersionFlag `name:"version" help:"Print the version of the program."`
}

// Main runs one command line and returns the exit status. It is the whole
// program; main only adds the process around it.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	var cli cli
	exit := -1
	parser, err := newParser(&cli, stdout, stderr, func(code int) { exit = code })
	if err != nil {
		fmt.Fprintln(stderr, "strandline:", err)
		return exitFailed
	}
	parsed, err := parser.Parse(joinQueries(parser.Model, args))
	if exit >= 0 { // --help has been answered
		return exit
	}
	if err != nil {
		var parse *kong.ParseError
		if errors.As(err, &parse) && parse.Context.Command() == "" && strings.HasPrefix(err.Error(), "unexpected argument ") {
			err = fmt.Errorf("no command is called %q", strings.Fields(strings.TrimPrefix(err.Error(), "unexpected argument "))[0])
		}
		fmt.Fprintf(stderr, "strandline: %v\nTry 'strandline --help'.\n", err)
		return exitUsage
	}
	a := &app{
		flags: cli.globals, stdin: stdin, stdout: stdout, stderr: stderr,
		log: newLogger(cli.Log, cli.Verbose, stderr),
	}
	parsed.BindTo(ctx, (*context.Context)(nil))
	return a.status(ctx, parsed.Run(a))
}

// status prints an error and gives its exit status.
func (a *app) status(ctx context.Context, err error) int {
	var list configs.Errors
	var usage usageError
	switch {
	case err == nil:
		return exitDone
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		fmt.Fprintln(a.stderr, "strandline: stopped; what was done is kept")
		return exitFailed
	case errors.As(err, &list):
		for _, e := range list {
			fmt.Fprintln(a.stderr, e.Error())
		}
		return exitUsage
	}
	fmt.Fprintln(a.stderr, "strandline:", strings.TrimSpace(err.Error()))
	if errors.As(err, &usage) {
		return exitUsage
	}
	return exitFailed
}

// config loads the configuration that the flags name, with checks beside those of its files.
func (a *app) config(checks ...func(*configs.Config) configs.Errors) (*configs.Config, error) {
	c, err := configs.Load(a.flags.Config, checks...)
	if err != nil {
		var list configs.Errors
		if errors.As(err, &list) {
			return nil, err
		}
		return nil, usageError{err}
	}
	if a.flags.StateDir != "" {
		c.StateDir = configs.Path(a.flags.StateDir)
	}
	return c, nil
}

// printJSON writes one JSON document with a line end.
func (a *app) printJSON(v any) error {
	e := json.NewEncoder(a.stdout)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// isTerminal reports whether a person watches w.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	stat, err := f.Stat()
	return err == nil && stat.Mode()&os.ModeCharDevice != 0
}
