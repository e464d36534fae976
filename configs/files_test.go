package configs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	yaml "go.yaml.in/yaml/v4"
)

// write makes the files in a new folder and gives its path.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestLoadFolder(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"main.yaml":            "watches: [{name: one, urls: ['https://a.example/'], notify: {to: [ops]}}]\n",
		"watches.d/20-b.yaml":  "targets: [{name: ops, url_file: ops.url}]\nseries: [{name: s, seeds_file: ../seeds.txt}]\n",
		"watches.d/10-a.yaml":  "watches: [{name: two, urls: ['https://c.example/'], urls_file: two.txt}]\n",
		"watches.d/two.txt":    "# pages\n\nhttps://b.example/\n  https://c.example/  \n",
		"watches.d/old.yml":    "nonsense",
		"watches.d/.tmp.yaml":  "nonsense",
		"watches.d/README":     "nonsense",
		"watches.d/x.yaml/dir": "nonsense",
		"seeds.txt":            "https://s.example/\n",
	})
	config, err := Load(filepath.Join(dir, "main.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, w := range config.Watches {
		names = append(names, string(w.Name))
	}
	if diff := cmp.Diff([]string{"one", "two"}, names); diff != "" {
		t.Errorf("watches (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]URL{"https://c.example/", "https://b.example/"}, config.Watches[1].Pages()); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]URL{"https://s.example/"}, config.Series[0].Pages()); diff != "" {
		t.Errorf("seeds (-want +got):\n%s", diff)
	}
	if got, want := string(config.Targets[0].URLFile), filepath.Join(dir, "watches.d", "ops.url"); got != want {
		t.Errorf("url_file = %s, want %s", got, want)
	}
	if len(config.Warnings) != 1 || filepath.Base(config.Warnings[0].File) != "old.yml" {
		t.Errorf("warnings = %v", config.Warnings)
	}
	if len(config.Files) != 5 { // three of YAML, two lists
		t.Errorf("files = %v", config.Files)
	}
}

func TestLoadFolderFaults(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"main.yaml":          "watches: [{name: one, urls: ['https://a.example/'], notify: {to: [ops]}}]\n",
		"watches.d/a.yaml":   "crawler: {workers: 2}\nwatches:\n  - {name: one, urls_file: one.txt}\n",
		"watches.d/b.yaml":   "watches: [\n",
		"watches.d/c.yaml":   "series: [{name: s, seeds_file: none.txt}]\n",
		"watches.d/one.txt":  "https://a.example/\n a.example\n#\nhttps://me:hunter2@b.example/\n",
		"watches.d/also.txt": "",
	})
	_, err := Load(filepath.Join(dir, "main.yaml"))
	errs, ok := errors.AsType[Errors](err)
	if !ok {
		t.Fatalf("error is %T: %v", err, err)
	}
	got := strings.ReplaceAll(errs.Error(), dir+string(filepath.Separator), "")
	want := `main.yaml:1:67: watches[0].notify.to[0]: "ops" is not a target; allowed: none, since targets is empty
watches.d/a.yaml:1:10: crawler: does not belong into a file of watches.d but into the main file; allowed: watches, series, topics, targets
watches.d/a.yaml:3:12: watches[0].name: "one" is taken: first used at main.yaml:1:18
watches.d/b.yaml:2:1: is not YAML: did not find expected node content while parsing a flow node
watches.d/c.yaml:1:32: series[0].seeds_file: "watches.d/none.txt" cannot be read: no such file or directory
watches.d/one.txt:2:2: "a.example" is not a web address; allowed: an http or https address such as https://example.org/news
watches.d/one.txt:4:1: "https://[redacted]@b.example/" holds a user name or password, which would be stored and shown with the page; allowed: an address without user@`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

func TestLoadOrder(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"first.yaml":  "crawler: {workers: 1}",
		"second.yaml": "crawler: {workers: 2}",
		"named.yaml":  "crawler: {workers: 3}",
	})
	in := func(name string) string { return filepath.Join(dir, name) }
	tests := []struct {
		name       string
		path       string
		candidates []string
		want       int
	}{
		{"named before all", in("named.yaml"), []string{in("first.yaml")}, 3},
		{"first", "", []string{in("first.yaml"), in("second.yaml")}, 1},
		{"second", "", []string{in("none.yaml"), in("second.yaml")}, 2},
		{"defaults", "", []string{in("none.yaml")}, 64},
	}
	for _, tt := range tests {
		config, err := load(tt.path, tt.candidates)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if config.Crawler.Workers != tt.want {
			t.Errorf("%s: workers = %d, want %d", tt.name, config.Crawler.Workers, tt.want)
		}
	}
	if _, err := load(in("none.yaml"), []string{in("first.yaml")}); err == nil || !strings.Contains(err.Error(), "none.yaml: cannot be read") {
		t.Errorf("a named file that is missing: %v", err)
	}
	if _, err := load("", []string{dir}); err == nil {
		t.Error("a folder in place of the first file is passed over")
	}
}

func TestSecretFile(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"good": "hunter2\n", "open": "hunter2", "empty": "\n", "credentials/kept": "from systemd", "credentials/good": "other"})
	if err := os.Chmod(filepath.Join(dir, "open"), 0o644); err != nil {
		t.Fatal(err)
	}
	credentials := filepath.Join(dir, "credentials")
	tests := []struct {
		file, credentials, want, wrong string
	}{
		{"good", "", "hunter2", ""},
		{"good", credentials, "hunter2", ""}, // the file that is named goes first
		{"kept", credentials, "from systemd", ""},
		{"kept", "", "", "no such file"},
		{"none", credentials, "", "no such file"},
		{"open", "", "", "may be read by every user (mode 0644): run chmod o-r"},
		{"empty", "", "", "is empty"},
		{"credentials", "", "", "is not a plain file"},
	}
	for _, tt := range tests {
		got, err := SecretFile(filepath.Join(dir, tt.file)).Read(tt.credentials)
		if got.Reveal() != tt.want || (tt.wrong == "") != (err == nil) || (err != nil && !strings.Contains(err.Error(), tt.wrong)) {
			t.Errorf("%s: %q, %v, want %q, %q", tt.file, got.Reveal(), err, tt.want, tt.wrong)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the error tells the secret: %v", tt.file, err)
		}
	}
	_, err := SecretFile(filepath.Join(dir, "none")).Read("")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file gives %v", err)
	}
}

// TestSecretsAreNotPrinted prints a configuration full of secrets in every way there is.
func TestSecretsAreNotPrinted(t *testing.T) {
	t.Parallel()
	const text = `database: {url: "postgres://u:hunter2@h/d"}
crawler: {proxy: "http://u:hunter2@p:1"}
watches: [{name: w, urls: ["https://a.example/"], cookies: {sid: hunter2}}]
targets: [{name: t, url: "smtp://u:hunter2@h:25/"}, {name: v, webhook: {url: "https://h/hunter2"}}]
`
	config, err := Parse("a.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	other, err := Parse("a.yaml", []byte(strings.ReplaceAll(text, "hunter2", "hunter2-new")))
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("loaded", "config", config, "url", config.Database.URL)
	slog.New(slog.NewTextHandler(&log, nil)).Info("loaded", "config", *config, "url", config.Database.URL)
	asJSON, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	asYAML, err := yaml.Dump(config)
	if err != nil {
		t.Fatal(err)
	}
	changes := Diff(config, other)
	if len(changes) != 5 {
		t.Errorf("changed secrets: %v", changes)
	}
	url := config.Database.URL
	for name, printed := range map[string]string{
		"verbs":   fmt.Sprintf("%v %+v %s %q %x %X %#v %d", url, url, url, url, url, url, url, url),
		"structs": fmt.Sprintf("%v %+v %#v %v", config.Database, config.Database, config.Watches[0].Cookies, config.Targets[0]),
		"slog":    log.String(),
		"json":    string(asJSON),
		"yaml":    string(asYAML),
		"diff":    fmt.Sprint(changes),
	} {
		if strings.Contains(printed, "hunter2") || strings.Contains(printed, "68756e74657232") {
			t.Errorf("%s tell the secret: %s", name, printed)
		}
		if !strings.Contains(printed, redacted) {
			t.Errorf("%s do not show that there is a secret: %s", name, printed)
		}
	}
	if url.Reveal() != "postgres://u:hunter2@h/d" {
		t.Errorf("Reveal gives %q", url.Reveal())
	}
}

func TestStateDir(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"good.yaml": "state_dir: /srv/a\n", "faulty.yaml": "state_dir: state\nnosuch: 1\nwatches: [{name: Q}]\n", "none.yaml": "nosuch: 1\n", "empty.yaml": "",
		"hidden.yaml": "state_dir: /srv/a\nwatches: [\n", "list.yaml": "state_dir: [1]\n", "blank.yaml": "state_dir: ''\n",
	})
	for name, want := range map[string]Path{
		"good": "/srv/a", "faulty": Path(filepath.Join(dir, "state")), "none": Default().StateDir, "empty": Default().StateDir,
		"hidden": "", "list": "", "blank": "", "missing": "",
	} {
		got, ok := StateDir(filepath.Join(dir, name+".yaml"))
		if got != want || ok != (want != "") {
			t.Errorf("%s: StateDir = %q, %v, want %q", name, got, ok, want)
		}
	}
}

// TestLoadChecks has what a check finds stand in its place among the faults of the files, with the lists counted
// over all files, and left out where a value is faulty anyhow.
func TestLoadChecks(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"main.yaml":          "targets:\n  - {name: a, file: x}\n  - {name: b, url: none}\nnosuch: 1\n",
		"watches.d/one.yaml": "targets:\n  - name: c\n    webhook: {url: 'https://a.example/'}\n",
	})
	file := filepath.Join(dir, "main.yaml")
	_, err := Load(file, func(c *Config) Errors {
		var out Errors
		for _, key := range []string{"targets[2].webhook.secret_file", "targets[0].file", "targets[1].url", "database.url", "targets[7].url"} {
			out = append(out, c.Fault(key, "is wrong", "right"))
		}
		return out
	})
	var list Errors
	if !errors.As(err, &list) {
		t.Fatalf("Load: %v", err)
	}
	type place struct {
		File         string
		Line, Column int
		Key          string
	}
	var got []place
	for _, e := range list {
		got = append(got, place{strings.TrimPrefix(e.File, dir+"/"), e.Line, e.Column, e.Key})
	}
	want := []place{
		{"", 0, 0, "targets[7].url"},
		{"main.yaml", 0, 0, "database.url"},
		{"main.yaml", 2, 21, "targets[0].file"},
		{"main.yaml", 3, 20, "targets[1].url"},
		{"main.yaml", 4, 1, "nosuch"},
		{"watches.d/one.yaml", 3, 14, "targets[0].webhook.secret_file"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s\n%v", diff, err)
	}
}
