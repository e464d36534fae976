package manual

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Shells are those that Completion knows.
func Shells() []string { return []string{"bash", "zsh", "fish"} }

// place is a command with what may follow it.
type place struct {
	path     []string // of its names; empty for the program itself
	commands []*kong.Node
	flags    []*kong.Flag
}

// places are all commands that a person may type, the program itself first.
func places(app *kong.Application) []place {
	var out []place
	var walk func(n *kong.Node, path []string, flags []*kong.Flag)
	walk = func(n *kong.Node, path []string, flags []*kong.Flag) {
		p := place{path: path, flags: slices.Clone(flags)}
		for _, f := range n.Flags {
			if !f.Hidden {
				p.flags = append(p.flags, f)
			}
		}
		for _, c := range n.Children {
			if !c.Hidden && c.Type == kong.CommandNode {
				p.commands = append(p.commands, c)
			}
		}
		out = append(out, p)
		for _, c := range p.commands {
			walk(c, append(slices.Clone(path), c.Name), p.flags)
		}
	}
	walk(app.Node, nil, nil)
	return out
}

// Completion writes the completions for a shell.
func Completion(w io.Writer, app *kong.Application, shell string) error {
	var b strings.Builder
	switch shell {
	case "bash":
		bash(&b, app)
	case "zsh":
		zsh(&b, app)
	case "fish":
		fish(&b, app)
	default:
		return fmt.Errorf("no completions for %q; there are some for %s", shell, strings.Join(Shells(), ", "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// key is the path of a place as a pattern of case.
func (p place) key() string {
	if len(p.path) == 0 {
		return `""`
	}
	return "/" + strings.Join(p.path, "/")
}

// descend writes the case that follows the words typed so far from place to place.
func descend(b *strings.Builder, all []place) {
	for _, p := range all[1:] {
		fmt.Fprintf(b, "            %s) at=%s ;;\n", p.key(), p.key())
	}
}

func bash(b *strings.Builder, app *kong.Application) {
	all := places(app)
	fmt.Fprintf(b, "# Completions of %s for bash.\n_strandline() {\n    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} at= list= i\n", app.Name)
	b.WriteString("    for ((i = 1; i < COMP_CWORD; i++)); do\n        case $at/${COMP_WORDS[i]} in\n")
	descend(b, all)
	b.WriteString("        esac\n    done\n    case $at in\n")
	for _, p := range all {
		var words []string
		for _, c := range p.commands {
			words = append(words, c.Name)
		}
		for _, f := range p.flags {
			words = append(words, "--"+f.Name)
		}
		fmt.Fprintf(b, "        %s) list='%s' ;;\n", p.key(), strings.Join(words, " "))
	}
	b.WriteString("    esac\n    case $at,$prev in\n")
	for _, p := range all {
		for _, f := range p.flags {
			if f.Enum != "" {
				fmt.Fprintf(b, "        %s,--%s) list='%s' ;;\n", strings.Trim(p.key(), `"`), f.Name, strings.Join(f.EnumSlice(), " "))
			}
		}
	}
	fmt.Fprintf(b, "    esac\n    mapfile -t COMPREPLY < <(compgen -W \"$list\" -- \"$cur\")\n}\ncomplete -o default -F _strandline %s\n", app.Name)
}

// quoted is a text in single quotes, for zsh and fish.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func zsh(b *strings.Builder, app *kong.Application) {
	all := places(app)
	fmt.Fprintf(b, "#compdef %s\n_strandline() {\n    local at= i\n    local -a commands flags\n", app.Name)
	b.WriteString("    for ((i = 2; i < CURRENT; i++)); do\n        case $at/$words[i] in\n")
	descend(b, all)
	b.WriteString("        esac\n    done\n    case $at in\n")
	colon := strings.NewReplacer(":", `\:`)
	for _, p := range all {
		fmt.Fprintf(b, "        %s)\n            commands=(", p.key())
		for _, c := range p.commands {
			fmt.Fprintf(b, "\n                %s", quoted(c.Name+":"+colon.Replace(c.Help)))
		}
		b.WriteString(")\n            flags=(")
		for _, f := range p.flags {
			fmt.Fprintf(b, "\n                %s", quoted("--"+f.Name+":"+colon.Replace(f.Help)))
		}
		b.WriteString(")\n            ;;\n")
	}
	b.WriteString("    esac\n    if [[ $words[CURRENT] == -* ]]; then\n        _describe flag flags\n    elif ((${#commands})); then\n        _describe command commands\n" +
		"    else\n        _files\n    fi\n}\n_strandline \"$@\"\n")
}

func fish(b *strings.Builder, app *kong.Application) {
	fmt.Fprintf(b, "# Completions of %s for fish.\n", app.Name)
	for _, p := range places(app) {
		when := "__fish_use_subcommand"
		for i, name := range p.path {
			if i == 0 {
				when = "__fish_seen_subcommand_from " + name
			} else {
				when += "; and __fish_seen_subcommand_from " + name
			}
		}
		names := make([]string, len(p.commands))
		for i, c := range p.commands {
			names[i] = c.Name
		}
		for _, c := range p.commands {
			here := when
			if len(p.path) > 0 {
				here += "; and not __fish_seen_subcommand_from " + strings.Join(names, " ")
			}
			fmt.Fprintf(b, "complete -c %s -n %s -f -a %s -d %s\n", app.Name, quoted(here), c.Name, quoted(c.Help))
		}
		for _, f := range p.flags {
			if len(p.path) > 0 && slices.ContainsFunc(app.Flags, func(g *kong.Flag) bool { return g == f }) {
				continue // given for all commands at once
			}
			line := fmt.Sprintf("complete -c %s", app.Name)
			if len(p.path) > 0 {
				line += " -n " + quoted(when)
			}
			line += " -l " + f.Name + " -d " + quoted(f.Help)
			if f.Short != 0 {
				line += " -s " + string(f.Short)
			}
			switch {
			case f.Enum != "":
				line += " -x -a " + quoted(strings.Join(f.EnumSlice(), " "))
			case !f.IsBool() && !f.IsCounter():
				line += " -r"
			}
			b.WriteString(line + "\n")
		}
	}
}
