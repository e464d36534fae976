package configs

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// FragmentFolder is the folder beside the configuration file whose *.yaml files add watches, series, topics and targets.
const FragmentFolder = "watches.d"

// Candidates gives the files that Load looks for, in order, when none is named.
func Candidates() []string {
	return []string{"/etc/strandline/strandline.yaml", "./strandline.yaml"}
}

// Load reads the configuration file at path and the fragments beside it. An empty path stands for the first of
// Candidates that exists, and for Default when none does. The error is an Errors that holds every fault of every file.
//
// The checks are of what files cannot tell of themselves, such as whether a program is there; what they find stands
// among the other faults. They are given the configuration as far as it could be read, faulty parts and all; what a
// check has against a value that is faulty anyhow is left out.
func Load(path string, checks ...func(*Config) Errors) (*Config, error) {
	return load(path, Candidates(), checks...)
}

func load(path string, candidates []string, checks ...func(*Config) Errors) (*Config, error) {
	if path == "" {
		if path = first(candidates); path == "" {
			return Default(), nil
		}
	}
	return loadFiles(path, checks)
}

// first gives the first file that exists, or "". One that exists but cannot be read is a fault to report and not to pass over.
func first(candidates []string) string {
	for _, c := range candidates {
		if _, err := os.Stat(c); !errors.Is(err, fs.ErrNotExist) {
			return c
		}
	}
	return ""
}

func loadFiles(path string, checks []func(*Config) Errors) (*Config, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, Errors{fileError(path, err)}
	}
	l := &loading{config: new(Config)}
	l.read(path, data, l.config, false)

	folder := filepath.Join(filepath.Dir(path), FragmentFolder)
	entries, err := os.ReadDir(folder) // sorted by name
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.errs = append(l.errs, fileError(folder, err))
	}
	for _, e := range entries {
		name := filepath.Join(folder, e.Name())
		switch {
		case filepath.Ext(name) == ".yml":
			l.warns = append(l.warns, Error{File: name, Message: "is not read: only files that end in .yaml are"})
		case filepath.Ext(name) != ".yaml" || e.IsDir() || strings.HasPrefix(e.Name(), "."):
		default:
			l.addFragment(name)
		}
	}
	l.readLists()
	for _, check := range checks {
		for _, e := range check(l.config) {
			if !slices.ContainsFunc(l.errs, e.within) {
				l.errs = append(l.errs, e)
			}
		}
	}
	return l.finish()
}

// Parse reads one configuration file from memory; name is for messages, and relative paths are taken from its folder.
// It opens no file: urls_file and seeds_file stay unread and fragments are not looked for.
func Parse(name string, data []byte) (*Config, error) {
	l := &loading{config: new(Config)}
	l.read(name, data, l.config, false)
	return l.finish()
}

// loading gathers what several files give.
type loading struct {
	config   *Config
	contents []Config // what each file gave by itself, beside config.parts
	errs     Errors
	warns    Errors
	files    []string
}

// read decodes one file into config. A fragment may hold lists only.
func (l *loading) read(name string, data []byte, config *Config, fragment bool) {
	d := newDecoder(name, filepath.Dir(name))
	config.setDefaults()
	l.files = append(l.files, name)
	if root, err := parseTree(name, data); err != nil {
		l.errs = append(l.errs, *err)
	} else if root != nil {
		d.value(root, reflect.ValueOf(config).Elem(), "", limits{})
	}
	if fragment {
		lists := []string{"watches", "series", "topics", "targets"}
		for key, e := range d.keys {
			if !strings.ContainsAny(key, ".[") && !slices.Contains(lists, key) {
				d.fault(e.position, key, "", "does not belong into a file of "+FragmentFolder+" but into the main file", strings.Join(lists, ", "))
			}
		}
	}
	l.errs = append(l.errs, d.errs...)
	l.warns = append(l.warns, d.warns...)
	l.config.parts = append(l.config.parts, d.part)
	l.contents = append(l.contents, *config)
}

func (l *loading) addFragment(name string) {
	data, err := os.ReadFile(name)
	if err != nil {
		l.errs = append(l.errs, fileError(name, err))
		return
	}
	more := new(Config)
	l.read(name, data, more, true)
	c := l.config
	c.Watches = append(c.Watches, more.Watches...)
	c.Series = append(c.Series, more.Series...)
	c.Topics = append(c.Topics, more.Topics...)
	c.Targets = append(c.Targets, more.Targets...)
}

// readLists reads the files that urls_file and seeds_file name.
func (l *loading) readLists() {
	watches, series := l.config.Watches, l.config.Series
	for f, content := range l.contents {
		for i := range content.Watches {
			watches[i].listed = l.readList(f, item("watches", i)+".urls_file", watches[i].URLsFile)
		}
		for i := range content.Series {
			series[i].listed = l.readList(f, item("series", i)+".seeds_file", series[i].SeedsFile)
		}
		watches, series = watches[len(content.Watches):], series[len(content.Series):]
	}
}

// readList reads a file with one URL a line, named by a key of the f-th configuration file.
func (l *loading) readList(f int, key string, path Path) []URL {
	if path == "" {
		return nil
	}
	data, err := os.ReadFile(string(path))
	if err != nil {
		e := l.config.parts[f].error(key, fileError("", err).Message)
		e.Found = string(path)
		l.errs = append(l.errs, e)
		return nil
	}
	if !slices.Contains(l.files, string(path)) {
		l.files = append(l.files, string(path))
	}
	var urls []URL
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<20)
	number := 0
	for lines.Scan() {
		number++
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		var u URL
		if err := u.UnmarshalText([]byte(line)); err != nil {
			f := err.(*fault) //nolint:errorlint // URL gives nothing else
			column := strings.Index(lines.Text(), line) + 1
			l.errs = append(l.errs, Error{File: string(path), Line: number, Column: column, Found: redact(line), Message: f.message, Allowed: f.allowed})
			continue
		}
		urls = append(urls, u)
	}
	if err := lines.Err(); err != nil {
		l.errs = append(l.errs, Error{File: string(path), Line: number + 1, Column: 1, Message: err.Error()})
	}
	return urls
}

// finish checks what spans sections and files, and gives the configuration or its faults.
func (l *loading) finish() (*Config, error) {
	l.errs = append(l.errs, l.link()...)
	if len(l.errs) > 0 {
		l.errs.sort(l.files)
		return nil, l.errs
	}
	l.warns.sort(l.files)
	l.config.Files, l.config.Warnings = l.files, l.warns
	return l.config, nil
}

// fileError gives the fault of a file that cannot be read.
func fileError(path string, err error) Error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err // the path is said already
	}
	return Error{File: path, Message: fmt.Sprintf("cannot be read: %v", err)}
}
