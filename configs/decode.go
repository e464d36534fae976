package configs

import (
	"encoding"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v4"
)

// mostNodes bounds what aliases may unfold to; a million URLs written out are far below it.
const mostNodes = 10_000_000

// position is a place in a file, both from 1.
type position struct{ line, column int }

func at(n *yaml.Node) position { return position{n.Line, n.Column} }

// entry is what is known of one key or list item of a file.
type entry struct {
	position
	set bool // the value is not the default
}

// part is what one file gave.
type part struct {
	file string
	keys map[string]entry // by path, such as watches[2].schedule
}

// decoder turns the YAML tree of one file into Go values and collects every fault on the way.
type decoder struct {
	part
	dir    string // relative paths are taken from here
	errs   Errors
	warns  Errors
	failed map[string]bool // the paths that have a fault, so that nothing is said twice of one value
	nodes  int
}

func newDecoder(file, dir string) *decoder {
	return &decoder{part: part{file: file, keys: make(map[string]entry)}, dir: dir, failed: make(map[string]bool)}
}

func (d *decoder) fault(at position, path, found, message, allowed string) {
	if d.failed[path] {
		return
	}
	d.failed[path] = true
	d.errs = append(d.errs, Error{File: d.file, Line: at.line, Column: at.column, Key: path, Found: found, Allowed: allowed, Message: message})
}

// value decodes n into v, which holds the default. A null leaves it.
func (d *decoder) value(n *yaml.Node, v reflect.Value, path string, l limits) {
	if n = d.resolve(n, path); n == nil || isNull(n) {
		return
	}
	if text, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		if n.Kind == yaml.MappingNode && hasKeys(v.Type()) {
			d.mapping(n, v, path)
		} else {
			d.text(n, text, v, path)
		}
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		fresh := reflect.New(v.Type().Elem())
		setDefaults(fresh)
		d.value(n, fresh.Elem(), path, l)
		v.Set(fresh)
	case reflect.Struct:
		d.mapping(n, v, path)
	case reflect.Slice:
		d.list(n, v, path)
	case reflect.Map:
		d.table(n, v, path)
	default:
		d.plain(n, v, path, l)
	}
}

// resolve follows an alias and counts; nil means that the file is given up.
func (d *decoder) resolve(n *yaml.Node, path string) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if d.nodes++; n == nil || d.nodes > mostNodes {
		if d.nodes == mostNodes+1 {
			d.errs = append(d.errs, Error{File: d.file, Key: path, Message: "aliases unfold to too many values; nothing after this was read"})
		}
		return nil
	}
	return n
}

// wrongKind says that n is not of the shape wanted.
func (d *decoder) wrongKind(n *yaml.Node, path, wanted string) {
	switch n.Kind {
	case yaml.MappingNode:
		d.fault(at(n), path, "", "is a mapping", wanted)
	case yaml.SequenceNode:
		d.fault(at(n), path, "", "is a list", wanted)
	default:
		d.fault(at(n), path, n.Value, "is a single value", wanted)
	}
}

func (d *decoder) text(n *yaml.Node, v encoding.TextUnmarshaler, dest reflect.Value, path string) {
	found := n.Value
	switch v.(type) {
	case *Secret:
		found = redacted
	case *URL:
		found = redact(found)
	}
	if n.Kind != yaml.ScalarNode {
		d.wrongKind(n, path, "a single value")
		return
	}
	if err := v.UnmarshalText([]byte(n.Value)); err != nil {
		var f *fault
		if !errors.As(err, &f) {
			f = &fault{message: err.Error()}
		}
		d.fault(at(n), path, found, f.message, f.allowed)
		return
	}
	switch v.(type) {
	case *Path, *SecretFile:
		dest.SetString(string(Path(dest.String()).in(d.dir)))
	}
}

func (d *decoder) list(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.SequenceNode {
		d.wrongKind(n, path, "a list, such as [..]")
		return
	}
	items := reflect.MakeSlice(v.Type(), 0, min(len(n.Content), 1024))
	for i, one := range n.Content {
		path := item(path, i)
		fresh := reflect.New(v.Type().Elem())
		setDefaults(fresh)
		d.keys[path] = entry{at(one), true}
		if one.Kind == yaml.ScalarNode && isNull(one) {
			d.fault(at(one), path, "", "is empty", "a value, or no item at all")
		}
		d.value(one, fresh.Elem(), path, limits{})
		items = reflect.Append(items, fresh.Elem()) // a faulty one too: the numbers in messages must hold
		if d.nodes > mostNodes {
			break
		}
	}
	v.Set(items)
}

// table decodes a mapping whose keys the user chooses.
func (d *decoder) table(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.MappingNode {
		d.wrongKind(n, path, "a mapping, such as {name: value}")
		return
	}
	table := reflect.MakeMap(v.Type())
	for _, p := range d.pairs(n, path) {
		sub := join(path, p.key.Value)
		d.keys[sub] = entry{at(p.value), true}
		fresh := reflect.New(v.Type().Elem())
		d.value(p.value, fresh.Elem(), sub, limits{})
		table.SetMapIndex(reflect.ValueOf(p.key.Value), fresh.Elem())
	}
	v.Set(table)
}

// plain decodes the kinds that need no type of ours.
func (d *decoder) plain(n *yaml.Node, v reflect.Value, path string, l limits) {
	if n.Kind != yaml.ScalarNode {
		d.wrongKind(n, path, kindWords(v.Kind()))
		return
	}
	wrong := func() { d.fault(at(n), path, n.Value, "is not "+kindWords(v.Kind()), l.String()) }
	var number float64
	switch v.Kind() {
	case reflect.String:
		if !l.allows(n.Value) {
			d.fault(at(n), path, n.Value, "is not one of the values", l.String())
			return
		}
		v.SetString(n.Value)
		return
	case reflect.Bool:
		switch {
		case n.ShortTag() == "!!bool" && strings.EqualFold(n.Value, "true"), isPlain(n, "on"), isPlain(n, "yes"):
			v.SetBool(true)
		case n.ShortTag() == "!!bool", isPlain(n, "off"), isPlain(n, "no"):
			v.SetBool(false)
		default:
			wrong()
		}
		return
	case reflect.Int:
		whole, err := strconv.Atoi(strings.ReplaceAll(n.Value, "_", ""))
		if err != nil || n.ShortTag() != "!!int" {
			wrong()
			return
		}
		v.SetInt(int64(whole))
		number = float64(whole)
	case reflect.Float64:
		f, err := strconv.ParseFloat(n.Value, 64)
		if tag := n.ShortTag(); err != nil || math.IsNaN(f) || math.IsInf(f, 0) || (tag != "!!float" && tag != "!!int") {
			wrong()
			return
		}
		v.SetFloat(f)
		number = f
	default:
		panic("configs: the schema has a field of kind " + v.Kind().String()) // a test decodes every field
	}
	if !l.holds(number) {
		d.fault(at(n), path, n.Value, "is out of range", l.String())
	}
}

func kindWords(k reflect.Kind) string {
	switch k {
	case reflect.Bool:
		return "on or off"
	case reflect.Int:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	}
	return "a single value"
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// isPlain reports an unquoted word, since "on" in quotes is a text.
func isPlain(n *yaml.Node, word string) bool {
	return n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) == 0 && strings.EqualFold(n.Value, word)
}

// join puts a key behind the path of the section that holds it.
func join(path, key string) string {
	if path == "" || key == "" {
		return path + key
	}
	return path + "." + key
}

// item gives the path of the i-th item of a list.
func item(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }
