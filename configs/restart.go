package configs

import "strings"

// NeedsRestart reports whether a change takes effect only when the daemon is started
// anew: the connections that it has open, the socket it listens on, and how it fetches are
// made once. Watches, series, topics, targets, retention and the bound of the disk follow a reload.
func (c Change) NeedsRestart() bool {
	if c.Kind != "setting" {
		return false
	}
	section, _, _ := strings.Cut(c.Name, ".")
	switch section {
	case "database", "state_dir", "http", "crawler":
		return true
	}
	return false
}
