package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/cmd/internal/bench"
)

// benchSQLCmd asks the worked questions of docs/sql of many watches: a hundred pages
// are captured and measured for real, the others are copies of them, each with a
// watch of its own.
type benchSQLCmd struct {
	Pages     int    `help:"How many pages are watched, each by a watch of its own." default:"10000"`
	Days      int    `help:"How many days of hourly fetches there are of each." default:"7"`
	Runs      int    `help:"How often each question is asked." default:"3"`
	Questions string `help:"The questions: the *.sql files of this directory." default:"docs/sql" placeholder:"DIR"`
	Dir       string `help:"Keep the database in this directory and use it again; default a temporary one." placeholder:"DIR"`
}

// sqlFigures is what the command prints.
type sqlFigures struct {
	Pages     int64         `json:"pages"`
	Watches   int64         `json:"watches"`
	Fetches   int64         `json:"fetches"`
	Versions  int64         `json:"versions"`
	Changes   int64         `json:"changes"`
	Bytes     int64         `json:"database_bytes"`
	Questions []askedFigure `json:"questions"`
	Load      string        `json:"load"`
}

// askedFigure is what a question took. The processor time is that of all of
// PostgreSQL, for one time asked; the clock also counts what others did on the machine.
type askedFigure struct {
	Question string  `json:"question"`
	Rows     int64   `json:"rows"`
	First    float64 `json:"first_ms"`
	Median   float64 `json:"median_ms"`
	CPU      float64 `json:"cpu_ms"`
}

// healthQuestion is the one that operators ask all the time.
const healthQuestion = `select * from api_v1.schedule_health`

// Run prints the figures as one JSON document.
func (c *benchSQLCmd) Run(ctx context.Context, a *app) error {
	if c.Pages < 200 || c.Pages > 1_000_000 || c.Days < 1 || c.Days > 31 || c.Runs < 1 {
		return usagef("want 200 to 1000000 pages, 1 to 31 days, and to ask once at least")
	}
	files, err := filepath.Glob(filepath.Join(c.Questions, "*.sql"))
	if err != nil || len(files) == 0 {
		return usagef("there is no question in %s: want a directory with *.sql files, as docs/sql of the sources", c.Questions)
	}
	o, err := a.benchDatabase(ctx, c.Dir)
	if err != nil {
		return err
	}
	defer o.Close()
	var out sqlFigures
	if err := out.count(ctx, o.opened); err != nil {
		return err
	}
	switch {
	case out.Pages == 0:
		if err := c.fill(ctx, a, o); err != nil {
			return fmt.Errorf("make the week: %w", err)
		}
		if err := out.count(ctx, o.opened); err != nil {
			return err
		}
	case out.Pages < int64(c.Pages)*9/10:
		return usagef("%s holds a database of another size", o.dir)
	}
	if err := c.ask(ctx, o.opened, files, &out); err != nil {
		return err
	}
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		out.Load = strings.TrimSpace(string(load))
	}
	return a.printJSON(out)
}

func (f *sqlFigures) count(ctx context.Context, o *opened) error {
	return o.Pool().QueryRow(ctx, `select (select count(*) from core.page_schedule), (select count(*) from core.watch), (select count(*) from core.fetch),
		(select count(*) from core.version), (select count(*) from core.change), pg_database_size(current_database())`).
		Scan(&f.Pages, &f.Watches, &f.Fetches, &f.Versions, &f.Changes, &f.Bytes)
}

// ask asks all questions as the role of analysts does.
func (c *benchSQLCmd) ask(ctx context.Context, o *opened, files []string, out *sqlFigures) error {
	as, err := o.readerLogin(ctx, io.Discard)
	if err != nil {
		return err
	}
	conn, err := as.connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	cpu := bench.Processes()
	postgres, err := cpu.Parent(int(conn.PgConn().PID()))
	if err != nil {
		return err
	}
	one := func(name, query string) error {
		f := askedFigure{Question: name}
		var times []float64
		before, err := cpu.Family(postgres)
		if err != nil {
			return err
		}
		for range c.Runs {
			from := time.Now()
			if f.Rows, err = askOnce(ctx, conn, query); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			times = append(times, float64(time.Since(from).Microseconds())/1000)
		}
		after, err := cpu.Family(postgres)
		if err != nil {
			return err
		}
		f.First = times[0]
		slices.Sort(times)
		f.Median, f.CPU = times[len(times)/2], float64((after-before).Milliseconds())/float64(c.Runs)
		out.Questions = append(out.Questions, f)
		return nil
	}
	if err := one("schedule_health", healthQuestion); err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := one(strings.TrimSuffix(filepath.Base(file), ".sql"), string(text)); err != nil {
			return err
		}
	}
	return nil
}

// askOnce reads the whole answer and gives its rows.
func askOnce(ctx context.Context, conn *pgx.Conn, query string) (n int64, err error) {
	rows, err := conn.Query(ctx, query)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		if n++; rows.RawValues() == nil {
			return n, errors.New("a row without values")
		}
	}
	return n, rows.Err()
}
