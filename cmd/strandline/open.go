package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/strandlinehq/strandline/cmd/internal/control"
	"github.com/strandlinehq/strandline/configs"
	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/store"
	"github.com/strandlinehq/strandline/store/localpg"
)

// databaseName is the database of the private PostgreSQL.
const databaseName = "strandline"

// opened is a configured program on its database.
type opened struct {
	*store.DB
	config *configs.Config
	url    string
	reader *intake.Reader
	server *localpg.Server // nil when the database is not ours

	stateDir string
}

// open connects to the database, starting the private one where none is named,
// and brings a private one's schema up to date; another's is migrated by its
// operator. A private one that does not exist is an error: a command that only
// looks would look at nothing.
func (a *app) open(ctx context.Context) (*opened, error) {
	return a.openWith(ctx, false, store.Options{})
}

// create is open for a command that brings data in: it makes a private database where
// there is none.
func (a *app) create(ctx context.Context) (*opened, error) {
	return a.openWith(ctx, true, store.Options{})
}

// openWith is open, or create, for a command that has wishes of its own.
func (a *app) openWith(ctx context.Context, create bool, opt store.Options) (*opened, error) {
	opt.Logger = a.log
	c, err := a.config()
	if err != nil {
		return nil, err
	}
	o := &opened{config: c, reader: intake.New(canonical.New(canonical.Options{Tracking: c.Crawler.TrackingParams}))}
	if o.url, o.server, err = a.database(ctx, c, create); err != nil {
		return nil, err
	}
	if o.stateDir, err = stateDir(string(c.StateDir), a.flags.StateDir != ""); err != nil {
		o.stateDir = "" // an external database needs none but for a running daemon
	}
	o.DB, err = store.Open(ctx, o.url, opt)
	if errors.Is(err, store.ErrSchemaOlder) && o.server != nil {
		if err = notUnderDaemon(ctx, o.stateDir); err == nil {
			_, err = store.Migrate(ctx, o.url)
		}
		if err == nil {
			o.DB, err = store.Open(ctx, o.url, opt)
		}
	}
	if err != nil {
		o.Close()
		return nil, unreachable(err)
	}
	return o, nil
}

// notUnderDaemon refuses to change the schema of a state directory on which a daemon runs, which is
// of the version before: its statements were written for the schema that is there.
func notUnderDaemon(ctx context.Context, dir string) error {
	if control.Dial(dir).Running(ctx) {
		return fmt.Errorf("the daemon on %s is of an older version, and so is its database; restart it with this one (systemctl restart strandline), which brings the database up to date", dir)
	}
	return nil
}

// unreachable says what to do about a database that cannot be opened.
func unreachable(err error) error {
	var connect *pgconn.ConnectError
	var parse *pgconn.ParseConfigError
	switch {
	case errors.As(err, &parse):
		return usagef("%w; --database and database.url want the form postgres://user@host/name", err)
	case errors.As(err, &connect):
		return fmt.Errorf("%s; is the server up, and are --database or database.url right?", strings.Join(strings.Fields(connect.Error()), " "))
	}
	return err
}

// Close leaves the database; the last one to leave a private server stops it.
func (o *opened) Close() {
	if o.DB != nil {
		o.DB.Close()
	}
	if o.server != nil {
		_ = o.server.Close() // nothing is lost by a server that runs on
	}
}

// noState is the error of a command that looks at a state directory without anything in it.
type noState struct{ dir string }

func (e noState) Error() string {
	return fmt.Sprintf("there is no state in %s: no private database was made there yet; if the directory is the right one, 'strandline run', 'fetch' or 'import' makes it, "+
		"otherwise --state-dir, state_dir or --config names another", e.dir)
}

// database returns the URL of the configured database, and the private server
// when that is it. Without create, a private one that does not exist is an error and
// no directory is made for it.
func (a *app) database(ctx context.Context, c *configs.Config, create bool) (string, *localpg.Server, error) {
	if url, err := a.namedDatabase(c); err != nil || url != "" {
		return url, nil, err
	}
	asked := a.flags.StateDir != ""
	if dir := presentDir(string(c.StateDir), asked); !create && !localpg.Exists(dir) {
		return "", nil, noState{dir}
	}
	dir, err := stateDir(string(c.StateDir), asked)
	if err != nil {
		return "", nil, err
	}
	server, err := localpg.Start(ctx, localpg.Options{Dir: dir, Logger: a.log})
	if err != nil {
		return "", nil, err
	}
	if err := server.EnsureDatabase(ctx, databaseName); err != nil {
		return "", nil, errors.Join(err, server.Close())
	}
	return server.URL(databaseName), server, nil
}

// namedDatabase is the URL of the database that flags or files name; empty: the private one.
func (a *app) namedDatabase(c *configs.Config) (string, error) {
	url := a.flags.Database
	if url == "" {
		url = c.Database.URL.Reveal()
	}
	if url == "" && c.Database.URLFile != "" {
		secret, err := c.Database.URLFile.Read(os.Getenv("CREDENTIALS_DIRECTORY"))
		if err != nil {
			return "", usageError{err}
		}
		url = secret.Reveal()
	}
	return url, nil
}

// databaseKey tells databases apart by their URLs, without what is secret in them; that of the private one is empty.
func databaseKey(url string) string {
	if url == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(url))
	return hex.EncodeToString(sum[:])
}

// stateDir makes the state directory. A person who runs the program without
// being root cannot have the service's one; theirs is then in their home.
func stateDir(configured string, asked bool) (string, error) {
	err := os.MkdirAll(configured, 0o755)
	if err == nil {
		err = mayWrite(configured)
	}
	if err == nil || asked || !errors.Is(err, fs.ErrPermission) || configured != string(configs.Default().StateDir) {
		if err != nil {
			return "", fmt.Errorf("state directory: %w; set state_dir or --state-dir", err)
		}
		return configured, nil
	}
	dir := homeDir()
	if dir == "" {
		return "", fmt.Errorf("state directory: %w; set state_dir or --state-dir", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("state directory: %w; set state_dir or --state-dir", err)
	}
	return dir, nil
}

// homeDir is the state directory of a person; empty: they have no home.
func homeDir() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	base := os.Getenv("XDG_STATE_HOME")
	if base == "" {
		base = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(base, "strandline")
}

// presentDir is the directory that stateDir would choose, and makes nothing.
func presentDir(configured string, asked bool) string {
	if asked || configured != string(configs.Default().StateDir) || mayWrite(configured) == nil {
		return configured
	}
	if dir := homeDir(); dir != "" && mayWrite(dir) == nil {
		return dir
	}
	return configured
}

// withScheme completes an address as a person types it.
func withScheme(name string) string {
	if strings.Contains(name, "://") {
		return name
	}
	return "https://" + name
}

// mayWrite reports whether files can be made in a directory.
func mayWrite(dir string) error {
	f, err := os.CreateTemp(dir, ".strandline-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// page finds the page that a person names.
func (o *opened) page(ctx context.Context, name string) (store.Page, error) {
	url, err := o.reader.Canonical(withScheme(name))
	if err != nil {
		return store.Page{}, usagef("%q is not the URL of a web page, such as https://example.org/page", name)
	}
	p, err := o.PageByURL(ctx, url)
	if errors.Is(err, store.ErrNotFound) && strings.HasPrefix(url, "https://") {
		// Archives of old pages have them under the plain scheme.
		if plain, perr := o.PageByURL(ctx, "http://"+strings.TrimPrefix(url, "https://")); perr == nil {
			return plain, nil
		}
	}
	if errors.Is(err, store.ErrNotFound) {
		return store.Page{}, fmt.Errorf("%s is not in the database; 'strandline fetch' or 'strandline import' brings pages in, the view api_v1.page lists them", url)
	}
	return p, err
}
