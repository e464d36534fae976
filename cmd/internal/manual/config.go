package manual

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// schema is the part of a JSON Schema that the manual tells.
type schema struct {
	Ref         string             `json:"$ref"`
	Defs        map[string]*schema `json:"$defs"`
	Type        string             `json:"type"`
	Description string             `json:"description"`
	Default     json.RawMessage    `json:"default"`
	Enum        []any              `json:"enum"`
	Minimum     *float64           `json:"minimum"`
	Maximum     *float64           `json:"maximum"`
	Properties  properties         `json:"properties"`
	Items       *schema            `json:"items"`
	OneOf       []*schema          `json:"oneOf"`
	Required    []string           `json:"required"`
}

// property is a key with what it holds.
type property struct {
	name   string
	schema *schema
}

// properties are in the order of the file.
type properties []property

// UnmarshalJSON keeps the order of the keys.
func (p *properties) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		s := new(schema)
		if err := d.Decode(s); err != nil {
			return err
		}
		*p = append(*p, property{fmt.Sprint(name), s})
	}
	return nil
}

// below gives the sections that a key holds, "" for none, and whether it holds a list of them.
func (s *schema) below() (ref string, list bool) {
	switch {
	case s.Ref != "":
		return s.Ref, false
	case s.Items != nil:
		ref, _ := s.Items.below()
		return ref, true
	}
	for _, o := range s.OneOf {
		if ref, list := o.below(); ref != "" {
			return ref, list
		}
		for _, p := range o.Properties {
			if ref, list := p.schema.below(); ref != "" {
				return ref, list
			}
		}
	}
	return "", false
}

// facts says the default and the values allowed.
func (s *schema) facts() string {
	var out []string
	if text := string(s.Default); text != "" && text != `""` && text != "null" {
		out = append(out, "Default: "+strings.Trim(text, `"`)+".")
	}
	if len(s.Enum) > 0 {
		var values []string
		for _, v := range s.Enum {
			values = append(values, fmt.Sprint(v))
		}
		out = append(out, "One of "+strings.Join(values, ", ")+".")
	}
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		out = append(out, fmt.Sprintf("From %v to %v.", *s.Minimum, *s.Maximum))
	case s.Minimum != nil:
		out = append(out, fmt.Sprintf("At least %v.", *s.Minimum))
	}
	return strings.Join(out, " ")
}

// ConfigMan writes strandline.yaml.5 out of the JSON Schema of the configuration and its
// shortest example.
func ConfigMan(w io.Writer, jsonSchema, minimal, version string) error {
	root := new(schema)
	if err := json.Unmarshal([]byte(jsonSchema), root); err != nil {
		return fmt.Errorf("read the schema of the configuration: %w", err)
	}
	r := &roff{w: w}
	r.line(`.TH STRANDLINE.YAML 5 "" "strandline %s" "File Formats"`, escape(version))
	r.section("NAME")
	r.text("strandline.yaml - configuration of strandline")
	r.section("DESCRIPTION")
	r.text("One YAML file, /etc/strandline/strandline.yaml, and files named watches.d/*.yaml beside it that add watches, series, topics and targets. " +
		"An unknown key is an error; strandline check shows all errors at once. Every value has a default. " +
		"Lengths of time are written as 90s, 10m, 1h30m, 3d, 2w, 3y; sizes as 10MiB, 5MB, 4096; rates as 500/h. Relative paths start at the file that names them. " +
		"A file of a secret must not be readable by every user; one that is missing is looked for in the credentials of the systemd unit (LoadCredential=).")
	r.section("EXAMPLE")
	r.line(".nf")
	for line := range strings.Lines(minimal) {
		r.text(strings.TrimRight(line, "\n"))
	}
	r.line(".fi")
	r.section("KEYS")
	seen := map[string]bool{}
	r.keys(root, root.Ref, "", seen)
	r.section("SEE ALSO")
	r.line(".BR strandline (1)")
	return r.err
}

// keys writes the keys of a section, and those of the sections below after them. A section
// that was written before is not written again.
func (r *roff) keys(root *schema, ref, path string, seen map[string]bool) {
	section := root.Defs[strings.TrimPrefix(ref, "#/$defs/")]
	if section == nil || seen[ref] {
		return
	}
	seen[ref] = true
	if path != "" {
		r.line(".SS %s", escape(path))
		r.text(section.Description)
	}
	for _, p := range section.Properties {
		r.item(p.name, strings.TrimSpace(p.schema.Description+" "+p.schema.facts()))
	}
	for _, p := range section.Properties {
		if below, list := p.schema.below(); below != "" {
			name := strings.TrimPrefix(path+"."+p.name, ".")
			if list {
				name += "[]"
			}
			r.keys(root, below, name, seen)
		}
	}
}
