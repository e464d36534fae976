package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const sqlDocs = "../docs/sql.md"

const sqlDocsHead = `# The SQL surface

<!-- Made from the comments of the database by: go test ./store -run SQLDocs -update -->

Analysts read the schema ` + "`api_v1`" + `. Its views and their columns stay as they are; further columns are added behind them.
` + "`strandline db grant-reader`" + ` makes the role ` + "`strandline_reader`" + `, which sees these views and nothing else: read-only, a minute a
statement, 32 MB for a sort. ` + "`strandline sql`" + ` asks as that role on the private PostgreSQL, and ` + "`psql`" + ` does with its URL.

Every view of page data has ` + "`bucket`" + ` as its last column: join them ` + "`using (bucket, page_id)`" + `, and group and partition by both.
All times are UTC. The view ` + "`data_dictionary`" + ` has what stands below. Types, units and meanings follow the database.
`

const workedHead = `
## Worked questions

Each is a file of ` + "`docs/sql`" + `, run by a test. To ask one, either way:

` + "```sh" + `
strandline sql < docs/sql/01-changed-most.sql
strandline sql -c "$(cat docs/sql/01-changed-most.sql)"
` + "```" + `

The first wants ` + "`psql`" + `, which comes with PostgreSQL. Names in them are to be replaced by those of your configuration: the series ` + "`web`" + `
(that of ` + "`strandline demo`" + ` is ` + "`sim-web`" + `) and the topic ` + "`town`" + ` (there ` + "`floods`" + `), and so are dates, hosts and words.
`

// TestSQLDocsOfComments wants docs/sql.md to be what the comments of the database say, and
// the worked questions of docs/sql.
func TestSQLDocsOfComments(t *testing.T) {
	t.Parallel()
	want := sqlDocsOf(t, open(t).Pool())
	if *update {
		if err := os.WriteFile(sqlDocs, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(sqlDocs)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(got), want); diff != "" {
		t.Errorf("docs/sql.md is not fresh; run 'go test ./store -run SQLDocs -update' (-file +database):\n%s", diff)
	}
}

func sqlDocsOf(t testing.TB, q rower) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(sqlDocsHead)
	if questions := workedQuestions(t); len(questions) > 0 {
		b.WriteString(workedHead)
		for _, w := range questions {
			fmt.Fprintf(&b, "\n### %s\n\n", w.title)
			if w.remark != "" {
				fmt.Fprintf(&b, "%s\n\n", w.remark)
			}
			fmt.Fprintf(&b, "```sql\n%s\n```\n", w.sql)
		}
	}
	b.WriteString("\n## Views\n")
	meanings := map[string][2]string{} // unit and meaning, by view and column
	for _, row := range column[[]string](t, q, `
		select array[view_name, coalesce(column_name, ''), coalesce(unit, ''), coalesce(meaning, '')] from api_v1.data_dictionary`) {
		meanings[row[0]+"."+row[1]] = [2]string{row[2], row[3]}
	}
	cell := func(s string) string { return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "|", `\|`) }
	for _, v := range actualViews(t, q) {
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n| column | type | unit | meaning |\n|---|---|---|---|\n", v.name, strings.TrimSpace(meanings[v.name+"."][1]))
		for _, c := range v.columns {
			name, kind, _ := strings.Cut(c, " ")
			m := meanings[v.name+"."+name]
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", name, kind, cell(m[0]), cell(m[1]))
		}
	}
	b.WriteString("\n## Functions\n")
	for _, f := range column[[]string](t, q, `
		select array[p.proname, pg_get_function_identity_arguments(p.oid), pg_get_function_result(p.oid), coalesce(obj_description(p.oid, 'pg_proc'), '')]
		from pg_proc p where p.pronamespace = 'api_v1'::regnamespace order by p.proname, p.oid`) {
		fmt.Fprintf(&b, "\n### %s(%s)\n\n%s\n\nReturns `%s`.\n", f[0], f[1], f[3], f[2])
	}
	return b.String()
}

// worked is a question of an analyst with the query that answers it.
type worked struct{ file, title, remark, sql string }

// workedQuestions reads docs/sql/NN-name.sql: a comment whose first line is the
// question, and the query.
func workedQuestions(t testing.TB) []worked {
	t.Helper()
	files, err := filepath.Glob("../docs/sql/[0-9][0-9]-*.sql") // in order of their names
	if err != nil {
		t.Fatal(err)
	}
	var out []worked
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		w := worked{file: filepath.Base(file)}
		var head, query []string
		for line := range strings.Lines(strings.TrimSpace(string(text))) {
			line = strings.TrimRight(line, " \n")
			if comment, ok := strings.CutPrefix(line, "--"); ok && len(query) == 0 {
				head = append(head, strings.TrimSpace(comment))
			} else {
				query = append(query, line)
			}
		}
		if len(head) == 0 || len(query) == 0 {
			t.Fatalf("%s: want a comment with the question, and a query", w.file)
		}
		w.title, w.remark, w.sql = head[0], strings.Join(head[1:], " "), strings.Join(query, "\n")
		out = append(out, w)
	}
	return out
}
