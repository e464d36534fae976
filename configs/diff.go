package configs

import (
	"encoding"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Action says what became of a part of the configuration.
type Action string

// The actions. A removed watch, series or topic is paused and keeps its history.
const (
	Added   Action = "added"
	Removed Action = "removed"
	Changed Action = "changed"
)

// Change is one difference between two configurations.
type Change struct {
	Action Action `json:"action"`
	Kind   string `json:"kind"` // watch, series, topic, target or setting
	Name   string `json:"name"` // its name; of a setting its key, such as crawler.workers
	// Values holds what differs of a changed one, in the order of keys.
	Values []ValueChange `json:"values,omitempty"`
}

// ValueChange is one value that differs; an empty text stands for one that is not there.
type ValueChange struct {
	Key string `json:"key"`
	Old string `json:"old"`
	New string `json:"new"`
}

// String gives one line, such as: changed watch news: schedule "@hourly" -> "@daily".
func (c Change) String() string {
	line := fmt.Sprintf("%s %s %s", c.Action, c.Kind, c.Name)
	for i, v := range c.Values {
		separator := ", "
		if i == 0 {
			separator = ": "
		}
		if line += separator; v.Key != c.Name {
			line += v.Key + " "
		}
		line += fmt.Sprintf("%q -> %q", v.Old, v.New)
	}
	return line
}

// Diff gives what differs between two configurations: settings first, then watches, series, topics and targets, of
// each kind first those of the new configuration in its order, then those removed. Lists that hold the same in
// another order differ. Secrets are compared but not shown.
func Diff(old, new *Config) []Change {
	var changes []Change
	before, after := settings(old), settings(new)
	for _, v := range valueChanges(before, after) {
		changes = append(changes, Change{Changed, "setting", v.Key, []ValueChange{v}})
	}
	changes = append(changes, diffNamed("watch", old.Watches, new.Watches, func(w *Watch) Name { return w.Name })...)
	changes = append(changes, diffNamed("series", old.Series, new.Series, func(s *Series) Name { return s.Name })...)
	changes = append(changes, diffNamed("topic", old.Topics, new.Topics, func(t *Topic) Name { return t.Name })...)
	return append(changes, diffNamed("target", old.Targets, new.Targets, func(t *Target) Name { return t.Name })...)
}

// settings gives the values that belong to no list of named sections.
func settings(c *Config) map[string]shown {
	rest := *c
	rest.Watches, rest.Series, rest.Topics, rest.Targets = nil, nil, nil, nil
	return flatten(reflect.ValueOf(&rest).Elem())
}

func diffNamed[T any](kind string, old, new []T, name func(*T) Name) []Change {
	before := make(map[Name]*T, len(old))
	for i := range old {
		before[name(&old[i])] = &old[i]
	}
	var changes []Change
	for i := range new {
		n := name(&new[i])
		was, ok := before[n]
		if !ok {
			changes = append(changes, Change{Action: Added, Kind: kind, Name: string(n)})
			continue
		}
		delete(before, n)
		values := valueChanges(flatten(reflect.ValueOf(was).Elem()), flatten(reflect.ValueOf(&new[i]).Elem()))
		if len(values) > 0 {
			changes = append(changes, Change{Changed, kind, string(n), values})
		}
	}
	for i := range old {
		if n := name(&old[i]); before[n] == &old[i] {
			changes = append(changes, Change{Action: Removed, Kind: kind, Name: string(n)})
		}
	}
	return changes
}

// shown is a value as it is compared and as it is printed; they differ for secrets only.
type shown struct{ value, text string }

func valueChanges(before, after map[string]shown) []ValueChange {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(before)), maps.Keys(after))
	slices.Sort(keys)
	var changes []ValueChange
	for _, key := range slices.Compact(keys) {
		if b, a := before[key], after[key]; a.value != b.value {
			changes = append(changes, ValueChange{key, b.text, a.text})
		}
	}
	return changes
}

// flatten gives every value of a section by its key. A list of plain values is one value, printed as YAML would have it.
func flatten(v reflect.Value) map[string]shown {
	all := make(map[string]shown)
	var walk func(path string, v reflect.Value)
	walk = func(path string, v reflect.Value) {
		if text, ok := v.Interface().(encoding.TextMarshaler); ok {
			all[path] = show(v, text)
			return
		}
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() {
				walk(path, v.Elem())
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if key := keyOf(v.Type().Field(i)); key != "" {
					walk(join(path, key), v.Field(i))
				}
			}
		case reflect.Map:
			for _, key := range v.MapKeys() {
				walk(join(path, key.String()), v.MapIndex(key))
			}
		case reflect.Slice:
			items := make([]string, v.Len())
			for i := range items {
				items[i] = fmt.Sprint(v.Index(i).Interface())
			}
			text := "[" + strings.Join(items, ", ") + "]"
			all[path] = shown{strconv.Quote(strings.Join(items, "\x00")), shorten(text)}
		default:
			text := fmt.Sprint(v.Interface())
			all[path] = shown{text, text}
		}
	}
	walk("", v)
	if w, ok := v.Addr().Interface().(interface{ filePages() (string, []URL) }); ok {
		if key, pages := w.filePages(); len(pages) > 0 {
			all[key+" (its pages)"] = shown{fmt.Sprint(pages), fmt.Sprintf("%d pages", len(pages))}
		}
	}
	return all
}

func show(v reflect.Value, text encoding.TextMarshaler) shown {
	printed, _ := text.MarshalText() // none of ours fails
	if secret, ok := v.Interface().(Secret); ok {
		return shown{secret.Reveal(), string(printed)}
	}
	return shown{string(printed), string(printed)}
}

func (w *Watch) filePages() (string, []URL)  { return "urls_file", w.listed }
func (s *Series) filePages() (string, []URL) { return "seeds_file", s.listed }
