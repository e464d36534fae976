package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/strandlinehq/strandline/cmd/internal/tablefile"
	"github.com/strandlinehq/strandline/store"
)

// table writes the rows of a view.
func (c *exportCmd) table(ctx context.Context, a *app, o *opened, s store.Selection) error {
	query := store.ViewQuery{View: c.View, URL: s.URL, From: s.From, To: s.To, Watch: c.Watch, Series: c.Series, Topic: c.Topic}
	if c.Out == "-" {
		_, err := writeTable(ctx, o.DB, a.stdout, tablefile.Format(c.Format), query)
		return err
	}
	var rows int64
	err := writeWhole(c.Out, func(w io.Writer) (err error) {
		rows, err = writeTable(ctx, o.DB, w, tablefile.Format(c.Format), query)
		return err
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "%s: %s of view %s\n", c.Out, plural(int(rows), "row"), c.View)
	return nil
}

// writeTable writes the rows that a query gives, and counts them.
func writeTable(ctx context.Context, db *store.DB, out io.Writer, format tablefile.Format, query store.ViewQuery) (rows int64, err error) {
	w, err := tablefile.New(format, out)
	if err != nil {
		return 0, err
	}
	err = db.ReadView(ctx, query, w.Begin, func(values [][]byte) error {
		rows++
		return w.Row(values)
	})
	if errors.Is(err, store.ErrNoView) {
		return 0, usageError{err}
	}
	if err != nil {
		return rows, err
	}
	return rows, w.Close()
}
