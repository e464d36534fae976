package main

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/strandlinehq/strandline/cmd/internal/report"
	"github.com/strandlinehq/strandline/store/localpg"
)

// sqlCmd asks the database in SQL.
type sqlCmd struct {
	Command string `short:"c" help:"Print the result of this query; without it psql is started." placeholder:"QUERY"`
	CSV     bool   `name:"csv" help:"Print CSV."`
}

// Run gives the reader's view: schema api_v1, read-only.
func (c *sqlCmd) Run(ctx context.Context, a *app) error {
	if c.CSV && a.flags.JSON {
		return usagef("--csv and --json exclude each other")
	}
	o, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	as, err := o.readerLogin(ctx, a.stderr)
	if err != nil {
		return err
	}
	if c.Command == "" {
		return c.psql(ctx, a, as)
	}
	conn, err := as.connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	rows, err := conn.Query(ctx, c.Command)
	if err != nil {
		return refusal(err)
	}
	defer rows.Close()
	if len(rows.FieldDescriptions()) == 0 {
		rows.Close()
		if err := rows.Err(); err != nil {
			return refusal(err)
		}
		return usagef("the statement gives no rows; sql -c prints the result of a query")
	}
	switch {
	case a.flags.JSON:
		err = c.json(a, rows)
	case c.CSV:
		err = c.csv(a, rows)
	default:
		err = c.table(a, rows)
	}
	if rerr := rows.Err(); rerr != nil {
		return refusal(rerr)
	}
	return err
}

// refusal says what PostgreSQL has against a statement. A fault of the statement
// is the person's; any other is not.
func refusal(err error) error {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return err
	}
	switch {
	case pg.Code == "25006", pg.Code == "55000": // read_only_sql_transaction; a view that cannot be written
		return usagef("%s: this is the reader's view, which changes nothing", pg.Message)
	case pg.Code == "42601" && strings.Contains(pg.Message, "multiple commands"):
		return usagef("one statement at a time: give each to a -c of its own, or pipe them to 'strandline sql'")
	case pg.Code == "42501": // insufficient_privilege
		return usagef("%s: a reader sees the views of api_v1; the view api_v1.data_dictionary lists them", pg.Message)
	case strings.HasPrefix(pg.Code, "42"): // syntax error or access rule violation
		msg := pg.Message
		if pg.Position > 0 {
			msg += fmt.Sprintf(", at character %d", pg.Position)
		}
		if pg.Hint != "" {
			msg += " (" + pg.Hint + ")"
		}
		if pg.Code == "42P01" || pg.Code == "42703" { // undefined table, undefined column
			msg += "; the view api_v1.data_dictionary lists what there is"
		}
		return usageError{errors.New(msg)}
	}
	return err
}

// psql starts the person's own psql on the database. Address and settings go by the variables of
// libpq, so that no password stands on a command line, which every user of the machine can read.
func (c *sqlCmd) psql(ctx context.Context, a *app, as login) error {
	program, err := exec.LookPath("psql")
	if err != nil {
		in, ferr := localpg.Find("")
		if ferr != nil {
			return errors.New("psql is not installed: apt install postgresql-client, or give the query with -c")
		}
		program = in.Path("psql")
	}
	env, err := libpqEnv(as.address)
	if err != nil {
		return unreachable(err)
	}
	cmd := exec.CommandContext(ctx, program)
	cmd.Env = slices.Concat(os.Environ(), env, []string{"PGOPTIONS=" + as.options()})
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.stdin, a.stdout, a.stderr
	return cmd.Run()
}

// json prints an array of objects, the columns in the order asked for, a row at a time. An object
// holds a name once, so columns of one name are refused.
func (c *sqlCmd) json(a *app, rows pgx.Rows) error {
	names := columns(rows)
	keys := make([]string, len(names))
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return usagef("two columns are called %s, and an object of JSON holds a name once: name them apart by 'as'", name)
		}
		key, err := marshal(name)
		if err != nil {
			return err
		}
		keys[i] = key + ":"
	}
	w := bufio.NewWriter(a.stdout)
	between := "["
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			return err
		}
		fmt.Fprint(w, between, "{")
		for i, v := range values {
			text, err := marshal(v)
			if err != nil {
				return fmt.Errorf("column %s: %w", names[i], err)
			}
			if i > 0 {
				fmt.Fprint(w, ",")
			}
			fmt.Fprint(w, keys[i], text)
		}
		fmt.Fprint(w, "}")
		between = ","
	}
	if between == "[" {
		fmt.Fprint(w, between)
	}
	fmt.Fprintln(w, "]")
	return w.Flush()
}

// marshal gives a value as JSON, with <, > and & as they are.
func marshal(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

func (c *sqlCmd) csv(a *app, rows pgx.Rows) error {
	w := csv.NewWriter(a.stdout)
	if err := w.Write(columns(rows)); err != nil {
		return err
	}
	for rows.Next() {
		line, err := cells(rows)
		if err != nil {
			return err
		}
		if err := w.Write(line); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

func (c *sqlCmd) table(a *app, rows pgx.Rows) error {
	t := report.Table{Columns: columns(rows)}
	for rows.Next() {
		line, err := cells(rows)
		if err != nil {
			return err
		}
		row := make([]any, len(line))
		for i := range line {
			row[i] = strings.Join(strings.Fields(line[i]), " ")
		}
		t.Rows = append(t.Rows, row)
	}
	if len(t.Rows) == 0 {
		fmt.Fprintln(a.stdout, strings.Join(t.Columns, "  "))
	}
	t.Note("(%s)", plural(len(t.Rows), "row"))
	return t.Fit(a.stdout, a.width())
}

func columns(rows pgx.Rows) []string {
	var out []string
	for _, f := range rows.FieldDescriptions() {
		out = append(out, f.Name)
	}
	return out
}

// cells are the values of a row as text, null as nothing.
func cells(rows pgx.Rows) ([]string, error) {
	values, err := rows.Values()
	if err != nil {
		return nil, err
	}
	out := make([]string, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case nil:
		case string:
			out[i] = v
		default:
			b, err := json.Marshal(v)
			if err != nil {
				out[i] = fmt.Sprint(v)
				continue
			}
			out[i] = strings.Trim(string(b), `"`)
		}
	}
	return out, nil
}
