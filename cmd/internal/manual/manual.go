// Package manual writes what a package ships beside the program: its man pages and
// the completions of shells, out of the command line's own model and the JSON Schema of
// the configuration. They are made when the package is built, so that they cannot
// fall behind the program.
//
// The functions are [Man], [ConfigMan] and [Completion]. Left out: where the files go
// (packaging/nfpm.yaml).
package manual

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// roff writes a man page. It keeps the first error.
type roff struct {
	w   io.Writer
	err error
}

// escape makes plain text safe for roff: no backslash escapes, no request at the
// start of a line, and hyphens that can be copied.
func escape(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ").Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}

func (r *roff) line(format string, args ...any) {
	if r.err == nil {
		_, r.err = fmt.Fprintf(r.w, format+"\n", args...)
	}
}

func (r *roff) text(s string) { r.line("%s", escape(s)) }

func (r *roff) section(name string) { r.line(".SH %s", escape(name)) }

// item is a paragraph with a tag in bold.
func (r *roff) item(tag, text string) {
	r.line(".TP\n\\fB%s\\fR", escape(tag))
	r.text(text)
}

// Man writes strandline.1.
func Man(w io.Writer, app *kong.Application, version string) error {
	r := &roff{w: w}
	r.line(`.TH STRANDLINE 1 "" "strandline %s" "User Commands"`, escape(version))
	r.section("NAME")
	r.text(app.Name + " - " + firstLower(app.Help))
	r.section("SYNOPSIS")
	r.line(".B %s\n.I command\n[flags]", escape(app.Name))
	r.section("OPTIONS")
	r.text("These are understood by all commands.")
	for _, f := range app.Flags {
		r.flag(f)
	}
	r.section("COMMANDS")
	for _, n := range app.Leaves(true) {
		r.line(".SS %s", escape(strings.TrimPrefix(n.Summary(), app.Name+" ")))
		if n.Help != "" {
			r.text(n.Help)
		}
		for _, p := range n.Positional {
			r.item(p.Summary(), p.Help)
		}
		for m := n; m != nil && m != app.Node; m = m.Parent {
			for _, f := range m.Flags {
				r.flag(f)
			}
		}
	}
	r.section("EXIT STATUS")
	r.item("0", "The work is done.")
	r.item("1", "It failed; standard error says why and what to do.")
	r.item("2", "The command line or the configuration is wrong.")
	r.section("SIGNALS")
	r.item("SIGHUP", "The daemon takes its configuration anew, all or nothing.")
	r.item("SIGTERM, SIGINT", "The daemon stores what it has fetched and ends.")
	r.section("FILES")
	r.item("/etc/strandline/strandline.yaml", "The configuration; see strandline.yaml(5).")
	r.item("/etc/strandline/watches.d/*.yaml", "Further watches, series, topics and targets.")
	r.item("/var/lib/strandline", "The state: a private PostgreSQL unless database.url names another, and the control socket.")
	r.section("SEE ALSO")
	r.line(".BR strandline.yaml (5),\n.BR systemctl (1)")
	return r.err
}

func (r *roff) flag(f *kong.Flag) {
	if f.Hidden {
		return
	}
	tag := "--" + f.Name
	if f.Short != 0 {
		tag = "-" + string(f.Short) + ", " + tag
	}
	if !f.IsBool() && !f.IsCounter() {
		tag += "=" + f.FormatPlaceHolder()
	}
	r.item(tag, f.Help)
}

func firstLower(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}
