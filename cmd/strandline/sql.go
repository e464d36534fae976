package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/strandlinehq/strandline/cmd/internal/report"
	"github.com/strandlinehq/strandline/store"
	"github.com/strandlinehq/strandline/store/localpg"
)

// sqlCmd asks the database in SQL.
type sqlCmd struct {
	Command string `short:"c" help:"Print the result of this query; without it psql is started." placeholder:"QUERY"`
	CSV     bool   `name:"csv" help:"Print CSV."`
}

// Run gives the reader's view: schema api_v1, read-only.
func (c *sqlCmd) Run(ctx context.Context, a *app) error {
	o, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	url, err := o.readerURL(ctx)
	if err != nil {
		return err
	}
	if c.Command == "" {
		return c.psql(ctx, a, url)
	}
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return err
	}
	for name, value := range map[string]string{"default_transaction_read_only": "on", "search_path": "api_v1, pg_catalog", "timezone": "UTC"} {
		config.RuntimeParams[name] = value
	}
	conn, err := pgx.ConnectConfig(ctx, config)
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

// readerURL is how a reader connects: to the private PostgreSQL as a role that
// sees the views and nothing else. On a server of somebody else's the role is the
// one that its URL names, since only the operator can make another one known there.
func (o *opened) readerURL(ctx context.Context) (string, error) {
	if o.server == nil {
		return o.url, nil
	}
	if _, err := o.GrantReader(ctx); err != nil {
		return "", err
	}
	u, err := url.Parse(o.url)
	if err != nil {
		return "", err
	}
	u.User = url.User(store.ReaderRole)
	return u.String(), nil
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

// psql starts the person's own psql on the database.
func (c *sqlCmd) psql(ctx context.Context, a *app, url string) error {
	program, err := exec.LookPath("psql")
	if err != nil {
		in, ferr := localpg.Find("")
		if ferr != nil {
			return errors.New("psql is not installed: apt install postgresql-client, or give the query with -c")
		}
		program = in.Path("psql")
	}
	cmd := exec.CommandContext(ctx, program, url)
	cmd.Env = append(os.Environ(), "PGOPTIONS=-c default_transaction_read_only=on -c search_path=api_v1,pg_catalog")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.stdin, a.stdout, a.stderr
	return cmd.Run()
}

func (c *sqlCmd) json(a *app, rows pgx.Rows) error {
	out := []map[string]any{}
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			return err
		}
		row := make(map[string]any, len(values))
		for i, f := range rows.FieldDescriptions() {
			row[f.Name] = values[i]
		}
		out = append(out, row)
	}
	return a.printJSON(out)
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
