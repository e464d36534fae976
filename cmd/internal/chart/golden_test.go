package chart

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden draws each sample into testdata, where people can look at it too.
func TestGolden(t *testing.T) {
	t.Parallel()
	again := samples()
	for name, f := range samples() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := f.SVG(Options{})
			if twice := again[name].SVG(Options{}); !bytes.Equal(got, twice) {
				t.Error("the same data gave other bytes")
			}
			file := filepath.Join("testdata", name+".svg")
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s differs (-want +got):\n%.2000s", file, diff)
			}
		})
	}
}
