package configs

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var update = flag.Bool("update", false, "rewrite schema.json and the messages in testdata")

// TestBadFiles loads every testdata/NAME.bad.yml, which holds one mistake each. Its first lines, "#! message", are
// the lines of the error, which are part of what users see.
func TestBadFiles(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.bad.yml")
	if err != nil || len(files) < 60 {
		t.Fatalf("found %d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for line := range strings.Lines(string(data)) {
				if message, ok := strings.CutPrefix(line, "#! "); ok {
					want = append(want, strings.TrimRight(message, "\n"))
				}
			}
			config, err := Parse(filepath.Base(file), data)
			if err == nil {
				t.Fatalf("Parse(%s) = %v, want an error", file, config)
			}
			got := strings.Split(err.Error(), "\n")
			if *update {
				rewrite(t, file, data, got)
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("Parse(%s) error (-want +got):\n%s", file, diff)
			}
		})
	}
}

// rewrite puts the messages into the file. Their number must not change, since the line numbers would.
func rewrite(t *testing.T, file string, data []byte, messages []string) {
	t.Helper()
	var out bytes.Buffer
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#!") {
			if len(messages) == 0 {
				continue
			}
			out.WriteString("#! " + messages[0] + "\n")
			messages = messages[1:]
			continue
		}
		out.WriteString(line)
	}
	if len(messages) > 0 {
		t.Fatalf("%s: no #! line is left for: %s", file, messages[0])
	}
	if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestExampleShowsEveryKey(t *testing.T) {
	t.Parallel()
	config, err := Parse("example.yaml", []byte(Example()))
	if err != nil {
		t.Fatal(err)
	}
	if len(config.Warnings) > 0 {
		t.Errorf("warnings: %v", config.Warnings)
	}
	want := make(map[string]bool)
	everyKey(reflect.TypeFor[Config](), "", want)
	got := make(map[string]bool)
	item := regexp.MustCompile(`\[[0-9]+\]`)
	for key := range config.parts[0].keys {
		got[item.ReplaceAllString(key, "[]")] = true
	}
	for key := range want {
		// Only watches may find their intervals themselves.
		auto := strings.HasPrefix(key, "series[].schedule.auto") || strings.HasPrefix(key, "topics[].period.auto") || strings.HasPrefix(key, "topics[].schedule.auto")
		if !got[key] && !auto {
			t.Errorf("key %s is not shown", key)
		}
	}
}

// everyKey collects the paths of all keys of the schema.
func everyKey(t reflect.Type, path string, into map[string]bool) {
	switch t.Kind() {
	case reflect.Pointer:
		everyKey(t.Elem(), path, into)
	case reflect.Slice:
		everyKey(t.Elem(), path+"[]", into)
	case reflect.Struct:
		for _, key := range keysOf(t) {
			field, _ := fieldOf(t, key)
			into[join(path, key)] = true
			everyKey(field.Type, join(path, key), into)
		}
	}
}

// TestExampleDefaults holds the comments of the example to the truth: what it calls the default is the default.
func TestExampleDefaults(t *testing.T) {
	t.Parallel()
	config, err := Parse("example.yaml", []byte(Example()))
	if err != nil {
		t.Fatal(err)
	}
	lines, checked := strings.Split(Example(), "\n"), 0
	for key, e := range config.parts[0].keys {
		leaf := key[strings.LastIndexByte(key, '.')+1:]
		value, comment, _ := strings.Cut(lines[e.line-1], " # ")
		if !strings.HasPrefix(strings.TrimLeft(value, " -"), leaf+":") || (comment != "default" && !strings.HasPrefix(comment, "default;") && !strings.HasPrefix(comment, "default,")) {
			continue
		}
		if checked++; e.set {
			t.Errorf("%s is called a default and is none", key)
		}
	}
	if checked < 20 {
		t.Errorf("found only %d lines that say they show a default", checked)
	}
}

func TestMinimal(t *testing.T) {
	t.Parallel()
	config, err := Parse("minimal.yaml", []byte(Minimal()))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(Minimal(), "\n"); n > 5 {
		t.Errorf("minimal.yaml has %d lines", n)
	}
	if len(config.Watches) != 1 || len(config.Watches[0].Pages()) != 1 {
		t.Errorf("watches = %v", config.Watches)
	}
}

// ignorePlaces leaves out what depends on how a configuration was written.
func ignorePlaces() cmp.Option {
	return cmp.Options{
		cmpopts.IgnoreUnexported(Config{}, Watch{}, Series{}),
		cmpopts.IgnoreFields(Config{}, "Files"),
		cmpopts.EquateComparable(Network{}),
	}
}

func TestEmptyFileIsDefault(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "\n", "# nothing\n", "---\n", "{}", "crawler:\nwatches:\n", "\ufeff"} {
		config, err := Parse("a.yaml", []byte(text))
		if err != nil {
			t.Errorf("Parse(%q): %v", text, err)
			continue
		}
		if diff := cmp.Diff(Default(), config, ignorePlaces()); diff != "" {
			t.Errorf("Parse(%q) (-want +got):\n%s", text, diff)
		}
	}
}

// TestDefaultsPassTheirOwnChecks writes the least that makes every section come up and asks for all checks on it.
func TestDefaultsPassTheirOwnChecks(t *testing.T) {
	t.Parallel()
	config, err := Parse("a.yaml", []byte("database: {}\nhttp: {}\ncrawler: {}\nretention: {versions: {}}\n"+
		"watches: [{name: w, urls: ['https://a.example/'], bursts: {}, schedule: {auto: {}}}]\n"+
		"series: [{name: s, seeds: ['https://a.example/'], scope: {}, language: {}, novelty: {}}]\n"+
		"topics: [{name: t, query: q, search: {}, grow: {}, summary: {}}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(config.Warnings) > 0 {
		t.Errorf("warnings: %v", config.Warnings)
	}
	got, want := *config.Watches[0].Bursts, Bursts{}
	want.setDefaults()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("bursts (-want +got):\n%s", diff)
	}
}

func TestAllFaultsAtOnce(t *testing.T) {
	t.Parallel()
	_, err := Parse("a.yaml", []byte(`crawler:
  workers: none
  robots: ignore
  timeot: 5s
watches:
  - name: Big
    schedule: "@evry 10m"
    urls: [ftp://a.example/, https://a.example/]
    notify: {to: [ops]}
  - {urls: []}
`))
	errs, ok := errors.AsType[Errors](err)
	if !ok {
		t.Fatalf("error is %T", err)
	}
	var got []string
	for _, e := range errs {
		got = append(got, e.place()+" "+e.Key)
	}
	want := []string{
		"a.yaml:2:12 crawler.workers", "a.yaml:3:11 crawler.robots", "a.yaml:4:3 crawler.timeot",
		"a.yaml:6:11 watches[0].name", "a.yaml:7:15 watches[0].schedule", "a.yaml:8:12 watches[0].urls[0]",
		"a.yaml:9:19 watches[0].notify.to[0]", "a.yaml:10:5 watches[1].name", "a.yaml:10:5 watches[1]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("places (-want +got):\n%s\n%v", diff, err)
	}
}

func TestDependentDefaults(t *testing.T) {
	t.Parallel()
	config, err := Parse("/etc/strandline/a.yaml", []byte(`state_dir: state
database: {url_file: db.url}
crawler: {timeout: 5s}
watches:
  - {name: fast, schedule: "@every 1m", urls: ['https://a.example/'], bursts: {spread: true}}
  - {name: slow, schedule: "@daily", urls: ['https://a.example/']}
  - {name: auto, schedule: {auto: {min: 10m}}, urls: ['https://a.example/']}
topics:
  - {name: one, search: {seeds: ['https://a.example/']}}
`))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{
		"state_dir":       string(config.StateDir),
		"url_file":        string(config.Database.URLFile),
		"connect_timeout": config.Crawler.ConnectTimeout.String(),
		"fast jitter":     config.Watches[0].Jitter.String(),
		"fast every":      config.Watches[0].Bursts.Every.String(),
		"slow jitter":     config.Watches[1].Jitter.String(),
		"auto jitter":     config.Watches[2].Jitter.String(),
		"auto max":        config.Watches[2].Schedule.Auto.Max.String(),
		"provider":        config.Topics[0].Search.Provider,
	}
	want := map[string]string{
		"state_dir": "/etc/strandline/state", "url_file": "/etc/strandline/db.url", "connect_timeout": "5s",
		"fast jitter": "5s", "fast every": "10h", "slow jitter": "5m", "auto jitter": "50s", "auto max": "1d", "provider": "seeds",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("completed values (-want +got):\n%s", diff)
	}
}

func TestAliasesAndMerges(t *testing.T) {
	t.Parallel()
	config, err := Parse("a.yaml", []byte(`watches:
  - &base {name: one, category: News, jitter: 1m, urls: &urls ['https://a.example/']}
  - {<<: *base, name: two, category: Other}
  - {<<: [{genre: x}, *base], name: three, urls: *urls}
`))
	if err != nil {
		t.Fatal(err)
	}
	two, three := config.Watches[1], config.Watches[2]
	if two.Category != "Other" || two.Jitter.String() != "1m" || len(two.URLs) != 1 || three.Genre != "x" || three.Category != "News" {
		t.Errorf("merged: %+v, %+v", two, three)
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	config, err := Parse("a.yaml", []byte(`watches:
  - name: one
    schedule: "CRON_TZ=Europe/Paris 30 2 * * *"
    urls: ['https://a.example/', 'https://a.example/']
`))
	if err != nil {
		t.Fatal(err)
	}
	want := `a.yaml:3:15: watches[0].schedule: "CRON_TZ=Europe/Paris 30 2 * * *" lies in the hour in which Europe/Paris changes its clocks: skipped on 2026-03-29
a.yaml:4:34: watches[0].urls[1]: "https://a.example/" is listed twice, first as urls[0]`
	if diff := cmp.Diff(want, config.Warnings.Error()); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(Example()))
	f.Add([]byte(Minimal()))
	f.Add([]byte("a: &a {<<: *a}"))
	f.Add([]byte("watches: &w [*w]"))
	f.Add([]byte("watches: &w [{<<: *w}]"))
	f.Add([]byte("watches: [{schedule: TZ=UTC}, {schedule: 'TZ=UTC TZ=UTC'}, {schedule: ', * * * *'}]"))
	f.Add([]byte("? [a]\n: b\n"))
	files, _ := filepath.Glob("testdata/*.bad.yml")
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		config, err := Parse("fuzz.yaml", data)
		if err == nil {
			if changes := Diff(config, config); len(changes) > 0 {
				t.Errorf("differs from itself: %v", changes)
			}
			return
		}
		errs, ok := errors.AsType[Errors](err)
		if !ok || len(errs) == 0 {
			t.Errorf("error %T without faults", err)
		}
		for _, e := range errs {
			if e.File != "fuzz.yaml" || e.Message == "" {
				t.Errorf("fault %+v says not what or where", e)
			}
		}
	})
}
