package main

import (
	"os"

	"golang.org/x/term"
)

// width is how many letters the terminal that is written to is wide; 0 where stdout is
// a file or a pipe, which have room for any line.
func (a *app) width() int {
	f, ok := a.stdout.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}
