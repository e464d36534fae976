package copies

import (
	"context"

	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/monitor/maintext"
	"github.com/strandlinehq/strandline/monitor/neardup"
	"github.com/strandlinehq/strandline/store"
)

// Salts keep the keys of main texts apart from those of whole ones.
const (
	saltMain = iota
	saltWhole
)

// body is what is compared of a version.
type body struct {
	lines []string // of the main text
	main  neardup.Sketch
	whole neardup.Sketch
}

func bodyOf(record []byte) (*body, bool) {
	if record == nil {
		return nil, false
	}
	page, err := extract.DecodeRecord(record)
	if err != nil {
		return nil, false
	}
	b := &body{lines: maintext.Lines(page), whole: neardup.Of(page.Text())}
	b.main = neardup.Of(maintext.Without(b.lines, nil))
	return b, true
}

// readBodies reads versions. Those whose record is damaged or gone are left out.
func readBodies(ctx context.Context, db *store.DB, refs []store.VersionRef) (map[store.Todo]*body, error) {
	keys := make([]store.ContentKey, len(refs))
	for i, r := range refs {
		keys[i] = r.Record
	}
	records, err := db.GoodRecords(ctx, keys)
	if err != nil {
		return nil, err
	}
	out := make(map[store.Todo]*body, len(refs))
	for _, r := range refs {
		if b, ok := bodyOf(records[r.Record]); ok {
			out[store.Todo{Page: r.Page, Version: r.Version}] = b
		}
	}
	return out, nil
}

// Sketches stores the keys of versions. One that cannot be read, or has no words, gets
// none and is like no other.
func Sketches(ctx context.Context, db *store.DB, refs []store.VersionRef) error {
	bodies, err := readBodies(ctx, db, refs)
	if err != nil {
		return err
	}
	out := make([]store.Sketch, len(refs))
	for i, r := range refs {
		out[i] = store.Sketch{Page: r.Page, Version: r.Version, FirstSeen: r.FirstSeen}
		if b := bodies[store.Todo{Page: r.Page, Version: r.Version}]; b != nil {
			out[i].Words = int32(b.main.Words)
			out[i].Keys = append(b.main.Keys(saltMain), b.whole.Keys(saltWhole)...)
		}
	}
	return db.PutSketches(ctx, out)
}
