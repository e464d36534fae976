package configs

import "testing"

// TestNeedsRestart lists what a reload takes up and what it does not.
func TestNeedsRestart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind, name string
		want       bool
	}{
		{"setting", "crawler.workers", true},
		{"setting", "crawler.host.delay", true},
		{"setting", "http.listen", true},
		{"setting", "database.url", true},
		{"setting", "state_dir", true},
		{"setting", "disk.min_free", false},
		{"setting", "retention.versions.all", false},
		{"watch", "crawler", false},
		{"target", "http", false},
	} {
		if got := (Change{Action: Changed, Kind: c.kind, Name: c.name}).NeedsRestart(); got != c.want {
			t.Errorf("%s %s: %t, want %t", c.kind, c.name, got, c.want)
		}
	}
}
