package daemon

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/store"
)

// journal is a file in which a daemon notes the pages whose fetches begin, before they do, and those
// that are stored. After a kill it tells the pages that were only claimed, which are due still,
// from those that may have been fetched. A claim alone does not tell, and a row of the
// database for each begin would cost a third update a fetch.
//
// The file starts with the machine's boot, since what was written without a sync outlives a killed
// process but not the machine, and goes on with the pages, eight bytes each: as they are when
// they begin and with all bits turned when they are stored. The last note of a page counts.
// A daemon whose journal is missing, or of another boot or machine, may have fetched all that it claimed.
//
// The nil journal, of a daemon without a directory, knows nothing. It is the loop's alone.
type journal struct {
	dir   string
	boot  []byte
	path  string
	file  *os.File // nil: lost
	size  int
	open  map[store.PageID]bool // begun and not stored
	notes []byte                // scratch
	dead  map[int32]map[store.PageID]bool
	fail  func(error)
}

const (
	journalPrefix = "begun-"
	// maxJournal is how long the file may grow before it is written anew with what is open.
	maxJournal = 1 << 20
	// journalKept is how long the journals of others are kept, by the machine's time: much longer than leases of pages.
	journalKept = 7 * 24 * time.Hour
)

// openJournal begins the journal of a daemon. An error leaves it without one: fail is told.
func openJournal(dir string, id int32, boot []byte, fail func(error)) *journal {
	if dir == "" || len(boot) == 0 {
		return nil
	}
	j := &journal{dir: dir, boot: boot, open: map[store.PageID]bool{}, dead: map[int32]map[store.PageID]bool{}, fail: fail}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		fail(fmt.Errorf("journal of fetches: %w", err))
		return j
	}
	j.sweep()
	j.path = j.name(id)
	if err := j.shrink(); err != nil {
		j.lose(err)
	}
	return j
}

// name is the file of a daemon.
func (j *journal) name(id int32) string {
	return filepath.Join(j.dir, journalPrefix+strconv.Itoa(int(id)))
}

func (j *journal) head() []byte { return append(bytes.Clone(j.boot), '\n') }

// sweep removes journals whose leases are long over.
func (j *journal) sweep() {
	list, err := os.ReadDir(j.dir)
	if err != nil {
		return // they take room, no more
	}
	for _, e := range list {
		info, err := e.Info()
		if err == nil && strings.HasPrefix(e.Name(), journalPrefix) && time.Since(info.ModTime()) > journalKept {
			_ = os.Remove(filepath.Join(j.dir, e.Name()))
		}
	}
}

// begin notes that a page may be fetched from now on.
func (j *journal) begin(page store.PageID) {
	if j == nil || j.file == nil {
		return
	}
	j.open[page] = true
	j.notes = binary.LittleEndian.AppendUint64(j.notes[:0], uint64(page))
	j.write()
}

// end notes that pages are stored, or were not asked for after all.
func (j *journal) end(pages ...store.PageID) {
	if j == nil || j.file == nil {
		return
	}
	j.notes = j.notes[:0]
	for _, p := range pages {
		if j.open[p] {
			delete(j.open, p)
			j.notes = binary.LittleEndian.AppendUint64(j.notes, ^uint64(p))
		}
	}
	j.write()
}

func (j *journal) write() {
	if len(j.notes) == 0 {
		return
	}
	_, err := j.file.Write(j.notes)
	if j.size += len(j.notes); err == nil && j.size > maxJournal {
		err = j.shrink()
	}
	if err != nil {
		j.lose(err)
	}
}

// shrink writes the file anew with what is open. It takes the old one's place at once, or not at all.
func (j *journal) shrink() error {
	text := j.head()
	for p := range j.open {
		text = binary.LittleEndian.AppendUint64(text, uint64(p))
	}
	next, err := os.OpenFile(j.path+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err = next.Write(text); err == nil {
		err = os.Rename(next.Name(), j.path)
	}
	if err != nil {
		return errors.Join(err, next.Close())
	}
	if j.file != nil {
		_ = j.file.Close() // nothing of it is wanted any more
	}
	j.file, j.size = next, 0
	return nil
}

// lose goes on without a journal: one that lacks a begin would be worse than none.
func (j *journal) lose(err error) {
	j.remove()
	j.fail(fmt.Errorf("journal of fetches: %w", err))
}

// close ends the journal of a daemon that has stored everything and holds no leases.
func (j *journal) close() {
	if j != nil {
		j.remove()
	}
}

func (j *journal) remove() {
	if j.file != nil {
		_ = os.Remove(j.path) // else a later daemon sweeps it away
		_ = j.file.Close()
		j.file = nil
	}
}

// onlyClaimed reports whether a page that a daemon had claimed when it ended is known not to have been
// fetched under that claim.
func (j *journal) onlyClaimed(page store.PageID, daemon int32) bool {
	if j == nil {
		return false
	}
	begun, read := j.dead[daemon]
	if !read {
		begun = readJournal(j.name(daemon), j.head())
		j.dead[daemon] = begun
	}
	return begun != nil && !begun[page]
}

// readJournal returns the pages that are open in a journal, nil if it does not tell.
func readJournal(name string, head []byte) map[store.PageID]bool {
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 4*maxJournal))
	if err != nil || !bytes.HasPrefix(text, head) || len(text) == 4*maxJournal {
		return nil
	}
	out := map[store.PageID]bool{}
	for text = text[len(head):]; len(text) >= 8; text = text[8:] {
		if p := store.PageID(binary.LittleEndian.Uint64(text)); p >= 0 {
			out[p] = true
		} else {
			delete(out, ^p)
		}
	}
	return out
}

// bootOf names the machine's boot; empty if that cannot be told.
func bootOf() []byte {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return nil
	}
	return bytes.TrimSpace(b)
}
