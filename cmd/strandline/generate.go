package main

import (
	"io"
	"slices"
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
		kong.Vars{"version": versionLine(), "reports": strings.Join(reportNames(), ", "), "measures": strings.Join(measure.Names(), ", ")},
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.Help(help))
}

// help prints the help of a command, without the flags of all commands that this one refuses.
func help(options kong.HelpOptions, ctx *kong.Context) error {
	if of := ctx.Selected(); of != nil && of.Name == "demo" {
		for _, f := range ctx.Model.Flags {
			f.Hidden = f.Hidden || slices.Contains(demoRefuses(), f.Name)
		}
	}
	return kong.DefaultHelpPrinter(options, ctx)
}

// joinQueries makes one argument of -c or --command and what follows it in command lines of sql: it is the
// query, also where it begins with the dashes of a comment, which would look like a flag.
func joinQueries(model *kong.Application, args []string) []string {
	valued := map[string]bool{}
	for _, f := range model.Flags {
		valued["--"+f.Name] = !f.IsBool()
	}
	out, sql := make([]string, 0, len(args)), false
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			return append(out, args[i:]...)
		case i+1 < len(args) && valued[arg]:
			i++
			out = append(out, arg, args[i])
			continue
		case sql && i+1 < len(args) && (arg == "-c" || arg == "--command"):
			i++
			arg = "--command=" + args[i]
		case !sql && !strings.HasPrefix(arg, "-"):
			if sql = arg == "sql"; !sql {
				return args
			}
		}
		out = append(out, arg)
	}
	return out
}
