package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/cmd/internal/control"
	"github.com/strandlinehq/strandline/cmd/internal/diskwatch"
	"github.com/strandlinehq/strandline/cmd/internal/web"
	"github.com/strandlinehq/strandline/store"
	"github.com/strandlinehq/strandline/store/localpg"
)

// permissions looks at the state directory and the files of secrets.
func (d *doctor) permissions() {
	const check = "permissions"
	who := "this user"
	if u, err := user.Current(); err == nil {
		who = u.Username
	}
	// Nothing is made: the directory that is named may be a mistake.
	dir := presentDir(string(d.config.StateDir), d.app.flags.StateDir != "")
	there := nearestDir(dir)
	switch err := mayWrite(there); {
	case err != nil:
		d.fault(check, err.Error(), fmt.Sprintf("run as the user of the service (sudo -u strandline strandline doctor), or give the folder to %s", who))
	case there != filepath.Clean(dir):
		d.stateDir = dir
		d.warn(check, fmt.Sprintf("there is no directory %s; %s may make it", dir, who), "if it is the right one, 'strandline run' makes it; otherwise correct --state-dir or state_dir")
	default:
		d.stateDir = dir
		d.ok(check, "%s may write to %s", who, dir)
	}
	credentials := os.Getenv("CREDENTIALS_DIRECTORY")
	for _, f := range d.config.SecretFiles() {
		if _, err := f.Read(credentials); err != nil {
			d.fault(check, err.Error(), fmt.Sprintf("let %s and nobody else read it: chown and chmod 0400, or LoadCredential= in the unit", who))
		}
	}
}

// nearestDir returns the directory, or the nearest one above it that exists.
func nearestDir(dir string) string {
	for dir = filepath.Clean(dir); ; dir = filepath.Dir(dir) {
		if s, err := os.Stat(dir); err == nil && s.IsDir() || dir == filepath.Dir(dir) {
			return dir
		}
	}
}

// disk measures the room that is left.
func (d *doctor) disk() {
	const check = "disk"
	if d.stateDir == "" {
		return
	}
	s, err := diskwatch.Measure(nearestDir(d.stateDir))
	least := uint64(d.config.Disk.MinFree)
	switch {
	case err != nil:
		d.warn(check, err.Error(), "look after the free space yourself")
	case s.Free < least:
		d.fault(check, fmt.Sprintf("%s has %d MiB free, less than disk.min_free (%s): no page is fetched", d.stateDir, s.Free>>20, d.config.Disk.MinFree),
			"make room, or lower disk.min_free")
	case s.Free < 2*least || s.Free < s.Size/20:
		d.warn(check, fmt.Sprintf("%s has %d MiB free of %d", d.stateDir, s.Free>>20, s.Size>>20), "make room before crawling pauses at disk.min_free")
	default:
		d.ok(check, "%s has %d MiB free of %d", d.stateDir, s.Free>>20, s.Size>>20)
	}
}

// leastServer is the oldest PostgreSQL that the schema runs on.
const leastServer = 150000

// database asks the server, its version, its clock and the schema.
func (d *doctor) database(ctx context.Context) {
	const check = "database"
	url, server, err := d.app.database(ctx, d.config, false)
	var none noState
	if errors.As(err, &none) {
		if _, err = localpg.Find(""); err == nil {
			d.warn(check, fmt.Sprintf("no private database was made in %s yet", none.dir), "if it is the right directory, 'strandline run' makes it; otherwise correct --state-dir or state_dir")
			return
		}
	}
	if err != nil {
		d.fault(check, err.Error(), "install PostgreSQL 15 or later for a private server, or name one by database.url")
		return
	}
	defer leave(server)
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		d.fault(check, unreachable(err).Error(), "start the server, or correct database.url")
		return
	}
	defer conn.Close(ctx)
	var version int
	var name string
	var theirs time.Time
	before := time.Now()
	err = conn.QueryRow(ctx, `select current_setting('server_version_num')::int, current_setting('server_version'), clock_timestamp()`).Scan(&version, &name, &theirs)
	after := time.Now()
	switch {
	case err != nil:
		d.fault(check, err.Error(), "look into the log of the server")
		return
	case version < leastServer:
		d.fault(check, "PostgreSQL "+name+" is too old", "upgrade the server to 15 or later")
	default:
		d.ok(check, "PostgreSQL %s answers in %s", name, after.Sub(before).Round(100*time.Microsecond))
	}
	// Half of the way there and back is the best guess at when the server read its clock.
	skew := theirs.Sub(before.Add(after.Sub(before) / 2))
	if skew.Abs() > 2*time.Second {
		d.fault("clock", fmt.Sprintf("the clock of the database is %s off this machine's", skew.Round(time.Millisecond)), "synchronise both by NTP")
	} else {
		d.ok("clock", "the database's is %s off this machine's", skew.Abs().Round(time.Millisecond))
	}
	db, err := store.Open(ctx, url, store.Options{MaxConns: 2})
	switch {
	case errors.Is(err, store.ErrSchemaOlder) && server != nil:
		d.ok("schema", "older than the program; the next start brings it up to date")
	case errors.Is(err, store.ErrSchemaOlder):
		d.fault("schema", err.Error(), "run 'strandline db migrate'")
	case err != nil:
		d.fault("schema", err.Error(), "run the version of strandline that wrote it, or restore a backup")
	default:
		db.Close()
		d.ok("schema", "fits this version of the program")
	}
}

// clock asks the machine whether its clock is kept right, where it says so.
func (d *doctor) clock(ctx context.Context) {
	path, err := exec.LookPath("timedatectl")
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "show", "--property=NTPSynchronized", "--value").Output()
	if err == nil && strings.TrimSpace(string(out)) == "no" {
		d.warn("clock", "this machine's is not synchronised", "run 'timedatectl set-ntp true'; due times and Last-Modified dates depend on it")
	}
}

// daemon looks for a running one, or for whether one could serve its pages.
func (d *doctor) daemon(ctx context.Context) {
	const check = "daemon"
	if d.stateDir != "" {
		_, err := control.Dial(d.stateDir).State(ctx)
		if err == nil {
			d.ok(check, "runs on %s", d.stateDir)
			return
		}
		if !errors.Is(err, control.ErrNoDaemon) {
			d.fault(check, err.Error(), "restart it, and look into its log")
			return
		}
	}
	if _, err := access(&d.config.HTTP, d.config.HTTP.Listen); err != nil {
		return // told among the permissions
	}
	l, err := web.Listen(ctx, d.config.HTTP.Listen)
	if err != nil {
		d.fault(check, err.Error(), "stop what uses the address, or set http.listen")
		return
	}
	_ = l.Close()
	d.warn(check, "none runs on this state directory; "+d.config.HTTP.Listen+" is free for it", "start it: systemctl start strandline, or 'strandline run'")
}
