// Package foreign turns what other programs were told to watch into watches of
// ours: lists of pages, OPML, and the settings of urlwatch and changedetection.io.
//
// The main type is Plan; Read makes one of a file, Write prints it as YAML. What
// has no counterpart here stands in the YAML as a comment; nothing is passed over
// in silence.
//
// It reads no network and writes no file; whether the watches are wanted so is
// for a person to see, and for 'strandline check'.
package foreign

import (
	"fmt"
	"io"
	"strings"

	"github.com/strandlinehq/strandline/configs"
)

// Format is a format of files.
type Format string

// The formats.
const (
	List            Format = "list"
	OPML            Format = "opml"
	Urlwatch        Format = "urlwatch"
	Changedetection Format = "changedetection"
)

// MaxSize bounds a file, also one that was compressed, in bytes.
const MaxSize = 64 << 20

// Defaults are for watches whose source says nothing.
type Defaults struct {
	Name     string
	Schedule string
}

// Plan is what a file asks for.
type Plan struct {
	Watches []Watch
	Notes   []string // of the file as a whole
}

// Watch is one watch.
type Watch struct {
	Name     string
	Schedule string
	URLs     []string
	Feeds    []string
	Ignore   []string // CSS selectors, and regular expressions between slashes
	Notes    []string // what could not be taken over
	Paused   bool     // there; printed as a comment, so that nothing is fetched before a person wants it
}

// Tally says what a plan comes to.
type Tally struct{ Watches, Paused, Pages, Notes int }

// Tally counts the watches, those that are paused, the pages and feeds of both, and all notes.
func (p Plan) Tally() Tally {
	t := Tally{Notes: len(p.Notes)}
	for _, w := range p.Watches {
		if w.Paused {
			t.Paused++
		} else {
			t.Watches++
		}
		t.Pages += len(w.URLs) + len(w.Feeds)
		t.Notes += len(w.Notes)
	}
	return t
}

// Read makes the plan of a file. Its error says what the file is not.
func Read(format Format, data []byte, d Defaults) (Plan, error) {
	if len(data) > MaxSize {
		return Plan{}, fmt.Errorf("more than %d MiB", MaxSize>>20)
	}
	var p Plan
	var err error
	switch format {
	case List:
		p = readList(data, d)
	case OPML:
		p, err = readOPML(data, d)
	case Urlwatch:
		p, err = readUrlwatch(data, d)
	case Changedetection:
		p, err = readChangedetection(data, d)
	default:
		return p, fmt.Errorf("no format %q", format)
	}
	if err != nil {
		return Plan{}, err
	}
	p.check()
	return p, nil
}

// check takes out what the configuration would refuse, with a note, and gives
// every watch a name of its own.
func (p *Plan) check() {
	taken := map[string]bool{}
	kept := p.Watches[:0]
	for _, w := range p.Watches {
		w.URLs = w.only("page", w.URLs, func(s string) error { return new(configs.URL).UnmarshalText([]byte(s)) })
		w.Feeds = w.only("feed", w.Feeds, func(s string) error { return new(configs.URL).UnmarshalText([]byte(s)) })
		w.Ignore = w.only("ignore rule", w.Ignore, func(s string) error { return new(configs.Rule).UnmarshalText([]byte(s)) })
		if len(w.URLs)+len(w.Feeds) == 0 {
			p.Notes = append(p.Notes, fmt.Sprintf("%s: nothing that can be watched", w.Name))
			p.Notes = append(p.Notes, w.Notes...)
			continue
		}
		w.Name = slug(w.Name)
		for base, n := w.Name, 2; taken[w.Name]; n++ {
			w.Name = fmt.Sprintf("%s-%d", base, n)
		}
		taken[w.Name] = true
		kept = append(kept, w)
	}
	p.Watches = kept
}

// only keeps the items that the configuration takes, each once.
func (w *Watch) only(what string, items []string, refuse func(string) error) []string {
	var out []string
	seen := map[string]bool{}
	for _, s := range items {
		if seen[s] {
			continue
		}
		seen[s] = true
		if err := refuse(s); err != nil {
			w.note("%s %q: %v", what, withoutUser(s), err)
			continue
		}
		out = append(out, s)
	}
	return out
}

// withoutUser gives a text without what stands before the @ of a URL, which may be a password.
func withoutUser(s string) string {
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok {
		return s
	}
	host, path := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		host, path = rest[:i], rest[i:]
	}
	return scheme + "://" + host[strings.LastIndex(host, "@")+1:] + path
}

func (w *Watch) note(format string, args ...any) {
	w.Notes = append(w.Notes, fmt.Sprintf(format, args...))
}

// slug makes the name of a watch: small letters, digits and single hyphens.
func slug(text string) string {
	const most = 40
	var b strings.Builder
	for _, c := range strings.ToLower(text) {
		switch {
		case b.Len() >= most:
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			b.WriteRune(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	name := strings.Trim(b.String(), "-")
	if name == "" || new(configs.Name).UnmarshalText([]byte(name)) != nil {
		name = strings.Trim("watch-"+name, "-")
	}
	return name
}

// Write prints the plan as YAML. A watch that is paused is a comment as a whole.
func (p Plan) Write(out io.Writer) error {
	var b strings.Builder
	for _, n := range p.Notes {
		comment(&b, "", n)
	}
	if len(p.Watches) == 0 {
		b.WriteString("watches: []\n")
	} else {
		b.WriteString("watches:\n")
	}
	for _, w := range p.Watches {
		if !w.Paused {
			w.write(&b, "  ")
			continue
		}
		comment(&b, "  ", "paused there; without the # in front it is watched:")
		var lines strings.Builder
		w.write(&lines, "")
		for line := range strings.Lines(lines.String()) {
			b.WriteString("  # " + line)
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func (w *Watch) write(b *strings.Builder, indent string) {
	fmt.Fprintf(b, "%s- name: %s\n", indent, quote(w.Name))
	indent += "  "
	for _, n := range w.Notes {
		comment(b, indent, n)
	}
	fmt.Fprintf(b, "%sschedule: %s\n", indent, quote(w.Schedule))
	for _, l := range []struct {
		key   string
		items []string
	}{{"urls", w.URLs}, {"feeds", w.Feeds}, {"ignore", w.Ignore}} {
		if len(l.items) == 0 {
			continue
		}
		fmt.Fprintf(b, "%s%s:\n", indent, l.key)
		for _, s := range l.items {
			fmt.Fprintf(b, "%s  - %s\n", indent, quote(s))
		}
	}
}

// comment writes a note as one line.
func comment(b *strings.Builder, indent, note string) {
	printable := strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f || c == 0x85 || c == 0x2028 || c == 0x2029 || c == 0xfeff || c == 0xfffe || c == 0xffff || c > 0x7f && c < 0xa0 {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(note, "?"))
	fmt.Fprintf(b, "%s# %s\n", indent, strings.Join(strings.Fields(printable), " "))
}

// quote writes a text as YAML in single quotes. What it is given holds no line
// breaks: the configuration's types have refused them.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
