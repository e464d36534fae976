package daemon

import (
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/strandlinehq/strandline/store"
)

// TestJournal notes begins and ends in any order, with a file that is written anew often, and
// reads after each what a set says.
func TestJournal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lost := func(err error) { t.Error(err) }
	rapid.Check(t, func(t *rapid.T) {
		j := openJournal(dir, 1, []byte("boot"), lost)
		open := map[store.PageID]bool{}
		page := rapid.Map(rapid.Int64Range(0, 5), func(n int64) store.PageID { return store.PageID(n<<40 | n) })
		for range rapid.IntRange(0, 40).Draw(t, "notes") {
			p := page.Draw(t, "page")
			switch rapid.IntRange(0, 4).Draw(t, "note") {
			case 0, 1:
				j.begin(p)
				open[p] = true
			case 2, 3:
				j.end(p, page.Draw(t, "unknown or not"))
				open = map[store.PageID]bool{}
				for q := range j.open {
					open[q] = true
				}
			default:
				if err := j.shrink(); err != nil {
					t.Fatal(err)
				}
			}
		}
		later := openJournal(dir, 2, []byte("boot"), lost)
		for n := range store.PageID(6) {
			p := n<<40 | n
			if later.onlyClaimed(p, 1) == open[p] {
				t.Errorf("page %d: only claimed %t, but begun %t", n, later.onlyClaimed(p, 1), open[p])
			}
		}
		for _, other := range []*journal{openJournal(dir, 2, []byte("next"), lost), nil} {
			if other.onlyClaimed(0, 1) {
				t.Error("a journal of another boot, or none, tells of a page")
			}
		}
		if later.onlyClaimed(0, 7) {
			t.Error("a journal that is not there tells of a page")
		}
		j.close()
		later.close()
	})
	if left, err := os.ReadDir(dir); err != nil || len(left) > 1 {
		t.Errorf("%d files are left, %v", len(left), err)
	}
}

// TestJournalLost has a directory that cannot be: the daemon goes on and is told once.
func TestJournalLost(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	told := 0
	j := openJournal(filepath.Join(file, "dir"), 1, []byte("boot"), func(error) { told++ })
	j.begin(3)
	j.end(3)
	j.close()
	if told != 1 || j.onlyClaimed(3, 1) {
		t.Errorf("told %d times, want once", told)
	}
}
