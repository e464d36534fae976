package bench

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestMachine: idle time is idle and iowait; guest times, which user time holds already, do not count again.
func TestMachine(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		stat      string
		idle, all time.Duration
		fails     bool
	}{
		{stat: "cpu  100 20 30 400 50 6 7 8 90 9\ncpu0 1 1 1 1 1 1 1 1 1 1\n", idle: 4500 * time.Millisecond, all: 6210 * time.Millisecond},
		{stat: "cpu  100 20 30 400\n", fails: true},
		{stat: "cpu  100 20 30 x 50 6 7 8\n", fails: true},
		{stat: "cpu0 100 20 30 400 50 6 7 8 90 9\n", fails: true},
		{fails: true},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "stat"), []byte(test.stat), 0o600); err != nil {
			t.Fatal(err)
		}
		idle, all, err := CPU{dir}.Machine()
		if idle != test.idle || all != test.all || (err != nil) != test.fails {
			t.Errorf("%q gives %s of %s and %v, want %s of %s", test.stat, idle, all, err, test.idle, test.all)
		}
	}
	if _, _, err := (CPU{filepath.Join(t.TempDir(), "none")}).Machine(); err == nil {
		t.Error("no file gives no error")
	}
}
