package layout

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// pkg is what go list says of a package.
type pkg struct {
	ImportPath   string
	Imports      []string
	TestImports  []string // of tests inside the package
	XTestImports []string // of tests beside it
	Module       *struct{ Path string }
}

func TestImportOrder(t *testing.T) {
	t.Parallel()
	table := rows()
	for _, p := range ours(t) {
		from, ok := rowOf(table, p.ImportPath)
		if !ok {
			t.Errorf("%s stands in no row: give it its place in the table of internal/layout/table_test.go", short(p.ImportPath))
			continue
		}
		for _, fault := range faults(table, from, p.Imports, false) {
			t.Errorf("%s %s", short(p.ImportPath), fault)
		}
		for _, fault := range faults(table, from, slices.Concat(p.TestImports, p.XTestImports), true) {
			t.Errorf("tests of %s %s", short(p.ImportPath), fault)
		}
	}
}

// faults says what is wrong with the imports of a package that stands in row from.
func faults(table []row, from row, imports []string, tests bool) []string {
	var out []string
	for _, path := range imports {
		to, ok := rowOf(table, path)
		switch {
		case !ok || slices.Contains(from.imports, to.name):
		case tests && (to.name == from.name || to.name == testHelpers):
		case tests && slices.Contains(from.imports, "store") && to.name != "cmd" && to.name != "configs":
			// The tests of a stage may run the others, to check what reaches them.
		default:
			out = append(out, "(row "+from.name+") imports "+short(path)+" (row "+to.name+"), and may import of ours only: "+
				cmp.Or(strings.Join(from.imports, ", "), "nothing"))
		}
	}
	return out
}

func TestLibrariesInTheirRooms(t *testing.T) {
	t.Parallel()
	for _, p := range ours(t) {
		for _, path := range p.Imports {
			for library, allowed := range rooms() {
				if below(path, library) && !matches(allowed, short(p.ImportPath)) {
					t.Errorf("%s imports %s, which only %s may", short(p.ImportPath), path, strings.Join(allowed, ", "))
				}
			}
		}
	}
}

// Every module that our packages or their tests import is in the table of
// ARCHITECTURE.md, with its reason, and the table names none that go.mod does not.
func TestLibrariesAreDocumented(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(doc), "\n## Dependencies\n")
	if !ok {
		t.Fatal("ARCHITECTURE.md has no section Dependencies")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	documented := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)`").FindAllStringSubmatch(section, -1) {
		documented[m[1]] = true
	}
	moduleOf := map[string]string{}
	for _, p := range goList(t, "-deps", "-test", "./...") {
		if p.Module != nil {
			moduleOf[p.ImportPath] = p.Module.Path
		}
	}
	used := map[string]bool{}
	for _, p := range ours(t) {
		for _, path := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if m := moduleOf[path]; m != "" && m != module {
				used[m] = true
			}
		}
	}
	for _, m := range slices.Sorted(maps.Keys(used)) {
		if !documented[m] {
			t.Errorf("ARCHITECTURE.md, Dependencies: no row for %s: say why it is needed", m)
		}
	}
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range slices.Sorted(maps.Keys(documented)) {
		if !strings.Contains(string(mod), "\t"+m+" v") {
			t.Errorf("ARCHITECTURE.md, Dependencies: %s is not in go.mod", m)
		}
	}
}

// The rules of this file would not notice a slip of their own.
func TestRules(t *testing.T) {
	t.Parallel()
	table := rows()
	names := map[string]bool{}
	for _, r := range table {
		names[r.name] = true
	}
	seen := map[string]bool{}
	for _, r := range table {
		for _, name := range r.imports {
			if !names[name] {
				t.Errorf("row %s imports %q, which is no row", r.name, name)
			}
		}
		for _, p := range r.packages {
			if seen[p] {
				t.Errorf("%s stands in two rows", p)
			}
			seen[p] = true
		}
	}
	tests := []struct {
		from, imports string
		inTests       bool
		ok            bool
	}{
		{"monitor", "store", false, true},
		{"monitor", "crawler/extract", false, true},
		{"monitor", "crawler", false, false},
		{"crawler", "monitor", false, false},
		{"crawler/archive", "monitor", false, false},
		{"crawler/archive", "monitor", true, true},
		{"crawler/archive", "configs", true, false},
		{"crawler/canonical", "store", true, false},
		{"crawler/archive", "crawler/intake", false, true},
		{"store", "crawler/intake", false, false},
		{"store", "store/pgtest", false, false},
		{"store", "store/pgtest", true, true},
		{"summarize", "monitor", false, true},
		{"monitor", "configs", false, false},
		{"cmd/strandline", "configs", false, true},
		{"monitor/dice", "store", false, false},
		{"configs", "crawler/clock", false, false},
	}
	for _, tt := range tests {
		from, _ := rowOf(table, module+"/"+tt.from)
		if got := len(faults(table, from, []string{module + "/" + tt.imports}, tt.inTests)) == 0; got != tt.ok {
			t.Errorf("%s imports %s, in tests %t: allowed %t, want %t", tt.from, tt.imports, tt.inTests, got, tt.ok)
		}
	}
}

// ours lists the packages of this module.
func ours(t *testing.T) []pkg {
	t.Helper()
	list := goList(t, "./...")
	if len(list) < 5 {
		t.Fatalf("go list gives %d packages", len(list))
	}
	return list
}

// goList asks the go command, which tests run by it always have.
func goList(t *testing.T, args ...string) []pkg {
	t.Helper()
	dependOnSources(t)
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"list", "-e", "-json=ImportPath,Imports,TestImports,XTestImports,Module"}, args...)...)
	cmd.Dir = "../.."
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, stderr.Bytes())
	}
	var list []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
}

// dependOnSources looks at every source file, so that go test does not answer
// from its cache when only those have changed: it knows what a test opens, not
// what the commands do that the test starts.
func dependOnSources(t *testing.T) {
	t.Helper()
	err := fs.WalkDir(os.DirFS("../.."), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && len(path) > 1 && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		if strings.HasSuffix(path, ".go") || path == "go.mod" {
			_, err = os.Stat("../../" + path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func rowOf(table []row, path string) (row, bool) {
	if !below(path, module) {
		return row{}, false
	}
	for _, r := range table {
		if matches(r.packages, short(path)) {
			return r, true
		}
	}
	return row{}, false
}

// matches reports whether a package is one of a list in which dir/... stands for all below dir.
func matches(list []string, name string) bool {
	return slices.ContainsFunc(list, func(p string) bool {
		dir, all := strings.CutSuffix(p, "/...")
		return p == name || all && below(name, dir)
	})
}

// below reports whether a path is dir or lies below it.
func below(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, dir+"/")
}

func short(path string) string { return strings.TrimPrefix(path, module+"/") }
