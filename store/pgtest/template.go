package pgtest

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	clonePrefix    = "strandline_test_"
	templatePrefix = "strandline_template_"

	// unusedFor is how long a template outlives its last run. Test binaries
	// with different keys follow each other, and days of work on the schema
	// leave many keys behind.
	unusedFor = time.Hour
)

// Classes of advisory lock: the first of the two keys. The second is the number
// of the run or a hash of the template's key.
const (
	runLock      int32 = 0x53540001
	templateLock int32 = 0x53540002
	buildLock    int32 = 0x53540003
	sweepLock    int32 = 0x53540004
)

// templateName returns the name of the template of a key. The name decides its
// lock, so two keys never share one by accident of the shorter hash.
func templateName(key string) string {
	sum := sha256.Sum256([]byte(key))
	return templatePrefix + hex.EncodeToString(sum[:8])
}

func lockNumber(template string) int32 {
	sum := sha256.Sum256([]byte(template))
	return int32(binary.LittleEndian.Uint32(sum[:]))
}

// template returns the name of the finished template of the key, made if need
// be, and keeps it from being dropped until the run ends.
func (r *run) template(ctx context.Context, migrate Migrate, key string) (string, error) {
	name := templateName(key)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ready[name] {
		return name, nil
	}
	lock := lockNumber(name)
	if _, err := r.conn.Exec(ctx, `select pg_advisory_lock($1, $2)`, buildLock, lock); err != nil {
		return "", err
	}
	defer func() { // the end of the session would unlock it too
		_, _ = r.conn.Exec(context.WithoutCancel(ctx), `select pg_advisory_unlock($1, $2)`, buildLock, lock)
	}()
	if _, err := r.conn.Exec(ctx, `select pg_advisory_lock_shared($1, $2)`, templateLock, lock); err != nil {
		return "", err
	}
	var finished bool
	err := r.conn.QueryRow(ctx, `select coalesce((select datistemplate from pg_database where datname = $1), false)`, name).Scan(&finished)
	if err == nil && !finished {
		err = r.build(ctx, name, migrate)
	}
	if err == nil {
		err = r.touch(ctx, name, time.Now())
	}
	if err != nil {
		_, _ = r.conn.Exec(context.WithoutCancel(ctx), `select pg_advisory_unlock_shared($1, $2)`, templateLock, lock)
		return "", err
	}
	r.ready[name] = true
	return name, nil
}

// build makes the template. It counts as finished once it is marked as a
// template, so that one whose maker was killed is made again.
func (r *run) build(ctx context.Context, name string, migrate Migrate) (err error) {
	for _, sql := range []string{
		"drop database if exists " + name + " with (force)",
		"create database " + name + " template template0 strategy " + strategy,
	} {
		if _, err := r.conn.Exec(ctx, sql); err != nil {
			return err
		}
	}
	defer func() {
		if err != nil {
			_ = r.drop(context.WithoutCancel(ctx), name) // the next to build drops it first
		}
	}()
	if err := migrate(ctx, r.url(name)); err != nil {
		return err
	}
	for _, sql := range []string{
		// What the migration forgot to close would hold up every clone.
		"alter database " + name + " allow_connections false",
		"select pg_terminate_backend(pid) from pg_stat_activity where datname = '" + name + "'",
		"alter database " + name + " is_template true",
	} {
		if _, err := r.conn.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}

// touch writes down when the template was last used, as its comment. The
// caller holds the template's build lock.
func (r *run) touch(ctx context.Context, name string, now time.Time) error {
	_, err := r.conn.Exec(ctx, "comment on database "+name+" is '"+strconv.FormatInt(now.Unix(), 10)+"'")
	return err
}

// sweep drops the clones of dead runs and the templates that nobody has used
// for a while. If another run is at it, there is nothing to do.
func (r *run) sweep(ctx context.Context, now time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.locked(ctx, sweepLock, 0, func() error {
		rows, err := r.conn.Query(ctx, `
			select datname, coalesce(shobj_description(oid, 'pg_database'), '')
			from pg_database
			where starts_with(datname, $1) or starts_with(datname, $2)`, clonePrefix, templatePrefix)
		if err != nil {
			return err
		}
		type database struct{ Name, Comment string }
		all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[database])
		if err != nil {
			return err
		}
		for _, d := range all {
			if id, ok := runOf(d.Name); ok && id != r.id {
				err = r.locked(ctx, runLock, id, func() error { return r.drop(ctx, d.Name) })
			} else if strings.HasPrefix(d.Name, templatePrefix) && stale(d.Comment, now) {
				err = r.locked(ctx, templateLock, lockNumber(d.Name), func() error { return r.dropTemplate(ctx, d.Name) })
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// locked runs do while it holds the lock, and not at all if somebody else does.
func (r *run) locked(ctx context.Context, class, number int32, do func() error) error {
	var got bool
	if err := r.conn.QueryRow(ctx, `select pg_try_advisory_lock($1, $2)`, class, number).Scan(&got); err != nil || !got {
		return err
	}
	err := do()
	_, unlockErr := r.conn.Exec(context.WithoutCancel(ctx), `select pg_advisory_unlock($1, $2)`, class, number)
	return errors.Join(err, unlockErr)
}

func (r *run) dropTemplate(ctx context.Context, name string) error {
	if _, err := r.conn.Exec(ctx, "alter database "+name+" is_template false"); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return r.drop(ctx, name)
}

// runOf returns the run that made the clone.
func runOf(name string) (int32, bool) {
	rest, ok := strings.CutPrefix(name, clonePrefix)
	id, _, more := strings.Cut(rest, "_")
	n, err := strconv.ParseInt(id, 10, 32)
	return int32(n), ok && more && err == nil
}

// stale reports whether a template's comment says that it was last used long
// ago. A template whose maker was killed has none, and is stale at once.
func stale(comment string, now time.Time) bool {
	at, err := strconv.ParseInt(comment, 10, 64)
	return err != nil || now.Sub(time.Unix(at, 0)) > unusedFor
}
