package store_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// sourceStatement is a statement as it stands in the package's source.
type sourceStatement struct {
	name string
	kind string // routed, all or local
	sql  string
}

// source is what the tests read out of the package's files.
type source struct {
	statements []sourceStatement
	faults     []string // SQL that is no statement, statements that cannot be read
}

// readSource parses the package's files without its tests.
func readSource(t testing.TB) source {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return scanFiles(fset, files)
}

// scanFiles collects the statements of files that make up one package.
func scanFiles(fset *token.FileSet, files []*ast.File) source {
	s := scanner{fset: fset, texts: map[string]ast.Expr{}, known: map[*ast.CompositeLit]bool{}}
	for _, f := range files {
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
				s.constants(g)
			}
		}
	}
	for _, f := range files {
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
				s.variables(g)
			}
		}
	}
	for _, f := range files {
		ast.Inspect(f, s.inspect)
	}
	return s.found
}

type scanner struct {
	fset  *token.FileSet
	texts map[string]ast.Expr // package-level constants
	known map[*ast.CompositeLit]bool
	found source
}

func (s *scanner) fault(n ast.Node, format string, args ...any) {
	s.found.faults = append(s.found.faults, s.fset.Position(n.Pos()).String()+": "+fmt.Sprintf(format, args...))
}

func (s *scanner) constants(g *ast.GenDecl) {
	for _, spec := range g.Specs {
		v := spec.(*ast.ValueSpec)
		for i, name := range v.Names {
			if i < len(v.Values) {
				s.texts[name.Name] = v.Values[i]
			}
		}
	}
}

// variables reads the package-level statements of a declaration.
func (s *scanner) variables(g *ast.GenDecl) {
	for _, spec := range g.Specs {
		v := spec.(*ast.ValueSpec)
		for i, value := range v.Values {
			lit := statementLit(value)
			if lit == nil {
				continue
			}
			s.known[lit] = true
			s.statement(v.Names[i].Name, lit)
		}
	}
}

// statementLit returns the expression if it is a literal of type statement.
func statementLit(e ast.Expr) *ast.CompositeLit {
	lit, ok := e.(*ast.CompositeLit)
	if !ok {
		return nil
	}
	if id, ok := lit.Type.(*ast.Ident); !ok || id.Name != "statement" {
		return nil
	}
	return lit
}

func (s *scanner) statement(name string, lit *ast.CompositeLit) {
	if len(lit.Elts) != 2 {
		s.fault(lit, "%s has not kind and SQL", name)
		return
	}
	parts := [2]ast.Expr{}
	for i, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			i, e = 0, kv.Value
			if kv.Key.(*ast.Ident).Name == "sql" {
				i = 1
			}
		}
		parts[i] = e
	}
	kind, ok := parts[0].(*ast.Ident)
	sql, readable := s.text(parts[1])
	if !ok || !readable {
		s.fault(lit, "%s: kind and SQL must be plain constants, so that they can be tested", name)
		return
	}
	s.found.statements = append(s.found.statements, sourceStatement{name, kind.Name, sql})
}

// text evaluates a constant string expression.
func (s *scanner) text(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.ParenExpr:
		return s.text(e.X)
	case *ast.Ident:
		if c, ok := s.texts[e.Name]; ok {
			return s.text(c)
		}
	case *ast.BinaryExpr:
		left, ok := s.text(e.X)
		right, ok2 := s.text(e.Y)
		return left + right, ok && ok2 && e.Op == token.ADD
	}
	return "", false
}

// sqlArgument says which argument of a method is SQL.
var sqlArgument = map[string]int{
	"Query": 1, "QueryRow": 1, "Exec": 1, "QueryContext": 1, "QueryRowContext": 1, "ExecContext": 1, "Queue": 0,
	"Prepare": 2, "PrepareContext": 1,
}

// inspect finds statements that are not package-level, and calls that are given
// SQL which is no statement's.
func (s *scanner) inspect(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CompositeLit:
		if statementLit(n) != nil && !s.known[n] {
			s.fault(n, "a statement must be a package-level variable")
		}
	case *ast.CallExpr:
		sel, ok := n.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if sel.Sel.Name == "CopyFrom" && len(n.Args) == 4 && !isIdentifier(n.Args[1]) {
			s.fault(n, "CopyFrom wants its table as pgx.Identifier{\"core\", ..}")
		}
		if i, ok := sqlArgument[sel.Sel.Name]; ok && len(n.Args) > i {
			if arg, ok := n.Args[i].(*ast.SelectorExpr); !ok || arg.Sel.Name != "sql" {
				s.fault(n, "%s is given SQL that is no statement", sel.Sel.Name)
			}
		}
	}
	return true
}

// isIdentifier reports whether an expression is pgx.Identifier{"core", "name"}.
func isIdentifier(e ast.Expr) bool {
	lit, ok := e.(*ast.CompositeLit)
	if !ok || len(lit.Elts) != 2 {
		return false
	}
	sel, ok := lit.Type.(*ast.SelectorExpr)
	schema, isText := lit.Elts[0].(*ast.BasicLit)
	_, named := lit.Elts[1].(*ast.BasicLit)
	return ok && sel.Sel.Name == "Identifier" && isText && schema.Value == `"core"` && named
}

func TestSourceIsReadable(t *testing.T) {
	t.Parallel()
	src := readSource(t)
	for _, f := range src.faults {
		t.Error(f)
	}
	if len(src.statements) < 40 {
		t.Errorf("%d statements found; the reader misses some", len(src.statements))
	}
	for _, s := range src.statements {
		if s.kind != "routed" && s.kind != "all" && s.kind != "local" {
			t.Errorf("%s: unknown kind %s", s.name, s.kind)
		}
	}
}

// TestSourceFaultsAreFound gives the reader everything that it has to refuse.
func TestSourceFaultsAreFound(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, body, want string }{
		{"literal", "func f(q Q) { q.Query(ctx, `select 1`, 2) }", "Query is given SQL"},
		{"variable", "func f(q Q, sql string) { q.Exec(ctx, sql) }", "Exec is given SQL"},
		{"in a batch", "func f(b *B) { b.Queue(`select 1`) }", "Queue is given SQL"},
		{"copy", "func f(q Q) { q.CopyFrom(ctx, name, nil, nil) }", "CopyFrom wants"},
		{"not package-level", "func f() { _ = statement{all, `select 1`} }", "package-level"},
		{"not constant", "var q = statement{all, fmt.Sprint(1)}", "plain constants"},
		{"good", "const a = `select `\nvar q = statement{all, a + `1`}\nfunc f(d D) { d.Query(ctx, q.sql) }", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			fset := token.NewFileSet()
			f, err := parser.ParseFile(fset, "x.go", "package store\n"+test.body, 0)
			if err != nil {
				t.Fatal(err)
			}
			got := scanFiles(fset, []*ast.File{f})
			if test.want == "" {
				if len(got.faults) > 0 || len(got.statements) != 1 || got.statements[0].sql != "select 1" {
					t.Errorf("got %+v, want one statement", got)
				}
				return
			}
			if len(got.faults) != 1 || !strings.Contains(got.faults[0], test.want) {
				t.Errorf("faults %q, want one with %q", got.faults, test.want)
			}
		})
	}
}
