package found_test

import (
	"testing"

	"github.com/strandlinehq/strandline/cmd/internal/found"
	"github.com/strandlinehq/strandline/store"
)

// TestCopyWords: the label of a copy reads as a sentence with the address behind it, and
// each kind has its own.
func TestCopyWords(t *testing.T) {
	t.Parallel()
	for kind, want := range map[store.CopyKind]string{
		store.Copy: "copy of", store.Moved: "moved from", store.Twin: "same text as", store.Near: "much like",
	} {
		if got := found.CopyWords(kind); got != want {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
}
