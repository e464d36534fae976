// Package localpg runs a private PostgreSQL for a program that was given no
// database URL.
//
// [Start] finds the installed binaries, makes a cluster below the state
// directory on first use, starts the server and returns a [Server] that names
// its address. The server listens on a Unix socket only, in a folder that
// nobody but its owner (and root) can enter; that folder is the whole
// protection, as connections carry no password.
//
// All programs that are given the same state directory share one server. Each
// holds a shared flock(2) on users.lock as long as it uses the server, and
// starting, leaving and stopping happen under an exclusive flock on start.lock.
// Whoever leaves and then gets users.lock exclusively was the last, and stops
// the server. The kernel gives up the locks of a killed process, so the count
// cannot go wrong; a server whose users were all killed keeps running and is
// taken over by the next Start. The files, all in the folder Dir/postgres:
//
//	start.lock, users.lock   the two locks; empty (watch.lock: see Options.Linger)
//	data/                    the cluster (PGDATA)
//	run/                     the socket, unless its path would be too long
//	postgres.log, .log.1     what the server says; rotated at start
//	init-*                   a cluster in the making
//
// PostgreSQL refuses to run as root, so root starts it as another user, who
// then owns Dir/postgres.
//
// Left out: downloading PostgreSQL, upgrading a cluster to another major
// version, TCP, and restarting a server that died while in use.
package localpg

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	superuser = "strandline" // the database role that owns everything
	port      = 5432         // only part of the socket's name: no TCP port is opened

	pollEvery = 5 * time.Millisecond

	// A fast shutdown writes out all dirty buffers first. After stopPatience
	// the server is told to drop everything, which costs the next start a
	// recovery but loses nothing.
	stopPatience = 60 * time.Second
)

// Options say where the private server lives and how it runs. Only Dir is
// required. The settings take effect when the server is started; a server that
// is already running keeps those of the program that started it.
type Options struct {
	// Dir is the program's state directory, made if missing. The server uses
	// the folder "postgres" in it.
	Dir string
	// BinDir holds initdb and postgres. Empty: searched, see [Find].
	BinDir string
	// User is the account that the server runs as when we are root. Empty:
	// "postgres" if there is one, else "nobody". An existing cluster is always
	// run by its owner. Not used when we are not root.
	User string
	// SharedBuffers is PostgreSQL's setting of that name. Empty: "256MB".
	SharedBuffers string
	// Settings are further server settings by name; they win over ours.
	Settings map[string]string
	// Unsafe gives durability up for speed: a crash of the machine may destroy
	// the cluster. For tests.
	Unsafe bool
	// Linger, when above zero, keeps the server running for that long after
	// its last user left in whatever way, killed ones included, and stops it
	// then. Needs sh and flock(1); without them the server stays up until a
	// user without Linger leaves as the last. Zero: the last Close stops it.
	Linger time.Duration
	// Logger gets starts, stops and adoptions. Nil: nothing is logged.
	Logger *slog.Logger
}

// Server is our share in a running private PostgreSQL. Its methods may be
// called from several goroutines.
type Server struct {
	folder *folder
	log    *slog.Logger
	socket string // folder of the socket
	linger time.Duration

	mu    sync.Mutex // guards users, for the whole of Close
	users *os.File   // the shared lock; nil once closed
}

// Start joins the private server of o.Dir, making and starting it where needed,
// and returns once it answers. Recovery after a crash may take minutes; ctx
// bounds the wait. Every Server must be closed.
//
// The error is [ErrMissing] when no PostgreSQL is installed and [ErrVersion]
// when the cluster was made by another major version.
func Start(ctx context.Context, o Options) (*Server, error) {
	s, err := start(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("private PostgreSQL in %s: %w", o.Dir, err)
	}
	return s, nil
}

func start(ctx context.Context, o Options) (_ *Server, err error) {
	log := o.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	f, err := openFolder(o.Dir, o.User)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			f.close()
		}
	}()
	gate, err := f.lock(ctx, startLock, syscall.LOCK_EX)
	if err != nil {
		return nil, err
	}
	defer gate.Close()
	users, err := f.lock(ctx, usersLock, syscall.LOCK_SH)
	if err != nil {
		return nil, err
	}
	socket, err := f.up(ctx, o, log)
	if err != nil {
		users.Close()
		return nil, err
	}
	if o.Linger > 0 {
		if err := f.watch(o.Linger); err != nil {
			log.Debug("private PostgreSQL has no watcher", "error", err)
		}
	}
	return &Server{folder: f, log: log, socket: socket, linger: o.Linger, users: users}, nil
}

// up returns the socket folder of a server that answers: the one that runs
// already, else one that it starts. The caller holds start.lock.
func (f *folder) up(ctx context.Context, o Options, log *slog.Logger) (string, error) {
	socket, ok, err := f.attach(ctx, log)
	if err != nil || ok {
		return socket, err
	}
	in, err := f.chooseInstall(ctx, o.BinDir)
	if err != nil {
		return "", err
	}
	if err := f.makeCluster(ctx, in, o, log); err != nil {
		return "", err
	}
	socket, err = f.launch(ctx, in, o, log)
	if err != nil {
		// A process killed within milliseconds of starting the server leaves
		// one that had not yet written its pid file. It is there now, and the
		// reason why ours gave up.
		if again, ok, _ := f.attach(ctx, log); ok {
			return again, nil
		}
		return "", err
	}
	return socket, nil
}

// URL returns the address of a database of this server, for pgx, psql and all
// else that reads libpq's URLs.
func (s *Server) URL(database string) string { return socketURL(s.socket, database) }

func socketURL(socket, database string) string {
	q := url.Values{"host": {socket}, "port": {strconv.Itoa(port)}, "sslmode": {"disable"}}
	// Neither libpq nor pgx reads a plus sign as a space.
	raw := strings.ReplaceAll(q.Encode(), "+", "%20")
	u := url.URL{Scheme: "postgres", User: url.User(superuser), Path: "/" + database, RawQuery: raw}
	return u.String()
}

// LogFile returns the path of the file that holds the server's own log.
func (s *Server) LogFile() string { return filepath.Join(s.folder.path, logName) }

// EnsureDatabase makes the database unless it exists. Any number of programs
// may do so at once.
func (s *Server) EnsureDatabase(ctx context.Context, name string) error {
	if err := s.ensureDatabase(ctx, name); err != nil {
		return fmt.Errorf("create database %q: %w", name, err)
	}
	return nil
}

func (s *Server) ensureDatabase(ctx context.Context, name string) error {
	conn, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var exists bool
	err = conn.QueryRow(ctx, `select exists (select from pg_database where datname = $1)`, name).Scan(&exists)
	if err != nil || exists {
		return err
	}
	_, err = conn.Exec(ctx, "create database "+pgx.Identifier{name}.Sanitize())
	// Of two at once, the loser sees either code, depending on how late it is.
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && (pg.Code == "42P04" || pg.Code == "23505") {
		return nil
	}
	return err
}

// Close leaves the server, and stops it if nobody else uses it. Connections
// must be closed before; those that are left are cut when the server stops.
// Closing twice does nothing.
func (s *Server) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users == nil {
		return nil
	}
	defer s.folder.close()
	err := s.leave()
	s.users.Close()
	s.users = nil
	if err != nil {
		return fmt.Errorf("private PostgreSQL in %s: %w", s.folder.path, err)
	}
	return nil
}

func (s *Server) leave() error {
	if s.linger > 0 {
		return nil // the watcher stops the server
	}
	// Another program may be starting or stopping the server just now; no
	// start that gets on takes longer than this.
	ctx, cancel := context.WithTimeout(context.Background(), stopPatience)
	defer cancel()
	gate, err := s.folder.lock(ctx, startLock, syscall.LOCK_EX)
	if err != nil {
		return err
	}
	defer gate.Close()
	// Turning a shared lock into an exclusive one may lose it on the way. As
	// all who want it hold start.lock first, nobody can come in between.
	if err := syscall.Flock(int(s.users.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		if errors.Is(err, syscall.EWOULDBLOCK) {
			s.log.Debug("private PostgreSQL left to its other users")
			return nil
		}
		return err
	}
	return s.folder.stop(s.log)
}
