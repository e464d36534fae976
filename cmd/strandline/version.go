package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
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
	if a.flags.JSON {
		version, revision := programVersion()
		return a.printJSON(map[string]string{"version": version, "revision": revision, "go": runtime.Version()})
	}
	fmt.Fprintln(a.stdout, versionLine())
	return nil
}

// versionLine is what a person is told.
func versionLine() string {
	version, revision := programVersion()
	return strings.Join(strings.Fields(fmt.Sprintf("strandline %s %s (%s)", version, revision, runtime.Version())), " ")
}
