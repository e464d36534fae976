package main

import (
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/strandlinehq/strandline/cmd/internal/manual"
	"github.com/strandlinehq/strandline/cmd/internal/measure"
	"github.com/strandlinehq/strandline/configs"
)

// generateCmd writes what a package ships beside the program.
type generateCmd struct {
	What string `arg:"" enum:"man,config-man,bash,zsh,fish" help:"One of ${enum}."`
}

// Run writes a man page or completions to standard output.
func (c *generateCmd) Run(a *app) error {
	parser, err := newParser(&cli{}, io.Discard, io.Discard, func(int) {})
	if err != nil {
		return err
	}
	version, _ := programVersion()
	switch c.What {
	case "man":
		return manual.Man(a.stdout, parser.Model, version)
	case "config-man":
		return manual.ConfigMan(a.stdout, configs.Schema(), configs.Minimal(), version)
	}
	return manual.Completion(a.stdout, parser.Model, c.What)
}

// newParser makes the parser of the command line.
func newParser(c *cli, stdout, stderr io.Writer, exit func(int)) (*kong.Kong, error) {
	return kong.New(c,
		kong.Name("strandline"),
		kong.Description("Watches how the web changes: what is new, what was taken away, what everybody talks about."),
		kong.Writers(stdout, stderr),
		kong.Exit(exit),
		kong.Vars{"reports": strings.Join(reportNames(), ", "), "measures": strings.Join(measure.Names(), ", ")},
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}))
}
