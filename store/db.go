// Package store keeps every record of Strandline in PostgreSQL: pages, fetches,
// versions and their bodies, links, changes, and the queue by which later stages
// find new work. All SQL of the program stands here.
//
// The main type is DB, one pool of connections on one migrated database. Write
// stores captures in batches, one transaction each; the other methods read, one
// file a subject. What a page looked like is a version; what an attempt to fetch
// it came to is a fetch (see ARCHITECTURE.md, "Words").
//
// Every statement is a named constant with a kind (see statement.go), so that a
// test can hold the rules by which the tables may be spread over servers by
// bucket. The package knows nothing of HTTP, HTML or measures; the codec of
// bodies is store/body, the private server store/localpg.
package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/strandlinehq/strandline/store/body"
)

// Options for Open. The zero value is good.
type Options struct {
	// MaxConns bounds the pool; zero means 16.
	MaxConns int
	// Now is the clock for times that the store sets itself; nil means time.Now.
	Now func() time.Time
	// Logger receives what an operator wants to know; nil means silence.
	Logger *slog.Logger
	// CacheBytes bounds the cache of decoded bodies; zero means 96 MiB.
	CacheBytes int64
}

// DB is a migrated database. It is safe for concurrent use.
type DB struct {
	pool   *pgxpool.Pool
	now    func() time.Time
	log    *slog.Logger
	pages  *pageCache
	pageNo *blockAllocator
	hostNo *blockAllocator
	blobs  *blobCache
	codec  *body.Codec
	months *monthSet
}

// ErrNotFound is returned when what was asked for is not in the database.
var ErrNotFound = errors.New("not found")

// Open connects to the database at url, which must have this program's schema:
// run Migrate first. It returns ErrSchemaNewer or ErrSchemaOlder otherwise.
func Open(ctx context.Context, url string, opts Options) (*DB, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("database url: %w", err)
	}
	cfg.MaxConns = int32(opts.MaxConns)
	if opts.MaxConns == 0 {
		cfg.MaxConns = 16
	}
	// Analysts' time zones must not change what the program reads.
	cfg.ConnConfig.RuntimeParams["timezone"] = "UTC"
	if cfg.ConnConfig.RuntimeParams["application_name"] == "" {
		cfg.ConnConfig.RuntimeParams["application_name"] = "strandline"
	}
	cfg.AfterConnect = func(_ context.Context, c *pgx.Conn) error {
		// Times come back in UTC, whatever the machine's zone is.
		c.TypeMap().RegisterType(&pgtype.Type{
			Name: "timestamptz", OID: pgtype.TimestamptzOID,
			Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC},
		})
		return nil
	}
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	db := &DB{pool: pool, now: opts.Now, log: opts.Logger}
	if db.now == nil {
		db.now = time.Now
	}
	if db.log == nil {
		db.log = slog.New(slog.DiscardHandler)
	}
	if opts.CacheBytes == 0 {
		opts.CacheBytes = 96 << 20
	}
	db.pages = newPageCache(200_000)
	db.blobs = newBlobCache(opts.CacheBytes)
	db.codec = body.New(body.Options{})
	db.pageNo = &blockAllocator{sequence: qNextPageBlock}
	db.hostNo = &blockAllocator{sequence: qNextHostBlock}
	db.months = &monthSet{}
	if err := checkSchema(ctx, pool); err != nil {
		pool.Close()
		return nil, err
	}
	return db, nil
}

// Close waits for running statements and closes the pool.
func (db *DB) Close() { db.pool.Close() }

// Pool gives the connections to callers that run SQL of a person's own, such as
// the sql command. The program's own statements stay in this package.
func (db *DB) Pool() *pgxpool.Pool { return db.pool }

// inTx runs f in one transaction and commits when f returns nil.
func (db *DB) inTx(ctx context.Context, f func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, db.pool, f)
}

// inTxAgain is inTx, and begins anew when the transaction lost a race. F has to bear being
// called again.
func (db *DB) inTxAgain(ctx context.Context, f func(pgx.Tx) error) error {
	for try := 0; ; try++ {
		err := db.inTx(ctx, f)
		if err == nil || try == 3 || !worthRetry(err) {
			return err
		}
	}
}

// Ping reports whether the database answers.
func (db *DB) Ping(ctx context.Context) error {
	if err := db.pool.Ping(ctx); err != nil {
		return fmt.Errorf("ask the database: %w", err)
	}
	return nil
}
