package localpg

import (
	"maps"
	"slices"
	"strings"
)

// settings returns the server's settings by name, for a machine of some 2 cores
// and 24 GiB that the server shares with the crawler and the measures. They are
// given on the command line, so that a new release of ours can change them, and
// what an operator writes into postgresql.conf holds for all others.
func (o Options) settings(socketDir string) map[string]string {
	set := map[string]string{
		"listen_addresses":        "",
		"port":                    "5432",
		"unix_socket_directories": `"` + strings.ReplaceAll(socketDir, `"`, `""`) + `"`, // a list
		"unix_socket_permissions": "0700",
		"max_connections":         "200",

		"shared_buffers":       "256MB",
		"work_mem":             "16MB", // per sort or hash
		"maintenance_work_mem": "256MB",
		"random_page_cost":     "1.1", // flash memory
		"jit":                  "off", // costs more than it gives on short statements

		// Bulk loads write much WAL. Rare checkpoints write each page less often,
		// and compressed page images keep the WAL of those that remain small.
		"max_wal_size":       "4GB",
		"checkpoint_timeout": "15min",
		"wal_compression":    "on",

		"timezone":                    "UTC",
		"log_timezone":                "UTC",
		"log_destination":             "stderr",
		"logging_collector":           "off",
		"log_checkpoints":             "off",
		"log_line_prefix":             "%m [%p] %q%d ",
		"log_autovacuum_min_duration": "-1",
	}
	if o.SharedBuffers != "" {
		set["shared_buffers"] = o.SharedBuffers
	}
	if o.Unsafe {
		set["fsync"] = "off"
		set["full_page_writes"] = "off"
		set["synchronous_commit"] = "off"
		set["wal_level"] = "minimal"
		set["max_wal_senders"] = "0"
	}
	maps.Copy(set, o.Settings)
	return set
}

// arguments returns the settings as arguments of postgres, in a fixed order.
func arguments(set map[string]string) []string {
	var args []string
	for _, name := range slices.Sorted(maps.Keys(set)) {
		args = append(args, "-c", name+"="+set[name])
	}
	return args
}
