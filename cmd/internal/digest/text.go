package digest

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// width is the longest line of a text.
const width = 96

// Text writes the summary for a terminal or a plain mail.
func (s *Summary) Text(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s: %s\n%s\n", s.Topic, s.Span(), wrap(s.Lead(), ""))
	for _, it := range s.Items {
		fmt.Fprintln(&b)
		if s.Context > 0 && it.Before != "" {
			fmt.Fprintln(&b, wrap("("+clean(it.Before)+")", "   "))
		}
		fmt.Fprintf(&b, "%2d %s\n", it.Rank, strings.TrimLeft(wrap(clean(it.Sentence), "   "), " "))
		if s.Context > 0 && it.After != "" {
			fmt.Fprintln(&b, wrap("("+clean(it.After)+")", "   "))
		}
		fmt.Fprintf(&b, "   %s, %s, %s\n", it.LabelWords(), it.Source(), it.At.UTC().Format("2 Jan 15:04"))
		if it.Label == "update" && it.Earlier != "" {
			fmt.Fprintln(&b, wrap("before: "+clean(it.Earlier), "   "))
		}
		fmt.Fprintf(&b, "   %s\n", clean(it.URL))
		for _, link := range []string{s.VersionLink(it), s.DiffLink(it)} {
			if link != "" {
				fmt.Fprintf(&b, "   %s\n", link)
			}
		}
	}
	if len(s.Figures) > 0 {
		fmt.Fprintln(&b, "\nFigures of tables")
		for _, it := range s.Figures {
			fmt.Fprintf(&b, "   %s (before %s), %s\n", clean(it.Sentence), clean(it.Earlier), it.Host)
			if link := s.VersionLink(it); link != "" {
				fmt.Fprintf(&b, "   %s\n", link)
			}
		}
	}
	if len(s.Retracted) > 0 {
		fmt.Fprintln(&b, "\nTaken back")
		for _, it := range s.Retracted {
			fmt.Fprintf(&b, "%s\n   %s\n", wrap("- "+clean(it.Sentence), "   "), clean(s.Place(it)))
		}
	}
	rising, falling, others := s.TermWords()
	fmt.Fprintln(&b)
	for _, line := range []struct {
		name  string
		words []string
	}{{"Rising", rising}, {"Falling", falling}, {"Terms", others}} {
		if len(line.words) > 0 {
			fmt.Fprintln(&b, wrap(line.name+": "+strings.Join(line.words, ", "), ""))
		}
	}
	_, err := w.Write(bytes.TrimRight(b.Bytes(), "\n"))
	if err == nil {
		_, err = io.WriteString(w, "\n")
	}
	return err
}

// wrap breaks a text into lines, each with an indent.
func wrap(s, indent string) string {
	var out strings.Builder
	line := 0
	for word := range strings.FieldsSeq(s) {
		n := len([]rune(word))
		switch {
		case line == 0:
			out.WriteString(indent)
		case line+1+n > width-len(indent):
			out.WriteString("\n" + indent)
			line = 0
		default:
			out.WriteByte(' ')
			line++
		}
		out.WriteString(word)
		line += n
	}
	return out.String()
}

// Markdown writes the summary as CommonMark.
func (s *Summary) Markdown(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s: %s\n\n%s\n", escape(s.Topic), s.Span(), escape(s.Lead()))
	for _, it := range s.Items {
		fmt.Fprintln(&b)
		if s.Context > 0 && it.Before != "" {
			fmt.Fprintf(&b, "*%s* ", escape(it.Before))
		}
		fmt.Fprintf(&b, "**%s**", escape(it.Sentence))
		if s.Context > 0 && it.After != "" {
			fmt.Fprintf(&b, " *%s*", escape(it.After))
		}
		fmt.Fprintf(&b, "  \n%s, [%s](<%s>), %s", it.LabelWords(), escape(it.Source()), target(it.URL), it.At.UTC().Format("2 Jan 15:04"))
		if link := s.VersionLink(it); link != "" {
			fmt.Fprintf(&b, ", [the version](<%s>)", target(link))
		}
		if link := s.DiffLink(it); link != "" {
			fmt.Fprintf(&b, ", [what changed](<%s>)", target(link))
		}
		if it.Label == "update" && it.Earlier != "" {
			fmt.Fprintf(&b, "; before: %s", escape(it.Earlier))
		}
		fmt.Fprintln(&b)
	}
	if len(s.Figures) > 0 {
		fmt.Fprint(&b, "\n## Figures of tables\n\n")
		for _, it := range s.Figures {
			fmt.Fprintf(&b, "- %s (before %s), [%s](<%s>)\n", escape(it.Sentence), escape(it.Earlier), escape(it.Host), target(s.Place(it)))
		}
	}
	if len(s.Retracted) > 0 {
		fmt.Fprint(&b, "\n## Taken back\n\n")
		for _, it := range s.Retracted {
			fmt.Fprintf(&b, "- %s ([%s](<%s>))\n", escape(it.Sentence), escape(it.Host), target(s.Place(it)))
		}
	}
	rising, falling, others := s.TermWords()
	for _, line := range []struct {
		name  string
		words []string
	}{{"Rising", rising}, {"Falling", falling}, {"Terms", others}} {
		if len(line.words) > 0 {
			fmt.Fprintf(&b, "\n%s: %s\n", line.name, escape(strings.Join(line.words, ", ")))
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// escape takes a text of the web for Markdown as plain words: every mark of
// CommonMark and every start of HTML is escaped.
func escape(s string) string {
	var out strings.Builder
	for _, c := range clean(s) {
		if strings.ContainsRune("\\`*_[]<>#|~&", c) {
			out.WriteByte('\\')
		}
		out.WriteRune(c)
	}
	return out.String()
}

// target makes an address safe between < and >.
func target(u string) string {
	return strings.NewReplacer("<", "%3C", ">", "%3E", "\n", "", "\\", "%5C", " ", "%20").Replace(clean(u))
}
