package foreign

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// readList reads a page a line: the first field of the line that is a URL, fields
// being parted as in CSV. Lines that start with # are comments.
func readList(data []byte, d Defaults) Plan {
	w := Watch{Name: d.Name, Schedule: d.Schedule}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, MaxSize+1)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\uFEFF"))
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if isURL(line) && !strings.ContainsAny(line, ",;\t\"") {
			w.URLs = append(w.URLs, line)
			continue
		}
		fields := fieldsOf(line)
		i := slices.IndexFunc(fields, isURL)
		if i < 0 {
			w.note("line %d has no page: %s", n, line)
			continue
		}
		w.URLs = append(w.URLs, fields[i])
		if rest := slices.Delete(slices.Clone(fields), i, i+1); strings.Join(rest, "") != "" {
			w.note("%s was listed with: %s", fields[i], strings.Join(rest, ", "))
		}
	}
	return Plan{Watches: []Watch{w}}
}

func isURL(s string) bool {
	s = strings.ToLower(s)
	return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://")
}

// fieldsOf parts a line at tabs or semicolons if it has them, else at commas. A
// line whose quotes do not match is one field.
func fieldsOf(line string) []string {
	r := csv.NewReader(strings.NewReader(line))
	switch {
	case strings.Contains(line, "\t"):
		r.Comma = '\t'
	case strings.Contains(line, ";") && !strings.Contains(line, ","):
		r.Comma = ';'
	}
	r.TrimLeadingSpace = true
	fields, err := r.Read()
	if err != nil {
		return []string{line}
	}
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	return fields
}

// readOPML makes a watch of each folder of outlines: feeds are watched for what
// they name, links as pages.
func readOPML(data []byte, d Defaults) (Plan, error) {
	dec := xml.NewDecoder(bytes.NewReader(data))
	dec.Strict = false
	dec.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // URLs are ASCII
	var p Plan
	at := map[string]int{} // index of each folder's watch
	var folders []string   // by depth; "" for an outline that is no folder
	opml := false
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return p, fmt.Errorf("not OPML: %w", err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			opml = opml || strings.EqualFold(t.Name.Local, "opml")
			if !strings.EqualFold(t.Name.Local, "outline") {
				continue
			}
			folders = append(folders, p.outline(t, folders, at, d))
		case xml.EndElement:
			if strings.EqualFold(t.Name.Local, "outline") && len(folders) > 0 {
				folders = folders[:len(folders)-1]
			}
		}
	}
	if !opml {
		return p, errors.New("not OPML: it has no element opml")
	}
	return p, nil
}

// outline takes an outline into the watch of its folder, and gives the name of
// the folder that it is itself.
func (p *Plan) outline(e xml.StartElement, folders []string, at map[string]int, d Defaults) (folder string) {
	attr := map[string]string{}
	for _, a := range e.Attr {
		attr[strings.ToLower(a.Name.Local)] = strings.TrimSpace(a.Value)
	}
	name := attr["title"]
	if name == "" {
		name = attr["text"]
	}
	page := attr["url"]
	if page == "" {
		page = attr["htmlurl"]
	}
	if attr["xmlurl"] == "" && page == "" {
		if name == "" {
			name = d.Name
		}
		return name
	}
	in := d.Name
	for _, f := range folders {
		if f != "" {
			in = f
		}
	}
	i, ok := at[in]
	if !ok {
		i = len(p.Watches)
		at[in] = i
		p.Watches = append(p.Watches, Watch{Name: in, Schedule: d.Schedule})
	}
	w := &p.Watches[i]
	if feed := attr["xmlurl"]; feed != "" {
		w.Feeds = append(w.Feeds, feed)
		if page != "" {
			w.note("%s is the feed of %s, which is not watched itself", feed, page)
		}
		return ""
	}
	w.URLs = append(w.URLs, page)
	return ""
}
