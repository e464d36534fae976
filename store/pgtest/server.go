package pgtest

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/store/localpg"
)

// linger bridges the gap between two test binaries of one go test: the next one
// may still be compiling.
const linger = 20 * time.Second

// startRun finds the server, takes the run's lock and removes what dead runs
// left behind.
func startRun(ctx context.Context) (*run, error) {
	admin := os.Getenv(DatabaseVar)
	var server *localpg.Server
	if admin == "" {
		var err error
		if server, err = privateServer(ctx); err != nil {
			return nil, err
		}
		admin = server.URL("postgres")
	}
	r, err := openRun(ctx, admin)
	if err != nil {
		return nil, err
	}
	r.server = server
	if err := r.sweep(ctx, time.Now()); err != nil {
		return nil, fmt.Errorf("remove what earlier tests left: %w", err)
	}
	return r, nil
}

// openRun opens the session that says that the run is alive.
func openRun(ctx context.Context, admin string) (*run, error) {
	conn, err := pgx.Connect(ctx, admin)
	if err != nil {
		return nil, err
	}
	r := &run{admin: admin, conn: conn, ready: map[string]bool{}}
	for {
		var b [4]byte
		rand.Read(b[:]) // never fails
		r.id = int32(binary.LittleEndian.Uint32(b[:]) >> 1)
		var got bool
		if err := conn.QueryRow(ctx, `select pg_try_advisory_lock($1, $2)`, runLock, r.id).Scan(&got); err != nil {
			conn.Close(ctx)
			return nil, err
		}
		if got {
			return r, nil
		}
	}
}

// privateServer joins the private server of this user's tests. The process uses
// the server until it ends, so there is nothing to close; but the caller must
// keep what is returned reachable, since the collector closes the files of a
// Server that nobody holds, and with them goes the lock that says it is in use.
func privateServer(ctx context.Context) (*localpg.Server, error) {
	in, err := localpg.Find("")
	if err != nil {
		return nil, err
	}
	dir, err := privateDir(os.TempDir(), in.Major)
	if err != nil {
		return nil, err
	}
	s, err := localpg.Start(ctx, localpg.Options{
		Dir:           dir,
		SharedBuffers: "128MB",
		Unsafe:        true,
		Linger:        linger,
		Settings: map[string]string{
			// A worker that looks at a template would hold up its cloning.
			"autovacuum":      "off",
			"max_connections": "300",
			"max_wal_size":    "1GB",
		},
	})
	if err != nil {
		return nil, fmt.Errorf("%w (a crash may have spoilt it; then remove %s)", err, dir)
	}
	return s, nil
}

// privateDir makes the state directory of the private server. There is one for
// each major version, so that an upgrade needs no care. The name can be
// foretold and anybody may make folders in a temporary directory, so the owner
// is checked.
func privateDir(tmp string, major int) (string, error) {
	dir := filepath.Join(tmp, fmt.Sprintf("strandline-pgtest-%d-%d", os.Geteuid(), major))
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return "", err
	}
	st, err := os.Lstat(dir)
	if err != nil {
		return "", err
	}
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !st.IsDir() || !ok || int(sys.Uid) != os.Geteuid() || st.Mode().Perm()&0o022 != 0 {
		return "", fmt.Errorf("%s is not a directory of our own that nobody else can write to: remove it", dir)
	}
	return dir, nil
}

// canSkip reports whether a test may be skipped for want of a server: only when
// none is installed, and not in continuous integration.
func canSkip(err error, ci string) bool {
	return ci == "" && errors.Is(err, localpg.ErrMissing)
}

// withDatabase returns the URL of another database of the same server.
func withDatabase(admin, database string) string {
	u, err := url.Parse(admin)
	if err != nil || u.Scheme == "" {
		// The other form, "host=... dbname=...", where the last value counts.
		return admin + " dbname=" + database
	}
	u.Path = "/" + database
	q := u.Query()
	if q.Has("dbname") || q.Has("database") {
		q.Del("dbname")
		q.Del("database")
		u.RawQuery = q.Encode()
	}
	return u.String()
}
