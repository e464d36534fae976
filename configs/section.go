package configs

import (
	"reflect"
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v4"
)

// defaulter is a section that is not all zero where nothing is written.
type defaulter interface{ setDefaults() }

// checker is a section with rules that concern several of its values. check also completes values whose default
// depends on others. It is called once the whole section is decoded, faulty or not.
type checker interface{ check(*section) }

func setDefaults(pointer reflect.Value) {
	if d, ok := pointer.Interface().(defaulter); ok {
		d.setDefaults()
	}
}

// pair is one key of a mapping with its value.
type pair struct{ key, value *yaml.Node }

// pairs gives the keys of a mapping, those of merged mappings (<<) after its own, and reports keys that come twice.
func (d *decoder) pairs(n *yaml.Node, path string) []pair {
	seen := make(map[string]*yaml.Node)
	var all []pair
	var walk func(n *yaml.Node, own bool, visited []*yaml.Node)
	walk = func(n *yaml.Node, own bool, visited []*yaml.Node) {
		if n = d.resolve(n, path); n == nil || slices.Contains(visited, n) {
			return // an alias may lead back into itself
		}
		visited = append(visited, n)
		switch {
		case n.Kind == yaml.SequenceNode && !own:
			for _, one := range n.Content {
				walk(one, false, visited)
			}
			return
		case n.Kind != yaml.MappingNode:
			d.wrongKind(n, join(path, "<<"), "an alias of a mapping")
			return
		}
		var merged []*yaml.Node
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			if key.ShortTag() == "!!merge" {
				merged = append(merged, value)
				continue
			}
			if key = d.resolve(key, path); key == nil || key.Kind != yaml.ScalarNode {
				d.fault(at(n.Content[i]), path, "", "has a key that is not a single word", "")
				continue
			}
			first, twice := seen[key.Value]
			switch {
			case !twice:
				seen[key.Value] = key
				all = append(all, pair{key, value})
			case own:
				place := Error{File: d.file, Line: first.Line, Column: first.Column}.place()
				d.fault(at(key), join(path, key.Value), "", "is written twice, first at "+place, "")
			}
		}
		for _, m := range merged {
			walk(m, false, visited)
		}
	}
	walk(n, true, nil)
	return all
}

// mapping decodes a mapping into the struct v, then has the struct check itself.
func (d *decoder) mapping(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.MappingNode {
		d.wrongKind(n, path, "a mapping with the keys "+strings.Join(keysOf(v.Type()), ", "))
		return
	}
	sec := &section{d: d, path: path, start: at(n)}
	for _, p := range d.pairs(n, path) {
		sub := join(path, p.key.Value)
		field, ok := fieldOf(v.Type(), p.key.Value)
		if !ok {
			known := keysOf(v.Type())
			allowed := strings.Join(known, ", ")
			message := "is not a key"
			if word := suggest(p.key.Value, known); word != "" {
				message, allowed = message+"; did you mean "+word+"?", ""
			}
			d.fault(at(p.key), sub, "", message, allowed)
			continue
		}
		dest := v.FieldByIndex(field.Index)
		before := reflect.New(dest.Type()).Elem()
		before.Set(dest)
		place := at(p.value)
		if isNull(p.value) {
			place = at(p.key) // an empty value has no place of its own worth showing
		}
		d.keys[sub] = entry{position: place}
		d.value(p.value, dest, sub, limitsOf(field))
		d.keys[sub] = entry{place, !same(before, dest)}
	}
	if c, ok := v.Addr().Interface().(checker); ok {
		c.check(sec)
	}
}

// same reports whether two values of one field mean the same; an empty list is the same as none.
func same(a, b reflect.Value) bool {
	if (a.Kind() == reflect.Slice || a.Kind() == reflect.Map) && a.Len() == 0 && b.Len() == 0 {
		return true
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

// section is what a check sees: one mapping of one file.
type section struct {
	d     *decoder
	path  string
	start position
}

// has reports whether the key is written in the file.
func (s *section) has(key string) bool { _, ok := s.d.keys[join(s.path, key)]; return ok }

// failed reports whether the key or something below it has a fault already.
func (s *section) failed(key string) bool {
	path := join(s.path, key)
	if s.d.failed[path] {
		return true
	}
	return slices.ContainsFunc(s.d.errs, func(e Error) bool {
		return strings.HasPrefix(e.Key, path) && strings.IndexAny(e.Key[len(path):], ".[") == 0
	})
}

// place gives the position of the key; where it is not written, that of the section.
func (s *section) place(key string) position {
	if e, ok := s.d.keys[join(s.path, key)]; ok {
		return e.position
	}
	return s.start
}

// fault records a fault, unless the key has one already. The key "" is the section itself.
func (s *section) fault(key, found, message, allowed string) {
	s.d.fault(s.place(key), join(s.path, key), found, message, allowed)
}

// warn records what is allowed but surely not meant.
func (s *section) warn(key, found, message string) {
	place := s.place(key)
	s.d.warns = append(s.d.warns, Error{File: s.d.file, Line: place.line, Column: place.column, Key: join(s.path, key), Found: found, Message: message})
}

func (s *section) wantName(name Name) {
	if name == "" {
		s.fault("name", "", "is missing", "letters a-z, digits and -")
	}
}

// warnClock warns of due times that the zone's clock changes skip or repeat.
func (s *section) warnClock(key string, schedule Schedule) {
	if message := schedule.clockChange(); message != "" {
		s.warn(key, schedule.String(), message)
	}
}

// refuseAuto refuses intervals found page by page where one run is for many pages.
func (s *section) refuseAuto(key string, schedule Schedule) {
	if schedule.Auto != nil {
		s.fault(key, "", "cannot be auto: that is for watches", scheduleAllowed)
	}
}

// warnTwice warns of URLs that a list holds more than once.
func (s *section) warnTwice(key string, urls []URL) {
	first := make(map[URL]int)
	for i, u := range urls {
		if j, ok := first[u]; ok && u != "" {
			s.warn(item(key, i), string(u), "is listed twice, first as "+item(key, j))
			continue
		}
		first[u] = i
	}
}
