package main

import "fmt"

// wantsName answers a command that was given no name: it lists those that there are on
// stdout, for people and for completions, and is an error of usage.
func (a *app) wantsName(command, kind string, names []string) error {
	if len(names) == 0 {
		return usagef("%s wants the name of a %s; the configuration has none", command, kind)
	}
	for _, n := range names {
		fmt.Fprintln(a.stdout, n)
	}
	return usagef("%s wants one of these", command)
}
