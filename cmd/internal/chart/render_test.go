package chart

import (
	"cmp"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var look = flag.String("look", "", "folder to write all samples to, light and dark, for looking at them")

// TestLook holds a picture of every kind to what pictures promise, in both themes.
// They can be kept for the eye: go test -run TestLook -look FOLDER.
func TestLook(t *testing.T) {
	folder := cmp.Or(*look, t.TempDir())
	for name, f := range samples() {
		for theme, suffix := range map[Theme]string{Light: "", Dark: "_dark"} {
			svg := f.SVG(Options{Theme: theme})
			wellFormed(t, svg, "chart")
			if err := os.WriteFile(filepath.Join(folder, name+suffix+".svg"), svg, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
