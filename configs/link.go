package configs

import (
	"strconv"
	"strings"
)

// link checks what spans sections and files: that no name of a kind is taken twice, and that every target that a
// notify names exists.
func (l *loading) link() Errors {
	errs := l.takenTwice()
	targets := make(map[Name]bool)
	var known []string
	for _, t := range l.config.Targets {
		if t.Name != "" {
			targets[t.Name] = true
			known = append(known, string(t.Name))
		}
	}
	for f, content := range l.contents {
		unknown := func(path string, names []Name) {
			for i, name := range names {
				if name == "" || targets[name] {
					continue
				}
				e := l.config.parts[f].error(item(path+".notify.to", i), "is not a target")
				e.Found, e.Allowed = string(name), allowedTargets(known)
				if word := suggest(string(name), known); word != "" {
					e.Message, e.Allowed = e.Message+"; did you mean "+word+"?", ""
				}
				errs = append(errs, e)
			}
		}
		for i := range content.Watches {
			if n := content.Watches[i].Notify; n != nil {
				unknown(item("watches", i), n.To)
			}
		}
		for i := range content.Topics {
			if n := content.Topics[i].Notify; n != nil {
				unknown(item("topics", i), n.To)
			}
		}
	}
	return errs
}

func allowedTargets(known []string) string {
	if len(known) == 0 {
		return "none, since targets is empty"
	}
	var all string
	for i, name := range known {
		if i > 0 {
			all += ", "
		}
		all += name
	}
	return shorten(all)
}

// takenTwice finds names that an earlier section of the same kind has; each message names both places.
func (l *loading) takenTwice() Errors {
	var errs Errors
	first := make(map[string]string) // kind and name -> place
	for f, content := range l.contents {
		for kind, names := range namesOf(&content) {
			for i, name := range names {
				if name == "" {
					continue
				}
				e := l.config.parts[f].error(item(kind, i)+".name", "is taken")
				e.Found = string(name)
				if place, taken := first[kind+" "+string(name)]; taken {
					e.Message += ": first used at " + place
					errs = append(errs, e)
				} else {
					first[kind+" "+string(name)] = e.place()
				}
			}
		}
	}
	return errs
}

// namesOf lists the names of each kind of section.
func namesOf(c *Config) map[string][]Name {
	return map[string][]Name{
		"watches": namesIn(c.Watches, func(w *Watch) Name { return w.Name }),
		"series":  namesIn(c.Series, func(s *Series) Name { return s.Name }),
		"topics":  namesIn(c.Topics, func(t *Topic) Name { return t.Name }),
		"targets": namesIn(c.Targets, func(t *Target) Name { return t.Name }),
	}
}

func namesIn[T any](all []T, name func(*T) Name) []Name {
	names := make([]Name, len(all))
	for i := range all {
		names[i] = name(&all[i])
	}
	return names
}

// error gives an Error that points at a key of the file.
func (p *part) error(path, message string) Error {
	e := p.keys[path]
	return Error{File: p.file, Line: e.line, Column: e.column, Key: path, Message: message}
}

// Fault gives an Error that points at a key of the configuration, such as database.url or targets[3].url, the lists
// counted over all files; in the error they are counted within the file. What is wrong is said as in Error.Message.
func (c *Config) Fault(key, message, allowed string) Error {
	list, rest, isItem := strings.Cut(key, "[")
	number, field, _ := strings.Cut(rest, "]")
	n, err := strconv.Atoi(number)
	for i := range c.parts {
		p := &c.parts[i]
		if !isItem || err != nil {
			return p.fault(key, message, allowed)
		}
		count := 0
		for ; p.has(item(list, count)); count++ {
		}
		if n < count {
			return p.fault(item(list, n)+field, message, allowed)
		}
		n -= count
	}
	return Error{Key: key, Message: message, Allowed: allowed}
}

func (p *part) has(path string) bool { _, ok := p.keys[path]; return ok }

// fault points at a key, or, where it is not written, at the section that would hold it.
func (p *part) fault(path, message, allowed string) Error {
	e := p.error(path, message)
	e.Allowed = allowed
	for outer := path; e.Line == 0 && outer != ""; {
		outer = outer[:max(strings.LastIndexAny(outer, ".["), 0)]
		e.Line, e.Column = p.keys[outer].line, p.keys[outer].column
	}
	return e
}
