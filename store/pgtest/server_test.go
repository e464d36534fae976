package pgtest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/store/localpg"
)

func TestCanSkip(t *testing.T) {
	t.Parallel()
	missing := fmt.Errorf("find: %w", localpg.ErrMissing)
	for _, tt := range []struct {
		name string
		err  error
		ci   string
		want bool
	}{
		{"not installed", missing, "", true},
		{"not installed in CI", missing, "true", false},
		{"does not start", errors.New("disk full"), "", false},
	} {
		if got := canSkip(tt.err, tt.ci); got != tt.want {
			t.Errorf("%s: canSkip = %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestPrivateDir(t *testing.T) {
	t.Parallel()
	tmp := t.TempDir()
	dir, err := privateDir(tmp, 15)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := privateDir(tmp, 15); err != nil || again != dir {
		t.Errorf("second privateDir = %s, %v, want %s", again, err, dir)
	}
	if other, err := privateDir(tmp, 16); err != nil || other == dir {
		t.Errorf("other version: privateDir = %s, %v", other, err)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := privateDir(tmp, 15); err == nil {
		t.Error("a directory that all can write to was taken")
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), dir); err != nil {
		t.Fatal(err)
	}
	if _, err := privateDir(tmp, 15); err == nil {
		t.Error("a symbolic link was taken")
	}
	if os.Geteuid() == 0 {
		alien := filepath.Join(tmp, fmt.Sprintf("strandline-pgtest-0-%d", 17))
		if err := errors.Join(os.Mkdir(alien, 0o700), os.Chown(alien, 1, 1)); err != nil {
			t.Fatal(err)
		}
		if _, err := privateDir(tmp, 17); err == nil {
			t.Error("another user's directory was taken")
		}
	}
}

func TestWithDatabase(t *testing.T) {
	t.Parallel()
	for _, admin := range []string{
		"postgres://u:p%40ss@h:5433/postgres?sslmode=disable",
		"postgresql://u:p%40ss@h:5433?sslmode=disable",
		"postgres://u:p%40ss@h:5433/?dbname=postgres&sslmode=disable",
		"host=h port=5433 user=u password=p@ss dbname=postgres sslmode=disable",
	} {
		c, err := pgx.ParseConfig(withDatabase(admin, "strandline_test_1_2"))
		if err != nil {
			t.Errorf("%s: %v", admin, err)
			continue
		}
		if c.Database != "strandline_test_1_2" || c.Host != "h" || c.Port != 5433 || c.User != "u" || c.Password != "p@ss" {
			t.Errorf("%s became database %q of %s@%s:%d", admin, c.Database, c.User, c.Host, c.Port)
		}
	}
	c, err := pgx.ParseConfig(withDatabase("postgres://s@/postgres?host=%2Frun%2Fwith%20space", "x"))
	if err != nil || c.Host != "/run/with space" || c.Database != "x" {
		t.Errorf("socket address: host %q, database %q, %v", c.Host, c.Database, err)
	}
}

func TestRunOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int32{
		"strandline_test_12_3":          12,
		"strandline_test_2147483647_10": 1<<31 - 1,
		"strandline_test_12":            -1,
		"strandline_test_x_3":           -1,
		"strandline_test_2147483648_1":  -1,
		"strandline_template_12_3":      -1,
		"strandline":                    -1,
	} {
		got, ok := runOf(name)
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("runOf(%q) = %d, want %d", name, got, want)
		}
	}
}

func TestStale(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	for comment, want := range map[string]bool{
		"1700000000": false,
		"1699996400": false, // just the hour
		"1699996399": true,
		"1700009999": false, // another machine's clock is ahead
		"":           true,
		"soon":       true,
	} {
		if got := stale(comment, now); got != want {
			t.Errorf("stale(%q) = %v, want %v", comment, got, want)
		}
	}
}
