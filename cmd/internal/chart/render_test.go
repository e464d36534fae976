package chart

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var look = flag.String("look", "", "folder to write all samples to, light and dark, for looking at them")

// TestLook writes pictures for the eye: go test -run TestLook -look /tmp/pictures.
func TestLook(t *testing.T) {
	if *look == "" {
		t.Skip("no folder given by -look")
	}
	for name, f := range samples() {
		for theme, suffix := range map[Theme]string{Light: "", Dark: "_dark"} {
			if err := os.WriteFile(filepath.Join(*look, name+suffix+".svg"), f.SVG(Options{Theme: theme}), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
