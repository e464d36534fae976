package main

import (
	"context"
	"fmt"

	"github.com/strandlinehq/strandline/store"
	"github.com/strandlinehq/strandline/store/localpg"
)

// dbCmd holds the commands on the schema.
type dbCmd struct {
	Migrate     dbMigrateCmd     `cmd:"" help:"Bring the schema up to this version of the program."`
	Check       dbCheckCmd       `cmd:"" help:"Say whether the schema is whole and what is stored reads back."`
	Exec        dbExecCmd        `cmd:"" help:"Run a program of PostgreSQL, such as pg_dump, on the database."`
	GrantReader dbGrantReaderCmd `cmd:"" help:"Make the role strandline_reader, which sees the views of api_v1 and nothing else."`
	Rebuild     dbRebuildCmd     `cmd:"" help:"Read all stored payloads again and replace what was extracted and measured."`
	Retain      dbRetainCmd      `cmd:"" help:"Give up what is older than retention and the quotas of watches say, as the daemon does daily; --dry-run says what would go."`
}

type dbGrantReaderCmd struct{}

// Run makes the role of analysts and says how to let them in.
func (dbGrantReaderCmd) Run(ctx context.Context, a *app) error {
	o, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	made, err := o.GrantReader(ctx)
	if err != nil {
		return err
	}
	if !made {
		fmt.Fprintf(a.stdout, "%s was there; its rights are up to date\n", store.ReaderRole)
		return nil
	}
	fmt.Fprintf(a.stdout, "%s is made; it has no password: give it one by 'alter role %s password ...' as the owner, or a line in pg_hba.conf\n",
		store.ReaderRole, store.ReaderRole)
	return nil
}

type dbMigrateCmd struct{}

// Run applies the missing steps.
func (dbMigrateCmd) Run(ctx context.Context, a *app) error {
	c, err := a.config()
	if err != nil {
		return err
	}
	url, server, err := a.database(ctx, c, false)
	if err != nil {
		return err
	}
	defer leave(server)
	steps, err := store.Migrate(ctx, url)
	if err != nil {
		return err
	}
	for _, s := range steps {
		fmt.Fprintf(a.stdout, "applied %s\n", s.Name)
	}
	if len(steps) == 0 {
		fmt.Fprintln(a.stdout, "the schema is up to date")
	}
	return nil
}

func leave(server *localpg.Server) {
	if server != nil {
		_ = server.Close() // nothing is lost by a server that runs on
	}
}
