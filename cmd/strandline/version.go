package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// versionCmd prints what was built.
type versionCmd struct{}

// programVersion is the version that was built, with its revision if it is known.
func programVersion() (version, revision string) {
	version = "development"
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" && info.Main.Version != "(devel)" {
			version = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = s.Value
			}
		}
	}
	return version, revision
}

// Run prints version, revision and Go version.
func (versionCmd) Run(a *app) error {
	version, revision := programVersion()
	if a.flags.JSON {
		return a.printJSON(map[string]string{"version": version, "revision": revision, "go": runtime.Version()})
	}
	fmt.Fprintf(a.stdout, "strandline %s %s (%s)\n", version, revision, runtime.Version())
	return nil
}
