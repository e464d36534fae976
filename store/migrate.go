package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"
	"github.com/pressly/goose/v3/lock"

	"github.com/strandlinehq/strandline/migrations"
)

// ErrSchemaNewer means that a newer program has changed the database.
var ErrSchemaNewer = errors.New("the database has the schema of a newer strandline; run that version, or restore the backup from before the upgrade")

// ErrSchemaOlder means that migrations are missing.
var ErrSchemaOlder = errors.New("the database lacks schema steps of this version; run 'strandline db migrate'")

// migrationTable records which steps were applied.
const migrationTable = "strandline_migration"

// Migration is one applied migration step.
type Migration struct {
	Version int64
	Name    string
}

// Migrate brings the database at url to this program's schema and returns the
// steps that it applied. Each step is a transaction; an advisory lock lets one
// of several programs do the work while the others wait. A schema from a newer
// program is refused with ErrSchemaNewer.
func Migrate(ctx context.Context, url string) ([]Migration, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("database url: %w", err)
	}
	conn := stdlib.OpenDB(*cfg.ConnConfig)
	defer conn.Close()
	provider, err := newProvider(conn)
	if err != nil {
		return nil, err
	}
	latest, err := latestMigration()
	if err != nil {
		return nil, err
	}
	// An unmigrated database has no table of steps yet, which is version 0.
	if v, err := appliedVersion(ctx, conn); err != nil {
		return nil, err
	} else if v > latest {
		return nil, ErrSchemaNewer
	}
	results, err := provider.Up(ctx)
	if err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	steps := make([]Migration, 0, len(results))
	for _, r := range results {
		steps = append(steps, Migration{Version: r.Source.Version, Name: path.Base(r.Source.Path)})
	}
	return steps, nil
}

func newProvider(conn *sql.DB) (*goose.Provider, error) {
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300))
	if err != nil {
		return nil, err
	}
	steps, err := database.NewStore(goose.DialectPostgres, migrationTable)
	if err != nil {
		return nil, err
	}
	p, err := goose.NewProvider("", conn, migrations.FS,
		goose.WithStore(steps), goose.WithSessionLocker(locker), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	return p, nil
}

// latestMigration returns the number of the newest migration of this program.
func latestMigration() (int64, error) {
	names, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		return 0, err
	}
	var latest int64
	for _, name := range names {
		n, err := strconv.ParseInt(strings.SplitN(name, "_", 2)[0], 10, 64)
		if err != nil {
			return 0, fmt.Errorf("migration %s has no number: %w", name, err)
		}
		latest = max(latest, n)
	}
	return latest, nil
}

var (
	qHasMigrationTable = statement{local, `select to_regclass('strandline_migration') is not null`}
	qAppliedVersion    = statement{local, `select coalesce(max(version_id), 0) from strandline_migration where is_applied`}
)

// appliedVersion returns the newest step that the database has; 0 for an empty one.
func appliedVersion(ctx context.Context, conn *sql.DB) (int64, error) {
	var has bool
	if err := conn.QueryRowContext(ctx, qHasMigrationTable.sql).Scan(&has); err != nil {
		return 0, fmt.Errorf("read schema version: %w", err)
	}
	if !has {
		return 0, nil
	}
	var v int64
	if err := conn.QueryRowContext(ctx, qAppliedVersion.sql).Scan(&v); err != nil {
		return 0, fmt.Errorf("read schema version: %w", err)
	}
	return v, nil
}

func checkSchema(ctx context.Context, pool *pgxpool.Pool) error {
	conn := stdlib.OpenDBFromPool(pool)
	defer conn.Close()
	v, err := appliedVersion(ctx, conn)
	if err != nil {
		return err
	}
	latest, err := latestMigration()
	if err != nil {
		return err
	}
	switch {
	case v > latest:
		return ErrSchemaNewer
	case v < latest:
		return ErrSchemaOlder
	}
	return nil
}
