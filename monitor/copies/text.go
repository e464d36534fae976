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

// bytes is about what a body takes in memory.
func (b *body) bytes() int {
	n := 1024 + 8*(b.main.Words+b.whole.Words)
	for _, l := range b.lines {
		n += len(l) + 16
	}
	return n
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

// readBodies reads versions that the cache does not remember. Those whose record is damaged or gone are left out.
func readBodies(ctx context.Context, db *store.DB, refs []store.VersionRef, cache *Cache) (map[store.Todo]*body, error) {
	known := make(map[store.ContentKey]*body, len(refs))
	var keys []store.ContentKey
	for _, r := range refs {
		if _, asked := known[r.Record]; asked {
			continue
		}
		b := cache.get(r.Record)
		if known[r.Record] = b; b == nil {
			keys = append(keys, r.Record)
		}
	}
	if len(keys) > 0 {
		records, err := db.GoodRecords(ctx, keys)
		if err != nil {
			return nil, err
		}
		for _, k := range keys {
			if b, ok := bodyOf(records[k]); ok {
				known[k] = b
				cache.put(k, b)
			}
		}
	}
	out := make(map[store.Todo]*body, len(refs))
	for _, r := range refs {
		if b := known[r.Record]; b != nil {
			out[store.Todo{Page: r.Page, Version: r.Version}] = b
		}
	}
	return out, nil
}

// Sketches stores the keys of versions. One that cannot be read, or has no words, gets
// none and is like no other. A cache, which may be nil, spares Find reading them again.
func Sketches(ctx context.Context, db *store.DB, refs []store.VersionRef, cache *Cache) error {
	bodies, err := readBodies(ctx, db, refs, cache)
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
