package configs

import (
	"os"
	"slices"
)

// StateDir gives the state directory that the configuration at path names (path as for Load), though the rest of it
// may be full of faults: whoever has to tell the running daemon of a file that cannot be loaded finds it by this.
// It is the default where the file names none. ok is false where the file cannot tell: it cannot be read, is no YAML,
// or its state_dir is itself faulty.
func StateDir(path string) (dir Path, ok bool) {
	if path == "" {
		if path = first(Candidates()); path == "" {
			return Default().StateDir, true
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", false
	}
	l := &loading{config: new(Config)}
	l.read(path, data, l.config, false)
	if slices.ContainsFunc(l.errs, func(e Error) bool { return e.Key == "" || e.Key == "state_dir" }) {
		return "", false
	}
	return l.config.StateDir, true
}
